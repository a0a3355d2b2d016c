/*
 * refutation: the proof that no order exists, as one sentence.
 *
 * The last step says what kind of contradiction it is: a value without a writer, a read that
 * contradicts its own transaction, or else several constraints together, of which the
 * sentence names the transactions. src/explain says more.
 */
#ifndef ALIBI_CHECK_REFUTATION_H
#define ALIBI_CHECK_REFUTATION_H

#include "check/proof.h"
#include "history/history.h"

const char *refutation_text(struct pool *pool, const struct history *h, const struct proof *p);

#endif
