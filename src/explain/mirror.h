/*
 * mirror: cases that differ from an earlier one only in two transactions that are exchanged.
 *
 * Where two transactions lose an update, it is unknown which of them wrote first. Both orders are
 * cases, and the second reads like the first with the two exchanged. It need not be read twice.
 */
#ifndef ALIBI_EXPLAIN_MIRROR_H
#define ALIBI_EXPLAIN_MIRROR_H

#include "explain/cases.h"

/* An earlier case of which this one is a mirror image, or NULL; a, b: the two transactions. */
const struct leaf *mirror_of(const struct reads *r, const struct cases *c, size_t leaf, uint32_t *a,
                             uint32_t *b);

#endif
