/*
 * steps: the kinds of step in a refutation. docs/certificates.md defines each.
 *
 * A step derives a clause over literals (a, b), "event a before event b"; (b, a) is
 * the negation. Event 2 t is the start of transaction t, 2 t + 1 its commit; levels
 * without snapshots have commits only. The last step derives the empty clause.
 */
#ifndef ALIBI_VERIFY_STEPS_H
#define ALIBI_VERIFY_STEPS_H

#include <stdint.h>

enum step_kind {
	STEP_READ,        /* op v choices…: v, no candidate, is not what the read finds */
	STEP_CONFLICT,    /* u v key: both write key, so they do not overlap */
	STEP_LIST_MORE,   /* op item v1…: these appended it more often than it was read */
	STEP_LIST_PREFIX, /* op v1…: these are not its first appenders */
	STEP_LIST_WHOLE,  /* op v1…: these are not its appenders */
	STEP_CYCLE,       /* e1 why1…: these edges do not all hold */
	STEP_LEARNT,      /* n literals… hints…: follows from earlier steps */
	STEP_INT,         /* op [key]: contradicts what its transaction did before */
	STEP_WRITER,      /* op: has no candidate */
	STEP_CHOICES,     /* op: reads from one of its candidates */
	STEP_SEEN_CYCLE,  /* edges…: do not all hold, where who is seen matters */
	STEP_QUERY,       /* op key v choices…: v is not what the query finds at key */
	STEP_LIST_FEWER,  /* op item v1…: all but these appended it less often */
	STEP_LIST_PAIR,   /* op op: what the first read is not how the second's list begins */
	STEP_MET,         /* t key o v choices…: t leaves o at key if it meets v there */
	STEP_KINDS
};

/* Why an edge of a cycle holds. */
enum { WHY_BY_HISTORY = 0, WHY_LITERAL = 1, WHY_READ = 2 };
#define STEP_NOBODY UINT32_MAX
/* Outcomes as literals: (OUTCOME | opaque_place(), value), see replay/opaque.h. */
#define OUTCOME (1u << 31)

#endif
