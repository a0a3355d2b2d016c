/* shards: see shards.h. */
#include "stream/shards.h"

#include "base/crew.h"
#include "stream/core/codec.h"
#include "stream/lines.h"

#include <string.h>

enum { BATCH_ALONE = 64, BATCH_SHARED = 512 }; /* transactions */

struct round;

struct shards {
	struct pool *pool;
	struct stream_options options;
	struct crew *crew; /* NULL: there is one thread */
	uint32_t count;    /* of threads */
	struct stream **streams;
	struct piece *pieces; /* one a thread */
	uint32_t cut;         /* so many of them are there … */
	bool reading;         /* … and are being read */
	struct lines lines;
	/* What is being built, and, with several threads, what was built before and may be
	 * judged meanwhile. */
	struct piece built[2];
	struct round *judging; /* built[1] */
	const alibi_watch_event *event;
	uint32_t telling; /* whose events are taken out */
};

/* What a round is about. */
struct round {
	struct shards *sh;
	const struct piece *pieces;
	uint32_t count;
	alibi_stamp settled, oldest;
	uint64_t from, until; /* messages that were lost */
	alibi_write_fn *write;
	void *data;
	uint64_t written;
	const unsigned char **tapes; /* by thread, and one more: the end */
};

static void on_all(struct shards *sh, crew_part *part, struct round *r)
{
	if (!sh->crew) {
		part(r, 0, sh->pool);
		return;
	}
	crew_begin(sh->crew, part, r);
	crew_end(sh->crew);
}

static void on_one(struct shards *sh, uint32_t number, crew_part *part, struct round *r)
{
	if (sh->crew)
		crew_one(sh->crew, number, part, r);
	else
		part(r, number, sh->pool);
}

static void new_stream(void *data, uint32_t number, struct pool *pool)
{
	struct shards *sh = ((struct round *)data)->sh;
	struct stream_options o = sh->options;
	o.shard.number += number * o.shard.count;
	o.shard.count *= sh->count;
	o.store_above /= sh->count;
	sh->streams[number] = stream_new(pool, &o);
	sh->pieces[number] = (struct piece){.pool = pool, .b = builder_new(pool)};
}

struct shards *shards_new(struct pool *pool, const struct stream_options *options, uint32_t threads)
{
	struct shards *sh = pool_zalloc(pool, sizeof *sh);
	sh->pool = pool;
	sh->options = *options;
	if (!sh->options.shard.count)
		sh->options.shard.count = 1;
	sh->count = threads > 1 ? threads : 1;
	if (sh->count > 1)
		sh->crew = crew_new(pool, sh->count);
	sh->streams = pool_zarray(pool, sh->count, sizeof *sh->streams);
	sh->pieces = pool_zarray(pool, sh->count, sizeof *sh->pieces);
	on_all(sh, new_stream, &(struct round){.sh = sh});
	for (int i = 0; i < 2; i++)
		sh->built[i].b = builder_new(pool);
	sh->judging = pool_zalloc(pool, sizeof *sh->judging);
	*sh->judging = (struct round){.sh = sh, .pieces = &sh->built[1], .count = 1};
	return sh;
}

/* ---- arrival ---- */

static void judge(void *data, uint32_t number, struct pool *pool)
{
	struct round *r = data;
	(void)pool;
	for (uint32_t i = 0; i < r->count; i++)
		stream_take(r->sh->streams[number], r->pieces[i].b, r->pieces[i].lines);
}

static void read_piece(void *data, uint32_t number, struct pool *pool)
{
	struct shards *sh = ((struct round *)data)->sh;
	struct piece *p = &sh->pieces[number];
	(void)pool;
	if (number >= sh->cut)
		return;
	builder_clear(p->b);
	piece_read(p, sh->lines.name);
}

static void judge_pieces(struct shards *sh, const struct piece *pieces, uint32_t count)
{
	on_all(sh, judge, &(struct round){.sh = sh, .pieces = pieces, .count = count});
}

struct builder *shards_builder(struct shards *sh)
{
	return sh->built[0].b;
}

/* What was built before is judged. */
static void end_judging(struct shards *sh)
{
	if (sh->crew)
		crew_end(sh->crew);
}

uint32_t shards_batch(const struct shards *sh)
{
	return sh->count > 1 ? BATCH_SHARED : BATCH_ALONE;
}

struct builder *shards_take(struct shards *sh, uint32_t numbers)
{
	sh->built[0].lines = numbers;
	if (!sh->crew) {
		judge_pieces(sh, sh->built, 1);
	} else {
		struct piece built = sh->built[0];
		end_judging(sh);
		sh->built[0] = sh->built[1];
		sh->built[1] = built;
		crew_begin(sh->crew, judge, sh->judging);
	}
	builder_clear(sh->built[0].b);
	return sh->built[0].b;
}

void shards_text(struct shards *sh, const char *name, const char *bytes, size_t length)
{
	end_judging(sh);
	if (!sh->lines.pool)
		lines_init(&sh->lines, sh->pool, name);
	lines_add(&sh->lines, bytes, length);
	while ((sh->cut = lines_cut(&sh->lines, sh->pieces, sh->count,
	                            stream_lines(sh->streams[0])))) {
		struct round r = {.sh = sh};
		sh->reading = true;
		if (sh->cut == 1)
			on_one(sh, 0, read_piece, &r);
		else
			on_all(sh, read_piece, &r);
		sh->reading = false;
		judge_pieces(sh, sh->pieces, sh->cut);
	}
}

void shards_before_broken(struct shards *sh)
{
	uint32_t count = 0;
	if (!sh->reading)
		return;
	sh->reading = false;
	while (count < sh->cut && sh->pieces[count].is_read)
		count++;
	if (count < sh->cut) {
		struct builder *b = sh->pieces[count++].b;
		builder_drop(b, b->h->op_count);
	}
	judge_pieces(sh, sh->pieces, count);
}

static void advance(void *data, uint32_t number, struct pool *pool)
{
	struct round *r = data;
	(void)pool;
	stream_advance(r->sh->streams[number], r->settled, r->oldest);
}

void shards_advance(struct shards *sh, alibi_stamp settled, alibi_stamp oldest)
{
	end_judging(sh);
	on_all(sh, advance, &(struct round){.sh = sh, .settled = settled, .oldest = oldest});
}

static void lose(void *data, uint32_t number, struct pool *pool)
{
	struct round *r = data;
	(void)pool;
	stream_gap(r->sh->streams[number], r->from, r->until, !number);
}

void shards_gap(struct shards *sh, uint64_t from, uint64_t until)
{
	end_judging(sh);
	on_all(sh, lose, &(struct round){.sh = sh, .from = from, .until = until});
}

void shards_finish(struct shards *sh)
{
	alibi_stamp end = {.physical = INT64_MAX, .logical = INT64_MAX};
	end_judging(sh);
	if (sh->lines.pool && lines_left(&sh->lines))
		shards_text(sh, sh->lines.name, "\n", 1);
	shards_advance(sh, end, end);
}

/* ---- what came out ---- */

static void next_event(void *data, uint32_t number, struct pool *pool)
{
	struct shards *sh = ((struct round *)data)->sh;
	(void)pool;
	sh->event = stream_next(sh->streams[number]);
}

const alibi_watch_event *shards_next(struct shards *sh)
{
	end_judging(sh);
	for (; sh->telling < sh->count; sh->telling++) {
		on_one(sh, sh->telling, next_event, &(struct round){.sh = sh});
		if (sh->event)
			return sh->event;
	}
	sh->telling = 0;
	return NULL;
}

alibi_watch_stats shards_stats(struct shards *sh)
{
	if (sh->crew)
		crew_wait(sh->crew);
	alibi_watch_stats sum = stream_stats(sh->streams[0]);
	for (uint32_t i = 1; i < sh->count; i++) {
		alibi_watch_stats s = stream_stats(sh->streams[i]);
		sum.violations += s.violations;
		sum.undecided += s.undecided;
		sum.unverified += s.unverified;
		sum.stands |= s.stands;
		sum.by_session += s.by_session;
		sum.by_int += s.by_int;
		sum.by_ext += s.by_ext;
		sum.by_noconflict += s.by_noconflict;
		for (int r = 0; r < ALIBI_WATCH_REASONS; r++)
			sum.by_reason[r] += s.by_reason[r];
		sum.keys += s.keys;
		sum.versions += s.versions;
	}
	sum.verdict = sum.stands ? ALIBI_VIOLATES
	              : sum.violations || sum.undecided || sum.unverified || !sum.committed
	                      ? ALIBI_UNKNOWN
	                      : ALIBI_VALID;
	sum.unread = lines_left(&sh->lines);
	sum.bytes = pool_guard(sh->pool)->used;
	return sum;
}

/* ---- checkpoints: the tape of each thread, and its length behind it ---- */

enum { LENGTH_BYTES = 8 };

static bool write_counted(void *data, const void *bytes, size_t length)
{
	struct round *r = data;
	r->written += length;
	return r->write(r->data, bytes, length);
}

static void save(void *data, uint32_t number, struct pool *pool)
{
	struct round *r = data;
	unsigned char length[LENGTH_BYTES];
	r->written = 0;
	stream_save(r->sh->streams[number], write_counted, r);
	for (int i = 0; i < LENGTH_BYTES; i++)
		length[i] = (unsigned char)(r->written >> 8 * i);
	if (!r->write(r->data, length, sizeof length))
		codec_fail(pool_guard(pool), CODEC_UNWRITTEN);
}

void shards_save(struct shards *sh, alibi_write_fn *write, void *data)
{
	struct round r = {.sh = sh, .write = write, .data = data};
	end_judging(sh);
	for (uint32_t i = 0; i < sh->count; i++)
		on_one(sh, i, save, &r);
}

static void load(void *data, uint32_t number, struct pool *pool)
{
	struct round *r = data;
	const unsigned char *from = r->tapes[number], *end = r->tapes[number + 1];
	(void)pool;
	stream_load(r->sh->streams[number], from, (size_t)(end - from) - LENGTH_BYTES);
}

void shards_load(struct shards *sh, const unsigned char *bytes, size_t length)
{
	const unsigned char *end = bytes + length;
	struct round r = {.sh = sh, .tapes = pool_array(sh->pool, sh->count + 1, sizeof *r.tapes)};
	r.tapes[sh->count] = end;
	for (uint32_t i = sh->count; i-- > 0;) {
		uint64_t tape = 0;
		if (end == bytes && i + 1 < sh->count)
			codec_fail(pool_guard(sh->pool), CODEC_OTHER_SHARDS);
		for (int b = 0; end - bytes >= LENGTH_BYTES && b < LENGTH_BYTES; b++)
			tape |= (uint64_t)end[b - LENGTH_BYTES] << 8 * b;
		if (end - bytes < LENGTH_BYTES || tape > (uint64_t)(end - bytes) - LENGTH_BYTES)
			codec_fail(pool_guard(sh->pool), CODEC_DAMAGED);
		end -= LENGTH_BYTES + tape;
		r.tapes[i] = end;
	}
	on_all(sh, load, &r);
	pool_free(sh->pool, r.tapes);
	if (end != bytes)
		codec_fail(pool_guard(sh->pool), CODEC_DAMAGED);
}
