/*
 * results: the accessors of results, explanations, events and syntheses.
 *
 * Those that return a member are a row each; those with an index check it.
 */
#include "api/job.h"
#include "api/sized.h"
#include "findings/findings.h"

#define GET(type, owner, member)                                                                   \
	type owner##_##member(const owner *x)                                                      \
	{                                                                                          \
		return x->member;                                                                  \
	}
#define GET_AS(type, owner, name, member)                                                          \
	type owner##_##name(const owner *x)                                                        \
	{                                                                                          \
		return x->member;                                                                  \
	}
#define GET_AT(type, owner, name, count, expression)                                               \
	type owner##_##name(const owner *x, size_t i)                                              \
	{                                                                                          \
		return i < x->count ? expression : NULL;                                           \
	}
/* A struct that the caller fills in, as a member or one of several. */
#define FILL(type, owner, name, member)                                                            \
	void owner##_##name(const owner *x, type *out)                                             \
	{                                                                                          \
		sized_write(out, &x->member, sizeof *out);                                         \
	}
#define FILL_AT(type, owner, name, count, members)                                                 \
	bool owner##_##name(const owner *x, size_t i, type *out)                                   \
	{                                                                                          \
		if (i >= x->count)                                                                 \
			return false;                                                              \
		sized_write(out, &x->members[i], sizeof *out);                                     \
		return true;                                                                       \
	}

/* ---- results of a check ---- */

GET(enum alibi_verdict, alibi_result, verdict)
GET(const char *, alibi_result, level)
GET(const char *, alibi_result, reason)
GET(const char *, alibi_result, implied_by)
GET(const char *, alibi_result, basis)
GET(uint64_t, alibi_result, violation_count)
GET(bool, alibi_result, counted_all)
GET(size_t, alibi_result, described)
FILL_AT(alibi_violation, alibi_result, violation_at, described, violations)
FILL(alibi_coverage, alibi_result, coverage, coverage)
FILL(alibi_work, alibi_result, work, work)
FILL(alibi_clocks, alibi_result, clocks, clocks)

const void *alibi_result_certificate(const alibi_result *r, size_t *length)
{
	*length = r->certificate_length;
	return r->certificate;
}

const char *alibi_verdict_name(enum alibi_verdict verdict)
{
	static const char *const names[] = {"valid", "violates", "unknown"};
	return (size_t)verdict < sizeof names / sizeof *names ? names[verdict] : NULL;
}

GET(size_t, alibi_levels, count)
GET_AT(const alibi_result *, alibi_levels, at, count, x->results[i])
GET(const char *, alibi_levels, strongest)

GET(bool, alibi_verification, accepted)
GET(enum alibi_verdict, alibi_verification, verdict)
GET(const char *, alibi_verification, level)
GET(const char *, alibi_verification, reason)

/* ---- explanations ---- */

GET(const char *, alibi_explanation, level)
GET(bool, alibi_explanation, counted_all)
GET_AS(size_t, alibi_explanation, anomaly_count, count)
GET_AT(const alibi_anomaly *, alibi_explanation, anomaly_at, count, &x->anomalies[i])

GET(const char *, alibi_anomaly, name)
GET(const char *, alibi_anomaly, title)
GET(const char *, alibi_anomaly, adya)
GET(const char *, alibi_anomaly, summary)
GET(const char *, alibi_anomaly, advice)
GET(const alibi_history *, alibi_anomaly, reduced)
GET(bool, alibi_anomaly, lists_cut)
GET(size_t, alibi_anomaly, txn_count)
GET_AT(const char *, alibi_anomaly, txn_at, txn_count, x->txns[i])
GET(size_t, alibi_anomaly, case_count)
GET_AT(const alibi_case *, alibi_anomaly, case_at, case_count, &x->cases[i])

GET(const char *, alibi_case, assumption)
GET(const char *, alibi_case, text)
GET(size_t, alibi_case, edge_count)
FILL_AT(alibi_edge, alibi_case, edge_at, edge_count, edges)

/* ---- events of a watch ---- */

GET(enum alibi_watch_what, alibi_watch_event, what)
GET(const char *, alibi_watch_event, id)
FILL(alibi_violation, alibi_watch_event, violation, about)
GET(const char *, alibi_watch_event, keys)
GET(const char *, alibi_watch_event, from)
GET(const char *, alibi_watch_event, until)
GET(const char *, alibi_watch_event, txns)

const char *alibi_watch_reason_name(enum alibi_watch_reason reason)
{
	static const char *const names[ALIBI_WATCH_REASONS] = {
	        [ALIBI_WATCH_LATE] = "LATE",       [ALIBI_WATCH_LONG] = "LONG",
	        [ALIBI_WATCH_STAMPS] = "STAMPS",   [ALIBI_WATCH_TIMES] = "TIMES",
	        [ALIBI_WATCH_OUTCOME] = "OUTCOME", [ALIBI_WATCH_FENCE] = "FENCE",
	        [ALIBI_WATCH_GONE] = "GONE"};
	return (size_t)reason < ALIBI_WATCH_REASONS ? names[reason] : NULL;
}

/* ---- syntheses ---- */

GET(const char *, alibi_definition, name)
GET(const char *, alibi_definition, title)
GET(const char *, alibi_definition, over)
GET(const char *, alibi_definition, same_as)
GET(const char *, alibi_definition, text)

GET(size_t, alibi_synthesis, count)
GET_AT(const alibi_synth_history *, alibi_synthesis, at, count, &x->histories[i])
GET(bool, alibi_synthesis, all)
GET(unsigned, alibi_synthesis, exhausted)
GET(const char *, alibi_synthesis, reason)
GET(uint64_t, alibi_synthesis, proposals)
GET(uint64_t, alibi_synthesis, lessons)

GET(const alibi_history *, alibi_synth_history, history)
GET(const char *, alibi_synth_history, text)
GET(const char *, alibi_synth_history, schedule)
GET(unsigned, alibi_synth_history, txns)
GET(unsigned, alibi_synth_history, keys)
GET(unsigned, alibi_synth_history, ops)
GET(unsigned, alibi_synth_history, sessions)
GET(size_t, alibi_synth_history, level_count)
GET_AT(const alibi_synth_level *, alibi_synth_history, level_at, level_count, &x->levels[i])

const alibi_definition *alibi_synth_level_definition(const alibi_synth_level *l)
{
	return &l->definition;
}

GET(bool, alibi_synth_level, allows)
GET(const char *, alibi_synth_level, witness)
