/*
 * shards: a stream on one thread, or parts of it on several.
 *
 * Problem. One core is not enough. A timestamped stream splits by key (stream.h), but parsing its
 * text is half of the work, and does not split that way.
 *
 * Idea. Work is done in steps. First each thread parses a piece of the lines; then each checks its
 * own shard of the keys in all pieces, in stream order. So threads meet twice a step and share
 * nothing else. Every stream sees every transaction, so all agree on the watermark, on late
 * transactions and on duplicates; counts of these are those of the first stream. Findings are
 * those of all.
 *
 * Processes can share a stream in the same way (`shard`); their threads divide the shard of the
 * process further.
 */
#ifndef ALIBI_STREAM_SHARDS_H
#define ALIBI_STREAM_SHARDS_H

#include "stream/stream.h"

struct shards;

/* The shard of the options is the part of all threads together. */
struct shards *shards_new(struct pool *pool, const struct level *level,
                          const alibi_watch_options *options);

/* What is built with the builder arrives with shards_take(), which should be called every
 * shards_batch() transactions; lines as in stream_take(). The next ones are built with the builder
 * that is returned, while other threads check. */
struct builder *shards_builder(struct shards *sh);
uint32_t shards_batch(const struct shards *sh);
struct builder *shards_take(struct shards *sh, uint32_t lines);

/* JSON Lines, cut anywhere. name: of the input, for messages. */
void shards_text(struct shards *sh, const char *name, const char *bytes, size_t length);

/* After a line could not be parsed: checks those before it. Nothing may follow. */
void shards_before_error(struct shards *sh);

void shards_advance(struct shards *sh, alibi_stamp watermark, alibi_stamp horizon);
void shards_gap(struct shards *sh, uint64_t from, uint64_t until);
/* The stream has ended; the rest of the text is a line, too. */
void shards_finish(struct shards *sh);

/* As the functions of a stream. The number of threads must be the same. */
void shards_save(struct shards *sh, alibi_write_fn *write, void *data);
void shards_load(struct shards *sh, const unsigned char *bytes, size_t length);
const alibi_watch_event *shards_next(struct shards *sh);
alibi_watch_stats shards_stats(struct shards *sh);

#endif
