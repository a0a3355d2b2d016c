/*
 * view: findings, transactions, operations and edges in the words that all reports share.
 * Nothing is escaped yet: words.h does that on output.
 */
#ifndef ALIBI_REPORT_VIEW_H
#define ALIBI_REPORT_VIEW_H

#include "base/guard.h"
#include "findings/findings.h"
#include "history/availability.h"
#include "history/query.h"

/* "valid", "violates", "unknown", or "error": there is no verdict. */
const char *view_verdict(const alibi_finding *f);
const char *view_verdict_of_all(const alibi_reported *what);
const char *view_reason(const alibi_finding *f); /* of unknown and error; else NULL */
const char *view_level(const char *level);       /* "snapshot isolation" */
/* Why a level does not hold, briefly: a reason, the first anomaly, or the level that implies
 * the verdict; "": it holds. */
const char *view_why(struct pool *pool, const alibi_reported *what, const alibi_finding *f);
/* Of all levels, the one that must hold: expected, or else claimed; NULL: it is not known which. */
const char *view_expected(const alibi_reported *what);
/* Why the verdict of all levels is unknown although each is decided; NULL: it is not. */
const char *view_nothing_expected(const alibi_reported *what);
/* The strongest of all levels that holds, and whether the one that must hold does not. */
const char *view_strongest(struct pool *pool, const alibi_reported *what, bool by_title);
/* What the verdict is based on; for several levels, only if clocks alone violate one of them.
 * NULL: nothing to say. The sentence begins with `judged`, or with the level. */
const char *view_basis(struct pool *pool, const alibi_reported *what, const char *judged);
/* "at PL-3 (Adya), checked as ser"; NULL: the level was given by its own name. */
const char *view_asked(struct pool *pool, const alibi_finding *f);
/* How much the verdict could have caught; for several levels, of the strongest that holds.
 * NULL: unknown. */
const alibi_coverage *view_coverage(const alibi_reported *what);
const char *view_evidence(struct pool *pool, const alibi_coverage *c); /* in words */
/* What may be the reason for a violation, instead of the database; NULL: nothing is known. */
const char *view_doubt(const alibi_reported *what);
/* That, or why `valid` says less than it seems; NULL: it does not. */
const char *view_warning(const alibi_reported *what);
/* How available the database was while this was recorded; NULL: not known. */
const struct availability *view_availability(const alibi_reported *what);
const char *view_available(struct pool *pool, const struct availability *a); /* in words */
size_t view_anomaly_count(const alibi_finding *f);
/* The n-th anomaly of all levels, and its level; NULL: there are not so many. */
const alibi_anomaly *view_anomaly(const alibi_reported *what, size_t n, const char **level);

/* The statistics of a search, by name. */
struct view_figures {
	struct {
		const char *name;
		double seconds;
	} stages[4];
	struct {
		const char *name;
		uint64_t count;
	} counts[6];
};
bool view_searched(const alibi_finding *f);
struct view_figures view_figures(const alibi_work *w);

const char *view_id(struct pool *pool, const struct history *h, uint32_t txn);
const char *view_session(struct pool *pool, const struct history *h, uint32_t txn); /* NULL: none */
const char *view_status(const struct history *h, uint32_t txn);
/* "read x = 7", in at most so many columns. */
const char *view_op(struct pool *pool, const struct history *h, uint32_t op, size_t columns);
/* The member `info` of a transaction, JSON; NULL: it has none. */
const char *view_info(struct pool *pool, const struct history *h, uint32_t txn);

/* "lost-update, G-single" */
const char *view_names(struct pool *pool, const alibi_anomaly *a);
/* Very long text without its middle. A sentence ends in a full stop. */
const char *view_shortened(struct pool *pool, const char *text);
const char *view_sentence(struct pool *pool, const char *text);

/* 1234567 as 1,234,567. */
const char *view_number(struct pool *pool, uint64_t n);
/* The rule that a violation of this kind breaks, in words; NULL: the text says all. */
const char *view_rule(const char *kind);

/* The meaning of an edge of this kind: "reads from". */
const char *view_kind(const char *kind);

/* Shown when lists were truncated. */
extern const char view_lists_cut[];

static inline const struct history *view_history(const alibi_history *h)
{
	return (const struct history *)h;
}

#endif
