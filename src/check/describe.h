/*
 * describe: mismatches as sentences with the user's own ids, keys and values.
 */
#ifndef ALIBI_CHECK_DESCRIBE_H
#define ALIBI_CHECK_DESCRIBE_H

#include "level/level.h"
#include "replay/replay.h"

const char *mismatch_name(enum mismatch_kind kind);

/* A mismatch kept beyond the replay: the expected list is rendered, the writer
 * of what was found is looked up later. */
struct kept_mismatch {
	struct mismatch m;
	const char *expected;  /* JSON; NULL: nothing was expected */
	const char *shown;     /* the same for a sentence: of a long list only the end */
	uint32_t found_writer; /* EXT on registers: who wrote what was found, or ID_NONE */
	bool found_initial;    /* EXT: what was found is the initial value */
};

struct kept_mismatch describe_keep(struct pool *pool, const struct history *h,
                                   const struct mismatch *m);

/* One pass over the history for all of them. */
void describe_find_writers(struct pool *pool, const struct history *h, struct kept_mismatch *kept,
                           size_t count);

alibi_violation describe(struct pool *pool, const struct history *h, const struct level *level,
                         const struct kept_mismatch *k);

/* What a sentence about a mismatch says, as text. */
struct said {
	enum mismatch_kind kind;
	bool snapshot;                      /* of a level with snapshots */
	bool wrong_writer;                  /* see struct mismatch */
	const char *txn, *other;            /* "transaction 12"; other NULL: the initial version */
	const char *key, *found, *expected; /* NULL where they do not apply */
	const char *more;                   /* what else is known about what was found, or "" */
};

const char *describe_say(struct pool *pool, const struct said *s);

/* Why a mismatch with the order of commits proves nothing: the end of a sentence. */
const char *describe_no_serial_order(enum stamp_meaning meaning);

/* Of a row that a query found, though it does not match; NULL: the operation is none. */
const char *describe_no_match(struct pool *pool, const struct history *h, uint32_t op);

/* "transaction 12" */
const char *describe_txn(struct pool *pool, const struct history *h, uint32_t txn);

#endif
