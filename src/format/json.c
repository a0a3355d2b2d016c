/* json: see json.h. */
#include "format/json.h"

#include "base/guard.h"
#include "base/utf8.h"
#include "format/digits.h"
#include "history/decimal.h"

#include <assert.h>
#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void json_init(struct json *j, struct pool *pool, const char *file)
{
	*j = (struct json){
	        .pool = pool, .guard = pool_guard(pool), .code = ALIBI_INPUT, .file = file};
}

void json_text(struct json *j, struct text t, uint64_t line)
{
	j->at = j->start = t.bytes;
	j->end = t.bytes + t.length;
	j->line = line;
}

char *json_copy(struct json *j, struct pool *pool, const char *name, const char *text,
                size_t length)
{
	char *copy = pool_zalloc(pool, length + SOURCE_PADDING);
	memcpy(copy, text, length);
	json_init(j, pool, name);
	json_text(j, (struct text){.bytes = copy, .length = length}, 1);
	return copy;
}

bool text_is(struct text t, const char *literal)
{
	return strlen(literal) == t.length && !memcmp(t.bytes, literal, t.length);
}

unsigned text_among(struct text t, const char *const *names, unsigned count)
{
	unsigned i = 0;
	while (i < count && !text_is(t, names[i]))
		i++;
	return i;
}

/* ---- messages ---- */

static struct place place_of(const struct json *j)
{
	struct place place = {.file = j->file, .line = j->line};
	const char *line_start = j->start;
	for (const char *p = j->start; p < j->at && p < j->end; p++) {
		if (*p == '\n') {
			place.line++;
			line_start = p + 1;
		}
	}
	place.column = (uint64_t)(j->at - line_start) + 1;
	return place;
}

void json_reject(struct json *j, const char *format, ...)
{
	struct place place = place_of(j);
	va_list args;
	va_start(args, format);
	guard_say(j->guard, j->code, &place, format, args);
	va_end(args);
	guard_out(j->guard);
}

void json_expected(struct json *j, const char *what)
{
	char found[32] = "the end of the line";
	char c = json_peek(j);
	if (j->at >= j->end && j->end[0] == 0)
		snprintf(found, sizeof found, "the end of the input");
	else if (c == '"')
		snprintf(found, sizeof found, "a string");
	else if (c == '{')
		snprintf(found, sizeof found, "an object");
	else if (c == '[')
		snprintf(found, sizeof found, "a list");
	else if (c == '-' || is_digit(c))
		snprintf(found, sizeof found, "a number");
	else if (j->at < j->end && (unsigned char)c >= 0x20 && (unsigned char)c < 0x7f)
		snprintf(found, sizeof found, "'%.*s'",
		         (int)(j->end - j->at < 12 ? j->end - j->at : 12), j->at);
	else if (j->at < j->end)
		snprintf(found, sizeof found, "the byte 0x%02x", (unsigned char)*j->at);
	for (char *p = found; *p; p++)
		if ((unsigned char)*p < 0x20 || (unsigned char)*p >= 0x7f)
			*p = '?';
	json_reject(j, "expected %s, found %s", what, found);
}

/* ---- structure ---- */

void json_expect(struct json *j, char c, const char *what)
{
	if (!json_take(j, c))
		json_expected(j, what);
}

void json_end(struct json *j)
{
	if (!json_is_blank(j))
		json_expected(j, "nothing more");
}

bool json_open(struct json *j, char bracket, const char *what)
{
	json_expect(j, bracket, what);
	return true;
}

bool json_next(struct json *j, bool *first, char closing)
{
	if (json_take(j, closing))
		return false;
	if (!*first && !json_take(j, ','))
		json_expected(j, closing == ']' ? "',' or ']'" : "',' or '}'");
	*first = false;
	return true;
}

bool json_member(struct json *j, bool *first, struct text *name)
{
	if (!json_next(j, first, '}'))
		return false;
	*name = json_string(j, "a member's name");
	json_expect(j, ':', "':'");
	return true;
}

struct json_object json_object(struct json *j, const char *what, const char *const *names,
                               unsigned count)
{
	assert(count <= 32);
	json_expect(j, '{', what);
	return (struct json_object){.names = names, .count = count, .advice = "", .first = true};
}

bool json_field(struct json *j, struct json_object *o, unsigned *field)
{
	struct text name;
	if (!json_member(j, &o->first, &name))
		return false;
	unsigned i = text_among(name, o->names, o->count);
	if (i == o->count)
		json_reject(j, "unknown member \"%.*s\"%s",
		            (int)(name.length < 60 ? name.length : 60), name.bytes, o->advice);
	if (o->seen & 1u << i)
		json_reject(j, "the member \"%s\" appears twice", o->names[i]);
	o->seen |= 1u << i;
	*field = i;
	return true;
}

void json_require(struct json *j, const struct json_object *o, unsigned count, const char *what)
{
	for (unsigned i = 0; i < count; i++)
		if (!(o->seen & 1u << i))
			json_reject(j, "the member \"%s\" is missing in %s", o->names[i], what);
}

/* ---- strings ---- */

bool text_is_utf8(struct text t)
{
	size_t at = 0;
	while (at < t.length) {
		size_t length = utf8_length(t.bytes + at, t.length - at);
		if (!length)
			return false;
		at += length;
	}
	return true;
}

/* In each byte of w the high bit, if the byte is a quote, a backslash, a control
 * character or not ASCII; bits above the lowest may be wrong. */
static uint64_t special_bytes(uint64_t w)
{
	const uint64_t ones = ~(uint64_t)0 / 255, high = ones << 7;
	uint64_t quote = w ^ (ones * '"'), backslash = w ^ (ones * '\\');
	return ((quote - ones) | (backslash - ones) | (w - ones * 0x20) | w) & high;
}

/* Skips plain characters; stops at a quote, a backslash or an invalid byte. */
static const char *plain_end(const struct json *j, const char *p)
{
	(void)j;
	for (;;) {
		uint64_t w;
		memcpy(&w, p, sizeof w);
		uint64_t special = special_bytes(le64toh(w));
		if (!special) {
			p += sizeof w;
			continue;
		}
		p += __builtin_ctzll(special) / 8;
		if ((unsigned char)*p < 0x80)
			return p;
		size_t length = utf8_length(p, SOURCE_PADDING);
		if (!length)
			return p;
		p += length;
	}
}

static uint32_t four_hex(struct json *j)
{
	uint32_t n = 0;
	for (int i = 0; i < 4; i++, j->at++) {
		char c = *j->at;
		if (is_digit(c))
			n = n << 4 | (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			n = n << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
		else
			json_reject(j, "expected four hexadecimal digits after \\u");
	}
	return n;
}

static void add_utf8(struct json *j, uint32_t c)
{
	char out[4];
	size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	for (size_t i = length; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(lead[length] | c);
	text_add(j->pool, &j->scratch, out, length);
}

/* What follows a backslash. */
static void read_escape(struct json *j)
{
	static const char letter[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char c = *j->at;
	const char *found = c ? strchr(letter, c) : NULL;
	if (found) {
		j->at++;
		vec_push(j->pool, &j->scratch, meant[found - letter]);
		return;
	}
	if (c != 'u')
		json_reject(j, "expected one of \" \\ / b f n r t u after a backslash");
	j->at++;
	uint32_t n = four_hex(j);
	if (n >= 0xdc00 && n < 0xe000)
		json_reject(j, "a low surrogate without its high one");
	if (n >= 0xd800 && n < 0xdc00) {
		if (j->at[0] != '\\' || j->at[1] != 'u')
			json_reject(j, "a high surrogate without its low one");
		j->at += 2;
		uint32_t low = four_hex(j);
		if (low < 0xdc00 || low >= 0xe000)
			json_reject(j, "a high surrogate without its low one");
		n = 0x10000 + ((n - 0xd800) << 10) + (low - 0xdc00);
	}
	add_utf8(j, n);
}

static _Noreturn void reject_in_string(struct json *j)
{
	if (j->at >= j->end)
		json_reject(j, "the string has no closing quote");
	if ((unsigned char)*j->at < 0x20)
		json_reject(j, "a control character (0x%02x) in a string; write it as \\u%04x",
		            (unsigned char)*j->at, (unsigned char)*j->at);
	json_reject(j, "the byte 0x%02x is not UTF-8", (unsigned char)*j->at);
}

struct text json_string_rest(struct json *j, const char *start, json_plain_end *plain)
{
	for (j->scratch.count = 0;; j->at = plain(j, start)) {
		text_add(j->pool, &j->scratch, start, (size_t)(j->at - start));
		if (j->at < j->end && *j->at == '"')
			break;
		if (j->at >= j->end || *j->at != '\\')
			reject_in_string(j);
		j->at++;
		read_escape(j);
		start = j->at;
	}
	j->at++;
	return (struct text){.bytes = j->scratch.items, .length = j->scratch.count};
}

struct text json_string(struct json *j, const char *what)
{
	if (json_peek(j) != '"')
		json_expected(j, what);
	const char *start = ++j->at;
	j->at = plain_end(j, start);
	if (*j->at != '"')
		return json_string_rest(j, start, plain_end);
	struct text t = {.bytes = start, .length = (size_t)(j->at - start)};
	j->at++;
	return t;
}

const char *json_c_string(struct json *j, struct pool *pool, const char *what)
{
	struct text t = json_string(j, what);
	if (t.length && memchr(t.bytes, 0, t.length))
		json_reject(j, "the string before has a NUL character in it; leave that out");
	return pool_text(pool, t.bytes, t.length);
}

/* ---- numbers and words ---- */

bool json_at_number(struct json *j)
{
	char c = json_peek(j);
	return c == '-' || is_digit(c);
}

int64_t json_integer(struct json *j, const char *what)
{
	if (!json_at_number(j))
		json_expected(j, what);
	bool negative = *j->at == '-';
	const char *p = j->at + negative;
	uint64_t n = 0;
	if (!is_digit(*p) || (*p == '0' && is_digit(p[1])))
		json_reject(j, "expected %s, found a number that JSON does not allow", what);
	p = digits_value(p, digits_limit(negative), &n);
	if (!p)
		json_reject(j, "expected %s, found a number that does not fit 64 bits", what);
	if (*p == '.' || *p == 'e' || *p == 'E')
		json_reject(j, "expected %s, found a fraction; it must be an integer", what);
	j->at = p;
	return digits_signed(n, negative);
}

static bool take_word(struct json *j, const char *word)
{
	size_t length = strlen(word);
	json_peek(j);
	if ((size_t)(j->end - j->at) < length || memcmp(j->at, word, length) != 0)
		return false;
	j->at += length;
	return true;
}

bool json_take_null(struct json *j)
{
	return take_word(j, "null");
}

bool json_bool(struct json *j, const char *what)
{
	if (take_word(j, "true"))
		return true;
	if (!take_word(j, "false"))
		json_expected(j, what);
	return false;
}

/* ---- skipping a value ---- */

static const char *past_digits(const char *p)
{
	while (is_digit(*p))
		p++;
	return p;
}

const char *json_number_end(const char *p, const char **wrong)
{
	p += *p == '-';
	*wrong = "a number that JSON does not allow";
	if (!is_digit(*p) || (*p == '0' && is_digit(p[1])))
		return NULL;
	p = past_digits(p);
	*wrong = "expected a digit after the point";
	if (*p == '.' && !is_digit(*++p))
		return NULL;
	p = past_digits(p);
	*wrong = "expected a digit in the exponent";
	if (*p != 'e' && *p != 'E')
		return p;
	p++;
	p += *p == '+' || *p == '-';
	return is_digit(*p) ? past_digits(p) : NULL;
}

static alibi_value decimal(struct json *j, const char *what)
{
	const char *wrong, *end = json_number_end(j->at, &wrong);
	alibi_value v;
	if (!end)
		json_reject(j, "expected %s, found a number that JSON does not allow", what);
	if (!decimal_read(j->pool, &j->scratch, j->at, (size_t)(end - j->at), &v, DECIMAL_MAX))
		json_reject(j,
		            "expected %s, found a number that takes more than %d digits; write it "
		            "as a string",
		            what, DECIMAL_MAX);
	j->at = end;
	return v;
}

alibi_value json_number(struct json *j, const char *what)
{
	if (!json_at_number(j))
		json_expected(j, what);
	bool negative = *j->at == '-';
	const char *p = j->at + negative;
	uint64_t n = 0;
	bool plain = is_digit(*p) && (*p != '0' || !is_digit(p[1]));
	p = plain ? digits_value(p, digits_limit(negative), &n) : NULL;
	if (!p || *p == '.' || *p == 'e' || *p == 'E')
		return decimal(j, what);
	j->at = p;
	return (alibi_value){.kind = ALIBI_INT, .integer = digits_signed(n, negative)};
}

static void skip_number(struct json *j)
{
	const char *wrong, *end = json_number_end(j->at, &wrong);
	if (!end)
		json_reject(j, "%s", wrong);
	j->at = end;
}

static void skip_scalar(struct json *j)
{
	char c = json_peek(j);
	if (c == '"')
		json_string(j, "a string");
	else if (json_at_number(j))
		skip_number(j);
	else if (!take_word(j, "true") && !take_word(j, "false") && !take_word(j, "null"))
		json_expected(j, "a value");
}

/* open: the open brackets, innermost last; no recursion over the input. */
struct text json_skip_within(struct json *j, size_t depth_max)
{
	char open[JSON_DEPTH_MAX];
	size_t depth = 0;
	bool first = false; /* just after an opening bracket */
	json_peek(j);
	const char *start = j->at;
	do {
		char c = json_peek(j);
		guard_tick(j->guard);
		if (depth && c == (open[depth - 1] == '[' ? ']' : '}')) {
			j->at++;
			depth--;
			first = false;
			continue;
		}
		if (depth && !first)
			json_expect(j, ',', "',' or the closing bracket");
		if (depth && open[depth - 1] == '{') {
			json_string(j, "a member's name");
			json_expect(j, ':', "':'");
		}
		c = json_peek(j);
		first = c == '[' || c == '{';
		if (first && depth == depth_max)
			json_reject(j, "more than %zu brackets inside each other", depth_max);
		if (first) {
			open[depth++] = c;
			j->at++;
		} else {
			skip_scalar(j);
		}
	} while (depth);
	return (struct text){.bytes = start, .length = (size_t)(j->at - start)};
}

struct text json_skip(struct json *j)
{
	return json_skip_within(j, JSON_DEPTH_MAX);
}
