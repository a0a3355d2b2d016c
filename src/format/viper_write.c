/*
 * viper_write: a history as Viper's JSON logs (viper.c), J<session>.log.
 *
 * Initial values go into a file of their own, as Viper requires. It is written even where every key
 * starts as null: with it, a value that was never written is not taken for an initial one. The
 * writes of an aborted transaction are not done; one that wrote nothing is dropped.
 */
#include "format/format.h"
#include "format/lossy.h"

#include <stdio.h>

static const struct capabilities can = {.keys = INTEGERS | STRINGS,
                                        .values = INTEGERS,
                                        .sessions = INTEGER_NAMES,
                                        .aborts = true,
                                        .empty_txns = true,
                                        .times = true};

static void write_op(const struct history *h, struct sink *s, struct op o, bool done)
{
	bool reads = op_kind(o) == ALIBI_READ;
	sink_text(s, reads ? "[\"r\", " : "[\"w\", ");
	sink_value(s, atoms_value(&h->keys, op_key(o)));
	sink_text(s, ", ");
	sink_atom(s, h, o.value);
	sink_text(s, !reads && done ? ", true]" : ", false]");
}

static void write_txn(const struct history *h, struct sink *s, uint32_t txn)
{
	const struct txn *x = &h->txns[txn];
	sink_text(s, "{");
	if (x->has & ALIBI_HAS_BEGIN)
		sink_addf(s, "\"preBeginTS\": %lld, ", (long long)h->times[txn].begin);
	if (x->has & ALIBI_HAS_END)
		sink_addf(s, "\"postCommitTS\": %lld, ", (long long)h->times[txn].end);
	sink_text(s, "\"value\": [");
	for (uint32_t i = x->first_op; i < txn_op_end(h, txn); i++) {
		if (i > x->first_op)
			sink_text(s, ", ");
		write_op(h, s, h->ops[i], x->status == ALIBI_COMMIT);
		guard_tick(s->guard);
	}
	sink_text(s, "]}\n");
}

static void write_session(const struct history *h, struct sink *s, uint32_t session, int64_t number)
{
	char name[32];
	bool opened = false;
	for (uint32_t i = h->session_first[session]; i < h->session_first[session + 1]; i++) {
		uint32_t txn = h->session_txns[i];
		if (h->txns[txn].status == ALIBI_ABORT && !txn_writes(h, txn)) {
			sink_drops(s, "aborted transactions that wrote nothing");
			continue;
		}
		if (!opened) {
			snprintf(name, sizeof name, "J%lld.log", (long long)number);
			sink_file(s, name);
		}
		opened = true;
		write_txn(h, s, txn);
	}
}

/* Keys that start as null are omitted, except for one if there is no other: a line without any
 * would not count. */
static void write_initial(const struct history *h, struct sink *s)
{
	size_t keys = atoms_count(&h->keys), count = 0;
	if (!keys)
		return;
	sink_file(s, "Jinitial.log");
	sink_text(s, "{\"value\": [");
	for (uint32_t key = 0; key < keys; key++) {
		uint32_t value = history_initial(h, key);
		guard_tick(s->guard);
		if (value == ATOM_NULL && (count || key + 1 < keys))
			continue;
		lossy_check_key(h, s, &can, key);
		lossy_check_value(h, s, &can, key, value);
		sink_text(s, count++ ? ", [\"w\", " : "[\"w\", ");
		sink_value(s, atoms_value(&h->keys, key));
		sink_text(s, ", ");
		sink_atom(s, h, value);
		sink_text(s, ", true]");
	}
	sink_text(s, "], \"isInitial\": true}\n");
}

void viper_write(const struct history *h, struct sink *s)
{
	lossy_check(h, s, &can);
	int64_t *number = integer_names(h, s, h->session_count, session_name, 0);
	write_initial(h, s);
	for (uint32_t i = 0; i < h->session_count; i++)
		write_session(h, s, i, number[i]);
}
