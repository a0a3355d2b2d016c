/*
 * stream: checks transactions as they arrive, without end, in bounded memory.
 *
 * This is the door. A stream has a core (core/core.h), which knows how transactions arrive, and
 * one of three engines (struct engine), which checks them:
 *   timestamps  the database's timestamps are replayed (timestamps/timestamps.h);
 *   clocks      an order is searched for in rounds, by the clients' clocks (rounds/clocks.h);
 *   fences      the same without clocks, by fence transactions (fences/fences.h).
 *
 * Shards. By timestamps, reads and conflicts are facts about one key, session order about one
 * session. So a stream may be told to check only a part of the keys and sessions. It still sees
 * all transactions, without their operations on other keys: the watermark, late transactions and
 * duplicates are the same in every shard.
 *
 * Cost. By timestamps: for each operation one access to its key, and a binary search among the
 * key's recent versions. Memory: 64 bytes a key, and for each transaction between the horizon and
 * the newest commit its operations, 16 bytes each, and a version for each write.
 */
#ifndef ALIBI_STREAM_STREAM_H
#define ALIBI_STREAM_STREAM_H

#include "base/pool.h"
#include "level/level.h"

struct stream;
struct builder;

/* The level is that of the options. */
struct stream *stream_new(struct pool *pool, const struct level *level,
                          const alibi_watch_options *options);

/* The transactions of a batch arrive. Those without an id are numbered by their line; the batch
 * has so many lines. */
void stream_take(struct stream *s, const struct builder *batch, uint32_t lines);
uint64_t stream_lines(const struct stream *s); /* of all batches before */

void stream_advance(struct stream *s, alibi_stamp watermark, alibi_stamp horizon);
/* Messages with these numbers were lost (gap.h); with several shards only the first reports it. */
void stream_gap(struct stream *s, uint64_t from, uint64_t until, bool report);

/* A checkpoint: all state, once all events are taken; and into a new stream. */
void stream_save(struct stream *s, alibi_write_fn *write, void *data);
void stream_load(struct stream *s, const unsigned char *bytes, size_t length);

/* The next event; NULL: no more. */
const alibi_watch_event *stream_next(struct stream *s);
alibi_watch_stats stream_stats(const struct stream *s); /* without verdict, text and memory */

#endif
