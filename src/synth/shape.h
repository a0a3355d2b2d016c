/*
 * shape: a small history, without the names.
 *
 * A transaction is what others can see of it: from whom it reads each key, before any
 * write of its own, and which keys it writes. Each version of a key has one writer,
 * so values are not needed; they are made up when a history is made of a shape.
 *
 * Transaction 0 wrote the initial version of all keys and comes first; the others
 * are 1 to txns. Sessions follow the numbers: of two transactions of a session the
 * smaller one is first.
 */
#ifndef ALIBI_SYNTH_SHAPE_H
#define ALIBI_SYNTH_SHAPE_H

#include "history/history.h"
#include "history/render.h"

enum { SHAPE_TXNS = 12, SHAPE_KEYS = 12, SHAPE_NAME = 16, NOBODY = -1 };

struct shape {
	uint32_t txns, keys; /* all keys are used */
	bool writes[SHAPE_TXNS + 1][SHAPE_KEYS];
	int8_t from[SHAPE_TXNS + 1][SHAPE_KEYS];   /* NOBODY: does not read it */
	uint8_t place[SHAPE_TXNS + 1][SHAPE_KEYS]; /* reads: smaller ones come first */
	uint8_t session[SHAPE_TXNS + 1];           /* from 1 */
};

/* What nobody sees of an execution. */
struct witness {
	uint8_t rank[SHAPE_TXNS + 1];              /* its place in the order; transaction 0 has 0 */
	bool sees[SHAPE_TXNS + 1][SHAPE_TXNS + 1]; /* [s][t]: t sees s; if there is vis */
};

uint32_t shape_ops(const struct shape *s);
uint32_t shape_session_pairs(const struct shape *s); /* how many pairs are of one session */

static inline bool shape_so(const struct shape *s, uint32_t a, uint32_t b)
{
	return a < b && (!a || s->session[a] == s->session[b]);
}

/* The same with other numbers: transaction t becomes to[t] (to[0] is 0). Sessions keep
 * their order; the keys are sorted, so that equal shapes are equal bytes, read order
 * apart. */
struct shape shape_renamed(const struct shape *s, const uint8_t *to);
struct shape shape_sorted(const struct shape *s); /* with the same numbers */

/* What a history of it calls things. */
void shape_key(uint32_t k, char name[SHAPE_NAME]);
/* The number of the version of key k that transaction t wrote; 0 is the initial one. */
uint32_t shape_version(const struct shape *s, uint32_t t, uint32_t k);
uint32_t shape_reads(const struct shape *s, uint32_t t, uint32_t *keys); /* in order; how many */

const struct history *shape_history(struct pool *pool, const struct shape *s, const char *source);
const char *shape_text(struct pool *pool, const struct shape *s); /* s1: T1 r(x,null) w(y,1) */
/* T1, T2; T2 sees T1 */
const char *witness_text(struct pool *pool, const struct shape *s, const struct witness *w,
                         bool sees);

#endif
