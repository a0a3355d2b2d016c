/*
 * dbcop_json: the JSON of dbcop since 2025, a list of sessions of transactions,
 * alone or as "data" of an object that also says where it is from (dbcop.h):
 *
 *     {"params":{"id":0,"n_node":1,…},"info":"…","start":"…","end":"…","data":
 *      [[{"events":[{"Read":{"variable":0,"version":null}},
 *                   {"Write":{"variable":0,"version":1}}],"committed":true}]]}
 *
 * An event may also be ["r",0,null] or ["w",0,1]. Written is the long spelling, which all versions
 * of dbcop read. Variables and versions are non-negative integers. A transaction that is not
 * committed is aborted. Sessions are numbered from 1.
 *
 * The version null is the initial one. For dbcop so is 0, at variables to which 0 is never
 * written; such a 0 is read as null.
 */
#include "format/dbcop.h"
#include "format/format.h"
#include "format/json.h"
#include "format/sniff.h"

#include <string.h>

struct dbcop_parser {
	struct json json;
	struct builder *b;
	struct dbcop_envelope envelope;
};

/* ---- reading: events ---- */

static int64_t read_unsigned(struct json *j, const char *what)
{
	json_peek(j);
	const char *start = j->at;
	int64_t n = json_integer(j, what);
	if (n >= 0)
		return n;
	j->at = start;
	json_reject(j, "expected %s, found %lld", what, (long long)n);
}

static uint32_t read_variable(struct dbcop_parser *r)
{
	return atoms_integer(r->b->keys,
	                     read_unsigned(&r->json, "a variable (a non-negative integer)"));
}

static uint32_t read_version(struct dbcop_parser *r, enum alibi_op_kind kind)
{
	if (kind == ALIBI_READ && json_take_null(&r->json))
		return ATOM_NULL;
	return atoms_integer(
	        r->b->values,
	        read_unsigned(&r->json, kind == ALIBI_READ
	                                        ? "a version (a non-negative integer), or null"
	                                        : "a version (a non-negative integer)"));
}

/* ["r", variable, version] */
static void read_short_event(struct dbcop_parser *r)
{
	struct json *j = &r->json;
	json_expect(j, '[', "an event");
	struct text letter = json_string(j, "\"r\" or \"w\"");
	bool write = text_is(letter, "w");
	if (!write && !text_is(letter, "r"))
		json_reject(j, "expected \"r\" or \"w\" before this, found \"%.*s\"",
		            (int)(letter.length < 20 ? letter.length : 20), letter.bytes);
	enum alibi_op_kind kind = write ? ALIBI_WRITE : ALIBI_READ;
	json_expect(j, ',', "',' and a variable");
	uint32_t key = read_variable(r);
	json_expect(j, ',', "',' and a version");
	builder_op(r->b, kind, key, read_version(r, kind));
	json_expect(j, ']', "']' after the version");
}

/* {"variable": …, "version": …} */
static void read_fields(struct dbcop_parser *r, enum alibi_op_kind kind)
{
	static const char *const names[] = {"variable", "version"};
	uint32_t key = ID_NONE, value = ID_NONE;
	struct json_object o = json_object(&r->json, "an object", names, 2);
	for (unsigned version; json_field(&r->json, &o, &version);)
		*(version ? &value : &key) = version ? read_version(r, kind) : read_variable(r);
	json_require(&r->json, &o, 2, "an event");
	builder_op(r->b, kind, key, value);
}

/* {"Read": …} or {"Write": …} */
static void read_long_event(struct dbcop_parser *r)
{
	struct json *j = &r->json;
	json_expect(j, '{', "an event such as {\"Read\":…} or [\"r\", variable, version]");
	struct text name = json_string(j, "\"Read\" or \"Write\"");
	bool write = text_is(name, "Write");
	if (!write && !text_is(name, "Read"))
		json_reject(j, "expected \"Read\" or \"Write\" before this, found \"%.*s\"",
		            (int)(name.length < 60 ? name.length : 60), name.bytes);
	json_expect(j, ':', "':'");
	read_fields(r, write ? ALIBI_WRITE : ALIBI_READ);
	json_expect(j, '}', "'}' after the event");
}

static void read_events(struct dbcop_parser *r)
{
	struct json *j = &r->json;
	for (bool first = json_open(j, '[', "a list of events"); json_next(j, &first, ']');) {
		if (json_peek(j) == '[')
			read_short_event(r);
		else
			read_long_event(r);
		guard_tick(j->guard);
	}
}

/* ---- reading: transactions and the envelope ---- */

static void read_txn(struct dbcop_parser *r, uint32_t session)
{
	static const char *const names[] = {"events", "committed"};
	struct json *j = &r->json;
	bool committed = false;
	struct json_object o =
	        json_object(j, "a transaction {\"events\":…, \"committed\":…}", names, 2);
	for (unsigned outcome; json_field(j, &o, &outcome);) {
		if (outcome)
			committed = json_bool(j, "true or false");
		else
			read_events(r);
	}
	json_require(j, &o, 2, "a transaction");
	builder_end(r->b, &(struct txn_head){.session = session,
	                                     .id = ID_NONE,
	                                     .number = (uint32_t)r->b->txns.count + 1,
	                                     .status = committed ? ALIBI_COMMIT : ALIBI_ABORT});
}

static void read_sessions(struct dbcop_parser *r)
{
	struct json *j = &r->json;
	int64_t session = 0;
	for (bool first = json_open(j, '[', "a list of sessions"); json_next(j, &first, ']');) {
		session++;
		for (bool fresh = json_open(j, '[', "a session (a list of transactions)");
		     json_next(j, &fresh, ']');)
			read_txn(r, atoms_integer(r->b->names, session));
		guard_tick(j->guard);
	}
}

static void read_params(struct dbcop_parser *r)
{
	struct json *j = &r->json;
	struct text name;
	for (bool first = json_open(j, '{', "an object"); json_member(j, &first, &name);) {
		bool id = text_is(name, "id");
		int64_t n = read_unsigned(j, "a non-negative integer");
		if (id)
			r->envelope.id = (uint64_t)n;
	}
}

static struct text read_kept_text(struct dbcop_parser *r, const char *what)
{
	struct text t = json_string(&r->json, what);
	return (struct text){.bytes = pool_text(r->b->pool, t.bytes, t.length), .length = t.length};
}

enum member { PARAMS, INFO, START, END, DATA, MEMBERS };
static const char *const member_names[] = {"params", "info", "start", "end", "data"};

static void read_member(struct dbcop_parser *r, enum member m)
{
	switch (m) {
	case PARAMS:
		read_params(r);
		break;
	case INFO:
		dbcop_source(r->b, json_c_string(&r->json, r->b->pool, "the info, a string"));
		break;
	case START:
		r->envelope.start = read_kept_text(r, "the time of the start, a string");
		break;
	case END:
		r->envelope.end = read_kept_text(r, "the time of the end, a string");
		break;
	default:
		read_sessions(r);
		break;
	}
}

static void read_envelope(struct dbcop_parser *r)
{
	struct json *j = &r->json;
	struct json_object o = json_object(j, "an object", member_names, MEMBERS);
	o.advice = "; known are \"params\", \"info\", \"start\", \"end\" and \"data\"";
	for (unsigned m; json_field(j, &o, &m);)
		read_member(r, (enum member)m);
	if (!(o.seen & 1u << DATA))
		json_reject(j, "expected \"data\", the sessions, in the object before");
	if (o.seen & 1u << START && o.seen & 1u << END)
		dbcop_annotate(r->b, &r->envelope);
}

/* Reads of 0 become reads of null at keys to which 0 is never written. */
static void unify_initial_reads(struct builder *b)
{
	uint32_t zero = atoms_integer(b->values, 0);
	bool *written = pool_zarray(b->pool, atoms_count(b->keys) + 1, sizeof *written);
	for (size_t i = 0; i < b->ops.count; i++) {
		struct op o = b->ops.items[i];
		if (op_writes(o) && o.value == zero)
			written[op_key(o)] = true;
	}
	for (size_t i = 0; i < b->ops.count; i++) {
		struct op *o = &b->ops.items[i];
		if (o->value == zero && !written[op_key(*o)])
			o->value = ATOM_NULL;
		guard_tick(b->guard);
	}
	pool_free(b->pool, written);
}

static void dbcop_json_read(struct source *s, struct builder *b)
{
	struct dbcop_parser r = {.b = b};
	json_init(&r.json, s->pool, s->name);
	json_text(&r.json, source_whole(s), 1);
	if (json_peek(&r.json) == '{')
		read_envelope(&r);
	else
		read_sessions(&r);
	json_end(&r.json);
	unify_initial_reads(b);
}

/* ---- writing ---- */

static void write_text(struct sink *s, const char *member, struct text t)
{
	sink_addf(s, ",\"%s\":", member);
	sink_value(s, (alibi_value){.kind = ALIBI_STRING, .text = t.bytes, .length = t.length});
}

static void write_envelope(const struct history *h, struct sink *s)
{
	struct dbcop_envelope e = dbcop_envelope_of(h, s);
	struct dbcop_params p = dbcop_params_of(h);
	const char *info = h->source ? h->source : "";
	sink_addf(s, "{\"params\":{\"id\":%llu,\"n_node\":%llu,\"n_variable\":%llu",
	          (unsigned long long)e.id, (unsigned long long)p.n_node,
	          (unsigned long long)p.n_variable);
	sink_addf(s, ",\"n_transaction\":%llu,\"n_event\":%llu}",
	          (unsigned long long)p.n_transaction, (unsigned long long)p.n_event);
	write_text(s, "info", (struct text){.bytes = info, .length = strlen(info)});
	write_text(s, "start", e.start);
	write_text(s, "end", e.end);
}

static void write_txn(const struct history *h, struct sink *s, uint32_t t)
{
	sink_text(s, "{\"events\":[");
	for (uint32_t i = h->txns[t].first_op; i < txn_op_end(h, t); i++) {
		struct op o = h->ops[i];
		if (i > h->txns[t].first_op)
			sink_text(s, ",");
		sink_text(s,
		          op_writes(o) ? "{\"Write\":{\"variable\":" : "{\"Read\":{\"variable\":");
		sink_integer(s, integer_key(h, o));
		sink_text(s, ",\"version\":");
		sink_atom(s, h, o.value);
		sink_text(s, "}}");
	}
	sink_text(s, h->txns[t].status == ALIBI_COMMIT ? "],\"committed\":true}"
	                                               : "],\"committed\":false}");
	guard_tick(s->guard);
}

static void dbcop_json_write(const struct history *h, struct sink *s)
{
	dbcop_check(h, s, INITIAL_IS_NULL);
	write_envelope(h, s);
	sink_text(s, ",\"data\":[");
	for (uint32_t i = 0; i < h->session_count; i++) {
		sink_text(s, i ? "],\n[" : "\n[");
		for (uint32_t t = h->session_first[i]; t < h->session_first[i + 1]; t++) {
			if (t > h->session_first[i])
				sink_text(s, ",\n");
			write_txn(h, s, h->session_txns[t]);
		}
	}
	sink_text(s, h->session_count ? "]]}\n" : "]}\n");
}

/* ---- sniffing ---- */

/* A list of lists of objects that begin like transactions, or an object that
 * begins with one of the envelope's members and has dbcop's numbers in it. */
static bool dbcop_json_sniff(struct text head)
{
	static const char *const names[] = {"events", "committed"};
	struct text rest = head;
	int depth = 0;
	if (sniff_token(&rest, "{"))
		return sniff_mentions(head, "\"params\"") && sniff_mentions(head, "\"n_node\"");
	for (bool more = true; more;) {
		bool opens = sniff_token(&rest, "["), closes = !opens && sniff_token(&rest, "]");
		depth += opens - closes;
		more = opens || closes || sniff_token(&rest, ",");
	}
	return depth == 2 && sniff_token(&rest, "{") && sniff_name(rest, names, 2);
}

const struct format format_dbcop_json = {
        .name = "dbcop-json",
        .title = "dbcop's JSON: a list of sessions of transactions",
        .sniff = dbcop_json_sniff,
        .read = dbcop_json_read,
        .write = dbcop_json_write,
};
