/* registers: see registers.h. */
#include "format/registers.h"

#include "base/guard.h"
#include "format/lossy.h"

/* What happens to a key, for judging how its initial version can be spelled. */
enum key_use {
	KEY_USED = 1,
	KEY_READS_NULL = 2,
	KEY_READS_ZERO = 4,
	KEY_WRITES_ZERO = 8,
};

/* ---- operations ---- */

static void check_op(const struct history *h, struct sink *s, uint32_t txn, struct op o)
{
	alibi_value value = atoms_value(&h->values, o.value);
	if (h->key_is_list[op_key(o)])
		sink_refuse(s,
		            "key %s is a list, and this format has only single values; formats "
		            "with lists are alibi, chronos and the Jepsen ones",
		            shown_key(h, s, op_key(o)));
	if (!is_whole(atoms_value(&h->keys, op_key(o))))
		sink_refuse(s,
		            "key %s is not a whole number from 0 on, and this format has no other "
		            "keys; number the keys first",
		            shown_key(h, s, op_key(o)));
	if (op_writes(o) && o.value == ATOM_NULL)
		sink_refuse(s, "%s deletes key %s, and this format has no deletes",
		            shown_txn(h, s, txn), shown_key(h, s, op_key(o)));
	if (!is_whole(value) && o.value != ATOM_NULL)
		sink_refuse(s,
		            "%s: the value %s of key %s is not a whole number from 0 "
		            "on, and this format has no other values; number the values first",
		            shown_txn(h, s, txn), render_value(s->pool, value),
		            shown_key(h, s, op_key(o)));
}

static uint8_t key_use_of(const struct history *h, struct op o)
{
	if (o.value == ATOM_NULL)
		return KEY_USED | KEY_READS_NULL;
	if (atoms_value(&h->values, o.value).integer)
		return KEY_USED;
	return op_writes(o) ? KEY_USED | KEY_WRITES_ZERO : KEY_USED | KEY_READS_ZERO;
}

static uint8_t *check_txns(const struct history *h, struct sink *s, const struct register_format *f)
{
	uint8_t *use = pool_zarray(s->pool, atoms_count(&h->keys) + 1, sizeof *use);
	for (uint32_t t = 0; t < h->txn_count; t++) {
		enum alibi_status status = h->txns[t].status;
		if (status == ALIBI_UNKNOWN_STATUS)
			sink_refuse(s,
			            "whether %s committed is not known, and this format "
			            "has only yes and no; settle its status first",
			            shown_txn(h, s, t));
		if (status == ALIBI_ABORT && !f->has_aborts)
			sink_drops(s, "aborted transactions");
		else if (h->txns[t].first_op == txn_op_end(h, t) && !f->has_empty_txns)
			sink_drops(s, "transactions without operations");
		for (uint32_t i = h->txns[t].first_op; i < txn_op_end(h, t); i++) {
			check_op(h, s, t, h->ops[i]);
			use[op_key(h->ops[i])] |= key_use_of(h, h->ops[i]);
		}
		guard_tick(s->guard);
	}
	return use;
}

/* ---- initial versions ---- */

static void check_initial_of_null(const struct history *h, struct sink *s, uint32_t key,
                                  uint8_t use, enum initial_spelling spelling)
{
	bool reads_null = use & KEY_READS_NULL, reads_zero = use & KEY_READS_ZERO,
	     writes_zero = use & KEY_WRITES_ZERO;
	if (reads_null && spelling == INITIAL_IS_SILENT)
		sink_refuse(s,
		            "key %s was read as null before anybody wrote it, and in this format "
		            "every value read was written; begin the history with writes",
		            shown_key(h, s, key));
	if (spelling == INITIAL_IS_ZERO && (reads_zero || (reads_null && writes_zero)))
		sink_refuse(s,
		            "in this format 0 is the initial value of every key; that of key %s is "
		            "null, and 0 is another value of it; use other values than 0",
		            shown_key(h, s, key));
	if (spelling == INITIAL_IS_NULL && reads_zero && !writes_zero)
		sink_refuse(s,
		            "key %s was read as 0, which nobody wrote; this format would take it "
		            "for the initial value, which is null here; use other values than 0",
		            shown_key(h, s, key));
}

static void check_initial_of_zero(const struct history *h, struct sink *s, uint32_t key,
                                  uint8_t use, enum initial_spelling spelling)
{
	bool reads_zero = use & KEY_READS_ZERO, writes_zero = use & KEY_WRITES_ZERO;
	if (use & KEY_READS_NULL)
		sink_refuse(s,
		            "key %s was read as null, though its initial value is 0; this format "
		            "cannot tell the two apart",
		            shown_key(h, s, key));
	if (reads_zero && spelling == INITIAL_IS_SILENT)
		sink_refuse(s,
		            "key %s was read as 0, its initial value, and in this format every "
		            "value read was written; begin the history with writes",
		            shown_key(h, s, key));
	if (reads_zero && writes_zero && spelling == INITIAL_IS_NULL)
		sink_refuse(s,
		            "0 is the initial value of key %s and was written to it, too; this "
		            "format cannot say that a read of 0 may be of either",
		            shown_key(h, s, key));
}

/* Initial values that are said have no spelling to be judged. */
static void forget_said(const struct history *h, struct sink *s, uint8_t *use,
                        const struct register_format *f)
{
	for (size_t i = 0; i < h->initial.count; i++) {
		struct initial_value v = h->initial.items[i];
		if (f->has_initial && is_whole(atoms_value(&h->values, v.value)))
			use[v.key] = 0;
		else if (!use[v.key])
			sink_drops(s, "initial values of keys that nobody used");
	}
}

static void check_initial(const struct history *h, struct sink *s, const uint8_t *use,
                          enum initial_spelling spelling)
{
	for (uint32_t key = 0; key < atoms_count(&h->keys); key++) {
		guard_tick(s->guard);
		if (!use[key])
			continue;
		alibi_value initial = atoms_value(&h->values, history_initial(h, key));
		if (initial.kind == ALIBI_NULL)
			check_initial_of_null(h, s, key, use[key], spelling);
		else if (initial.kind == ALIBI_INT && !initial.integer)
			check_initial_of_zero(h, s, key, use[key], spelling);
		else
			sink_refuse(s,
			            "key %s has the initial value %s, and this format has no other "
			            "than %s; write it in a first transaction instead",
			            shown_key(h, s, key), render_value(s->pool, initial),
			            spelling == INITIAL_IS_ZERO ? "0" : "null");
	}
}

/* ---- what is left out ---- */

static void note_drops(const struct history *h, struct sink *s, const struct register_format *f)
{
	if (h->times)
		sink_drops(s, "client times");
	if (h->stamps)
		sink_drops(s, "database timestamps");
	if (h->info.count)
		sink_drops(s, "info of transactions");
	if (!f->has_envelope)
		drop_header(h, s);
	if (h->claimed_level)
		sink_drops(s, "the level that was claimed");
	if (h->has_skew)
		sink_drops(s, "the bound on clock skew");
	if (f->has_names)
		return;
	if (h->txn_id)
		sink_drops(s, "transaction ids");
	for (uint32_t i = 0; i < h->session_count; i++) {
		uint32_t name = h->session_name[i];
		if (name == ATOM_NONE)
			continue;
		alibi_value v = atoms_value(&h->names, name);
		if (v.kind != ALIBI_INT || v.integer != (int64_t)i + 1)
			sink_drops(s, "session names");
	}
}

void registers_check(const struct history *h, struct sink *s, const struct register_format *f)
{
	uint8_t *use = check_txns(h, s, f);
	forget_said(h, s, use, f);
	check_initial(h, s, use, f->initial);
	note_drops(h, s, f);
	pool_free(s->pool, use);
	if (h->from.count) {
		struct written w = written_index(s->pool, h->ops, h->op_count);
		drop_named_writers(h, s, &w);
	}
}
