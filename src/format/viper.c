/*
 * viper: Viper's JSON logs, a directory with one file a session.
 *
 * A line is a transaction, {"value": [operation, …]}. An operation is
 *
 *     ["r", key, value, dead]   ["w", key, value, done]
 *     ["i", key, value, value read, dead, done, …]   insert
 *     ["d", key, value, value read, dead, done, …]   delete
 *
 * and range queries. Values are the hashes of what was stored. A delete stores a unique tombstone,
 * which later reads return and call dead. So here, as in Viper, inserts and deletes are a read and
 * then a write, and whether a value is dead adds nothing.
 *
 * The rest of the mapping:
 * - done is false for a write without effect. IsoVista sets it on all writes of a transaction that
 *   failed: such a transaction is aborted.
 * - Initial values are in a line of their own with "isInitial". Most logs have none, and the
 *   database was loaded before the run. Then, as in Viper, a value that was never written is the
 *   initial one: the first such value of a key. A second one remains a read of a value that was
 *   never written.
 * - preBeginTS and postCommitTS, if logged, are begin and end. The times between them are ignored.
 * - Range queries are predicates, which are not supported yet.
 *
 * There are no ids: transactions are numbered.
 */
#include "format/format.h"
#include "format/json.h"
#include "format/session_file.h"
#include "format/sniff.h"
#include "format/written.h"

#include <string.h>

struct viper_parser {
	struct json json;
	struct builder *b;
	VEC(struct op) ops; /* of the line; it may turn out to be the initial one */
	size_t writes, without_effect;
};

/* ---- operations ---- */

static void add_op(struct viper_parser *r, enum alibi_op_kind kind, uint32_t key, uint32_t value)
{
	struct op o = {.kind_and_key = (uint32_t)kind << KIND_SHIFT | key, .value = value};
	vec_push(r->json.pool, &r->ops, o);
}

/* An integer; null or "nil" where the key was absent. */
static uint32_t read_value(struct viper_parser *r)
{
	struct json *j = &r->json;
	static const char what[] = "a value (an integer, or null)";
	if (json_take_null(j))
		return ATOM_NULL;
	if (json_peek(j) != '"')
		return atoms_integer(r->b->values, json_integer(j, what));
	if (!text_is(json_string(j, what), "nil"))
		json_reject(j, "expected %s before this, found a string", what);
	return ATOM_NULL;
}

static bool read_flag(struct json *j, const char *name)
{
	json_expect(j, ',', name);
	return json_bool(j, "true or false");
}

static void count_write(struct viper_parser *r, bool done)
{
	r->writes++;
	r->without_effect += !done;
}

/* The rest of ["i", key, value, value read, dead, done, and what newer ones add. */
static void read_insert_or_delete(struct viper_parser *r, uint32_t key, uint32_t value)
{
	struct json *j = &r->json;
	json_expect(j, ',', "',' and the value that was there");
	add_op(r, ALIBI_READ, key, read_value(r));
	add_op(r, ALIBI_WRITE, key, value);
	read_flag(j, "',' and whether that value was dead");
	count_write(r, read_flag(j, "',' and whether the write was done"));
	while (json_take(j, ','))
		json_skip(j);
}

static void read_op(struct viper_parser *r)
{
	struct json *j = &r->json;
	json_expect(j, '[', "an operation such as [\"r\", key, value, false]");
	struct text kind = json_string(j, "\"r\", \"w\", \"i\" or \"d\"");
	char letter = kind.length == 1 ? kind.bytes[0] : 0;
	if (text_is(kind, "range"))
		json_reject(j, "range queries are predicate reads, which are not supported yet");
	if (!letter || !strchr("rwid", letter))
		json_reject(j, "expected \"r\", \"w\", \"i\" or \"d\" before this, found \"%.*s\"",
		            (int)(kind.length < 20 ? kind.length : 20), kind.bytes);
	json_expect(j, ',', "',' and a key");
	uint32_t key = json_name(j, r->b->keys, "a key (integer or string)");
	if (key >= KEY_LIMIT)
		json_reject(j, "more than %d distinct keys", KEY_LIMIT);
	json_expect(j, ',', "',' and a value");
	uint32_t value = read_value(r);
	if (letter == 'r') {
		add_op(r, ALIBI_READ, key, value);
		read_flag(j, "',' and whether the value was dead");
	} else if (letter == 'w') {
		add_op(r, ALIBI_WRITE, key, value);
		count_write(r, read_flag(j, "',' and whether the write was done"));
	} else {
		read_insert_or_delete(r, key, value);
	}
	json_expect(j, ']', "']' at the end of the operation");
}

static void read_ops(struct viper_parser *r)
{
	struct json *j = &r->json;
	for (bool first = json_open(j, '[', "a list of operations"); json_next(j, &first, ']');) {
		read_op(r);
		guard_tick(j->guard);
	}
}

/* ---- lines ---- */

enum member {
	VALUE,
	IS_INITIAL,
	IS_FINAL,
	PRE_BEGIN,
	POST_BEGIN,
	PRE_COMMIT,
	POST_COMMIT,
	MEMBERS
};
static const char *const member_names[] = {"value",       "isInitial",   "isFinal",
                                           "preBeginTS",  "postBeginTS", "preCommitTS",
                                           "postCommitTS"};

/* Returns whether the line is the initial one. */
static bool read_member(struct viper_parser *r, enum member m, struct txn_head *head)
{
	struct json *j = &r->json;
	switch (m) {
	case VALUE:
		read_ops(r);
		return false;
	case IS_INITIAL:
		return json_bool(j, "true or false");
	case IS_FINAL:
		if (json_bool(j, "true or false"))
			json_reject(j, "a final transaction reads all keys after all others, a "
			               "predicate, which is not supported yet; leave it out");
		return false;
	case PRE_BEGIN:
		head->times.begin = json_integer(j, "a time, an integer");
		head->has |= ALIBI_HAS_BEGIN;
		return false;
	case POST_COMMIT:
		head->times.end = json_integer(j, "a time, an integer");
		head->has |= ALIBI_HAS_END;
		return false;
	default:
		json_integer(j, "a time, an integer");
		return false;
	}
}

static void end_initial(struct viper_parser *r)
{
	if (r->writes != r->ops.count || r->without_effect)
		json_reject(&r->json, "the initial transaction may only write");
	for (size_t i = 0; i < r->ops.count; i++)
		builder_initial(r->b, op_key(r->ops.items[i]), r->ops.items[i].value);
}

static void end_txn(struct viper_parser *r, struct txn_head *head)
{
	struct builder *b = r->b;
	if (r->without_effect && r->without_effect < r->writes)
		json_reject(&r->json, "some writes of this transaction were done and some were not "
		                      "(false); remove the latter");
	for (size_t i = 0; i < r->ops.count; i++) {
		struct op o = r->ops.items[i];
		if (op_writes(o) && o.value == ATOM_NULL)
			json_reject(&r->json, "this transaction writes null; expected an integer "
			                      "(a delete writes one too)");
		builder_op(b, op_kind(o), op_key(o), o.value);
	}
	head->status = r->without_effect ? ALIBI_ABORT : ALIBI_COMMIT;
	head->number = (uint32_t)b->txns.count + 1;
	builder_end(b, head);
}

static void read_line(struct viper_parser *r, struct txn_head head)
{
	struct json *j = &r->json;
	bool initial = false;
	r->ops.count = r->writes = r->without_effect = 0;
	struct json_object o = json_object(j, "an object", member_names, MEMBERS);
	for (unsigned m; json_field(j, &o, &m);)
		initial |= read_member(r, (enum member)m, &head);
	json_end(j);
	if (!(o.seen & 1u << VALUE))
		json_reject(j, "expected \"value\", the operations, in this line");
	if (initial)
		end_initial(r);
	else
		end_txn(r, &head);
}

static void viper_read(struct source *s, struct builder *b)
{
	struct viper_parser r = {.b = b};
	struct txn_head head = {.session = session_of_file(b, s->name, 'J'), .id = ID_NONE};
	struct text line;
	json_init(&r.json, s->pool, s->name);
	while (source_line(s, &line)) {
		json_text(&r.json, line, ++b->place.line);
		if (!json_is_blank(&r.json))
			read_line(&r, head);
	}
}

/* ---- after the last file ---- */

/* Without logged initial values, a value that was never written is an initial one. */
static void viper_finish(struct builder *b)
{
	if (b->h->initial.count)
		return;
	struct pool *pool = pool_child(b->pool);
	struct written written = written_index(pool, b->ops.items, b->ops.count);
	bool *known = pool_zarray(pool, atoms_count(b->keys) + 1, sizeof *known);
	for (size_t i = 0; i < b->ops.count; i++) {
		struct op o = b->ops.items[i];
		uint32_t key = op_key(o);
		guard_tick(b->guard);
		if (op_kind(o) != ALIBI_READ || known[key] ||
		    written_to(&written, key, o.value).count)
			continue;
		known[key] = true;
		if (o.value != ATOM_NULL)
			builder_initial(b, key, o.value);
	}
	pool_release(pool);
}

/* An object that begins with one of the members above; no other format has these first. */
static bool viper_sniff(struct text head)
{
	return sniff_token(&head, "{") && sniff_name(head, member_names, MEMBERS);
}

const struct format format_viper = {
        .name = "viper",
        .title = "Viper's JSON logs (also IsoVista's): a file a session",
        .suffix = ".log",
        .sniff = viper_sniff,
        .read = viper_read,
        .finish = viper_finish,
        .write = viper_write,
};
