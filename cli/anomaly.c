/* anomaly: see anomaly.h. */
#include "anomaly.h"

#include <string.h>

/* Where an order by timestamps is replayed, each of these is found at all of its
 * transactions: as the one that read or wrote wrongly, or as the one whose
 * commit makes that wrong. (Of an aborted read it is only the reader: what
 * aborted has no place in the order.) */
static const struct anomaly anomalies[] = {
        {.name = "lost-update",
         .schedule = "abAB",
         .txns = {"rx0 wx1", "rx0 wx2"},
         .sessions_min = 2},
        {.name = "write-skew",
         .schedule = "abAB",
         .txns = {"rx0 ry0 wx1", "rx0 ry0 wy1"},
         .si_holds = true,
         .sessions_min = 2},
        {.name = "long-fork",
         .schedule = "abABcdCD",
         .txns = {"wx1", "wy1", "rx1 ry0", "rx0 ry1"},
         .sessions_min = 2},
        {.name = "aborted-read",
         .schedule = "aAbB",
         .txns = {"wx1", "rx1"},
         .first_aborts = true,
         .sessions_min = 1},
        {.name = "intermediate-read",
         .schedule = "aAbB",
         .txns = {"wx1 wx2", "rx1"},
         .sessions_min = 1},
};
enum { ANOMALIES = sizeof anomalies / sizeof *anomalies };

const char *const anomaly_choices[] = {
        "none", "lost-update", "write-skew", "long-fork", "aborted-read", "intermediate-read", NULL,
};
_Static_assert(sizeof anomaly_choices / sizeof *anomaly_choices == ANOMALIES + 2,
               "every anomaly is a choice");

const struct anomaly *anomaly_named(const char *name)
{
	for (size_t i = 0; i < ANOMALIES; i++)
		if (!strcmp(anomalies[i].name, name))
			return &anomalies[i];
	return NULL;
}

size_t anomaly_txns(const struct anomaly *a)
{
	return a ? strlen(a->schedule) / 2 : 0;
}

unsigned anomaly_sessions(const struct anomaly *a, unsigned long long available)
{
	size_t txns = anomaly_txns(a);
	return txns <= available ? (unsigned)txns : a->sessions_min;
}
