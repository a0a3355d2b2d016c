/*
 * cobra_write: a history as Cobra's logs (cobra.c), T<session>.log.
 *
 * Either all reads name their writers, as in Cobra, or none does, as in VeriStrong's variant, which
 * matches by value. Write ids are fresh: the number of the operation.
 *
 * Aborted transactions are dropped: a read of what one of them wrote still names it, or still
 * returns a value that was never written. Times are logged if every transaction has both of them;
 * Cobra then needs TIME_ORDER_ON, and the other tools cannot read the logs.
 */
#include "format/cobra.h"
#include "format/format.h"
#include "format/lossy.h"

#include <stdio.h>

struct logs {
	const struct history *h;
	struct sink *s;
	struct written written;
	int64_t *session_number, *txn_number;
	bool by_value, timed;
	bool *initial_read; /* by key: a read of the initial version was written */
};

static void add_record(struct sink *s, char letter, int count, const int64_t n[])
{
	unsigned char bytes[1 + 4 * 8] = {(unsigned char)letter};
	for (int i = 0; i < count; i++)
		for (int j = 0; j < 8; j++)
			bytes[1 + i * 8 + j] = (unsigned char)((uint64_t)n[i] >> (56 - 8 * j));
	sink_add(s, bytes, 1 + (size_t)count * 8);
}

static int64_t write_id(uint32_t op)
{
	return COBRA_FRESH + op;
}

/* ---- what the format can represent ---- */

static alibi_value unreserved_id(const struct history *h, uint32_t txn)
{
	alibi_value id = history_txn_id(h, txn);
	return id.kind == ALIBI_INT && cobra_reserved(id.integer) ? (alibi_value){0} : id;
}

static const struct capabilities can = {.keys = INTEGERS,
                                        .values = INTEGERS,
                                        .sessions = INTEGER_NAMES,
                                        .ids = INTEGER_NAMES,
                                        .empty_txns = true,
                                        .times = true,
                                        .writers = true};

/* Times are logged for all transactions or for none. */
static bool all_timed(const struct history *h, struct sink *s)
{
	bool any = false, all = true;
	for (uint32_t t = 0; t < h->txn_count; t++) {
		unsigned times = h->txns[t].has & BOTH_TIMES;
		if (h->txns[t].status != ALIBI_COMMIT)
			continue;
		any |= times != 0;
		all &= times == BOTH_TIMES;
		guard_tick(s->guard);
	}
	if (any && !all)
		sink_drops(s, "client times (some transactions have none)");
	return any && all;
}

static bool goes_by_value(const struct history *h)
{
	for (size_t i = 0; i < h->from.count; i++)
		if (h->from.items[i].writer != ID_NONE)
			return false;
	return true;
}

/* ---- operations ---- */

static void refuse_op(struct logs *l, uint32_t txn, struct op o, const char *why)
{
	sink_refuse(l->s, "%s, key %s, value %s: %s", shown_txn(l->h, l->s, txn),
	            shown_key(l->h, l->s, op_key(o)), render_atom(l->s->pool, l->h, o.value, 8),
	            why);
}

/* The version that a read saw, as the two numbers of its record. */
static void name_version(struct logs *l, uint32_t txn, uint32_t op, int64_t n[2])
{
	const struct history *h = l->h;
	struct op o = h->ops[op];
	struct writers writers = written_to(&l->written, op_key(o), o.value);
	uint32_t writer = ID_NONE;
	bool named = history_read_from(h, op, &writer);
	bool initial = o.value == history_initial(h, op_key(o));
	if (named && writer != ID_NONE) {
		uint32_t found = writers_in(writers, h, writer);
		n[0] = l->txn_number[writer];
		n[1] = write_id(found == ID_NONE ? op : found);
		return;
	}
	if (!named && !l->by_value)
		refuse_op(l, txn, o,
		          "this read does not name its writer, but others do; Cobra's logs name "
		          "all of them or none");
	if (named && !initial)
		refuse_op(l, txn, o,
		          "this read names the initial version, which has another value; "
		          "Cobra's logs cannot say so");
	if (!named && initial && writers.count)
		refuse_op(l, txn, o,
		          "the initial value was written too, and this read does not say which "
		          "of them it saw; give it a \"from\"");
	n[0] = n[1] = !initial               ? COBRA_BY_VALUE
	              : o.value == ATOM_NULL ? COBRA_ABSENT
	                                     : COBRA_INITIAL;
	l->initial_read[op_key(o)] |= initial;
}

static void write_op(struct logs *l, uint32_t txn, uint32_t op)
{
	const struct history *h = l->h;
	struct op o = h->ops[op];
	int64_t key = integer_key(h, o), value = integer_value(h, o);
	if (op_kind(o) == ALIBI_READ) {
		int64_t n[4] = {0, 0, key, value};
		name_version(l, txn, op, n);
		if (o.value == ATOM_NULL && n[0] != COBRA_ABSENT)
			refuse_op(l, txn, o,
			          "in Cobra's logs only a key's initial value can be null");
		add_record(l->s, 'R', 4, n);
	} else {
		add_record(
		        l->s, 'W', 3,
		        (const int64_t[]){l->by_value ? COBRA_BY_VALUE : write_id(op), key, value});
	}
}

/* ---- files ---- */

static void write_txn(struct logs *l, uint32_t txn)
{
	const struct history *h = l->h;
	int64_t n[2] = {l->txn_number[txn], l->timed ? h->times[txn].begin : 0};
	add_record(l->s, 'S', l->timed ? 2 : 1, n);
	for (uint32_t i = h->txns[txn].first_op; i < txn_op_end(h, txn); i++) {
		write_op(l, txn, i);
		guard_tick(l->s->guard);
	}
	n[1] = l->timed ? h->times[txn].end : 0;
	add_record(l->s, 'C', l->timed ? 2 : 1, n);
}

static void write_session(struct logs *l, uint32_t session)
{
	const struct history *h = l->h;
	char name[32];
	bool opened = false;
	for (uint32_t i = h->session_first[session]; i < h->session_first[session + 1]; i++) {
		uint32_t txn = h->session_txns[i];
		if (h->txns[txn].status != ALIBI_COMMIT)
			continue;
		if (!opened) {
			snprintf(name, sizeof name, "T%lld.log",
			         (long long)l->session_number[session]);
			sink_file(l->s, name);
		}
		opened = true;
		write_txn(l, txn);
	}
}

void cobra_write(const struct history *h, struct sink *s)
{
	struct logs l = {.h = h, .s = s, .by_value = goes_by_value(h)};
	lossy_check(h, s, &can);
	l.timed = all_timed(h, s);
	l.written = written_index(s->pool, h->ops, h->op_count);
	l.session_number = integer_names(h, s, h->session_count, session_name, 0);
	l.txn_number = integer_names(h, s, h->txn_count, unreserved_id, COBRA_FRESH);
	l.initial_read = pool_zarray(s->pool, atoms_count(&h->keys) + 1, sizeof *l.initial_read);
	for (uint32_t i = 0; i < h->session_count; i++)
		write_session(&l, i);
	bool unread = h->initial_default != ATOM_NULL;
	for (size_t i = 0; i < h->initial.count; i++)
		unread |= h->initial.items[i].value != ATOM_NULL &&
		          !l.initial_read[h->initial.items[i].key];
	if (unread)
		sink_drops(s, "initial values that were never read");
}
