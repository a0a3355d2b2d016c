/*
 * runner: the recording. Creates the tables, runs a thread for each client until the time is over,
 * enough transactions are done, or a signal arrives, and counts the outcomes.
 *
 * A client that loses its connection reconnects for as long as the recording lasts: a server may
 * be killed and restarted.
 */
#ifndef ALIBI_RECORD_RUNNER_H
#define ALIBI_RECORD_RUNNER_H

#include "driver.h"
#include "session.h"

enum { CODES_MAX = 16 };

struct run_options {
	const struct driver *driver;
	struct connect_options connect;
	const struct workload *workload;
	struct shape shape;
	uint64_t seed;
	uint64_t txns;     /* UINT64_MAX: as many as the time allows */
	double seconds;    /* 0: until txns are made */
	const char *level; /* for the header; NULL: the one that the database claims */
	const char *out;   /* NULL: no file is written */
	const char *to;    /* a stream; NULL: none */
};

/* How often transactions ended with this error. */
struct code_count {
	char code[16], problem[96]; /* problem: what the database said the first time */
	uint64_t count;
};

struct run_result {
	uint64_t outcomes[OUTCOMES];
	uint64_t resolved;    /* unknown outcomes that the database's log resolved */
	uint64_t connections; /* reconnects */
	double seconds;
	double without_commits;             /* seconds in which nothing committed */
	struct code_count codes[CODES_MAX]; /* ends in an empty one, or is full */
	char level[8];                      /* in the header; "": none */
};

/* False: the error has been reported. */
bool runner_run(const struct run_options *o, struct run_result *result);

/* Removes what recordings leave in the database, and says what: their tables, and the replication
 * slot of one that was killed. False: the error has been reported. */
bool runner_clean_up(const struct run_options *o);

#endif
