/*
 * report: the events of the timestamps engine. The sentences are those of check (describe.h).
 */
#ifndef ALIBI_STREAM_TIMESTAMPS_REPORT_H
#define ALIBI_STREAM_TIMESTAMPS_REPORT_H

#include "stream/core/events.h"

struct misread {
	const struct inflight *t;
	enum mismatch_kind kind; /* INT, EXT or TIE */
	uint32_t op;
	struct value other; /* the writer of the expected version; null: none */
	bool other_is_self;
	bool wrong_writer;
	struct value expected;        /* of a register */
	const struct value *base;     /* of a list: the elements of others, … */
	size_t base_count;            /* … */
	const struct value *appended; /* … and those of the transaction itself */
	size_t appended_count;
	const char *undecided; /* why it proves nothing; NULL: it is a violation */
};

/* True: a violation. */
bool report_misread(struct stream *s, const struct misread *m);

/* A transaction, and its commit. */
struct committed {
	struct value id;
	alibi_stamp at;
};

/* SESSION, NOCONFLICT or TIE. key: ID_NONE, if it is not about one. */
void report_pair(struct stream *s, enum mismatch_kind kind, struct committed later,
                 struct committed earlier, uint32_t key);

enum unverified { UNVERIFIED_LATE, UNVERIFIED_LONG, UNVERIFIED_NO_STAMPS, UNVERIFIED_BACKWARDS };
/* t is transaction txn of the batch. */
void report_unverified(struct stream *s, const struct inflight *t, uint32_t txn,
                       enum unverified why, alibi_stamp horizon);

#endif
