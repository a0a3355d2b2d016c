/*
 * round: one round (rounds.h): builds the history of the window, checks it, reports
 * counterexamples, and collects what is removable.
 *
 * Transaction i of the history is transaction i of the window, and its number is i + 1, also in
 * counterexamples, which are parts of that history. Behind them are writers that reads name and
 * that cannot be the writers: collected ones that were overwritten, or unknown names. They are
 * aborted, so that such a read has no explanation.
 */
#ifndef ALIBI_STREAM_ROUNDS_ROUND_H
#define ALIBI_STREAM_ROUNDS_ROUND_H

#include "stream/rounds/gc.h"
#include "stream/rounds/rounds.h"

/* A read that names a writer which is not there. */
struct missing_writer {
	uint32_t name;
	struct op read;
};

struct round {
	struct rounds *r;
	struct stream *s;
	struct pool *pool;
	struct builder *b;
	uint32_t *number_of;        /* by key of the stream: its key in the history + 1 */
	VEC(uint32_t) keys;         /* and back */
	VEC(struct access) pending; /* reads that are not checked yet */
	VEC(struct missing_writer) missing;
	bool *behind;     /* by transaction: behind the watermark */
	uint32_t checked; /* committed transactions whose reads are in the history */
};

/* Runs rounds until what is left holds. */
void round_run(struct rounds *r);

/* ---- round_history.c ---- */

struct history *round_history(struct round *x);
/* The history has times: of clocks, or because residual writes come first. */
bool round_has_times(const struct rounds *r);
/* The id of one write of a torn transaction. */
struct value round_torn_id(struct round *x, struct value id, uint32_t key);

/* ---- sweep.c ---- */

/* Removes what is removable from the window. */
void round_sweep(struct round *x, const struct gc *g);

#endif
