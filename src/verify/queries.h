/* queries: the steps of a refutation that speak of queries. See verify.h. */
#ifndef ALIBI_VERIFY_QUERIES_H
#define ALIBI_VERIFY_QUERIES_H

#include "verify/rules.h"

/* The candidates were found. Behind the first `at` words: v, what it left if only an open
 * update tells, and the choices. */
bool queries_candidates(struct judge *j, struct step *s, uint32_t reader, uint32_t key,
                        bool initial, size_t at);
/* Does txn write the key, or perhaps? Then the word at *w, which is moved on, is what it left,
 * and the clause gets that it did not. */
bool queries_writer(struct judge *j, struct step *s, uint32_t txn, uint32_t key,
                    const uint32_t **w);
bool queries_check(struct judge *j, struct step *s, const uint32_t *w, size_t n);
bool queries_check_met(struct judge *j, struct step *s, const uint32_t *w, size_t n);

#endif
