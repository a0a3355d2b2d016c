/* edn: see edn.h. */
#include "format/edn.h"

#include "base/guard.h"
#include "base/utf8.h"
#include "format/digits.h"
#include "history/decimal.h"

#include <string.h>

/* ---- between forms ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == ',' || (c >= '\t' && c <= '\r');
}

static bool is_delimiter(char c)
{
	static const bool printed[256] = {
	        ['('] = true, [')'] = true, ['['] = true, [']'] = true, ['{'] = true,
	        ['}'] = true, ['"'] = true, [';'] = true, [','] = true,
	};
	return (unsigned char)c <= ' ' || printed[(unsigned char)c];
}

/* White space and comments; neither goes beyond the end. */
static void skip_blanks(struct json *e)
{
	for (;;) {
		while (e->at < e->end && is_blank(*e->at))
			e->at++;
		if (e->at >= e->end || *e->at != ';')
			return;
		const char *line_end = memchr(e->at, '\n', (size_t)(e->end - e->at));
		e->at = line_end ? line_end : e->end;
	}
}

/* ---- strings and tokens ---- */

/* Unlike JSON's, strings may hold control characters and line ends. */
static const char *plain_end(const struct json *e, const char *p)
{
	while (p < e->end && *p != '"' && *p != '\\') {
		size_t length = utf8_length(p, (size_t)(e->end - p));
		if (!length)
			break;
		p += length;
	}
	return p;
}

static struct text edn_string(struct json *e, const char *what)
{
	if (edn_peek(e) != '"')
		json_expected(e, what);
	const char *start = ++e->at;
	e->at = plain_end(e, start);
	if (e->at >= e->end || *e->at != '"')
		return json_string_rest(e, start, plain_end);
	e->at++;
	return (struct text){.bytes = start, .length = (size_t)(e->at - start) - 1};
}

/* A number, keyword, symbol, character or tag: everything up to a delimiter. The delimiter may be
 * the character itself: \( is one. */
static struct text token(struct json *e)
{
	const char *start = e->at;
	bool character = *e->at == '\\';
	e->at += character;
	while (character || !is_delimiter(*e->at)) {
		size_t length = utf8_length(e->at, SOURCE_PADDING);
		if (e->at >= e->end)
			json_reject(e, "expected a character after the backslash");
		if (!length)
			json_reject(e, "the byte 0x%02x is not UTF-8", (unsigned char)*e->at);
		e->at += length;
		character = false;
	}
	if (e->at == start)
		json_expected(e, "a form");
	return (struct text){.bytes = start, .length = (size_t)(e->at - start)};
}

bool edn_at_number(struct json *e)
{
	char c = edn_peek(e);
	return is_digit(c) || ((c == '-' || c == '+') && is_digit(e->at[1]));
}

/* 12, -12, +12 and 12N; false: something else, or beyond 64 bits. */
static bool is_integer(struct text t, int64_t *n)
{
	bool negative = t.bytes[0] == '-';
	const char *p = t.bytes + (negative || t.bytes[0] == '+');
	const char *end = t.bytes + t.length - (t.bytes[t.length - 1] == 'N');
	uint64_t value = 0;
	if (!is_digit(*p) || digits_value(p, digits_limit(negative), &value) != end)
		return false;
	*n = digits_signed(value, negative);
	return true;
}

/* 0.5, 1.5M, 1e3, and integers beyond 64 bits; false: something else, as a ratio is. */
static bool is_decimal(struct json *e, struct text t, alibi_value *v)
{
	char last = t.bytes[t.length - 1];
	const char *wrong, *start = t.bytes + (t.bytes[0] == '+');
	const char *end = t.bytes + t.length - (last == 'M' || last == 'N');
	return json_number_end(start, &wrong) == end &&
	       decimal_read(e->pool, &e->scratch, start, (size_t)(end - start), v, DECIMAL_MAX);
}

int64_t edn_integer(struct json *e, const char *what)
{
	int64_t n;
	if (!edn_at_number(e))
		json_expected(e, what);
	const char *start = e->at;
	struct text t = token(e);
	if (is_integer(t, &n))
		return n;
	e->at = start;
	json_reject(e,
	            "expected %s, found the number %.*s; it must be an integer of at most 64 bits",
	            what, (int)(t.length < 40 ? t.length : 40), t.bytes);
}

struct text edn_keyword(struct json *e, const char *what)
{
	if (edn_peek(e) != ':')
		json_expected(e, what);
	struct text t = token(e);
	return (struct text){.bytes = t.bytes + 1, .length = t.length - 1};
}

bool edn_take_nil(struct json *e)
{
	if (edn_peek(e) != 'n' || e->at[1] != 'i' || e->at[2] != 'l' || !is_delimiter(e->at[3]))
		return false;
	e->at += 3;
	return true;
}

void edn_skip_tag(struct json *e)
{
	if (edn_peek(e) == '#' && e->at[1] != '{')
		token(e);
}

bool edn_is_keyword(struct text t)
{
	static const char others[] = ".*+!-_?$%&=<>/#'";
	if (t.length < 2 || t.bytes[0] != ':')
		return false;
	for (size_t i = 1; i < t.length; i++) {
		char c = t.bytes[i], letter = (char)(c | 0x20);
		if (!is_digit(c) && !(letter >= 'a' && letter <= 'z') && (!c || !strchr(others, c)))
			return false;
	}
	return true;
}

/* ---- structure ---- */

bool edn_open(struct json *e, char *closing)
{
	char c = edn_peek(e);
	if (c != '[' && c != '(')
		return false;
	*closing = c == '[' ? ']' : ')';
	e->at++;
	return true;
}

/* Rejects the end of the text, and a closing bracket other than `closing` (0: any). */
static void refuse_end(struct json *e, char c, char closing)
{
	if (!c || ((c == ']' || c == ')' || c == '}') && c != closing))
		json_expected(e, closing == ']'   ? "a form or ']'"
		                 : closing == ')' ? "a form or ')'"
		                 : closing == '}' ? "a form or '}'"
		                                  : "a form");
}

bool edn_next(struct json *e, char closing)
{
	char c = edn_peek(e);
	refuse_end(e, c, closing);
	if (c != closing)
		return true;
	e->at++;
	return false;
}

/* ---- walking over any form, without recursion ---- */

enum frame_kind {
	LIST, /* a set, too */
	MAP,
	TAG,  /* #tag, which takes the form after it */
	MUTE, /* #_ or ^, which hides the form after it */
};

struct frame {
	enum frame_kind kind;
	char closing;
	bool first, value_next; /* no form came yet; a map: the key has been there */
	const char *name;       /* not NULL: it is a key of a map, and starts here */
};

struct walk {
	struct json *e;
	text_vec *out; /* NULL: the forms are skipped */
	size_t depth;
	size_t muted; /* enclosing frames whose content is not rendered */
	struct frame frame[EDN_DEPTH_MAX];
};

static struct frame *top(struct walk *w)
{
	return w->depth ? &w->frame[w->depth - 1] : NULL;
}

static bool renders(const struct walk *w)
{
	return w->out && !w->muted;
}

static void render(struct walk *w, const char *text)
{
	if (renders(w))
		text_add(w->e->pool, w->out, text, strlen(text));
}

static void render_string(struct walk *w, struct text t)
{
	if (renders(w))
		text_add_json_string(w->e->pool, w->out, t.bytes, t.length);
}

/* Before a form: the comma, if it is not the first. */
static void separate(struct walk *w)
{
	struct frame *f = top(w);
	if (!f || !renders(w))
		return;
	if (!f->first && (f->kind == LIST || (f->kind == MAP && !f->value_next)))
		render(w, ",");
	f->first = false;
}

static bool is_name(struct walk *w)
{
	return w->depth && top(w)->kind == MAP && !top(w)->value_next;
}

static void push(struct walk *w, enum frame_kind kind, char closing)
{
	struct json *e = w->e;
	bool name = kind != MUTE && is_name(w);
	if (w->depth == EDN_DEPTH_MAX)
		json_reject(e, "more than %d forms inside each other", EDN_DEPTH_MAX);
	w->muted += kind == MUTE || name;
	w->frame[w->depth++] = (struct frame){
	        .kind = kind, .closing = closing, .first = true, .name = name ? e->at : NULL};
}

/* A key that is not a scalar is rendered as its own text. */
static void pop(struct walk *w)
{
	struct json *e = w->e;
	const char *name = top(w)->name;
	w->muted -= name || top(w)->kind == MUTE;
	w->depth--;
	if (!name || !renders(w))
		return;
	struct text t = {.bytes = name, .length = (size_t)(e->at - name)};
	if (!text_is_utf8(t))
		json_reject(e, "a comment in the key before is not UTF-8");
	render_string(w, t);
}

/* A form has ended, and with it the prefixes that take one form; true: the outermost one. */
static bool completed(struct walk *w)
{
	struct frame *f;
	while ((f = top(w)) && f->kind == TAG) {
		render(w, "}");
		pop(w);
	}
	if (!f)
		return true;
	if (f->kind == MUTE) {
		pop(w);
		return false;
	}
	if (f->kind == MAP && !f->value_next)
		render(w, ":");
	f->value_next = !f->value_next;
	return false;
}

/* As JSON has them: -1.5E3 but not +1, 01, 1/2, 3N. */
static bool is_json_number(struct text t)
{
	const char *wrong;
	return json_number_end(t.bytes, &wrong) == t.bytes + t.length;
}

static void walk_scalar(struct walk *w)
{
	struct json *e = w->e;
	separate(w);
	if (*e->at == '"') {
		render_string(w, edn_string(e, "a string"));
		return;
	}
	struct text t = token(e);
	if (!renders(w))
		return;
	bool name = is_name(w);
	if (!name && text_is(t, "nil"))
		render(w, "null");
	else if (!name && (text_is(t, "true") || text_is(t, "false") || is_json_number(t)))
		text_add(e->pool, w->out, t.bytes, t.length);
	else
		render_string(w, t);
}

static void walk_bracket(struct walk *w, enum frame_kind kind, size_t length)
{
	char bracket = w->e->at[length - 1];
	separate(w);
	push(w, kind, bracket == '[' ? ']' : bracket == '(' ? ')' : '}');
	w->e->at += length;
	render(w, kind == MAP ? "{" : "[");
}

static void walk_tag(struct walk *w)
{
	separate(w);
	push(w, TAG, 0);
	render(w, "{");
	render_string(w, token(w->e));
	render(w, ":");
}

static void walk_closing(struct walk *w)
{
	struct frame *f = top(w);
	if (f->value_next && f->kind == MAP)
		json_reject(w->e, "the last key of this map has no value");
	w->e->at++;
	render(w, f->kind == MAP ? "}" : "]");
	pop(w);
}

/* One step: a scalar, a bracket or a prefix. True: the form is complete. */
static bool step(struct walk *w)
{
	struct json *e = w->e;
	skip_blanks(e);
	const char *p = e->at;
	char c = p < e->end ? *p : 0;
	char closing = 0;
	if (w->depth)
		closing = top(w)->closing;
	refuse_end(e, c, closing);
	if (c == closing) {
		walk_closing(w);
	} else if (c == '^' || (c == '#' && p[1] == '_')) {
		push(w, MUTE, 0);
		e->at += c == '^' ? 1 : 2;
		return false;
	} else if (c == '[' || c == '(') {
		walk_bracket(w, LIST, 1);
		return false;
	} else if (c == '{') {
		walk_bracket(w, MAP, 1);
		return false;
	} else if (c == '#' && p[1] == '{') {
		walk_bracket(w, LIST, 2);
		return false;
	} else if (c == '#' && p[1] != '#') {
		walk_tag(w);
		return false;
	} else {
		walk_scalar(w);
	}
	return completed(w);
}

static void walk(struct json *e, text_vec *out)
{
	struct walk w; /* the frames are filled as they are needed */
	w.e = e;
	w.out = out;
	w.depth = w.muted = 0;
	do
		guard_tick(e->guard);
	while (!step(&w));
}

char edn_peek(struct json *e)
{
	for (;;) {
		skip_blanks(e);
		char c = e->at < e->end ? *e->at : 0;
		if (c != '^' && (c != '#' || e->at[1] != '_'))
			return c;
		e->at += c == '^' ? 1 : 2;
		walk(e, NULL);
	}
}

struct text edn_skip(struct json *e)
{
	edn_peek(e);
	const char *start = e->at;
	walk(e, NULL);
	return (struct text){.bytes = start, .length = (size_t)(e->at - start)};
}

void edn_render(struct json *e, text_vec *out)
{
	walk(e, out);
}

/* ---- values of histories ---- */

/* ##NaN, and #tag "string". */
static uint32_t tagged_atom(struct json *e, struct atoms *atoms, const char *what)
{
	const char *start = e->at;
	bool symbolic = token(e).bytes[1] == '#';
	if (!symbolic && edn_peek(e) != '"') {
		e->at = start;
		json_expected(e, what);
	}
	if (!symbolic)
		edn_string(e, "a string");
	struct text t = {.bytes = start, .length = (size_t)(e->at - start)};
	if (!text_is_utf8(t))
		json_reject(e, "a comment in the form before is not UTF-8");
	return atoms_string(atoms, t.bytes, t.length);
}

uint32_t edn_atom(struct json *e, struct atoms *atoms, const char *what)
{
	char c = edn_peek(e);
	const char *start = e->at;
	struct text t;
	alibi_value v;
	int64_t n;
	if (c == '[' || c == '(') {
		text_vec json = {0};
		edn_render(e, &json);
		uint32_t atom = atoms_string(atoms, json.items, json.count);
		pool_free(e->pool, json.items);
		return atom;
	}
	bool number = edn_at_number(e);
	if (c == '#')
		return tagged_atom(e, atoms, what);
	if (c == '"')
		t = edn_string(e, what);
	else if (number || c == ':' || c == 't' || c == 'f')
		t = token(e);
	else
		json_expected(e, what);
	if (number && is_integer(t, &n))
		return atoms_integer(atoms, n);
	if (number && is_decimal(e, t, &v))
		return atoms_add(atoms, v);
	if (number || c == ':' || c == '"')
		return atoms_string(atoms, t.bytes, t.length);
	if (text_is(t, "true") || text_is(t, "false"))
		return atoms_bool(atoms, c == 't');
	e->at = start;
	json_expected(e, what);
}
