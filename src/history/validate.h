/*
 * validate: do the invariants of a history hold (history.h, query.h)?
 *
 * For debug builds, where the builder asserts it of small histories, and so for the fuzzers.
 */
#ifndef ALIBI_HISTORY_VALIDATE_H
#define ALIBI_HISTORY_VALIDATE_H

#include "history/query.h"

enum { VALIDATE_OPS = 10000 }; /* larger histories are not validated each time */

bool history_validate(const struct history *h);

#endif
