/*
 * chronos: the JSON of Chronos and Aion (TimeKiller): a list of transactions
 * with the database's own timestamps.
 *
 *     [{"tid": 67, "sid": 19, "sts": {"p": 5, "l": 0}, "cts": {"p": 9, "l": 0},
 *       "ops": [{"t": "w", "k": 7, "v": 2}, {"t": "r", "k": 8, "v": 3}]}, …]
 *
 * Timestamps are pairs, physical and logical; p is sometimes a string. Session order is the order
 * in the list, as in TimeKiller (the paper's "sno"). Nothing is sorted here: timestamps of a
 * session that contradict it are a violation. All transactions are committed. An append makes a
 * key a list. Keys start as null, or as --initial says: the file has no place for it. A write of
 * null is a delete.
 *
 * "rtts", the arrival times that Aion uses, are kept as info: {"rtts":1}.
 */
#include "format/format.h"
#include "format/json.h"
#include "format/session_file.h"
#include "format/sniff.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct chronos_parser {
	struct json json;
	struct builder *b;
	VEC(uint32_t) items; /* of the list being read */
};

/* ---- operations ---- */

static enum alibi_op_kind read_kind(struct json *j)
{
	static const struct {
		const char *name;
		enum alibi_op_kind kind;
	} kinds[] = {{"r", ALIBI_READ},      {"read", ALIBI_READ}, {"w", ALIBI_WRITE},
	             {"write", ALIBI_WRITE}, {"a", ALIBI_APPEND},  {"append", ALIBI_APPEND}};
	struct text t = json_string(j, "\"r\", \"w\" or \"a\"");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strlen(kinds[i].name) == t.length &&
		    !strncasecmp(kinds[i].name, t.bytes, t.length))
			return kinds[i].kind;
	json_reject(j, "expected \"r\", \"w\" or \"a\" before this, found \"%.*s\"",
	            (int)(t.length < 20 ? t.length : 20), t.bytes);
}

static uint32_t read_value(struct chronos_parser *r)
{
	struct json *j = &r->json;
	if (json_take_null(j))
		return ATOM_NULL;
	if (json_peek(j) != '[')
		return atoms_integer(r->b->values,
		                     json_integer(j, "an integer, a list of them, or null"));
	r->items.count = 0;
	for (bool first = json_open(j, '[', "a list"); json_next(j, &first, ']');) {
		uint32_t item = atoms_integer(r->b->values, json_integer(j, "an integer"));
		vec_push(j->pool, &r->items, item);
		guard_tick(j->guard);
	}
	return atoms_list(r->b->values, r->items.items, r->items.count);
}

static void read_op(struct chronos_parser *r)
{
	static const char *const names[] = {"t", "k", "v"};
	struct json *j = &r->json;
	enum alibi_op_kind kind = ALIBI_READ;
	uint32_t key = 0, value = ATOM_NULL;
	struct json_object o =
	        json_object(j, "an operation such as {\"t\":\"r\",\"k\":1,\"v\":2}", names, 3);
	for (unsigned m; json_field(j, &o, &m);) {
		if (m == 0)
			kind = read_kind(j);
		else if (m == 1)
			key = atoms_integer(r->b->keys, json_integer(j, "a key, an integer"));
		else
			value = read_value(r);
	}
	json_require(j, &o, 2, "an operation");
	if (kind != ALIBI_READ && atoms_kind(r->b->values, value) == ALIBI_LIST)
		json_reject(j, "the operation before writes a list; expected an integer");
	if (kind == ALIBI_APPEND && value == ATOM_NULL)
		json_reject(j, "the operation before appends nothing; expected an integer \"v\"");
	builder_op(r->b, kind, key, value);
}

/* ---- transactions ---- */

static int64_t read_tick(struct json *j)
{
	static const char what[] = "an integer, or one as a string";
	int64_t n;
	if (json_peek(j) != '"')
		return json_integer(j, what);
	if (!text_integer(json_string(j, what), &n))
		json_reject(j, "the string before is no 64-bit integer");
	return n;
}

static alibi_stamp read_stamp(struct json *j)
{
	static const char *const names[] = {"p", "l"};
	alibi_stamp stamp = {0};
	struct json_object o = json_object(j, "a timestamp such as {\"p\":1,\"l\":0}", names, 2);
	for (unsigned logical; json_field(j, &o, &logical);)
		*(logical ? &stamp.logical : &stamp.physical) = read_tick(j);
	json_require(j, &o, 2, "a timestamp");
	return stamp;
}

static void read_ops(struct chronos_parser *r)
{
	struct json *j = &r->json;
	for (bool first = json_open(j, '[', "a list of operations"); json_next(j, &first, ']');) {
		read_op(r);
		guard_tick(j->guard);
	}
}

enum { TID, SID, STS, CTS, OPS, RTTS, MEMBER_COUNT };
static const char *const txn_members[] = {"tid", "sid", "sts", "cts", "ops", "rtts"};

static void read_member(struct chronos_parser *r, unsigned m, struct txn_head *head, int64_t *rtts)
{
	struct json *j = &r->json;
	switch (m) {
	case TID:
		head->id = json_name(j, r->b->names, "a transaction's id (number or string)");
		break;
	case SID:
		head->session = json_name(j, r->b->names, "a session (number or string)");
		break;
	case STS:
		head->stamps.start = read_stamp(j);
		break;
	case CTS:
		head->stamps.commit = read_stamp(j);
		break;
	case OPS:
		read_ops(r);
		break;
	default:
		*rtts = json_integer(j, "a time, an integer");
		break;
	}
}

static void read_txn(struct chronos_parser *r)
{
	struct json *j = &r->json;
	struct txn_head head = {.number = (uint32_t)r->b->txns.count + 1,
	                        .has = ALIBI_HAS_START_TS | ALIBI_HAS_COMMIT_TS |
	                               ALIBI_HYBRID_START | ALIBI_HYBRID_COMMIT};
	char info[40];
	int64_t rtts = 0;
	struct json_object o =
	        json_object(j, "a transaction, an object", txn_members, MEMBER_COUNT);
	for (unsigned m; json_field(j, &o, &m);)
		read_member(r, m, &head, &rtts);
	json_require(j, &o, RTTS, "a transaction");
	if (o.seen & 1u << RTTS) {
		snprintf(info, sizeof info, "{\"rtts\":%lld}", (long long)rtts);
		head.info = info;
		head.info_length = strlen(info);
	}
	builder_end(r->b, &head);
}

static void chronos_read(struct source *s, struct builder *b)
{
	struct chronos_parser r = {.b = b};
	struct json *j = &r.json;
	json_init(j, s->pool, s->name);
	json_text(j, source_whole(s), 1);
	for (bool first = json_open(j, '[', "a list of transactions"); json_next(j, &first, ']');)
		read_txn(&r);
	json_end(j);
	b->h->stamp_meaning = STAMPS_SNAPSHOT; /* it is for databases at si, too */
}

/* A list of objects; the first begins with one of the members above. */
static bool chronos_sniff(struct text head)
{
	return sniff_token(&head, "[") && sniff_token(&head, "{") &&
	       sniff_name(head, txn_members, MEMBER_COUNT);
}

const struct format format_chronos = {
        .name = "chronos",
        .title = "Chronos and Aion (TimeKiller): JSON with the database's timestamps",
        .sniff = chronos_sniff,
        .read = chronos_read,
        .write = chronos_write,
};
