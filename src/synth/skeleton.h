/*
 * skeleton: a small history without names and values.
 *
 * A transaction is reduced to what others can observe: the writer that it reads each key
 * from, before any write of its own, and the keys that it writes. Each version of a key has
 * one writer, so values are not needed; they are made up when a skeleton becomes a history.
 *
 * Transaction 0 wrote the initial version of all keys and comes first; the others are 1 to
 * txns. Session order follows the numbers.
 */
#ifndef ALIBI_SYNTH_SKELETON_H
#define ALIBI_SYNTH_SKELETON_H

#include "history/history.h"
#include "history/render.h"

enum { SKELETON_TXNS = 12, SKELETON_KEYS = 12, NOT_READ = -1 };

struct skeleton {
	uint32_t txns, keys; /* all keys are used */
	bool writes[SKELETON_TXNS + 1][SKELETON_KEYS];
	int8_t from[SKELETON_TXNS + 1][SKELETON_KEYS];   /* the writer, or NOT_READ */
	uint8_t place[SKELETON_TXNS + 1][SKELETON_KEYS]; /* reads are sorted by place */
	uint8_t session[SKELETON_TXNS + 1];              /* from 1 */
};

/* The unobservable part of an execution. */
struct witness {
	uint8_t rank[SKELETON_TXNS + 1];                /* in the order; transaction 0 has 0 */
	bool vis[SKELETON_TXNS + 1][SKELETON_TXNS + 1]; /* [s][t]: s is visible to t */
};

/* As a history has it. */
struct skeleton_op {
	bool writes;
	uint32_t key;
	uint32_t version; /* numbered by writer; 0: the initial one */
	char name[16];    /* of the key */
};

enum { SKELETON_OPS = 2 * SKELETON_KEYS }; /* of a transaction */

uint32_t skeleton_op_count(const struct skeleton *s);
uint32_t skeleton_session_pairs(const struct skeleton *s); /* pairs of one session */

static inline bool skeleton_so(const struct skeleton *s, uint32_t a, uint32_t b)
{
	return a < b && (!a || s->session[a] == s->session[b]);
}

/* Renumbers: transaction t becomes to[t] (to[0] is 0). Sessions keep their order; keys are
 * sorted, so that equal skeletons are equal bytes, except for the order of reads. */
struct skeleton skeleton_renamed(const struct skeleton *s, const uint8_t *to);
struct skeleton skeleton_sorted(const struct skeleton *s); /* with the same numbers */

/* The operations of a transaction in order, reads first; returns their number. */
uint32_t skeleton_ops(const struct skeleton *s, uint32_t t, struct skeleton_op ops[SKELETON_OPS]);

const struct history *skeleton_history(struct pool *pool, const struct skeleton *s,
                                       const char *source);
const char *skeleton_text(struct pool *pool,
                          const struct skeleton *s); /* s1: T1 r(x,null) w(y,1) */
/* T1, T2; T2 sees T1. names: by number; NULL: T1, T2, … */
const char *witness_text(struct pool *pool, const struct skeleton *s, const struct witness *w,
                         bool has_vis, const char *const *names);

#endif
