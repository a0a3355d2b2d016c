/*
 * rounds: a stream without the database's timestamps, searched round after round.
 *
 * Problem. Without timestamps an order must be searched for, and that of a stream without
 * end has no end. What was explained must go, and nobody may ever need it again.
 *
 * Idea. Clients have clocks, which differ by at most the skew, or there are numbers that do as
 * well (fences.h). Nothing that is still to
 * come begins before the watermark. A transaction is frozen if it ended, by more than
 * the skew, before the watermark: it comes before all that is still to come. Then all it
 * can have read from has arrived, too, and it can be judged.
 *
 * A round takes the window (what was left before, and what has arrived since), with what
 * those who are gone left behind as initial values, as a history, and checks it as
 * check does. The reads of those who are not frozen are left out: whom they read from may
 * not have arrived yet. If there is an order, whoever can go goes (frozen.h). If there is
 * none, the counterexample is told; what its transactions read is not used any more,
 * and the rest is checked again, until it holds.
 *
 * docs/rounds.md has the argument: the rounds together say what check says of the whole.
 *
 * Transactions of unknown outcome may take effect at any time, and stay until somebody who
 * is frozen has read from them; as long as nobody reads from them they mean nothing. If one
 * that nobody has read yet wrote several keys, and others who wrote one of them go, it is
 * not known any more which came last there: it is torn, and each of its writes may have
 * taken effect or not. That never makes up a violation, but may miss one: it is told as
 * unverified when somebody reads from it. Transactions that come late, or whose times are
 * missing, are told, too, and taken as such of unknown outcome.
 *
 * Invariants.
 * 1. In the window remnants stand first, group by group; the others by arrival.
 * 2. Whoever is not in the window and committed comes before all in it; what he wrote is the
 *    base of its key (versions.h), if nobody who is gone, too, wrote it after him.
 * 3. Rounds happen at places that depend on the order of arrival alone, or when somebody
 *    says that the watermark moves.
 *
 * Cost. A round costs a check of the window and a saturation. There is one when as many
 * have arrived as were left by the one before, and at least ROUND_LEAST: so each
 * transaction is looked at about twice.
 */
#ifndef ALIBI_STREAM_ROUNDS_H
#define ALIBI_STREAM_ROUNDS_H

#include "stream/inside.h"

/* A transaction in the window; its begin and end are t->start and t->commit. */
struct kept {
	struct waiting *t;
	struct value session; /* null: one of its own */
	uint8_t status;       /* enum alibi_status */
	uint8_t has;          /* its begin, its end: enum alibi_has */
	bool judged;          /* once, with what it read */
	bool unread;          /* what it read is not used any more */
	bool torn, told;      /* one write of a torn one; that was told */
	bool remnant;         /* only some writes are left of it (remnants.h), … */
	uint32_t lane;        /* … and it has this number in its group */
};

typedef VEC(struct kept) kept_vec;

struct rounds {
	struct stream *s;
	uint64_t skew;
	kept_vec window;
	size_t remnants;      /* the first ones */
	int64_t watermark;    /* nothing that is still to come begins before it, … */
	bool any_watermark;   /* … if this is set */
	bool finished;        /* nothing comes any more */
	size_t arrived, left; /* since the last round; by it */
	uint32_t advanced;    /* so often since then */
	uint64_t count, gone; /* rounds; transactions that went */
};

struct rounds *rounds_new(struct stream *s);
struct tape;
void rounds_tape(struct rounds *r, struct tape *t);
/* If the batch tells it. */
void rounds_take_skew(struct rounds *r);
void rounds_arrive(struct rounds *r, struct waiting *t, const struct txn *txn,
                   const struct client_times *times);
/* The same in two steps, for who says when it began and ended: a transaction of the batch, and
 * into the window with it. Each session's come in its order. */
struct kept rounds_kept(struct rounds *r, struct waiting *t, const struct txn *txn);
void rounds_add(struct rounds *r, struct kept k);
void rounds_tape_kept(struct rounds *r, struct tape *t, struct kept *k);
/* INT64_MAX: nothing comes any more. */
void rounds_advance(struct rounds *r, int64_t watermark);
/* Only that: there is no round because of it. */
void rounds_move(struct rounds *r, int64_t watermark);
/* Something was lost: what those in the window read is not used any more. */
void rounds_gap(struct rounds *r);
bool rounds_is_late(const struct rounds *r, int64_t begin);
void rounds_stats(const struct rounds *r, alibi_watch_stats *stats);

/* Does it come before all that is still to come? */
bool rounds_is_frozen(const struct rounds *r, const struct kept *k);

/* ---- round.c ---- */

void round_run(struct rounds *r);

/* ---- rounds_say.c ---- */

enum round_doubt { DOUBT_LATE, DOUBT_TIMES, DOUBT_TORN, DOUBT_VALUE };
void rounds_doubt(struct rounds *r, const struct kept *k, enum round_doubt why);
/* h: the transactions of the counterexample. */
void rounds_violation(struct rounds *r, const struct history *h, const char *text);
void rounds_undecided(struct rounds *r, const char *reason);

#endif
