/*
 * jepsen_json: the same histories as JSON, as elle-cli takes them (jepsen.h says
 * what they mean): one list of objects, or the objects one after the other.
 * Keywords have become strings, so that words here are strings.
 */
#include "format/format.h"
#include "format/jepsen.h"
#include "format/sniff.h"

#include <string.h>

/* ---- reading ---- */

static char peek(struct json *j)
{
	return json_peek(j);
}

static bool open_list(struct json *j, char *closing)
{
	*closing = ']';
	return json_take(j, '[');
}

static void open_map(struct json *j, const char *what)
{
	json_expect(j, '{', what);
}

static uint32_t atom(struct json *j, struct atoms *atoms, const char *what)
{
	return json_atom(j, atoms, false, what);
}

/* Members become members of the info, one level deeper. */
static struct text skip(struct json *j)
{
	return json_skip_within(j, JSON_DEPTH_MAX - 1);
}

/* As it is, without white space between tokens. */
static void render(struct json *j, text_vec *out)
{
	struct text t = json_skip(j);
	bool in_string = false;
	vec_reserve(j->pool, out, out->count + t.length);
	for (size_t i = 0; i < t.length; i++) {
		char c = t.bytes[i];
		if (in_string && c == '\\')
			out->items[out->count++] = t.bytes[i++];
		else if (c == '"')
			in_string = !in_string;
		if (in_string || (c != ' ' && c != '\t' && c != '\n' && c != '\r'))
			out->items[out->count++] = t.bytes[i];
	}
}

static const struct jepsen_notation notation = {
        .open = "\"",
        .close = "\"",
        .peek = peek,
        .open_list = open_list,
        .open_map = open_map,
        .item = json_next,
        .member = json_member,
        .at_number = json_at_number,
        .integer = json_integer,
        .take_null = json_take_null,
        .atom = atom,
        .skip = skip,
        .render = render,
};

static void jepsen_json_read(struct source *s, struct builder *b)
{
	jepsen_read(s, b, &notation);
}

/* A list of objects with "type" and one of its four words. */
static bool jepsen_json_sniff(struct text head)
{
	struct text rest = head;
	return sniff_token(&rest, "[") && sniff_token(&rest, "{") &&
	       sniff_mentions(head, "\"type\"") &&
	       (sniff_mentions(head, "\"invoke\"") || sniff_mentions(head, "\"ok\"") ||
	        sniff_mentions(head, "\"fail\"") || sniff_mentions(head, "\"info\""));
}

/* ---- writing ---- */

static void write_json(struct sink *s, struct json *j)
{
	struct text t = json_skip(j);
	sink_escaped(s, ESCAPE_RAW_JSON, t.bytes, t.length);
}

static const struct jepsen_dialect dialect = {
        .open = "\"",
        .close = "\"",
        .after_name = ":",
        .comma = ",",
        .space = ",",
        .null = "null",
        .txn = "\"txn\"",
        .info = "\"info\"",
        .nemesis = "\"nemesis\"",
        .first = "[",
        .between = ",\n",
        .last = "]\n",
        .value = sink_value,
        .json = write_json,
};

static void jepsen_json_write(const struct history *h, struct sink *s)
{
	jepsen_write(h, s, &dialect);
}

const struct format format_jepsen_json = {
        .name = "jepsen-json",
        .title = "elle-cli: list-append and rw-register histories in JSON",
        .sniff = jepsen_json_sniff,
        .read = jepsen_json_read,
        .write = jepsen_json_write,
        .models = true,
};
