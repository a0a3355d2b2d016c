/* claims: what the edges of a cycle claim, where who is seen matters. See visible.h. */
#ifndef ALIBI_VERIFY_CLAIMS_H
#define ALIBI_VERIFY_CLAIMS_H

/* Why an edge of STEP_SEEN_CYCLE holds. It is written as: from, one of these, and but for
 * the first, op and choice. */
enum {
	CLAIM_SESSION,
	CLAIM_READ, /* who was read from, to the reader */
	CLAIM_LIST, /* from one appender to the next, or from the last to one not in the list */
	CLAIM_SEEN, /* from a writer that the reader sees to the one it read from; then the number
	             * of edges by which the reader sees it, and these */
};
/* Choices as literals: (op, CHOICE | which); the other way round: not this one. */
#define CHOICE (1u << 31)

#endif
