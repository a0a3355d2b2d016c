/*
 * generator: histories whose verdict is known, from a simulated store.
 *
 * Problem. A checker has to be tried on histories of any size and shape that
 * hold for certain, or break for certain and at a known place.
 *
 * Idea. A store in memory, sessions that run one transaction after the other,
 * and one logical clock. At each step a session drawn at random begins a
 * transaction or ends the one it is in. At `ser` a transaction reads and writes
 * at its end. At `si` it reads at its begin, and writes at its end unless a key
 * it writes has changed since its begin; then it aborts. In both cases all of
 * its reads happen at one instant, so there are no versions to keep: the
 * transaction is played on the store at that instant, with its writes in place,
 * and then taken back; what commits is installed later.
 *
 * The clock's ticks are the timestamps: the begin and the end at `si`, the two
 * ticks of the end at `ser` (so that the history is valid at both levels).
 * Client times lie around the begin and the end.
 *
 * A transaction may be fated to abort, or to be unknown: the client never
 * learns its outcome, and one half of these take effect.
 *
 * A planted anomaly (anomaly.h) runs in the middle, on keys of its own, in
 * sessions that are idle at that time; others run at the same time.
 *
 * Lists are retired: the key of a list of LIST_FULL elements gives way to a
 * fresh one, otherwise each read would be longer than the one before. Whoever
 * was about to append to the old one finds it changed, and aborts.
 *
 * Invariants.
 * 1. Between two steps the store holds what committed, and nothing else.
 * 2. No two events share a tick.
 * 3. Whatever is drawn depends on the options alone.
 *
 * Cost. Linear in the operations and the elements of lists read; the memory is
 * taken once, in generator_new().
 */
#ifndef ALIBI_CLI_GENERATOR_H
#define ALIBI_CLI_GENERATOR_H

#include "anomaly.h"

#include <alibi.h>

enum shape {
	SHAPE_MIXED,  /* reads and writes as they come */
	SHAPE_BLIND,  /* a transaction only reads or only writes */
	SHAPE_RMW,    /* what is written is read before */
	SHAPE_APPEND, /* lists: reads and appends as they come */
};

struct generator_options {
	unsigned long long txns, sessions, ops, keys, seed;
	enum shape shape;
	double reads;            /* share of the operations (blind: of the transactions) */
	double repeat, deletes;  /* shares of the writes */
	double aborts, unknowns; /* shares of the transactions */
	double zipf;             /* 0: all keys alike */
	bool snapshot;           /* si; else ser */
	bool timestamps, client_times;
	const struct anomaly *anomaly; /* NULL: none */
	const char *command_line;      /* for the header */
};

/* What the options may be at most, for all sizes to be computable. */
enum {
	TXNS_MAX = 500 * 1000 * 1000,
	SESSIONS_MAX = 1000 * 1000,
	OPS_MAX = 1000,
	KEYS_MAX = 100 * 1000 * 1000,
};

struct generator;

/* How much memory the simulation takes, the history itself not counted. */
size_t generator_bytes(const struct generator_options *o);
struct generator *generator_new(const struct generator_options *o); /* NULL: no memory */
void generator_free(struct generator *g);

/* NULL: alibi_last_error() says why. To be called once. */
const alibi_history *generator_run(struct generator *g, alibi *job);

#endif
