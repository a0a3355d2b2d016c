/*
 * runner: the whole recording. Makes the tables, starts a thread for each client,
 * lets them run until the time is over, enough transactions were made, or somebody
 * stops it by a signal, and counts what became of all transactions.
 *
 * A client whose connection is gone connects again, for as long as the recording
 * lasts: a server may be killed and come back.
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
	const char *level; /* for the header; NULL: what the database promises */
	const char *out;   /* NULL: no file is written */
	const char *to;    /* a stream, while it happens; NULL: none */
};

/* How often transactions ended with this problem. */
struct code_count {
	char code[16], problem[96]; /* problem: what the database said the first time */
	uint64_t count;
};

struct run_result {
	uint64_t outcomes[OUTCOMES];
	uint64_t learnt;      /* outcomes that only the database's log told */
	uint64_t connections; /* made, beyond the first of each client */
	double seconds;
	struct code_count codes[CODES_MAX]; /* ends in an empty one, or is full */
	char level[8];                      /* in the header; "": none */
};

/* False: it was complained. */
bool runner_run(const struct run_options *o, struct run_result *result);

#endif
