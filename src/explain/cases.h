/*
 * cases: why no order explains a small history.
 *
 * Arrows say who came before whom, and why: one read what another wrote (wr), replaced
 * what another wrote (ww), read what another replaced later (rw), is later in the same
 * session (so) or began after the other had ended (rt). A cycle of arrows is a
 * contradiction. Which cycles are one depends on the level: serializability forbids
 * all, snapshot isolation those without two rw in a row, and so on down to read
 * committed. That makes a ladder of kinds of cycles; each level forbids all up to some
 * rung.
 *
 * Often it is not known who of two wrote a key first, or from whom of several a value
 * was read. Then both are assumed in turn, and each assumption leads to a cycle, or to
 * further cases.
 *
 * Idea. The history is known to violate its level. So the rungs are tried from the
 * lowest: the first one at which every case ends in a cycle is the most that can be
 * said against the history, and its cycles are forbidden at the level, whichever that
 * is. No level is asked for by name here.
 *
 * Invariants.
 * 1. An arrow holds by the history alone, or by the assumptions of its case.
 * 2. The assumptions of all cases together leave no way out.
 *
 * Cost. Exponential in the worst case, and given up early (found is false then).
 * Histories that were reduced (reduce.h) mostly need one or two cases.
 */
#ifndef ALIBI_EXPLAIN_CASES_H
#define ALIBI_EXPLAIN_CASES_H

#include "check/check.h"
#include "explain/reads.h"

enum arrow_kind { ARROW_WR, ARROW_SO, ARROW_RT, ARROW_WW, ARROW_RW };

/* Why somebody's write of a key came before another's. */
enum version_why {
	VERSION_OPEN,
	VERSION_LIST,    /* a list shows it: read */
	VERSION_READ,    /* the other read from it: read */
	VERSION_SESSION, /* the other is later in its session */
	VERSION_TIME,    /* the other began later */
	VERSION_ASSUMED,
	VERSION_CHAIN, /* through a third */
};

struct arrow {
	enum arrow_kind kind;
	uint32_t from, to; /* transactions */
	uint32_t key;
	uint32_t read;        /* wr, rw, and ww by a list: in reads.seen */
	uint32_t replaced;    /* rw: whose write was read, or NO_TXN: the initial version */
	enum version_why why; /* ww, rw: why … came later */
	uint32_t why_read;    /* by which read */
};

struct assumption {
	bool of_writers; /* before wrote key before after; else the read chose `choice` */
	uint32_t key, before, after;
	uint32_t read, choice; /* in reads.seen, in reads.choices */
};

/* The rungs of the ladder. */
enum rung {
	RUNG_TIME,            /* sessions against clocks */
	RUNG_G0,              /* ww */
	RUNG_G1C,             /* ww and wr */
	RUNG_READ_COMMITTED,  /* one rw, back to who was read from before */
	RUNG_READ_ATOMIC,     /* one rw, back to who was read from, or an earlier one */
	RUNG_CAUSAL,          /* one rw, back through wr and so */
	RUNG_PREFIX_SINGLE,   /* one rw, not behind a ww */
	RUNG_PREFIX,          /* some rw, none behind a ww or an rw */
	RUNG_SNAPSHOT_SINGLE, /* one rw */
	RUNG_SNAPSHOT,        /* some rw, none behind an rw */
	RUNG_ANY,
	RUNGS
};

struct leaf {
	enum rung rung;
	uint32_t first_assumption, assumption_count; /* in assumptions */
	uint32_t first_arrow, arrow_count;           /* in arrows: a cycle */
};

struct cases {
	bool found;
	bool needs_session, needs_time; /* there is none without session order, clocks */
	VEC(struct leaf) leaves;
	VEC(struct assumption) assumptions;
	VEC(struct arrow) arrows;
};

/* options: do session order and clocks count? */
struct cases cases_of(const struct reads *r, const struct check_options *options);

#endif
