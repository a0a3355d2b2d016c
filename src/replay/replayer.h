/*
 * replayer: the state of a replay, which replay.c and queries.c share, and how they report a
 * mismatch. See replay.h.
 */
#ifndef ALIBI_REPLAY_REPLAYER_H
#define ALIBI_REPLAY_REPLAYER_H

#include "replay/opaque.h"
#include "replay/replay.h"

struct held {
	uint32_t value;  /* of registers */
	uint32_t writer; /* ID_NONE: the initial version */
};

/* What a key holds now, and what the transaction at hand knows of it. */
struct key_state {
	struct held now, replaced; /* replaced: before now.writer committed */
	uint32_t version;          /* the latest in versions, + 1; 0: none */
	uint32_t seen_by;          /* the transaction that read or wrote it last, + 1, … */
	uint32_t seen;             /* … and the value it then had for it */
	bool own;                  /* … because it wrote it */
	bool met;                  /* … by a change of what it met */
	uint32_t tied_writer, tied_instant; /* who commits it in this instant */
};

/* The same for list keys, whose values grow. */
struct list_state {
	VEC(uint32_t) items;
	size_t replaced_count; /* before `writer` committed */
	VEC(uint32_t) own;     /* what the transaction at hand appended */
	bool base_seen;        /* it has read the list, and then, its own appends … */
	uint32_t base;         /* … taken off, it was this value's … */
	size_t base_count;     /* … first elements */
};

/* What an opaque update of a transaction left at a key. */
struct change {
	uint32_t txn;
	struct op made;
};

struct version {
	uint32_t txn, before; /* before: + 1; 0: the initial version */
};

struct replayer {
	struct pool *pool;
	struct guard *guard;
	const struct history *h;
	struct replay_rules rules;
	replay_report *report;
	void *data;
	bool stopped;

	uint32_t now;             /* the instant, from 1 */
	uint32_t begun[2];        /* of those that have started: history_note_begin() */
	uint32_t *start, *commit; /* by transaction: the instant; 0: not yet */
	uint32_t *session_before; /* by transaction: the committed one before it, or ID_NONE */
	struct key_state *keys;
	struct list_state *lists; /* NULL: there are no list keys */
	uint32_t *looked;         /* by key: the last query, + 1, for which it was looked at */
	struct columns columns;   /* if there are queries */
	struct updates updates;   /* likewise */
	struct opaque opaque;     /* if instants are shared */
	uint32_t *changes_first;  /* by transaction: in changes, + 1; 0: none */
	VEC(struct change) changes;
	VEC(struct version) versions;
};

/* What key's readers see, txn's own commit not counted. */
static inline struct held visible(const struct key_state *k, uint32_t txn)
{
	return k->now.writer == txn ? k->replaced : k->now;
}

static inline void replay_found(struct replayer *r, struct mismatch m)
{
	if (!r->stopped && !r->report(r->data, &m))
		r->stopped = true;
}

/* A read that nothing explains; in one instant with a writer of its key, and no
 * snapshot to go by, the order of the two is not known. */
static inline void replay_found_read(struct replayer *r, struct mismatch m)
{
	const struct key_state *k = &r->keys[m.key];
	if (m.kind == MISMATCH_EXT && k->tied_instant == r->now && k->tied_writer != m.txn) {
		m.kind = MISMATCH_TIE;
		m.other = k->tied_writer;
	}
	replay_found(r, m);
}

#endif
