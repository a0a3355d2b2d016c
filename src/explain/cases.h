/*
 * cases: a case analysis that shows why no order explains a small history.
 *
 * Dependencies (Adya) order transactions: a read from another (wr), an overwrite (ww), an
 * anti-dependency (rw), session order (so) and real-time order (rt). A cycle is a
 * contradiction, depending on the level: serializability forbids all cycles, snapshot
 * isolation those without two consecutive rw, and so on down to read committed. The classes
 * of cycles form a chain; each level forbids all classes up to one of them.
 *
 * Often the version order of two writers is unknown, or a read has several candidate
 * writers. Then each alternative is assumed in turn, and leads to a cycle or to further
 * cases.
 *
 * Idea. The history is known to violate its level. So the classes are tried from the
 * strongest anomaly to the mildest. The first class at which every case ends in a cycle
 * is the strongest statement that can be made, and its cycles are forbidden at the level,
 * whichever that is. No level is named here.
 *
 * Invariants.
 * 1. A dependency follows from the history alone, or from the assumptions of its case.
 * 2. The assumptions of all cases together are exhaustive.
 *
 * Cost. Exponential in the worst case, and given up early (found is then false). Reduced
 * histories (reduce.h) usually need one or two cases.
 */
#ifndef ALIBI_EXPLAIN_CASES_H
#define ALIBI_EXPLAIN_CASES_H

#include "check/check.h"
#include "explain/reads.h"

enum dependency_kind { DEP_WR, DEP_SO, DEP_RT, DEP_WW, DEP_RW };

/* Why one write of a key precedes another in the version order. */
enum version_reason {
	VERSION_UNKNOWN,
	VERSION_LIST,    /* a list that was read shows it */
	VERSION_READ,    /* the later writer read from the earlier one */
	VERSION_SESSION, /* the other is later in its session */
	VERSION_TIME,    /* the other began later */
	VERSION_ASSUMED,
	VERSION_CHAIN, /* by transitivity */
};

struct dependency {
	enum dependency_kind kind;
	uint32_t from, to; /* transactions */
	uint32_t key;
	uint32_t read;           /* wr, rw, and ww by a list: in reads.external */
	uint32_t replaced;       /* rw: the writer of the version read, or ID_NONE: initial */
	enum version_reason why; /* ww, rw: why the version of `to` is later */
	uint32_t why_read;       /* the read that shows it */
};

struct assumption {
	bool of_writers; /* `before` wrote key before `after`; else the read has `candidate` */
	uint32_t key, before, after;
	uint32_t read, candidate; /* in reads.external, in reads.candidates */
};

/* The classes of cycles, the strongest anomaly first. */
enum cycle_class {
	CYCLE_TIME,            /* session order against clocks */
	CYCLE_G0,              /* ww */
	CYCLE_G1C,             /* ww and wr */
	CYCLE_READ_COMMITTED,  /* one rw, closed by an earlier read from the writer */
	CYCLE_READ_ATOMIC,     /* one rw, closed by one wr, so or rt */
	CYCLE_CAUSAL,          /* one rw, closed by wr, so and rt */
	CYCLE_PREFIX_SINGLE,   /* one rw, not after a ww */
	CYCLE_PREFIX,          /* some rw, none after a ww or an rw */
	CYCLE_SNAPSHOT_SINGLE, /* one rw */
	CYCLE_SNAPSHOT,        /* some rw, none after an rw */
	CYCLE_ANY,
	CYCLE_CLASSES
};

/* One case, and the cycle that refutes it. */
struct leaf {
	enum cycle_class class;
	uint32_t first_assumption, assumption_count; /* in assumptions */
	uint32_t first_dependency, length;           /* in dependencies */
};

struct cases {
	bool found;
	bool needs_session, needs_time; /* no cycles without session order, clocks */
	VEC(struct leaf) leaves;
	VEC(struct assumption) assumptions;
	VEC(struct dependency) dependencies;
};

static inline const struct dependency *leaf_cycle(const struct cases *c, const struct leaf *leaf)
{
	return c->dependencies.items + leaf->first_dependency;
}

/* options: whether session order and clocks count. */
struct cases cases_of(const struct reads *r, const struct check_options *options);

#endif
