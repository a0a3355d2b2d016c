/*
 * generator: histories whose verdict is known, from a simulated store.
 *
 * Problem. Tests and benchmarks need histories of any size and shape that are certain to hold, or
 * to be violated at a known place.
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
 * A random share of transactions abort or have an unknown outcome: the client never learns it, and
 * half of these take effect.
 *
 * A planted anomaly (anomaly.h) runs in the middle, on keys of its own, in sessions that are idle
 * at that time, concurrently with other transactions.
 *
 * Lists are retired: the key of a list of LIST_FULL elements is replaced by a fresh one, otherwise
 * reads would get longer and longer. A transaction that was about to append to the old one finds it
 * changed, and aborts.
 *
 * Invariants.
 * 1. Between two steps the store holds what committed, and nothing else.
 * 2. No two events share a tick.
 * 3. All random choices depend on the options alone.
 *
 * Cost. Linear in the operations and the elements of lists read; the memory is
 * taken once, in generator_new().
 */
#ifndef ALIBI_CLI_GENERATOR_H
#define ALIBI_CLI_GENERATOR_H

#include "anomaly.h"

#include <alibi.h>

enum shape {
	SHAPE_MIXED,  /* reads and writes at random */
	SHAPE_BLIND,  /* a transaction only reads or only writes */
	SHAPE_RMW,    /* a read before each write */
	SHAPE_APPEND, /* lists: reads and appends at random */
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

/* Upper limits of the options, so that no size overflows. */
enum {
	TXNS_MAX = 500 * 1000 * 1000,
	SESSIONS_MAX = 1000 * 1000,
	OPS_MAX = 1000,
	KEYS_MAX = 100 * 1000 * 1000,
};

struct generator;

/* The memory of the simulation, without the history itself. */
size_t generator_bytes(const struct generator_options *o);
struct generator *generator_new(const struct generator_options *o); /* NULL: no memory */
void generator_free(struct generator *g);

/* Once. NULL: alibi_last_error() says why. */
const alibi_history *generator_run(struct generator *g, alibi *job);

#endif
