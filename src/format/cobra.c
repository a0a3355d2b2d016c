/*
 * cobra: Cobra's client logs, a directory with one binary file a session.
 *
 * A log is a stream of big-endian records: 'S' starts a transaction, 'C' commits
 * it, 'W' and 'R' between them are its operations. Keys and values are 64-bit
 * hashes, read as integers. The client stored a write id with every value, so a read knows the
 * transaction and the write that it read from.
 *
 * The mapping:
 * - A version is (writer, write id) there, (writer, key, value) here. Write ids are dropped. If a
 *   transaction writes the same value to a key twice, a read no longer says which of the two
 *   writes it saw, so an intermediate read (G1b) can go unnoticed. A read whose write id does not
 *   match its value keeps its writer and its value: if that writer never wrote the value, every
 *   level is violated.
 * - Reads of the initial version are marked and have the value that was loaded before the run. As
 *   in the other tools, the first such value of a key is its initial value; a later, different one
 *   is a read of a value that was never written. Keys that were absent, or whose initial version
 *   was never read, start as null.
 * - Aborted transactions are not logged, but a read may name one as its writer. Such a writer is
 *   added as an aborted transaction that wrote what was read, in a session of its own, so the
 *   verdict is G1a and names it. The same happens when a log file is missing.
 * - VeriStrong's variant names no writers (COBRA_BY_VALUE); those reads are matched by value, and
 *   values may repeat.
 * - Clients may log times (TIME_ORDER_ON), eight more bytes in 'S' and 'C'. Nothing in the file
 *   says so: it has them if a longer prefix of it can be parsed with them than without. They
 *   become begin and end.
 *
 * A log that ends inside a transaction is refused, as in the other tools: the transaction may be
 * lost, aborted, or cut off.
 */
#include "format/cobra.h"

#include "format/format.h"
#include "format/session_file.h"

#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_BYTES = 8, MAX_NUMBERS = 4 };

/* ---- records ---- */

/* Bytes of a record, its letter included; 0: no such record. */
static size_t record_size(char letter, bool timed)
{
	switch (letter) {
	case 'S':
	case 'C':
		return 1 + NUMBER_BYTES * (timed ? 2 : 1);
	case 'W':
		return 1 + NUMBER_BYTES * 3;
	case 'R':
		return 1 + NUMBER_BYTES * 4;
	default:
		return 0;
	}
}

static int64_t number_at(const char *bytes)
{
	uint64_t n = 0;
	for (int i = 0; i < NUMBER_BYTES; i++)
		n = n << 8 | (unsigned char)bytes[i];
	return (int64_t)n;
}

/* Length of the longest prefix that is a log; *cut: only the rest of a record is missing. */
static size_t log_length(struct text t, bool timed, bool *cut)
{
	const char *start = NULL; /* the record that opened the transaction */
	size_t at = 0, size;
	for (*cut = false; at < t.length; at += size) {
		const char *record = t.bytes + at;
		size = record_size(*record, timed);
		if (!size || (*record == 'S') == (start != NULL))
			return at;
		*cut = t.length - at < size;
		if (*cut || (*record == 'C' && number_at(record + 1) != number_at(start + 1)))
			return at;
		if (*record == 'S' || *record == 'C')
			start = *record == 'S' ? record : NULL;
	}
	return at;
}

/* By the first bytes: a time does not look like a record, before the year 2100. */
static bool has_times(struct text t)
{
	bool cut;
	t.length = t.length < SNIFF_BYTES ? t.length : SNIFF_BYTES;
	size_t with = log_length(t, true, &cut), without = log_length(t, false, &cut);
	return with > without && with > record_size('S', true);
}

struct log {
	struct builder *b;
	struct text text;
	size_t at; /* of the record being read */
	bool timed, open;
	size_t opened_at;
	int64_t txn;
	struct txn_head head;
};

#define reject(l, format, ...) builder_reject((l)->b, "byte %zu: " format, (l)->at, __VA_ARGS__)

static void check_record(struct log *l, char letter)
{
	char shown[8];
	bool plain = letter > 0x20 && letter < 0x7f;
	size_t size = record_size(letter, l->timed), left = l->text.length - l->at;
	if (letter == 'A')
		reject(l, "%s",
		       "an abort record ('A'); Cobra's logs have committed transactions "
		       "only, so remove the aborted one");
	snprintf(shown, sizeof shown, plain ? "'%c'" : "0x%02x", (unsigned char)letter);
	if (!size)
		reject(l, "expected a record ('S', 'R', 'W' or 'C'), found %s", shown);
	if (size > left)
		reject(l,
		       "the log ends in the middle of a record: '%c' takes %zu bytes, there "
		       "are %zu",
		       letter, size, left);
	if ((letter == 'S') == l->open)
		reject(l, "expected %s, found '%c'",
		       l->open ? "'R', 'W', or 'C' to end the transaction before"
		               : "'S' to start a transaction",
		       letter);
}

/* ---- operations ---- */

static void check_garbage_collection(struct log *l, int64_t wid)
{
	if (wid == COBRA_GC_TRUE || wid == COBRA_GC_FALSE)
		reject(l,
		       "a mark of Cobra's garbage collection (write id 0x%llx); Alibi checks "
		       "whole histories: record with garbage collection switched off",
		       (unsigned long long)wid);
}

static void read_write(struct log *l, const int64_t n[MAX_NUMBERS])
{
	struct builder *b = l->b;
	check_garbage_collection(l, n[0]);
	if (cobra_reserved(n[0]) && n[0] != COBRA_BY_VALUE)
		reject(l, "the write id 0x%llx is reserved for reads of the initial version",
		       (unsigned long long)n[0]);
	builder_op(b, ALIBI_WRITE, atoms_integer(b->keys, n[1]), atoms_integer(b->values, n[2]));
}

static void read_read(struct log *l, const int64_t n[MAX_NUMBERS])
{
	struct builder *b = l->b;
	int64_t writer = n[0], wid = n[1];
	bool initial = writer == COBRA_INITIAL || writer == COBRA_ABSENT;
	check_garbage_collection(l, wid);
	if (initial != (wid == COBRA_INITIAL || wid == COBRA_ABSENT) ||
	    (writer == COBRA_BY_VALUE) != (wid == COBRA_BY_VALUE))
		reject(l,
		       "the read's writer (0x%llx) and write id (0x%llx) do not fit: one is a "
		       "reserved number, the other is not",
		       (unsigned long long)writer, (unsigned long long)wid);
	builder_op(b, ALIBI_READ, atoms_integer(b->keys, n[2]),
	           wid == COBRA_ABSENT ? ATOM_NULL : atoms_integer(b->values, n[3]));
	if (initial)
		builder_from(b, ID_NONE);
	else if (writer != COBRA_BY_VALUE)
		builder_from(b, atoms_integer(b->names, writer));
}

/* ---- transactions ---- */

static void read_start(struct log *l, const int64_t n[MAX_NUMBERS])
{
	if (cobra_reserved(n[0]))
		reject(l, "0x%llx is a reserved number and cannot be a transaction's id",
		       (unsigned long long)n[0]);
	l->open = true;
	l->opened_at = l->at;
	l->txn = n[0];
	l->head.id = atoms_integer(l->b->names, n[0]);
	l->head.times.begin = n[1];
}

static void read_commit(struct log *l, const int64_t n[MAX_NUMBERS])
{
	if (n[0] != l->txn)
		reject(l, "expected the commit of transaction %lld, found that of %lld",
		       (long long)l->txn, (long long)n[0]);
	l->open = false;
	l->head.times.end = n[1];
	l->head.number = (uint32_t)l->b->txns.count + 1;
	builder_end(l->b, &l->head);
}

static void read_record(struct log *l)
{
	char letter = l->text.bytes[l->at];
	int64_t n[MAX_NUMBERS] = {0};
	check_record(l, letter);
	size_t size = record_size(letter, l->timed);
	for (size_t i = 0; i < size / NUMBER_BYTES; i++)
		n[i] = number_at(l->text.bytes + l->at + 1 + i * NUMBER_BYTES);
	if (letter == 'S')
		read_start(l, n);
	else if (letter == 'C')
		read_commit(l, n);
	else if (letter == 'W')
		read_write(l, n);
	else
		read_read(l, n);
	l->at += size;
}

static void cobra_read(struct source *s, struct builder *b)
{
	struct log l = {.b = b, .text = source_whole(s)};
	l.timed = has_times(l.text);
	l.head = (struct txn_head){.session = session_of_file(b, s->name, 'T'),
	                           .has = l.timed ? BOTH_TIMES : 0};
	while (l.at < l.text.length) {
		read_record(&l);
		guard_tick(b->guard);
	}
	if (l.open)
		reject(&l,
		       "the log ends, but transaction %lld has no commit record; to check what "
		       "came before it, cut the file at byte %zu",
		       (long long)l.txn, l.opened_at);
}

/* ---- after the last file ---- */

/* The first read of a key's initial version has its value. */
static void set_initial_values(struct builder *b)
{
	bool *known = pool_zarray(b->pool, atoms_count(b->keys) + 1, sizeof *known);
	for (size_t i = 0; i < b->from.count; i++) {
		struct op o = b->ops.items[b->from.items[i].op];
		guard_tick(b->guard);
		if (b->from.items[i].id != ID_NONE || known[op_key(o)])
			continue;
		known[op_key(o)] = true;
		if (o.value != ATOM_NULL)
			builder_initial(b, op_key(o), o.value);
	}
	pool_free(b->pool, known);
}

/* A version read from a transaction that is in no file. */
struct lost_write {
	uint32_t writer; /* in names */
	uint32_t key, value;
};

static int by_writer(const void *x, const void *y)
{
	const struct lost_write *a = x, *b = y;
	if (a->writer != b->writer)
		return a->writer < b->writer ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

static void end_lost_writer(struct builder *b, uint32_t id)
{
	static const char info[] = "\"in no log file; a read names it as its writer\"";
	builder_end(b, &(struct txn_head){.session = ID_NONE,
	                                  .id = id,
	                                  .number = (uint32_t)b->txns.count + 1,
	                                  .status = ALIBI_ABORT,
	                                  .info = info,
	                                  .info_length = sizeof info - 1});
}

static void add_lost_writers(struct builder *b)
{
	struct pool *pool = pool_child(b->pool);
	bool *logged = pool_zarray(pool, atoms_count(b->names) + 1, sizeof *logged);
	VEC(struct lost_write) lost = {0};
	for (size_t i = 0; i < b->txn_id.count; i++)
		logged[b->txn_id.items[i]] = true;
	for (size_t i = 0; i < b->from.count; i++) {
		struct pending_from f = b->from.items[i];
		struct op o = b->ops.items[f.op];
		guard_tick(b->guard);
		if (f.id != ID_NONE && !logged[f.id])
			vec_push(pool, &lost, ((struct lost_write){f.id, op_key(o), o.value}));
	}
	if (lost.count)
		qsort(lost.items, lost.count, sizeof *lost.items, by_writer);
	for (size_t i = 0; i < lost.count; i++) {
		const struct lost_write *x = &lost.items[i], *next = x + 1;
		bool last = i + 1 == lost.count;
		if (last || by_writer(x, next))
			builder_op(b, ALIBI_WRITE, x->key, x->value);
		if (last || x->writer != next->writer)
			end_lost_writer(b, x->writer);
	}
	pool_release(pool);
}

static void cobra_finish(struct builder *b)
{
	set_initial_values(b);
	add_lost_writers(b);
}

static bool cobra_sniff(struct text head)
{
	bool cut;
	for (int timed = 0; timed < 2; timed++) {
		size_t length = log_length(head, timed, &cut);
		if (length && (cut || length == head.length))
			return true;
	}
	return false;
}

const struct format format_cobra = {
        .name = "cobra",
        .title = "Cobra's client logs (also VeriStrong's): binary, a file a session",
        .suffix = ".log",
        .sniff = cobra_sniff,
        .read = cobra_read,
        .finish = cobra_finish,
        .write = cobra_write,
};
