/*
 * findings: what checks, explanations, watches and syntheses hand out: the structs behind
 * the opaque types of alibi.h.
 *
 * They are made by check, explain, stream and synth, and read by report and api. So they
 * stand below all of these, as plain data. Strings and arrays belong to the job's pools.
 */
#ifndef ALIBI_FINDINGS_FINDINGS_H
#define ALIBI_FINDINGS_FINDINGS_H

#include "alibi.h"

struct alibi_result {
	enum alibi_verdict verdict;
	const char *level, *reason, *implied_by, *basis;
	alibi_clocks clocks;
	uint64_t violation_count;
	bool counted_all;
	size_t described;
	const alibi_violation *violations;
	const unsigned char *certificate;
	size_t certificate_length;
	alibi_coverage coverage;
	alibi_work work;
};

struct alibi_levels {
	size_t count;
	const alibi_result *const *results;
	const char *strongest;
};

struct alibi_verification {
	bool accepted;
	enum alibi_verdict verdict;
	const char *level, *reason;
};

struct alibi_case {
	const char *assumption, *text;
	size_t edge_count;
	const alibi_edge *edges;
	const char *mirrors; /* an earlier case: in words, which transactions are exchanged */
};

struct alibi_anomaly {
	const char *name, *title, *adya, *summary;
	const alibi_history *reduced;
	size_t txn_count;
	const char *const *txns;
	size_t case_count;
	const alibi_case *cases;
	bool lists_cut;
	const char *advice; /* what to do about it; NULL: none */
	const char *many;   /* the title of several such anomalies */
	const char *level;  /* the weakest that its transactions violate, as far as was tried */
	const char *key;    /* in words, if it is about one; else NULL */
};

struct alibi_explanation {
	const char *level;
	size_t count;
	bool counted_all;
	bool brief; /* little time was taken for it; reports leave proofs out */
	const alibi_anomaly *anomalies;
};

struct alibi_watch_event {
	enum alibi_watch_what what;
	const char *id;
	alibi_violation about;
	const char *keys, *from, *until;
	const char *txns;
};

struct alibi_definition {
	const char *name, *title, *over, *same_as, *text;
};

struct alibi_synth_level {
	alibi_definition definition;
	bool allows;
	const char *witness;
};

struct alibi_synth_history {
	const alibi_history *history;
	const char *text, *schedule;
	unsigned txns, keys, ops, sessions;
	size_t level_count;
	const alibi_synth_level *levels;
};

struct alibi_synthesis {
	size_t count;
	const alibi_synth_history *histories;
	bool all;
	unsigned exhausted;
	const char *reason;
	uint64_t proposals, lessons;
};

#endif
