/*
 * json: a cursor over JSON text.
 *
 * A pull parser: the caller asks for what it expects, and the job fails with the place, what was
 * expected and what was found. No tree is built. The text must be followed by SOURCE_PADDING
 * readable bytes, which begin with zero or a line end. Neither is part of a token: this ends every
 * loop without bounds checks.
 *
 * It accepts JSON (RFC 8259) in UTF-8, nested at most JSON_DEPTH_MAX deep. Line and column are
 * computed only when there is something to report.
 */
#ifndef ALIBI_FORMAT_JSON_H
#define ALIBI_FORMAT_JSON_H

#include "format/source.h"
#include "history/builder.h"
#include "history/render.h"

enum { JSON_DEPTH_MAX = 1024 };

struct json {
	const char *at, *start, *end;
	uint64_t line; /* of start, from 1 */
	const char *file;
	struct pool *pool;
	struct guard *guard;
	enum alibi_code code; /* of what is rejected */
	text_vec scratch;     /* a string that had escapes */
};

void json_init(struct json *j, struct pool *pool, const char *file);
/* Starts over with another text; line is the number of its first line. */
void json_text(struct json *j, struct text t, uint64_t line);
/* Both, with a copy of a text that has nothing behind it; returns the copy, to be freed. */
char *json_copy(struct json *j, struct pool *pool, const char *name, const char *text,
                size_t length);

/* Ends the job: "file:line:column: text", at the cursor. */
_Noreturn void json_reject(struct json *j, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
/* The same as "expected <what>, found <what is there>". */
_Noreturn void json_expected(struct json *j, const char *what);

/* The next byte that is not white space; 0 at the end. */
static inline char json_peek(struct json *j)
{
	while (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r') {
		if (j->at >= j->end)
			return 0;
		j->at++;
	}
	return j->at < j->end ? *j->at : 0;
}

/* Only white space is left. (A zero byte is not: files that were cut off by a crash may contain
 * them.) */
static inline bool json_is_blank(struct json *j)
{
	return !json_peek(j) && j->at >= j->end;
}

static inline bool json_take(struct json *j, char c)
{
	if (json_peek(j) != c || !c)
		return false;
	j->at++;
	return true;
}

void json_expect(struct json *j, char c, const char *what);
void json_end(struct json *j); /* nothing but white space may follow */

/* for (bool first = json_open(j, '[', "a list"); json_next(j, &first, ']');) one item */
bool json_open(struct json *j, char bracket, const char *what);
bool json_next(struct json *j, bool *first, char closing);
/* for (bool first = json_open(j, '{', …); json_member(j, &first, &name);) one value */
bool json_member(struct json *j, bool *first, struct text *name);

/* An object of known members, each there at most once:
 *     struct json_object o = json_object(j, "a pair", names, 2);
 *     for (unsigned i; json_field(j, &o, &i);) one value, of names[i]
 *     json_require(j, &o, 2, "a pair"); */
struct json_object {
	const char *const *names;
	unsigned count, seen; /* seen: bits */
	const char *advice;   /* what to do with other members; may be set after json_object() */
	bool first;
};

struct json_object json_object(struct json *j, const char *what, const char *const *names,
                               unsigned count);
bool json_field(struct json *j, struct json_object *o, unsigned *field);
/* The first `count` of them must have been there. */
void json_require(struct json *j, const struct json_object *o, unsigned count, const char *what);

/* Valid until the next string is read. what: for the message. */
struct text json_string(struct json *j, const char *what);
/* A copy with a NUL at its end, so it may have none within. */
const char *json_c_string(struct json *j, struct pool *pool, const char *what);
int64_t json_integer(struct json *j, const char *what);
/* Any number; a decimal is valid until the next string or number is read. */
alibi_value json_number(struct json *j, const char *what);
bool json_bool(struct json *j, const char *what);
bool json_take_null(struct json *j);
bool json_at_number(struct json *j);
/* Checks and skips any value; returns its text. */
struct text json_skip(struct json *j);
/* The same for a value that will be nested in others: at most depth_max deep. */
struct text json_skip_within(struct json *j, size_t depth_max);

bool text_is(struct text t, const char *literal);
/* The place of t in names, or count. */
unsigned text_among(struct text t, const char *const *names, unsigned count);
/* Where the number at p ends, as JSON has them; NULL: it is none, and *wrong says why. */
const char *json_number_end(const char *p, const char **wrong);
/* The rest of a string that has an escape at the cursor, or is wrong there; start: where the part
 * before that begins. plain() passes characters that stand for themselves. */
typedef const char *json_plain_end(const struct json *j, const char *p);
struct text json_string_rest(struct json *j, const char *start, json_plain_end *plain);
bool text_is_utf8(struct text t);

/* ---- values of histories ---- */

/* A string, number, boolean or flat object; null too where may_be_null. */
uint32_t json_atom(struct json *j, struct atoms *atoms, bool may_be_null, const char *what);
/* The same, or a list of them. */
uint32_t json_atom_or_list(struct json *j, struct atoms *atoms, const char *what);
/* A number or string, as ids and session names are. */
uint32_t json_name(struct json *j, struct atoms *names, const char *what);

#endif
