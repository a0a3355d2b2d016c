/*
 * stream: checking while transactions arrive, for ever, in memory that does not grow.
 *
 * Problem. Transactions come out of order, from many collectors, and nobody knows when
 * the last one that matters has come. A verdict about a read must wait for every commit
 * that the read may have seen; and what will never be read again must go.
 *
 * Idea (after Aion). Two moments of the database's clock divide the stream.
 *   settled  nothing that commits at or before it comes any more. The reads of a
 *            transaction are judged when the moment passes at which it read, once and
 *            for good.
 *   oldest   nothing that starts before it comes any more. What a key held before is
 *            one version (versions.h).
 * Both follow the newest commit at a distance that the user chooses, or come from
 * outside. What a commit changes for others is known when it arrives: conflicts with
 * the versions there are, and its session's order. So each pair of writers and each
 * read is looked at exactly once, and there is no state for each timestamp.
 *
 * The rules are those of replay.h, with the order of the timestamps; the order of
 * arrival stands for the order of the file. So a session's transactions arrive in
 * session order, and the verdicts are those of check --order timestamps on the file in
 * the order of arrival.
 *
 * What cannot be decided is said: a transaction that commits at or before `settled` is
 * late and not judged, and what was read of the keys that it writes since then is not
 * verified. One that starts before `oldest` reads from versions that are gone.
 *
 * Invariants.
 * 1. A transaction in the queue that is not judged yet started at or after the oldest
 *    moment when it arrived, and no key's base is newer than that of the first of them.
 * 2. Judging happens in order of arrival, forgetting too; what is forgotten is judged,
 *    and its writes are in the bases.
 * 3. An id is known from arrival until it is forgotten: within that time a second one is
 *    a duplicate, and nothing happens.
 *
 * Shards. What a read should have seen, and who overlaps whom, are facts about one key,
 * the order of a session about one session. So a stream may be told to judge a part of
 * the keys and sessions only. It still sees all transactions, with all they say but for
 * operations on other keys: what is settled, late or a duplicate is the same everywhere.
 *
 * Cost. For each operation one look at its key, and a binary search among the key's
 * recent versions. Memory: 64 bytes a key, and for each transaction between the newest
 * commit and `oldest` its operations, 16 bytes each, and a version for each write.
 */
#ifndef ALIBI_STREAM_STREAM_H
#define ALIBI_STREAM_STREAM_H

#include "level/level.h"
#include "stream/keys.h"

struct stream_options {
	const struct level *level;
	bool session_order;
	const char *initial; /* JSON, or NULL */
	bool has_horizon;
	uint64_t horizon, longest; /* see alibi_watch_options */
	struct shard shard;        /* what is judged and told; {0}: all */
	const alibi_store *store;  /* for keys, or NULL */
	void *store_data;
	size_t store_above;
	bool client_times; /* by the clients' clocks: rounds.h */
	bool has_skew;
	uint64_t skew;
	size_t round;
	const char *fence; /* NULL, or its key as JSON: fences.h instead of clocks */
	uint64_t sessions; /* then: at least so many */
};

struct stream;
struct builder;

struct stream *stream_new(struct pool *pool, const struct stream_options *options);

/* What was built arrives. numbers: transactions without an id are numbered from 1 in this
 * batch, up to so many. */
void stream_take(struct stream *s, const struct builder *batch, uint32_t numbers);
uint64_t stream_numbers(const struct stream *s); /* of all batches before */

void stream_advance(struct stream *s, alibi_stamp settled, alibi_stamp oldest);
/* Messages with these numbers were lost (gap.h); only the first of several shards tells. */
void stream_gap(struct stream *s, uint64_t from, uint64_t until, bool is_first);

/* All of its state, when all events are taken; and into one that has seen nothing. */
void stream_save(struct stream *s, alibi_write_fn *write, void *data);
void stream_load(struct stream *s, const unsigned char *bytes, size_t length);

/* What came out, one after the other; NULL: that was all. */
const alibi_watch_event *stream_next(struct stream *s);
alibi_watch_stats stream_stats(const struct stream *s); /* no verdict, text or memory */

#endif
