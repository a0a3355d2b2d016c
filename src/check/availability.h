/*
 * availability: a history that holds because the database hardly answered says nothing.
 *
 * Of a recording whose database committed in less than the required share of its time, `valid`
 * becomes `unknown`. A violation stays one.
 */
#ifndef ALIBI_CHECK_AVAILABILITY_H
#define ALIBI_CHECK_AVAILABILITY_H

#include "findings/findings.h"
#include "history/history.h"

/* Why `valid` would not be said of this history, if so much is required; NULL: it would. */
const char *availability_lacks(struct pool *pool, const struct history *h, double least);
/* In the result of a check that is over. */
void availability_require(const char *lack, alibi_result *result);

#endif
