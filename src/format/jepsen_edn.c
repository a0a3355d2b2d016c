/*
 * jepsen_edn: Jepsen's and Elle's histories as EDN (jepsen.h says what they
 * mean): one operation after the other, or one vector or list of them. Newer
 * versions put the tag #jepsen.history.Op before each; it is skipped.
 *
 * In the history keywords are strings that begin with a colon. Such strings are written as
 * keywords.
 */
#include "format/edn.h"
#include "format/format.h"
#include "format/jepsen.h"

#include <string.h>

/* ---- reading ---- */

static void open_map(struct json *j, const char *what)
{
	edn_skip_tag(j);
	if (edn_peek(j) != '{')
		json_expected(j, what);
	j->at++;
}

static bool item(struct json *j, bool *first, char closing)
{
	*first = false;
	return edn_next(j, closing);
}

static bool member(struct json *j, bool *first, struct text *name)
{
	if (!item(j, first, '}'))
		return false;
	if (edn_peek(j) == ':')
		*name = edn_keyword(j, "a key");
	else
		*name = edn_skip(j);
	if (!text_is_utf8(*name))
		json_reject(j, "a comment in the key before is not UTF-8");
	if (edn_peek(j) == '}')
		json_expected(j, "the value of the key before");
	return true;
}

static const struct jepsen_notation notation = {
        .open = ":",
        .close = "",
        .peek = edn_peek,
        .open_list = edn_open,
        .open_map = open_map,
        .item = item,
        .member = member,
        .at_number = edn_at_number,
        .integer = edn_integer,
        .take_null = edn_take_nil,
        .atom = edn_atom,
        .skip = edn_skip,
        .render = edn_render,
};

static void jepsen_edn_read(struct source *s, struct builder *b)
{
	jepsen_read(s, b, &notation);
}

/* A map whose first key is a keyword; no other format begins like this. */
static bool jepsen_edn_sniff(struct text head)
{
	const char *p = head.bytes, *end = head.bytes + head.length;
	bool in_list = false;
	for (; p < end; p++) {
		if (*p == ';')
			p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			return false;
		if (strchr(" \t\r\n,", *p) && *p)
			continue;
		if ((*p != '[' && *p != '(') || in_list)
			break;
		in_list = true;
	}
	static const char tag[] = "#jepsen";
	if ((size_t)(end - p) > strlen(tag) && !memcmp(p, tag, strlen(tag)))
		return true;
	if (p >= end || *p != '{')
		return false;
	for (p++; p < end && *p && strchr(" \t\r\n,", *p);)
		p++;
	return p < end && *p == ':';
}

/* ---- writing ---- */

static void write_string(struct sink *s, struct text t)
{
	if (edn_is_keyword(t))
		sink_add(s, t.bytes, t.length);
	else
		sink_value(s, (alibi_value){
		                      .kind = ALIBI_STRING, .text = t.bytes, .length = t.length});
}

static void write_value(struct sink *s, alibi_value v)
{
	if (v.kind == ALIBI_ROW)
		sink_refuse(
		        s,
		        "the row %.*s is a key or value; Alibi reads no rows from EDN, so write "
		        "this history as alibi or jepsen-json",
		        (int)(v.length < 60 ? v.length : 60), v.text);
	if (v.kind == ALIBI_STRING)
		write_string(s, (struct text){.bytes = v.text, .length = v.length});
	else
		sink_value(s, v);
	if (v.kind == ALIBI_DECIMAL) /* exact, in Clojure, too */
		sink_text(s, memchr(v.text, '.', v.length) ? "M" : "N");
}

/* Brackets, numbers, true and false are the same in both; the rest is replaced
 * piece by piece. */
static void write_json(struct sink *s, struct json *j)
{
	struct text t = json_skip(j);
	for (j->at = t.bytes; j->at < t.bytes + t.length;) {
		char c = json_peek(j);
		if (c == '"') {
			write_string(s, json_string(j, "a string"));
		} else if (json_take_null(j)) {
			sink_text(s, "nil");
		} else {
			sink_add(s, c == ',' || c == ':' ? " " : &c, 1);
			j->at++;
		}
	}
}

static const struct jepsen_dialect dialect = {
        .open = ":",
        .close = "",
        .after_name = " ",
        .comma = ", ",
        .space = " ",
        .null = "nil",
        .txn = "\":txn\"",
        .info = "\":info\"",
        .nemesis = "\":nemesis\"",
        .first = "",
        .between = "\n",
        .last = "\n",
        .value = write_value,
        .json = write_json,
};

static void jepsen_edn_write(const struct history *h, struct sink *s)
{
	jepsen_write(h, s, &dialect);
}

const struct format format_jepsen_edn = {
        .name = "jepsen-edn",
        .title = "Jepsen and Elle: list-append and rw-register histories in EDN",
        .sniff = jepsen_edn_sniff,
        .read = jepsen_edn_read,
        .write = jepsen_edn_write,
        .models = true,
};
