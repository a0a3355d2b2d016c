/* queries: the steps of a refutation that speak of queries. See verify.h. */
#ifndef ALIBI_VERIFY_QUERIES_H
#define ALIBI_VERIFY_QUERIES_H

#include "verify/refutation.h"

/* The candidates of a question were found. Behind the first `at` words: v, what it left if only
 * an opaque update wrote the key, and the choices. */
bool queries_candidates(struct refutation *r, struct step *s, size_t at);
/* Does txn write the key, or perhaps? Then the word at *w, which is moved on, is what it left,
 * and the clause gets that it did not. */
bool queries_writer(struct refutation *r, struct step *s, uint32_t txn, uint32_t key,
                    const uint32_t **w);
bool queries_check(struct refutation *r, struct step *s, const uint32_t *w, size_t n);
bool queries_check_met(struct refutation *r, struct step *s, const uint32_t *w, size_t n);

#endif
