/*
 * tell: findings, transactions, operations and edges in words, the same words in
 * all reports. Nothing here is escaped yet: words.h does that where it is written.
 */
#ifndef ALIBI_REPORT_TELL_H
#define ALIBI_REPORT_TELL_H

#include "alibi.h"
#include "history/query.h"

/* "valid", "violates", "unknown", or "error": it came to no verdict. */
const char *tell_verdict(const alibi_finding *f);
const char *tell_verdict_of_all(const alibi_reported *what);
const char *tell_reason(const alibi_finding *f); /* of unknown and error; else NULL */
const char *tell_level(const char *level);       /* "snapshot isolation" */
/* Why one of these does not hold, as shortly as can be: a reason, the first anomaly, or
 * the level whose verdict it follows; "": it holds. */
const char *tell_why(struct pool *pool, const alibi_reported *what, const alibi_finding *f);
/* "at PL-3 (Adya), which is ser"; NULL: it was asked for by its own name. */
/* Of all levels: up to which one it holds, and whether the claimed one is broken. */
const char *tell_strongest(struct pool *pool, const alibi_reported *what, bool by_title);
/* What the verdict rests on, or that at one of several levels clocks are to blame; NULL:
 * nothing. The sentence begins with `judged`, or with the level. */
const char *tell_basis(struct pool *pool, const alibi_reported *what, const char *judged);
const char *tell_asked(struct pool *pool, const alibi_finding *f);
/* How much the verdict could have caught; of several, the strongest that holds. NULL:
 * there is none. */
const alibi_coverage *tell_coverage(const alibi_reported *what);
const char *tell_evidence(struct pool *pool, const alibi_coverage *c); /* in words */
size_t tell_anomaly_count(const alibi_finding *f);

/* What a search took, by name. */
struct tell_figures {
	struct {
		const char *name;
		double seconds;
	} stages[4];
	struct {
		const char *name;
		uint64_t count;
	} counts[6];
};
bool tell_searched(const alibi_finding *f);
struct tell_figures tell_figures(const alibi_work *w);

const char *tell_id(struct pool *pool, const struct history *h, uint32_t txn);
const char *tell_session(struct pool *pool, const struct history *h, uint32_t txn); /* NULL: none */
const char *tell_status(const struct history *h, uint32_t txn);
/* "read x = 7", in at most so many columns. */
const char *tell_op(struct pool *pool, const struct history *h, uint32_t op, size_t columns);
/* The member `info` of a transaction, JSON; NULL: it has none. */
const char *tell_info(struct pool *pool, const struct history *h, uint32_t txn);

/* "lost-update, G-single" */
const char *tell_names(struct pool *pool, const alibi_anomaly *a);
/* Words of an explanation; very many without their middle. A sentence ends in a
 * full stop. */
const char *tell_words(struct pool *pool, const char *text);
const char *tell_sentence(struct pool *pool, const char *text);

/* What an edge of this kind says: "reads from". */
const char *tell_kind(const char *kind);

/* Of an anomaly of which that is so. */
extern const char tell_lists_cut[];

static inline const struct history *tell_history(const alibi_history *h)
{
	return (const struct history *)h;
}

#endif
