/*
 * units: client times for people. Formats leave their unit open; where it is known, a distance
 * between two of them is in milliseconds or seconds.
 */
#ifndef ALIBI_HISTORY_UNITS_H
#define ALIBI_HISTORY_UNITS_H

#include "history/history.h"

/* Are client times known to be nanoseconds? Those of alibi record are, too. */
bool units_are_nanoseconds(const struct history *h);

/* Between two client times: "1.5 ms" if the unit is known; else the number. */
const char *units_distance(struct pool *pool, const struct history *h, uint64_t distance);

#endif
