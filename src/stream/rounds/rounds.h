/*
 * rounds: a stream without the database's timestamps, searched in rounds.
 *
 * Problem. Without timestamps an order must be searched for, and a stream has no end. What is
 * explained must be collected, without losing a later violation.
 *
 * Idea. Transactions have a begin and an end: by the clients' clocks, which differ by at most the
 * skew (clocks.h), or by fences (fences.h). No transaction that is still to come begins before the
 * watermark. A transaction is behind the watermark if it ended more than the skew before it: it
 * precedes all future transactions. Every version it may have read has arrived, so its reads can
 * be checked.
 *
 * A round builds a history of the window: the transactions that the last round left, and those
 * that have arrived since; collected writes are initial values. Reads of transactions that are
 * not behind the watermark are left out, because their writers may not have arrived. The history
 * is checked as check does it. If there is an order, what is removable is collected (gc.h). If
 * not, the counterexample is reported; the reads of its transactions are ignored from then on, and
 * the rest is checked again, until it holds.
 *
 * docs/rounds.md has the proof that the rounds together say what check says of the whole.
 *
 * A transaction of unknown outcome may take effect at any time. It stays until a transaction
 * behind the watermark has read from it; unread, it constrains nothing. If one that wrote several
 * keys is unread when another writer of such a key is collected, the order of the two is lost:
 * it is torn, and each of its writes may have taken effect or not. That never produces a false
 * violation, but may miss one, so it is reported as unverified when it is read. Transactions that
 * are late, or have no times, are reported and then treated as of unknown outcome.
 *
 * Invariants.
 * 1. In the window residual writes come first, group by group; the others are in order of arrival
 *    when a round starts.
 * 2. A committed transaction that is not in the window precedes all in it. Its writes are the
 *    bases of their keys (versions.h), unless a collected transaction overwrote them.
 * 3. When a round starts depends on the order of arrival alone, or on calls that advance the
 *    watermark.
 *
 * Cost. A round costs a check of the window and a saturation. There is one when as many
 * transactions have arrived as the last one left, and at least ROUND_LEAST: so each transaction is
 * checked about twice.
 */
#ifndef ALIBI_STREAM_ROUNDS_ROUNDS_H
#define ALIBI_STREAM_ROUNDS_ROUNDS_H

#include "stream/core/inflight.h"

/* A transaction in the window; its begin and end are t->start and t->commit. */
struct window_txn {
	struct inflight *t;
	struct value session;     /* null: one of its own */
	uint8_t status;           /* enum alibi_status */
	uint8_t has;              /* its begin, its end: enum alibi_has */
	bool checked;             /* its reads, in some round */
	bool ignore_reads;        /* from now on */
	bool torn, torn_reported; /* one write of a torn transaction */
	bool residual;            /* only some of its writes are left (residual.h), … */
	uint32_t lane;            /* … and this is its number in its group */
};

typedef VEC(struct window_txn) window_vec;

struct rounds;

/* Where begins and ends come from. */
struct rounds_times {
	bool clocks; /* else fences: the history of a round has no times */
	/* A committed transaction with times is about to enter the window; or NULL. */
	void (*follow)(struct rounds *r, const struct window_txn *w);
	/* A transaction was collected; or NULL. */
	void (*collected)(struct rounds *r, const struct inflight *t);
	/* Why it was not checked, as the end of a sentence. */
	const char *(*why_late)(struct rounds *r, const struct window_txn *w);
	const char *(*why_untimed)(const struct window_txn *w);
	enum alibi_watch_reason untimed;
};

struct rounds {
	struct stream *s;
	const struct rounds_times *times;
	uint64_t skew;
	window_vec window;
	uint64_t residuals;        /* the first ones */
	int64_t watermark;         /* no future transaction begins before it, … */
	bool any_watermark;        /* … if this is set */
	bool finished;             /* the stream has ended */
	bool unrefuted;            /* a counterexample that no later arrival may explain */
	uint64_t arrived, left;    /* since the last round; by it */
	uint32_t advanced;         /* so often since then */
	uint64_t count, collected; /* rounds; transactions */
};

void rounds_init(struct rounds *r, struct stream *s, const struct rounds_times *times);
void rounds_codec(struct rounds *r, struct codec *c);

/* Transaction txn of the batch, not yet in the window; the caller sets its times. */
struct window_txn rounds_take(struct rounds *r, struct inflight *t, uint32_t txn);
/* Adds it to the window. Each session's transactions come in session order. */
void rounds_add(struct rounds *r, struct window_txn w);
void rounds_codec_txn(struct rounds *r, struct codec *c, struct window_txn *w);

/* Moves the watermark without starting a round. */
void rounds_move(struct rounds *r, int64_t watermark);
/* Moves the watermark, and starts a round now and then. INT64_MAX: the stream has ended. */
void rounds_advance(struct rounds *r, int64_t watermark);
/* Does `later` come after `earlier`, by more than the skew? */
static inline bool rounds_is_after(const struct rounds *r, int64_t later, int64_t earlier)
{
	return later > earlier && (uint64_t)later - (uint64_t)earlier > r->skew;
}
bool rounds_is_late(const struct rounds *r, int64_t begin);
/* Messages were lost: the reads in the window are ignored. */
void rounds_gap(void *rounds);
void rounds_stats(const void *rounds, alibi_watch_stats *stats);
bool rounds_valid(const void *rounds);

#endif
