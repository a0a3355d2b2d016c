/*
 * inflight: a transaction that has arrived and is still in memory.
 *
 * It is one block: the head, the operations of this shard, then the writers that the database
 * named, and, where operations of other shards were left out, which operation of the transaction
 * each one is. Its id is in the stream's table for as long as the block lives.
 */
#ifndef ALIBI_STREAM_CORE_INFLIGHT_H
#define ALIBI_STREAM_CORE_INFLIGHT_H

#include "stream/core/core.h"

#include <assert.h>

struct inflight_op {
	uint64_t word; /* the value */
	uint32_t key;
	uint8_t value_kind;
	uint8_t kind; /* enum alibi_op_kind */
	bool named;   /* the database named the writer */
	bool ignored; /* a read that may be of a lost version: gap.h */
};

struct named_writer {
	uint32_t op;
	struct value id; /* null: the initial version */
};

struct inflight {
	struct value id;
	struct inflight *next;
	uint64_t number;           /* in order of arrival, from 1 */
	alibi_stamp start, commit; /* timestamps; in rounds the begin and the end */
	alibi_stamp horizon;       /* when it arrived */
	uint32_t op_count, named_count;
	uint8_t status;         /* enum alibi_status, as reported */
	bool has_id;            /* it is in the table of ids */
	bool timestamped;       /* start and commit are its own */
	bool checks_reads;      /* else it came too late, or ran too long */
	bool writes;            /* in any shard */
	bool session_continues; /* with another transaction that commits in the same instant */
	bool has_places;        /* of its operations: some are of other shards */
	bool in_window;         /* of a round */
	struct inflight_op ops[];
};

static inline struct value op_value(const struct inflight_op *o)
{
	return (struct value){.word = o->word, .kind = o->value_kind};
}

static inline bool op_is_read(const struct inflight_op *o)
{
	return o->kind == ALIBI_READ;
}

static inline struct named_writer *named_writers(const struct inflight *t)
{
	return (struct named_writer *)(uintptr_t)(t->ops + t->op_count);
}

static inline uint32_t *op_places(const struct inflight *t)
{
	return (uint32_t *)(void *)(named_writers(t) + t->named_count);
}

static inline size_t inflight_bytes(const struct inflight *t)
{
	return sizeof *t + t->op_count * sizeof *t->ops +
	       t->named_count * sizeof(struct named_writer) +
	       (t->has_places ? t->op_count * sizeof(uint32_t) : 0);
}

/* Transaction txn of the batch. from: the first named writer that may be its own. */
struct inflight *inflight_take(struct stream *s, uint32_t txn, struct value id, size_t from);
/* Frees it, and removes its id from the table. */
void inflight_release(struct stream *s, struct inflight *t);

void inflight_add_id(struct stream *s, struct inflight *t);
void inflight_remove_id(struct stream *s, struct inflight *t);
struct inflight *inflight_find(const struct stream *s, struct value id); /* or NULL */

/* t: to write; when reading, the one that was read is returned. */
struct inflight *inflight_codec(struct stream *s, struct codec *c, struct inflight *t);
/* A key's number; a read one is checked. */
void inflight_codec_key(const struct stream *s, struct codec *c, uint32_t *key);

#endif
