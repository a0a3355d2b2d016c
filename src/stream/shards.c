/* shards: see shards.h. */
#include "stream/shards.h"

#include "base/crew.h"
#include "stream/core/codec.h"
#include "stream/lines.h"

#include <string.h>

enum { BATCH_ALONE = 64, BATCH_SHARED = 512 }; /* transactions */
enum { LENGTH_BYTES = 8 };

enum task_kind { OPEN, PARSE, CHECK, ADVANCE, GAP, NEXT, SAVE, LOAD };

/* What each thread does with its stream. */
struct task {
	enum task_kind kind;
	struct shards *sh;
	const struct piece *pieces; /* CHECK */
	uint32_t count;
	alibi_stamp watermark, horizon; /* ADVANCE */
	uint64_t from, until;           /* GAP: messages that were lost */
	alibi_write_fn *write;          /* SAVE */
	void *data;
	uint64_t written;
	const unsigned char **parts; /* LOAD: by thread, and one more: the end */
};

struct shards {
	struct pool *pool;
	const struct level *level;
	alibi_watch_options options;
	struct crew *crew; /* NULL: there is one thread */
	uint32_t count;    /* of threads */
	struct stream **streams;
	struct piece *pieces; /* one a thread */
	uint32_t cut;         /* the number of pieces with text, … */
	bool parsing;         /* … which is being parsed */
	struct lines lines;
	struct piece built[2]; /* being built; with several threads, being checked meanwhile */
	struct task checking;  /* of built[1] */
	const alibi_watch_event *event;
	uint32_t event_stream; /* whose events are taken out */
};

/* ---- tasks ---- */

static void open_stream(struct shards *sh, uint32_t number, struct pool *pool)
{
	alibi_watch_options o = sh->options;
	o.shard += number * o.shards;
	o.shards *= sh->count;
	o.store_above /= sh->count;
	sh->streams[number] = stream_new(pool, sh->level, &o);
	sh->pieces[number] = (struct piece){.pool = pool, .b = builder_new(pool)};
}

static bool write_counted(void *data, const void *bytes, size_t length)
{
	struct task *t = data;
	t->written += length;
	return t->write(t->data, bytes, length);
}

/* The checkpoint of a thread, and its length behind it. */
static void save(struct task *t, struct stream *s, struct pool *pool)
{
	unsigned char length[LENGTH_BYTES];
	t->written = 0;
	stream_save(s, write_counted, t);
	for (int i = 0; i < LENGTH_BYTES; i++)
		length[i] = (unsigned char)(t->written >> 8 * i);
	if (!t->write(t->data, length, sizeof length))
		codec_fail(pool_guard(pool), CODEC_UNWRITTEN);
}

static void do_task(void *data, uint32_t number, struct pool *pool)
{
	struct task *t = data;
	struct shards *sh = t->sh;
	struct stream *s = sh->streams[number];
	switch (t->kind) {
	case OPEN:
		open_stream(sh, number, pool);
		break;
	case PARSE:
		if (number >= sh->cut)
			break;
		builder_clear(sh->pieces[number].b);
		piece_read(&sh->pieces[number], sh->lines.name);
		break;
	case CHECK:
		for (uint32_t i = 0; i < t->count; i++)
			stream_take(s, t->pieces[i].b, t->pieces[i].lines);
		break;
	case ADVANCE:
		stream_advance(s, t->watermark, t->horizon);
		break;
	case GAP:
		stream_gap(s, t->from, t->until, !number);
		break;
	case NEXT:
		sh->event = stream_next(s);
		break;
	case SAVE:
		save(t, s, pool);
		break;
	case LOAD:
		stream_load(s, t->parts[number],
		            (size_t)(t->parts[number + 1] - t->parts[number]) - LENGTH_BYTES);
		break;
	}
}

static void on_one(struct shards *sh, uint32_t number, struct task *t)
{
	if (sh->crew)
		crew_one(sh->crew, number, do_task, t);
	else
		do_task(t, number, sh->pool);
}

static void on_all(struct shards *sh, struct task *t)
{
	if (!sh->crew) {
		do_task(t, 0, sh->pool);
		return;
	}
	crew_begin(sh->crew, do_task, t);
	crew_end(sh->crew);
}

/* Waits until what was built before is checked. */
static void join(struct shards *sh)
{
	if (sh->crew)
		crew_end(sh->crew);
}

struct shards *shards_new(struct pool *pool, const struct level *level,
                          const alibi_watch_options *options)
{
	struct shards *sh = pool_zalloc(pool, sizeof *sh);
	sh->pool = pool;
	sh->level = level;
	sh->options = *options;
	if (!sh->options.shards)
		sh->options.shards = 1;
	sh->count = options->threads > 1 ? options->threads : 1;
	if (sh->count > 1)
		sh->crew = crew_new(pool, sh->count);
	sh->streams = pool_zarray(pool, sh->count, sizeof *sh->streams);
	sh->pieces = pool_zarray(pool, sh->count, sizeof *sh->pieces);
	on_all(sh, &(struct task){.kind = OPEN, .sh = sh});
	for (int i = 0; i < 2; i++)
		sh->built[i].b = builder_new(pool);
	sh->checking = (struct task){.kind = CHECK, .sh = sh, .pieces = &sh->built[1], .count = 1};
	return sh;
}

/* ---- arrival ---- */

static void check_pieces(struct shards *sh, const struct piece *pieces, uint32_t count)
{
	on_all(sh, &(struct task){.kind = CHECK, .sh = sh, .pieces = pieces, .count = count});
}

struct builder *shards_builder(struct shards *sh)
{
	return sh->built[0].b;
}

uint32_t shards_batch(const struct shards *sh)
{
	return sh->count > 1 ? BATCH_SHARED : BATCH_ALONE;
}

struct builder *shards_take(struct shards *sh, uint32_t lines)
{
	sh->built[0].lines = lines;
	if (!sh->crew) {
		check_pieces(sh, sh->built, 1);
	} else {
		struct piece built = sh->built[0];
		join(sh);
		sh->built[0] = sh->built[1];
		sh->built[1] = built;
		crew_begin(sh->crew, do_task, &sh->checking);
	}
	builder_clear(sh->built[0].b);
	return sh->built[0].b;
}

void shards_text(struct shards *sh, const char *name, const char *bytes, size_t length)
{
	join(sh);
	if (!sh->lines.pool)
		lines_init(&sh->lines, sh->pool, name);
	lines_add(&sh->lines, bytes, length);
	while ((sh->cut = lines_cut(&sh->lines, sh->pieces, sh->count,
	                            stream_lines(sh->streams[0])))) {
		struct task parse = {.kind = PARSE, .sh = sh};
		sh->parsing = true;
		if (sh->cut == 1)
			on_one(sh, 0, &parse);
		else
			on_all(sh, &parse);
		sh->parsing = false;
		check_pieces(sh, sh->pieces, sh->cut);
	}
}

void shards_before_error(struct shards *sh)
{
	uint32_t count = 0;
	if (!sh->parsing)
		return;
	sh->parsing = false;
	while (count < sh->cut && sh->pieces[count].is_read)
		count++;
	if (count < sh->cut) {
		struct builder *b = sh->pieces[count++].b;
		builder_drop(b, b->h->op_count);
	}
	check_pieces(sh, sh->pieces, count);
}

void shards_advance(struct shards *sh, alibi_stamp watermark, alibi_stamp horizon)
{
	join(sh);
	on_all(sh, &(struct task){
	                   .kind = ADVANCE, .sh = sh, .watermark = watermark, .horizon = horizon});
}

void shards_gap(struct shards *sh, uint64_t from, uint64_t until)
{
	join(sh);
	on_all(sh, &(struct task){.kind = GAP, .sh = sh, .from = from, .until = until});
}

void shards_finish(struct shards *sh)
{
	alibi_stamp end = {.physical = INT64_MAX, .logical = INT64_MAX};
	join(sh);
	if (sh->lines.pool && lines_left(&sh->lines))
		shards_text(sh, sh->lines.name, "\n", 1);
	shards_advance(sh, end, end);
}

/* ---- results ---- */

const alibi_watch_event *shards_next(struct shards *sh)
{
	join(sh);
	for (; sh->event_stream < sh->count; sh->event_stream++) {
		on_one(sh, sh->event_stream, &(struct task){.kind = NEXT, .sh = sh});
		if (sh->event)
			return sh->event;
	}
	sh->event_stream = 0;
	return NULL;
}

static void add_findings(alibi_watch_stats *sum, const alibi_watch_stats *s)
{
	sum->violations += s->violations;
	sum->undecided += s->undecided;
	sum->unverified += s->unverified;
	sum->stands |= s->stands;
	sum->by_session += s->by_session;
	sum->by_int += s->by_int;
	sum->by_ext += s->by_ext;
	sum->by_noconflict += s->by_noconflict;
	for (int r = 0; r < ALIBI_WATCH_REASONS; r++)
		sum->by_reason[r] += s->by_reason[r];
	sum->keys += s->keys;
	sum->versions += s->versions;
}

alibi_watch_stats shards_stats(struct shards *sh)
{
	if (sh->crew)
		crew_wait(sh->crew);
	alibi_watch_stats sum = stream_stats(sh->streams[0]);
	for (uint32_t i = 1; i < sh->count; i++) {
		alibi_watch_stats s = stream_stats(sh->streams[i]);
		add_findings(&sum, &s);
	}
	sum.verdict = sum.stands ? ALIBI_VIOLATES
	              : sum.violations || sum.undecided || sum.unverified || !sum.committed
	                      ? ALIBI_UNKNOWN
	                      : ALIBI_VALID;
	sum.unread = lines_left(&sh->lines);
	sum.bytes = pool_guard(sh->pool)->used;
	return sum;
}

/* ---- checkpoints ---- */

void shards_save(struct shards *sh, alibi_write_fn *write, void *data)
{
	struct task t = {.kind = SAVE, .sh = sh, .write = write, .data = data};
	join(sh);
	for (uint32_t i = 0; i < sh->count; i++)
		on_one(sh, i, &t);
}

void shards_load(struct shards *sh, const unsigned char *bytes, size_t length)
{
	struct guard *g = pool_guard(sh->pool);
	const unsigned char *end = bytes + length;
	struct task t = {.kind = LOAD,
	                 .sh = sh,
	                 .parts = pool_array(sh->pool, sh->count + 1, sizeof *t.parts)};
	t.parts[sh->count] = end;
	for (uint32_t i = sh->count; i-- > 0;) {
		uint64_t part = 0;
		if (end == bytes && i + 1 < sh->count)
			codec_fail(g, CODEC_OTHER_SHARDS);
		for (int b = 0; end - bytes >= LENGTH_BYTES && b < LENGTH_BYTES; b++)
			part |= (uint64_t)end[b - LENGTH_BYTES] << 8 * b;
		if (end - bytes < LENGTH_BYTES || part > (uint64_t)(end - bytes) - LENGTH_BYTES)
			codec_fail(g, CODEC_DAMAGED);
		end -= LENGTH_BYTES + part;
		t.parts[i] = end;
	}
	on_all(sh, &t);
	pool_free(sh->pool, t.parts);
	if (end != bytes)
		codec_fail(g, CODEC_DAMAGED);
}
