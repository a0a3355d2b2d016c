/*
 * inside: what the parts of a stream share.
 */
#ifndef ALIBI_STREAM_INSIDE_H
#define ALIBI_STREAM_INSIDE_H

#include "history/builder.h"
#include "stream/gap.h"
#include "stream/spill.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "stream/versions.h"

struct waiting_op {
	uint64_t word; /* the value */
	uint32_t key;
	uint8_t value_kind;
	uint8_t kind; /* enum alibi_op_kind */
	bool named;   /* the database named the writer */
	bool unread;  /* what it read is not used: gap.h */
};

struct named_writer {
	uint32_t op;
	struct value id; /* null: the initial version */
};

/* A transaction that has arrived and is not forgotten yet. */
struct waiting {
	struct waiting *next;
	uint64_t number; /* in order of arrival, from 1 */
	alibi_stamp start, commit;
	alibi_stamp oldest; /* when it arrived */
	struct value id;
	uint32_t op_count, named_count;
	uint8_t status;  /* enum alibi_status, as it came */
	bool has_id;     /* it is in the table of ids */
	bool placed;     /* start and commit are its own */
	bool reads;      /* they are to be judged */
	bool writes;     /* it has written something, in whichever shard */
	bool goes_on;    /* its session does so in the same instant */
	bool has_places; /* it has operations of other shards, too */
	struct waiting_op ops[];
	/* struct named_writer, by operation; with has_places also a uint32_t for each
	 * operation, which one of all it is */
};

static inline struct value op_value(const struct waiting_op *o)
{
	return (struct value){.word = o->word, .kind = o->value_kind};
}

struct session {
	struct value name;
	bool mine;            /* it is of this shard */
	bool any;             /* one has committed, … */
	alibi_stamp commit;   /* … at this moment, … */
	struct value txn;     /* … the last of them, … */
	struct waiting *last; /* … which is in the queue if commit is after `settled` */
};

/* What a transaction did to a list key up to one of its operations. */
struct list_step {
	uint32_t previous;   /* its operation on this key before that, or NO_OP */
	uint32_t appended;   /* so many elements */
	uint32_t base_op;    /* the read that says what the list was, or NO_OP … */
	uint32_t base_count; /* … with so many elements of others */
};

struct rounds;
struct fences;

struct stream {
	struct pool *pool;
	struct guard *guard;
	struct stream_options options;
	bool snapshot;           /* the level's rules */
	const struct builder *b; /* the batch that is being taken */
	struct store store;
	struct versions versions;
	struct spill spill;
	uint64_t seed;
	struct table ids;      /* of struct waiting */
	struct table sessions; /* of struct session */
	size_t sessions_kept;  /* when they were last gone through */
	struct table unknown;  /* of struct unknown_write */
	struct table standing; /* by key: standing.c */
	bool order_stands; /* in rounds: there is a counterexample that nobody came to explain */
	bool any_list;
	struct rounds *rounds; /* NULL: the database's timestamps are replayed */
	struct fences *fences; /* NULL: there are clocks */

	struct waiting *first, *unjudged, *last;
	struct gap gap;
	uint64_t numbers; /* of transactions without ids, in batches before */
	bool any_stamp;
	alibi_stamp newest, settled, oldest;
	struct value newest_txn;   /* who moved `newest`, … */
	alibi_stamp newest_before; /* … and from where; the first one: from where it is */

	VEC(struct session *) batch_sessions; /* by session of the batch; NULL: not looked up */
	VEC(uint32_t) batch_keys;             /* by key of the batch; NO_KEY: of another shard */
	uint32_t ops_seen;           /* operations of the batch of which the keys are looked up */
	VEC(struct list_step) steps; /* by operation of the transaction being judged */

	struct pool *event_pool;
	VEC(alibi_watch_event) events;
	size_t events_taken;
	alibi_watch_stats stats;
};

static inline struct named_writer *named_writers(const struct waiting *t)
{
	return (struct named_writer *)(uintptr_t)(t->ops + t->op_count);
}

static inline size_t waiting_bytes(const struct waiting *t)
{
	return sizeof *t + t->op_count * sizeof *t->ops +
	       t->named_count * sizeof(struct named_writer) +
	       (t->has_places ? t->op_count * sizeof(uint32_t) : 0);
}

static inline uint32_t *op_places(const struct waiting *t)
{
	return (uint32_t *)(void *)(named_writers(t) + t->named_count);
}

/* ---- stream.c ---- */

/* It ended, and nobody did later. */
void stream_newest(struct stream *s, const struct waiting *t);
/* To the end of the queue, and its id into the table. */
void stream_enqueue(struct stream *s, struct waiting *t);
/* For tables of them, by id. */
bool waiting_has_id(const void *item, const void *wanted);
/* Its memory, and its id from the table. */
void stream_release(struct stream *s, struct waiting *t);

/* ---- checkpoint.c ---- */

struct tape;
/* w: to write; when reading, the one that was read is returned. */
struct waiting *tape_waiting(struct tape *t, struct stream *s, struct waiting *w);

/* ---- checkpoint.c ---- */

/* A key but for its name. */
void tape_key(struct tape *t, struct versions *vs, struct key *k);

/* That it is a key's number is checked when reading. */
void tape_known_key(struct tape *t, const struct stream *s, uint32_t *key);

/* ---- standing.c ---- */

/* A read of the key, at this moment, violates the level. */
void standing_add(struct stream *s, uint32_t key, alibi_stamp moment);
/* What it wrote was not known before; NULL: it may have happened at any time. */
void standing_doubt(struct stream *s, const struct waiting *t, const alibi_stamp *from);
/* Anything may explain all there are. */
void standing_clear(struct stream *s);
/* Is there a violation that nothing that came after it may explain? */
bool standing_any(const struct stream *s);
void tape_standing(struct tape *t, struct stream *s);

/* ---- judge.c ---- */

/* All reads of a transaction. */
void judge_reads(struct stream *s, struct waiting *t);

/* ---- unknown.c ---- */

struct unknown_write {
	uint32_t key;
	struct value value;
};

void unknown_add(struct stream *s, const struct unknown_write *w); /* the value is copied */
/* Its writes may have taken effect at any time. */
void unknown_note(struct stream *s, const struct waiting *t);
/* May such a write have left this? */
bool unknown_wrote(const struct stream *s, uint32_t key, struct value value);

/* ---- events.c ---- */

/* What tells an event from others, besides what it says. */
struct event_mark {
	uint32_t op;              /* + 1; 0: it is about no operation */
	alibi_stamp at, other_at; /* when its transactions were, if they tell */
	const char *text;         /* or NULL */
};

void event_add(struct stream *s, alibi_watch_event e, enum mismatch_kind kind,
               struct event_mark mark);
/* Something is unverified. */
void event_doubt(struct stream *s, alibi_watch_event e, enum alibi_watch_reason why,
                 struct event_mark mark);
struct pool *event_pool(struct stream *s); /* for its texts */
/* Of a late one: who has moved the clock across its end, if one alone has; or "". */
const char *event_who_moved(struct stream *s, const struct waiting *late);

struct misread {
	const struct waiting *t;
	enum mismatch_kind kind; /* INT, EXT or TIE */
	uint32_t op;
	struct value other; /* who wrote what was expected; null: nobody did */
	bool other_is_self;
	bool wrong_writer;
	struct value expected;        /* of a register */
	const struct value *there;    /* of a list: the elements that were there … */
	size_t there_count;           /* … */
	const struct value *appended; /* … and those that the transaction appended */
	size_t appended_count;
	const char *doubt; /* why it proves nothing; NULL: it is a violation */
};

void event_misread(struct stream *s, const struct misread *m);

/* A transaction, and when it committed. */
struct committed {
	struct value id;
	alibi_stamp at;
};

void event_session(struct stream *s, struct committed txn, struct committed before);
void event_conflict(struct stream *s, struct committed later, struct committed earlier,
                    uint32_t key);
void event_tie(struct stream *s, struct committed later, struct committed earlier, uint32_t key);

enum unverified { UNVERIFIED_LATE, UNVERIFIED_LONG, UNVERIFIED_NO_STAMPS, UNVERIFIED_BACKWARDS };
/* It has just come, as this transaction of the batch. */
void event_unverified(struct stream *s, const struct waiting *t, uint32_t txn, enum unverified why);

/* ---- stream.c ---- */

/* Its stamps; all 0: it has none. */
struct stamps stream_stamps(const struct stream *s, uint32_t txn);
/* Do the stamps of this transaction of the batch say when it happened? */
bool stream_has_place(const struct stream *s, uint32_t txn);

/* A value that an option gives, as JSON. */
struct value stream_option(struct stream *s, const char *option, const char *json);

/* ---- batch.c ---- */

/* It is the one that is being taken from now on. */
void batch_begin(struct stream *s, const struct builder *batch);
/* Looks up the keys of all transactions up to this one, if they were not yet. */
void batch_look_up(struct stream *s, uint32_t txn);
/* Behind the last operation of a transaction. */
uint32_t batch_op_end(const struct stream *s, uint32_t txn);
/* The key of an operation; NO_KEY: it is of another shard. */
static inline uint32_t batch_key(const struct stream *s, uint32_t op)
{
	return s->batch_keys.items[op_key(s->b->ops.items[op])];
}

/* ---- again.c ---- */

/* Is this transaction of the batch one that came before? Fails if another one had its id. */
bool came_before(const struct stream *s, struct value id, bool has_id, uint32_t txn);

#endif
