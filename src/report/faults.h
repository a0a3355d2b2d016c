/*
 * faults: the annotations of a history as events in words, and the faults that they tell of.
 *
 * Problem. A history may say what happened to the system meanwhile, as free JSON: Jepsen's nemesis
 * says {"f":":start-partition","value":":majority"} and later {"f":":stop-partition"}, most of it
 * twice, when it begins and when it is done. A reader of an anomaly wants to know which faults
 * there were at that time.
 *
 * Idea. An event is a name and a detail. Names come in pairs of what begins and what ends a fault
 * (start-X and stop-X, kill and restart, pause and resume, and so on). A fault lasts from the
 * first event that begins it to the last that ends it, or, without one, to the end of the run. All
 * other events are moments.
 *
 * This is for people to look at: no verdict depends on it.
 */
#ifndef ALIBI_REPORT_FAULTS_H
#define ALIBI_REPORT_FAULTS_H

#include "history/history.h"

struct fault {
	int64_t begin, end;
	bool ends;        /* false: it lasts as long as the history */
	const char *text; /* "partition majority" */
};

struct happening {
	int64_t at;
	const char *text;
};

struct faults {
	VEC(struct fault) faults;      /* by their begin */
	VEC(struct happening) moments; /* other events, by time */
};

/* Of all annotations that have a time. */
struct faults faults_of(struct pool *pool, const struct history *h);

/* "start-partition majority" */
const char *faults_words(struct pool *pool, const struct history *h, const struct annotation *a);

/* Which faults there were between these times, or the last one before, in words: "During …",
 * "After …"; NULL: none. */
const char *faults_near(struct pool *pool, const struct history *h, const struct faults *all,
                        int64_t first, int64_t last);

/* A distance in time: "12.5 ms" if the unit is known, else "12,500". */
const char *faults_distance(struct pool *pool, const struct history *h, uint64_t distance);

#endif
