/*
 * gap: a part of the stream was lost before anybody could read it.
 *
 * Problem. What was lost may have written any key, and ended any time since what is settled.
 * What is read of a key is then judged without its last writer, and each such read looks
 * like a violation.
 *
 * Idea. What was lost came before what comes now, so that it is over by a moment that can be
 * known: when all that ended before the first one that came after the gap is settled, the
 * newest one that has come (`until`) ended after all that was lost. By fences, that moment is
 * the latest fence when each session has made one since. Who wrote a key after it replaced
 * whatever the lost ones left there, and from then on the key is clear again. Reads of others
 * prove nothing: by timestamps a misread is undecided, in rounds the read is not used. Lists
 * stay in doubt, because a lost element stays in them.
 *
 * Violations that were told before may be explained by somebody who was lost, as by somebody
 * who is late (standing.c), and the verdict does not rest on them any more. Overlapping
 * writers, sessions, and what a transaction read of its own are judged on.
 *
 * Two things are taken for granted: that transactions of unknown outcome that were lost are over
 * with the others, and, by fences, that no session began and ended within the gap.
 */
#ifndef ALIBI_STREAM_GAP_H
#define ALIBI_STREAM_GAP_H

#include "stream/versions.h"

struct gap {
	uint64_t count;    /* gaps so far; 0: nothing was lost */
	bool open;         /* `until` is not known yet */
	uint64_t txns;     /* so many had come before the last one */
	bool any_first;    /* somebody has come since, … */
	alibi_stamp first; /* … and what was the newest then */
	alibi_stamp until; /* what was lost ended at or before this */
};

struct stream;
struct kept;
struct tape;

/* A committed one has come, and its end is known. */
void gap_came(struct stream *s, alibi_stamp end);
/* What was lost ended at or before this. */
void gap_close(struct stream *s, alibi_stamp until);
/* By timestamps: may one that was lost have written what this key held? */
bool gap_hides(const struct stream *s, const struct key *k, const struct held *h);
/* In rounds: which reads of a committed one that has just come are not used? */
void gap_mark(struct stream *s, struct kept *k, uint64_t skew);
void tape_gap(struct tape *t, struct stream *s);

#endif
