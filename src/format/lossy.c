/* lossy: see lossy.h. */
#include "format/lossy.h"

#include "base/guard.h"

const char *shown_txn(const struct history *h, struct sink *s, uint32_t txn)
{
	text_vec t = {0};
	text_addf(s->pool, &t, "transaction ");
	text_add_value(s->pool, &t, history_txn_id(h, txn));
	return text_string(s->pool, &t);
}

const char *shown_key(const struct history *h, struct sink *s, uint32_t key)
{
	return render_value(s->pool, atoms_value(&h->keys, key));
}

/* ---- keys and values ---- */

static const char *kinds_named(unsigned kinds)
{
	return kinds & STRINGS    ? "an integer or a string"
	       : kinds & INTEGERS ? "an integer"
	                          : "a non-negative integer";
}

static bool is_of(alibi_value v, unsigned kinds)
{
	return kinds & ANY_KIND || (kinds & STRINGS && v.kind == ALIBI_STRING) ||
	       (kinds & INTEGERS && v.kind == ALIBI_INT) || is_non_negative(v);
}

void lossy_check_key(const struct history *h, struct sink *s, const struct capabilities *c,
                     uint32_t key)
{
	if (h->key_is_list[key] && !c->lists)
		sink_refuse(s,
		            "key %s is a list, and this format has only single values; formats "
		            "with lists are alibi, chronos and the Jepsen ones",
		            shown_key(h, s, key));
	if (!is_of(atoms_value(&h->keys, key), c->keys))
		sink_refuse(s,
		            "key %s is not %s, and this format has no other keys; number the keys "
		            "first",
		            shown_key(h, s, key), kinds_named(c->keys));
}

void lossy_check_value(const struct history *h, struct sink *s, const struct capabilities *c,
                       uint32_t key, uint32_t value)
{
	size_t count = 1;
	const uint32_t *items = &value;
	if (atoms_kind(&h->values, value) == ALIBI_LIST)
		items = atoms_items(&h->values, value, &count);
	for (size_t i = 0; i < count; i++) {
		alibi_value v = atoms_value(&h->values, items[i]);
		if (v.kind != ALIBI_NULL && !is_of(v, c->values))
			sink_refuse(s,
			            "the value %s of key %s is not %s, and this format has no "
			            "other values; number the values first",
			            render_value(s->pool, v), shown_key(h, s, key),
			            kinds_named(c->values));
	}
}

/* ---- transactions ---- */

/* What happens to a key, which decides how its initial version can be spelled. */
enum key_use {
	KEY_USED = 1,
	KEY_READS_NULL = 2,
	KEY_READS_ZERO = 4,
	KEY_WRITES_ZERO = 8,
};

static uint8_t key_use_of(const struct history *h, struct op o)
{
	if (o.value == ATOM_NULL)
		return KEY_USED | KEY_READS_NULL;
	if (integer_value(h, o))
		return KEY_USED;
	return op_writes(o) ? KEY_USED | KEY_WRITES_ZERO : KEY_USED | KEY_READS_ZERO;
}

/* Is it written? */
static bool check_txn(const struct history *h, struct sink *s, const struct capabilities *c,
                      uint32_t t)
{
	const struct txn *x = &h->txns[t];
	if (x->status == ALIBI_UNKNOWN_STATUS && !c->unknown_status)
		sink_refuse(s,
		            "whether %s committed is not known, and this format cannot say so; "
		            "settle its status first",
		            shown_txn(h, s, t));
	if (x->status == ALIBI_ABORT && !c->aborts) {
		sink_drops(s, "aborted transactions");
		return false;
	}
	if (x->first_op == txn_op_end(h, t) && !c->empty_txns)
		sink_drops(s, "transactions without operations");
	if (x->has & BOTH_TIMES && !c->times)
		sink_drops(s, "client times");
	if (x->has & (ALIBI_HAS_START_TS | ALIBI_HAS_COMMIT_TS) && !c->stamps)
		sink_drops(s, "database timestamps");
	if (c->ids == INTEGER_NAMES && history_txn_id(h, t).kind != ALIBI_INT)
		sink_drops(s, "transaction ids that are not integers");
	return true;
}

static uint8_t *check_txns(const struct history *h, struct sink *s, const struct capabilities *c)
{
	uint8_t *use = pool_zarray(s->pool, atoms_count(&h->keys) + 1, sizeof *use);
	for (uint32_t t = 0; t < h->txn_count; t++) {
		guard_tick(s->guard);
		if (!check_txn(h, s, c, t))
			continue;
		for (uint32_t i = h->txns[t].first_op; i < txn_op_end(h, t); i++) {
			struct op o = h->ops[i];
			lossy_check_key(h, s, c, op_key(o));
			if (op_writes(o) && o.value == ATOM_NULL && !c->deletes)
				sink_refuse(s, "%s deletes key %s, and this format has no deletes",
				            shown_txn(h, s, t), shown_key(h, s, op_key(o)));
			lossy_check_value(h, s, c, op_key(o), o.value);
			if (c->initial != INITIAL_BY_WRITER)
				use[op_key(o)] |= key_use_of(h, o);
			guard_tick(s->guard);
		}
	}
	return use;
}

/* ---- initial versions ---- */

static void check_initial_null(const struct history *h, struct sink *s, uint32_t key, uint8_t use,
                               enum initial_spelling spelling)
{
	bool reads_null = use & KEY_READS_NULL, reads_zero = use & KEY_READS_ZERO,
	     writes_zero = use & KEY_WRITES_ZERO;
	if (reads_null && spelling == INITIAL_IS_SILENT)
		sink_refuse(s,
		            "key %s was read as null before it was written, and in this format "
		            "every value read was written; begin the history with writes",
		            shown_key(h, s, key));
	if (spelling == INITIAL_IS_ZERO && (reads_zero || (reads_null && writes_zero)))
		sink_refuse(s,
		            "in this format 0 is the initial value of every key; that of key %s is "
		            "null, and 0 is another value of it; use other values than 0",
		            shown_key(h, s, key));
	if (spelling == INITIAL_IS_NULL && reads_zero && !writes_zero)
		sink_refuse(s,
		            "key %s was read as 0, which no transaction wrote; this format would "
		            "take it for the initial value, which is null here; use other values "
		            "than 0",
		            shown_key(h, s, key));
}

static void check_initial_zero(const struct history *h, struct sink *s, uint32_t key, uint8_t use,
                               enum initial_spelling spelling)
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

/* Initial values that the format has need no spelling. */
static void check_single_initial(const struct history *h, struct sink *s, uint8_t *use, bool said)
{
	for (size_t i = 0; i < h->initial.count; i++) {
		struct initial_value v = h->initial.items[i];
		if (said && is_non_negative(atoms_value(&h->values, v.value)))
			use[v.key] = 0;
		else if (!use[v.key])
			sink_drops(s, "initial values of unused keys");
	}
}

static void check_initial(const struct history *h, struct sink *s, uint8_t *use,
                          const struct capabilities *c)
{
	check_single_initial(h, s, use, c->single_initial);
	for (uint32_t key = 0; key < atoms_count(&h->keys); key++) {
		guard_tick(s->guard);
		if (!use[key])
			continue;
		alibi_value initial = atoms_value(&h->values, history_initial(h, key));
		if (initial.kind == ALIBI_NULL)
			check_initial_null(h, s, key, use[key], c->initial);
		else if (initial.kind == ALIBI_INT && !initial.integer)
			check_initial_zero(h, s, key, use[key], c->initial);
		else
			sink_refuse(s,
			            "key %s has the initial value %s, and this format has no other "
			            "than %s; write it in a first transaction instead",
			            shown_key(h, s, key), render_value(s->pool, initial),
			            c->initial == INITIAL_IS_ZERO ? "0" : "null");
	}
}

/* ---- the rest ---- */

static void check_session_names(const struct history *h, struct sink *s, enum name_kinds kinds)
{
	for (uint32_t i = 0; i < h->session_count; i++) {
		alibi_value v = session_name(h, i);
		if (kinds == INTEGER_NAMES && v.kind == ALIBI_STRING)
			sink_drops(s, "session names that are not integers");
		bool is_place = v.kind == ALIBI_INT && v.integer == (int64_t)i + 1;
		if (kinds == NO_NAMES && v.kind != ALIBI_NULL && !is_place)
			sink_drops(s, "session names");
	}
}

static void check_header(const struct history *h, struct sink *s, const struct capabilities *c)
{
	if (h->claimed_level)
		sink_drops(s, "the level that was claimed");
	if (h->source && !c->source)
		sink_drops(s, "the source");
	if (h->stamp_meaning == STAMPS_SERIAL && c->stamps)
		sink_drops(s, "that the order of commit timestamps is serial");
	if (h->skew && !c->skew) /* 0 is the default */
		sink_drops(s, "the bound on clock skew");
	if (h->availability)
		sink_drops(s, "how available the database was");
	if (h->annotations.count && !c->annotations)
		sink_drops(s, "annotations");
	for (size_t i = 0; i < h->info.count && !c->info; i++)
		if (c->aborts || h->txns[h->info.items[i].txn].status != ALIBI_ABORT)
			sink_drops(s, "info");
	if (h->txn_id && c->ids == NO_NAMES)
		sink_drops(s, "transaction ids");
}

/* Refuses reads whose value would not lead back to the writer they name. */
static void check_named_writers(const struct history *h, struct sink *s)
{
	struct written w = written_index(s->pool, h->ops, h->op_count);
	uint32_t txn = 0;
	for (size_t i = 0; i < h->from.count; i++) {
		struct read_from f = h->from.items[i];
		struct op o = h->ops[f.op];
		uint32_t key = op_key(o);
		struct writers writers = written_to(&w, key, o.value);
		while (txn_op_end(h, txn) <= f.op)
			txn++;
		guard_tick(s->guard);
		bool initial = o.value == history_initial(h, key);
		if (f.writer == ID_NONE ? initial && !writers.count
		                        : !initial && writers_only(writers, h, f.writer))
			continue;
		sink_refuse(s,
		            "%s: a read of key %s names its writer, which its value does not "
		            "(others wrote the same, or that one did not write it); this format "
		            "has only values",
		            shown_txn(h, s, txn), shown_key(h, s, key));
	}
	sink_drops(s, "the writers that reads name (their values say the same)");
}

void lossy_check(const struct history *h, struct sink *s, const struct capabilities *c)
{
	uint8_t *use = check_txns(h, s, c);
	if (c->initial != INITIAL_BY_WRITER)
		check_initial(h, s, use, c);
	pool_free(s->pool, use);
	check_header(h, s, c);
	check_session_names(h, s, c->sessions);
	if (h->from.count && !c->writers)
		check_named_writers(h, s);
}

/* ---- names ---- */

alibi_value session_name(const struct history *h, uint32_t session)
{
	uint32_t name = h->session_name[session];
	return name == ID_NONE ? (alibi_value){.kind = ALIBI_NULL} : atoms_value(&h->names, name);
}

int64_t *integer_names(const struct history *h, struct sink *s, uint32_t count, name_fn *name,
                       int64_t floor)
{
	int64_t *number = pool_array(s->pool, (size_t)count + 1, sizeof *number);
	int64_t highest = floor;
	for (uint32_t i = 0; i < count; i++) {
		alibi_value v = name(h, i);
		if (v.kind == ALIBI_INT && v.integer > highest)
			highest = v.integer;
		guard_tick(s->guard);
	}
	for (uint32_t i = 0; i < count; i++) {
		alibi_value v = name(h, i);
		if (v.kind != ALIBI_INT && highest == INT64_MAX)
			sink_refuse(s,
			            "sessions and transactions need numbers in this format, and "
			            "none are left above %lld; rename that one",
			            (long long)highest);
		number[i] = v.kind == ALIBI_INT ? v.integer : ++highest;
	}
	return number;
}
