/*
 * core: the state that every engine shares, and what an engine is.
 *
 * The core knows how transactions arrive: the names of keys and ids, duplicates, gaps, events,
 * and how far the stream has come. It does not know how transactions are checked. An engine does,
 * and has state of its own. Calls go one way: the door (stream.h) calls the engine, and the
 * engine calls the core.
 */
#ifndef ALIBI_STREAM_CORE_CORE_H
#define ALIBI_STREAM_CORE_CORE_H

#include "history/builder.h"
#include "level/level.h"
#include "stream/core/codec.h"
#include "stream/core/spill.h"
#include "stream/core/table.h"

struct inflight;
struct stream;

/* One way to check a stream. */
struct engine {
	bool names_all; /* transactions without an id are found by their number */
	bool lists;     /* keys may be lists */
	void *(*open)(struct stream *s);
	/* The next batch is s->batch. NULL: nothing to do. */
	void (*begin_batch)(void *engine);
	/* Is this transaction of the batch the one that arrived before with its id? */
	bool (*is_same)(const void *engine, const struct inflight *known, uint32_t txn);
	/* Was one with this id dropped lately, and what was its status? NULL: not known. */
	bool (*was_dropped)(const void *engine, struct value id, enum alibi_status *status);
	/* A transaction of the batch has arrived, and belongs to the engine from now on. */
	void (*arrive)(void *engine, struct inflight *t, uint32_t txn);
	void (*advance)(void *engine, alibi_stamp watermark, alibi_stamp horizon);
	void (*gap)(void *engine);
	/* Keys that transactions in memory use get KEY_NEEDED, or lose it. NULL: no spilling. */
	void (*mark_needed)(void *engine, bool needed);
	void (*stats)(const void *engine, alibi_watch_stats *stats);
	void (*checkpoint)(void *engine, struct codec *c);
	bool (*valid)(const void *engine); /* its invariants, for asserts */
};

/* The builder's transactions that are arriving. */
struct batch {
	const struct builder *b; /* NULL: none */
	VEC(uint32_t) keys;      /* by key of the builder; ID_NONE: of another shard */
	uint32_t ops_seen;       /* the keys of so many operations are looked up */
};

/* How far the stream has come. */
struct progress {
	bool any;              /* a transaction with a time has come */
	alibi_stamp newest;    /* the largest end so far, … */
	struct value txn;      /* … the transaction that has it, … */
	alibi_stamp previous;  /* … and the largest before; of the first one: its own */
	alibi_stamp watermark; /* no transaction that ended at or before this comes any more */
};

/* A part of the stream was lost: gap.h. */
struct gap {
	uint64_t count;    /* of gaps so far */
	bool open;         /* `until` is not known yet */
	uint64_t txns;     /* so many transactions had come before the last gap */
	bool any_first;    /* a transaction has come since, … */
	alibi_stamp first; /* … and this was the newest end then */
	alibi_stamp until; /* all that was lost ended at or before this */
};

struct event_queue {
	struct pool *pool; /* for their texts; NULL: there are none */
	VEC(alibi_watch_event) items;
	size_t taken;
};

struct stream {
	struct pool *pool;
	struct guard *guard;
	const struct level *level;
	bool snapshot;                    /* the level's rules */
	enum stamp_meaning stamp_meaning; /* by the option or the stream */
	alibi_watch_options options;
	const struct engine *engine;
	void *state; /* the engine's */
	struct store store;
	struct versions versions;
	struct spill spill;
	uint64_t seed;
	struct table ids; /* of struct inflight */
	struct batch batch;
	uint64_t lines; /* of all batches before: numbers of transactions without ids */
	struct progress progress;
	struct gap gap;
	struct event_queue events;
	alibi_watch_stats stats;
};

static const alibi_stamp first_moment = {.physical = INT64_MIN, .logical = INT64_MIN};

/* A value that an option gives, as JSON. */
struct value core_option(struct stream *s, const char *option, const char *json);
/* It ended, later than all before. */
void core_newest(struct stream *s, const struct inflight *t);

#endif
