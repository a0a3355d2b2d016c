/*
 * weak_reads: the external reads of a history, and the candidate writer that each of them
 * reads from.
 *
 * Problem. At weak levels (weak.h) the reads-from relation decides everything else. Where
 * values are unique it is known. Where they repeat, a read has several candidates, and the
 * search tries them.
 *
 * Idea. Each read has its choices and the current one. On a register a choice is a slot or
 * the initial version. On a list it is a sequence of appenders whose appends make up the
 * value; the read reads from the last of them.
 *
 * Invariants.
 * 1. Reads stand by reader, then in the order of operations.
 * 2. Choices are numbered as the verifier numbers them: writers in the order of the history,
 *    then the initial version; sequences as order/origins.h lists them.
 * 3. `writer` belongs to `choice`. A read without candidates has none.
 *
 * Cost. 32 bytes a read, and the appenders of lists whose elements repeat.
 */
#ifndef ALIBI_CHECK_WEAK_READS_H
#define ALIBI_CHECK_WEAK_READS_H

#include "order/origins.h"
#include "order/problem.h"

struct weak_read {
	uint32_t op, key;
	uint32_t reader; /* a slot */
	uint32_t source; /* its candidates: in problem.reads, problem.list_reads or sequence_ends */
	uint32_t choices;  /* how many candidates there are */
	uint32_t choice;   /* the current one, … */
	uint32_t writer;   /* … and its slot; ID_NONE: the initial version, or no choice yet */
	uint32_t variable; /* the solver's, of the first choice; ID_NONE: only one choice */
};

struct weak_reads {
	struct pool *pool;
	const struct problem *p;
	uint32_t *first; /* by slot, one more at the end */
	VEC(struct weak_read) list;
	bool incomplete; /* a list with too many choices was left out */

	struct origins origins;  /* for lists whose elements repeat: */
	VEC(uint32_t) sequences; /* their choices, slots, … */
	VEC(uint32_t) sequence_ends;
};

void weak_reads_init(struct weak_reads *r, struct pool *pool, const struct problem *p);

/* The transactions whose writes the read shows: on a list all appenders, in their order. */
const uint32_t *weak_read_writers(const struct weak_reads *r, const struct weak_read *read,
                                  size_t *count);

void weak_read_choose(const struct weak_reads *r, struct weak_read *read, uint32_t choice);
/* It has no choice yet: it forces no edges. */
static inline void weak_read_leave_open(struct weak_read *read)
{
	read->choice = read->writer = ID_NONE;
}
/* Of a register: the slot of a choice; ID_NONE: the initial version. */
uint32_t weak_read_candidate(const struct weak_reads *r, const struct weak_read *read, uint32_t n);

/* At read atomic: calls see() for each read whose key was written earlier in the reader's session,
 * with the last writer. */
void weak_reads_of_sessions(const struct weak_reads *r, struct pool *pool,
                            void (*see)(void *data, uint32_t read, uint32_t writer), void *data);

/* The latest candidate before the reader in an order (place by slot): a first guess. */
uint32_t weak_read_latest(const struct weak_reads *r, const struct weak_read *read,
                          const uint32_t *place);

#endif
