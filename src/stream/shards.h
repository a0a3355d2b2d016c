/*
 * shards: a stream on one thread, or parts of it on several.
 *
 * Problem. One core is not enough. A timestamped stream splits by key (stream.h), but
 * reading its text is half of the work, and does not.
 *
 * Idea. Work is done in rounds. First each thread reads a piece of the lines; then each
 * judges its own shard of the keys in all that was read, in the order of the stream. So
 * threads wait for each other twice a round and share nothing else. Every stream sees
 * every transaction, so that all agree about what is settled, late or came twice, and
 * counts are those of the first. Findings are those of all.
 *
 * Processes can share a stream in the same way (`shard`); their threads divide the shard
 * of the process further.
 */
#ifndef ALIBI_STREAM_SHARDS_H
#define ALIBI_STREAM_SHARDS_H

#include "stream/stream.h"

struct shards;

/* options->shard is the part of all threads together. */
struct shards *shards_new(struct pool *pool, const struct stream_options *options,
                          uint32_t threads);

/* What is built with it arrives when it is taken, which should happen when it has
 * shards_batch() transactions; numbers as in stream_take(). The next ones are built with
 * the builder that is returned, while other threads judge. */
struct builder *shards_builder(struct shards *sh);
uint32_t shards_batch(const struct shards *sh);
struct builder *shards_take(struct shards *sh, uint32_t numbers);

/* JSON Lines, cut anywhere. name: of the input, for messages. */
void shards_text(struct shards *sh, const char *name, const char *bytes, size_t length);

/* When a line could not be read: judges those before it, and nothing else may follow. */
void shards_before_broken(struct shards *sh);

void shards_advance(struct shards *sh, alibi_stamp settled, alibi_stamp oldest);
void shards_gap(struct shards *sh, uint64_t from, uint64_t until);
/* Nothing comes any more; what is left of the text is a line, too. */
void shards_finish(struct shards *sh);

/* As the functions of a stream. The number of threads must be the same. */
void shards_save(struct shards *sh, alibi_write_fn *write, void *data);
void shards_load(struct shards *sh, const unsigned char *bytes, size_t length);
const alibi_watch_event *shards_next(struct shards *sh);
alibi_watch_stats shards_stats(struct shards *sh);

#endif
