/*
 * executions: does a small history have an execution at a level of formulas?
 *
 * Problem. evaluate.h answers that of a skeleton, in which each read names its writer. In a
 * history a value may have several writers, and a transaction may have an unknown outcome.
 *
 * Idea. Every choice is tried: each set of the transactions with unknown outcome as committed,
 * and each candidate writer of each read (candidates.h). The history holds if one of the
 * skeletons is allowed. A read without candidates leaves no skeleton.
 *
 * Formulas are about reads and writes of single keys, and a transaction that reads a key twice
 * reads one version. Lists, queries and unrepeatable reads are outside, and it says so.
 *
 * A part. Of a large history a few transactions may be evaluated alone, with their reads whose
 * candidates are all among them. An execution of the history, restricted to these, is one of the
 * part, if the level is hereditary (definition.h). So if the part has none, neither has the whole.
 *
 * Cost. The product of the choices times that of evaluate.h, so both are bounded.
 */
#ifndef ALIBI_SYNTH_EXECUTIONS_H
#define ALIBI_SYNTH_EXECUTIONS_H

#include "history/history.h"
#include "synth/definition.h"

enum { EXECUTIONS_TXNS = 7 }; /* whose orders are all tried */

struct executions {
	const char *outside; /* why it cannot be decided; NULL: it was */
	bool allowed;
	uint32_t txns;       /* that were looked at */
	const char *witness; /* if allowed: "T2, T1; T1 sees T2" */
};

/* part: by transaction; NULL: the whole history. */
struct executions executions_of(struct pool *pool, const struct definition *d,
                                const struct history *h, bool session_order, const bool *part);

#endif
