/* stream: see stream.h. */
#include "stream/stream.h"

#include "format/meaning.h"
#include "stream/core/batch.h"
#include "stream/core/duplicates.h"
#include "stream/core/events.h"
#include "stream/core/gap.h"
#include "stream/fences/fences.h"
#include "stream/rounds/clocks.h"
#include "stream/timestamps/timestamps.h"

#include <string.h>
#include <unistd.h>

enum { LOOKED_UP_TOGETHER = 32 /* transactions */ };

static const char magic[] = "alibi watch 9";

static const struct engine *engine_of(const alibi_watch_options *o)
{
	return o->fence ? &fences_engine : o->client_times ? &clocks_engine : &timestamps_engine;
}

struct stream *stream_new(struct pool *pool, const struct level *level,
                          const alibi_watch_options *options)
{
	struct stream *s = pool_zalloc(pool, sizeof *s);
	s->pool = pool;
	s->guard = pool_guard(pool);
	s->level = level;
	s->snapshot = level->rules.snapshot;
	s->options = *options;
	if (options->timestamps)
		meaning_named(options->timestamps, strlen(options->timestamps), &s->stamp_meaning);
	s->engine = engine_of(options);
	if (getentropy(&s->seed, sizeof s->seed))
		s->seed = monotonic_ns();
	store_init(&s->store, pool);
	table_init(&s->ids, pool, s->seed);
	versions_init(&s->versions, &s->store, (struct shard){options->shard, options->shards},
	              s->seed);
	s->progress.newest = s->progress.watermark = first_moment;
	if (options->initial && !strcmp(options->initial, "first-read"))
		guard_fail(pool_guard(pool), ALIBI_USAGE, NULL,
		           "the initial value first-read is for a whole history; a stream has no "
		           "end, so that a later transaction may write what was read first");
	if (options->initial) /* overrides what the stream declares */
		s->versions.initial = core_option(s, "the initial value", options->initial);
	s->state = s->engine->open(s);
	assert(!options->store || s->engine->mark_needed);
	if (options->store)
		spill_open(s);
	return s;
}

uint64_t stream_lines(const struct stream *s)
{
	return s->lines;
}

/* ---- arrival ---- */

static void count_txn(alibi_watch_stats *n, const struct txn *txn, uint32_t ops)
{
	n->txns++;
	n->committed += txn->status == ALIBI_COMMIT;
	n->aborted += txn->status == ALIBI_ABORT;
	n->unknown += txn->status == ALIBI_UNKNOWN_STATUS;
	n->ops += ops;
}

/* from: a named writer of the batch, at or before the first of this transaction. */
static void arrive(struct stream *s, uint32_t number, size_t *from)
{
	const struct builder *b = s->batch.b;
	const struct txn *txn = &b->txns.items[number];
	uint32_t id_atom = number < b->txn_id.count ? b->txn_id.items[number] : ID_NONE;
	bool has_id = id_atom != ID_NONE;
	struct value id = has_id ? value_take(&s->store, b->names, id_atom)
	                         : value_integer((int64_t)(s->lines + txn->number));
	while (*from < b->from.count && b->from.items[*from].op < txn->first_op)
		++*from;
	if (duplicates_has(s, id, has_id, number)) {
		s->stats.duplicates++;
		value_drop(&s->store, id);
		return;
	}
	count_txn(&s->stats, txn, batch_op_end(s, number) - txn->first_op);
	struct inflight *t = inflight_take(s, number, id, *from);
	if (has_id || s->engine->names_all)
		inflight_add_id(s, t);
	s->engine->arrive(s->state, t, number);
}

void stream_take(struct stream *s, const struct builder *batch, uint32_t lines)
{
	size_t from = 0;
	batch_begin(s, batch);
	if (s->engine->begin_batch)
		s->engine->begin_batch(s->state);
	for (uint32_t t = 0; t < batch->txns.count; t++) {
		if (t % LOOKED_UP_TOGETHER == 0)
			batch_look_up(s, t + LOOKED_UP_TOGETHER - 1);
		arrive(s, t, &from);
	}
	s->lines += lines;
	s->batch.b = NULL;
}

void stream_advance(struct stream *s, alibi_stamp watermark, alibi_stamp horizon)
{
	s->engine->advance(s->state, watermark, horizon);
}

void stream_gap(struct stream *s, uint64_t from, uint64_t until, bool report)
{
	gap_begin(s, from, until, report);
	s->engine->gap(s->state);
}

/* ---- results ---- */

const alibi_watch_event *stream_next(struct stream *s)
{
	return event_next(s);
}

alibi_watch_stats stream_stats(const struct stream *s)
{
	alibi_watch_stats stats = s->stats;
	const struct keys *keys = &s->versions.keys;
	stats.keys = keys->count - keys->free_count + s->spill.count;
	stats.any_stamp = s->progress.any;
	stats.newest = s->progress.newest;
	stats.settled = s->progress.watermark;
	stats.timestamps = meaning_name(s->stamp_meaning);
	s->engine->stats(s->state, &stats);
	return stats;
}

/* ---- checkpoints ---- */

/* The options that the state depends on must be the same. */
static void codec_options(struct stream *s, struct codec *c)
{
	const alibi_watch_options *o = &s->options;
	char name[sizeof magic];
	bool searches = o->client_times || o->fence;
	uint32_t own = s->snapshot | !o->ignore_sessions << 1 | searches << 2 | !!o->fence << 3;
	uint32_t rules = own;
	struct shard shard = {o->shard, o->shards};
	memcpy(name, magic, sizeof magic);
	codec_bytes(c, name, sizeof name);
	if (memcmp(name, magic, sizeof magic) != 0)
		codec_reject(c);
	codec_any(c, &rules);
	codec_any(c, &shard.number);
	codec_any(c, &shard.count);
	if (rules != own)
		codec_fail(s->guard, CODEC_OTHER_OPTIONS);
	if (shard.number != o->shard || shard.count != o->shards)
		codec_fail(s->guard, CODEC_OTHER_SHARDS);
}

#define STAT(member) CODEC_FIELD(alibi_watch_stats, member)
static void codec_stats(alibi_watch_stats *stats, struct codec *c)
{
	static const struct codec_field fields[] = {
	        STAT(txns),          STAT(committed),  STAT(aborted),    STAT(unknown),
	        STAT(duplicates),    STAT(ops),        STAT(violations), STAT(undecided),
	        STAT(unverified),    STAT(by_session), STAT(by_int),     STAT(by_ext),
	        STAT(by_noconflict), STAT(by_order),   STAT(lost)};
	codec_struct(c, stats, fields);
	for (int i = 0; i < ALIBI_WATCH_REASONS; i++)
		codec_any(c, &stats->by_reason[i]);
}

/* The default initial value: the option's, or the one that the stream declares. */
static void codec_initial(struct stream *s, struct codec *c)
{
	struct value initial = s->versions.initial;
	bool is_option = s->options.initial;
	codec_any(c, &is_option);
	codec_any(c, &initial);
	if (is_option != (s->options.initial != NULL) ||
	    (is_option && !value_same(initial, s->versions.initial)))
		codec_fail_option(s->guard, "initial value");
	if (!c->write)
		value_drop(&s->store, s->versions.initial);
	s->versions.initial = initial;
}

/* What the timestamps mean: the same for initial values. */
static void codec_meaning(struct stream *s, struct codec *c)
{
	uint32_t meaning = s->stamp_meaning;
	bool is_option = s->options.timestamps;
	codec_any(c, &is_option);
	codec_any(c, &meaning);
	if (is_option != (s->options.timestamps != NULL) ||
	    (is_option && meaning != (uint32_t)s->stamp_meaning))
		codec_fail_option(s->guard, "meaning of the timestamps");
	if (meaning > STAMPS_SERIAL)
		codec_reject(c);
	s->stamp_meaning = (enum stamp_meaning)meaning;
}

#define PROGRESS(member) CODEC_FIELD(struct progress, member)
/* The engine's state refers to keys, and evicted keys may not be read before it is known which
 * keys transactions need. */
static void codec_all(struct stream *s, struct codec *c)
{
	static const struct codec_field progress[] = {PROGRESS(any), PROGRESS(newest),
	                                              PROGRESS(txn), PROGRESS(previous),
	                                              PROGRESS(watermark)};
	codec_options(s, c);
	codec_stats(&s->stats, c);
	codec_any(c, &s->lines);
	codec_struct(c, &s->progress, progress);
	gap_codec(&s->gap, c);
	codec_initial(s, c);
	codec_meaning(s, c);
	versions_codec(&s->versions, c);
	s->engine->checkpoint(s->state, c);
	spill_codec(s, c);
	codec_end(c);
	assert(versions_valid(&s->versions) && s->engine->valid(s->state));
}

void stream_save(struct stream *s, alibi_write_fn *write, void *data)
{
	struct codec c;
	assert(s->events.taken == s->events.items.count && !s->batch.b);
	codec_write(&c, s->pool, &s->store, write, data);
	codec_all(s, &c);
}

void stream_load(struct stream *s, const unsigned char *bytes, size_t length)
{
	struct codec c;
	assert(!s->stats.txns && !s->batch.b);
	codec_read(&c, s->pool, &s->store, bytes, length);
	codec_all(s, &c);
}
