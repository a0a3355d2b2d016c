/* figure: see figure.h. This file: the boxes, and their x. */
#include "report/figure.h"

#include "base/guard.h"
#include "report/view.h"
#include "report/words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	BOX_COLUMNS_MIN = 14, /* letters in a line of a box */
	BOX_COLUMNS = 28,     /* … if the figure is wide */
	BOX_COLUMNS_MAX = 36,
	INDENT_COLUMNS = 2,
	NAME_COLUMNS = 14,
	OPS_SHOWN = 8,
	OP_LINES = 3,     /* of an operation */
	ENDS_APART = 14,  /* between arrows at one side of a box, at least */
	CORNERS = 40,     /* both corners of a box, where no arrow begins */
	LEFT_MARGIN = 26, /* between the names and the first box: room for an arrow */
	STEP = 26,        /* between two points in time */
	NEIGHBOURS = 58,  /* between two boxes of a lane: room for a number */
	NOTES_BEFORE = 2, /* the last annotations before all that is shown */
};

static int pixels(size_t columns)
{
	return (int)(columns * LETTER_WIDTH_4 + 3) / 4;
}

/* ---- the content of boxes ---- */

static uint32_t ops_shown(const struct history *h, uint32_t t)
{
	uint32_t count = txn_op_end(h, t) - h->txns[t].first_op;
	return count > OPS_SHOWN ? OPS_SHOWN - 1 : count;
}

static void add_op(struct pool *pool, struct figure_box *b, const char *op, size_t columns)
{
	const char *line = words_piece(pool, &op, columns);
	for (bool goes_on = false; line; goes_on = true) {
		b->lines[b->line_count++] = (struct figure_line){line, goes_on};
		line = words_piece(pool, &op, columns - INDENT_COLUMNS);
	}
}

/* What is in a box follows from its width. */
static void fill_box(struct pool *pool, const struct history *h, uint32_t t, struct figure_box *b)
{
	uint32_t first = h->txns[t].first_op, shown = ops_shown(h, t);
	uint32_t left_out = txn_op_end(h, t) - first - shown;
	size_t columns = (size_t)((b->width - 2 * BOX_PADDING) * 4 / LETTER_WIDTH_4);
	size_t room = OP_LINES * (columns - INDENT_COLUMNS);
	b->op_count = shown;
	/* Two lines have together more than the room of one, else they were one. */
	b->lines = pool_zarray(pool, OPS_SHOWN * (2 * OP_LINES + 1), sizeof *b->lines);
	for (uint32_t i = 0; i < shown; i++)
		add_op(pool, b, view_op(pool, h, first + i, room), columns);
	if (left_out)
		b->lines[b->line_count++].text = text_format(pool, "… %u more", left_out);
	b->id = words_elided(pool, view_id(pool, h, t), columns);
	b->height = 2 * BOX_PADDING + LINE_HEIGHT * (1 + (int)b->line_count);
	if (h->txns[t].status != ALIBI_COMMIT)
		b->height += LINE_HEIGHT;
}

/* The longest line of all boxes, in columns. */
static size_t longest_line(struct pool *pool, const struct history *h)
{
	size_t longest = BOX_COLUMNS_MIN;
	for (uint32_t t = 0; t < h->txn_count; t++) {
		size_t width = words_width(view_id(pool, h, t));
		longest = width > longest ? width : longest;
		for (uint32_t i = 0; i < ops_shown(h, t); i++) {
			width = words_width(view_op(pool, h, h->txns[t].first_op + i,
			                            OP_LINES * BOX_COLUMNS_MAX));
			longest = width > longest ? width : longest;
		}
	}
	return longest < BOX_COLUMNS_MAX ? longest : BOX_COLUMNS_MAX;
}

/* So wide that all arrows of a box can begin at one side of it. */
static int width_for_arrows(struct pool *pool, const struct history *h, const alibi_edge *edges,
                            size_t edge_count)
{
	int *ends = pool_zarray(pool, h->txn_count, sizeof *ends), most = 0;
	for (size_t e = 0; e < edge_count; e++) {
		most = larger(most, ++ends[edges[e].from]);
		most = larger(most, ++ends[edges[e].to]);
	}
	return most * ENDS_APART + CORNERS;
}

static void name_lanes(struct pool *pool, const struct history *h, struct figure *f)
{
	size_t widest = strlen("session");
	f->lane_count = h->session_count;
	f->lanes = pool_zarray(pool, h->session_count + 1, sizeof *f->lanes);
	for (uint32_t s = 0; s < h->session_count; s++) {
		const char *name = view_session(pool, h, h->session_txns[h->session_first[s]]);
		if (!name)
			continue;
		f->lanes[s].name = words_elided(pool, name, NAME_COLUMNS);
		if (words_width(f->lanes[s].name) > widest)
			widest = words_width(f->lanes[s].name);
	}
	f->names_width = pixels(widest) + BOX_PADDING;
}

/* ---- time ---- */

struct moment {
	int64_t a, b;
};

struct span {
	struct moment begin, end;
	bool has_end;
};

static int compare(struct moment x, struct moment y)
{
	if (x.a != y.a)
		return x.a < y.a ? -1 : 1;
	return x.b < y.b ? -1 : x.b > y.b;
}

/* By this clock; false: some times are missing, or an end precedes its begin. */
static bool read_clock(const struct history *h, enum figure_clock clock, struct span *spans)
{
	unsigned begins = clock == CLOCK_CLIENTS ? ALIBI_HAS_BEGIN : ALIBI_HAS_START_TS;
	unsigned ends = clock == CLOCK_CLIENTS ? ALIBI_HAS_END : ALIBI_HAS_COMMIT_TS;
	for (uint32_t t = 0; t < h->txn_count; t++) {
		bool committed = h->txns[t].status == ALIBI_COMMIT;
		bool has_end = h->txns[t].has & ends && h->txns[t].status != ALIBI_UNKNOWN_STATUS;
		if (!(h->txns[t].has & begins) || (committed && !has_end))
			return false;
		spans[t].has_end = has_end;
		if (clock == CLOCK_CLIENTS) {
			spans[t].begin = (struct moment){h->times[t].begin, 0};
			spans[t].end = (struct moment){h->times[t].end, 0};
		} else {
			const struct stamps *s = &h->stamps[t];
			spans[t].begin = (struct moment){s->start.physical, s->start.logical};
			spans[t].end = (struct moment){s->commit.physical, s->commit.logical};
		}
		if (has_end && compare(spans[t].end, spans[t].begin) < 0)
			return false;
	}
	return true;
}

/* Are the transactions of each session in order, without overlap? */
static bool fits_sessions(const struct history *h, const struct span *spans)
{
	for (uint32_t s = 0; s < h->session_count; s++) {
		for (uint32_t i = h->session_first[s] + 1; i < h->session_first[s + 1]; i++) {
			const struct span *before = &spans[h->session_txns[i - 1]];
			struct moment from = before->has_end ? before->end : before->begin;
			if (compare(spans[h->session_txns[i]].begin, from) < 0)
				return false;
		}
	}
	return true;
}

static bool push_right(int64_t *step, uint32_t from, uint32_t to)
{
	if (from == to || step[to] > step[from])
		return false;
	step[to] = step[from] + 1;
	return true;
}

/* Steps by session order and, if with_edges, by reads-from; false: they are cyclic. */
static bool count_steps(const struct history *h, const alibi_edge *edges, size_t edge_count,
                        bool with_edges, int64_t *step)
{
	memset(step, 0, h->txn_count * sizeof *step);
	for (uint32_t round = 0; round <= h->txn_count; round++) {
		bool changed = false;
		for (uint32_t s = 0; s < h->session_count; s++)
			for (uint32_t i = h->session_first[s] + 1; i < h->session_first[s + 1]; i++)
				changed |= push_right(step, h->session_txns[i - 1],
				                      h->session_txns[i]);
		for (size_t e = 0; with_edges && e < edge_count; e++)
			if (!strcmp(edges[e].kind, "wr") || !strcmp(edges[e].kind, "rt") ||
			    !strcmp(edges[e].kind, "predicate-wr"))
				changed |= push_right(step, (uint32_t)edges[e].from,
				                      (uint32_t)edges[e].to);
		if (!changed)
			return true;
	}
	return false;
}

static enum figure_clock choose_clock(struct pool *pool, const struct history *h,
                                      const alibi_edge *edges, size_t edge_count,
                                      struct span *spans)
{
	if (h->times && read_clock(h, CLOCK_CLIENTS, spans) && fits_sessions(h, spans))
		return CLOCK_CLIENTS;
	if (h->stamps && read_clock(h, CLOCK_DATABASE, spans) && fits_sessions(h, spans))
		return CLOCK_DATABASE;
	int64_t *step = pool_array(pool, h->txn_count, sizeof *step);
	if (!count_steps(h, edges, edge_count, true, step))
		count_steps(h, edges, edge_count, false, step);
	for (uint32_t t = 0; t < h->txn_count; t++)
		spans[t] = (struct span){
		        .begin = {2 * step[t], 0}, .end = {2 * step[t] + 1, 0}, .has_end = true};
	return CLOCK_STEPS;
}

/* ---- annotations ---- */

static int by_time(const void *x, const void *y)
{
	const struct figure_note *a = x, *b = y;
	if (a->what->at != b->what->at)
		return a->what->at < b->what->at ? -1 : 1;
	return a->what < b->what ? -1 : a->what > b->what;
}

/* Those from the first beginning to the last end, and the last few before. */
static void choose_notes(struct pool *pool, struct figure *f, const struct history *annotated,
                         const struct span *spans)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	VEC(struct figure_note) notes = {0};
	for (uint32_t t = 0; t < f->box_count; t++) {
		int64_t end = spans[t].has_end ? spans[t].end.a : spans[t].begin.a;
		first = spans[t].begin.a < first ? spans[t].begin.a : first;
		last = end > last ? end : last;
	}
	for (size_t i = 0; i < annotated->annotations.count; i++) {
		const struct annotation *a = &annotated->annotations.items[i];
		guard_tick(pool_guard(pool));
		if (a->has_at && a->at <= last)
			vec_push(pool, &notes, (struct figure_note){.what = a});
	}
	if (!notes.count)
		return;
	qsort(notes.items, notes.count, sizeof *notes.items, by_time);
	size_t inside = 0;
	while (inside < notes.count && notes.items[inside].what->at < first)
		inside++;
	size_t from = inside > NOTES_BEFORE ? inside - NOTES_BEFORE : 0;
	f->notes = notes.items + from;
	f->note_count = notes.count - from;
	if (f->note_count > NOTES_MAX) {
		f->notes_left_out = f->note_count - NOTES_MAX;
		f->note_count = NOTES_MAX;
	}
}

/* ---- from left to right ---- */

/* The order of instants at the same time. END: of a transaction that begins then, too. */
enum instant_kind { END_OF_EARLIER, NOTE, BEGIN, END };

struct instant {
	struct moment at;
	enum instant_kind kind;
	uint32_t which;
};

static int by_moment(const void *x, const void *y)
{
	const struct instant *a = x, *b = y;
	int order = compare(a->at, b->at);
	if (order)
		return order;
	bool both_begin = a->kind >= BEGIN && b->kind >= BEGIN;
	if (a->kind == b->kind || (both_begin && a->which != b->which))
		return a->which < b->which ? -1 : a->which > b->which;
	return a->kind < b->kind ? -1 : 1;
}

static struct instant *instants(struct pool *pool, const struct figure *f, const struct span *spans,
                                size_t *count)
{
	struct instant *all = pool_array(pool, 2 * f->box_count + f->note_count + 1, sizeof *all);
	size_t n = 0;
	for (uint32_t t = 0; t < f->box_count; t++) {
		all[n++] = (struct instant){spans[t].begin, BEGIN, t};
		bool later = compare(spans[t].begin, spans[t].end) < 0;
		if (spans[t].has_end)
			all[n++] = (struct instant){spans[t].end, later ? END_OF_EARLIER : END, t};
	}
	for (uint32_t i = 0; i < f->note_count; i++)
		all[n++] = (struct instant){{f->notes[i].what->at, 0}, NOTE, i};
	qsort(all, n, sizeof *all, by_moment);
	*count = n;
	return all;
}

/* Boxes are at least so wide. */
static void place(struct pool *pool, struct figure *f, const struct span *spans, int wide)
{
	size_t count;
	const struct instant *all = instants(pool, f, spans, &count);
	int *lane_end = pool_zarray(pool, f->lane_count + 1, sizeof *lane_end);
	int start = f->names_width + LEFT_MARGIN, x = start;
	for (size_t i = 0; i < count; i++) {
		bool same = i && !compare(all[i - 1].at, all[i].at) && all[i].kind != NOTE &&
		            all[i - 1].kind != NOTE;
		x += i && !same ? STEP : 0;
		if (all[i].kind == NOTE) {
			f->notes[all[i].which].x = x;
			continue;
		}
		struct figure_box *b = &f->boxes[all[i].which];
		if (all[i].kind == BEGIN) {
			if (lane_end[b->lane])
				x = larger(x, lane_end[b->lane] + NEIGHBOURS);
			b->left = x;
			b->open = !spans[all[i].which].has_end;
			b->width = wide;
		} else {
			x = larger(x, b->left + wide);
			b->width = x - b->left;
		}
		lane_end[b->lane] = b->left + b->width;
	}
	f->width = x + LEFT_MARGIN;
	for (uint32_t s = 0; s < f->lane_count; s++)
		f->width = larger(f->width, lane_end[s] + LEFT_MARGIN);
}

struct figure *figure_make(struct pool *pool, const struct history *h, const alibi_edge *edges,
                           size_t edge_count, const struct history *annotated)
{
	if (!h->txn_count || h->txn_count > FIGURE_MAX || edge_count > FIGURE_MAX)
		return NULL;
	for (size_t e = 0; e < edge_count; e++)
		assert(edges[e].from < h->txn_count && edges[e].to < h->txn_count);
	struct figure *f = pool_zalloc(pool, sizeof *f);
	struct span *spans = pool_zarray(pool, h->txn_count, sizeof *spans);
	f->box_count = h->txn_count;
	f->boxes = pool_zarray(pool, h->txn_count, sizeof *f->boxes);
	f->arrow_count = edge_count;
	f->arrows = pool_zarray(pool, edge_count + 1, sizeof *f->arrows);
	name_lanes(pool, h, f);
	for (uint32_t t = 0; t < h->txn_count; t++)
		f->boxes[t].lane = h->txns[t].session;
	f->clock = choose_clock(pool, h, edges, edge_count, spans);
	if (f->clock == CLOCK_CLIENTS && annotated)
		choose_notes(pool, f, annotated, spans);
	size_t columns = longest_line(pool, h);
	int least = width_for_arrows(pool, h, edges, edge_count);
	do
		place(pool, f, spans, larger(2 * BOX_PADDING + pixels(columns), least));
	while (f->width > FIGURE_WIDTH && columns-- > BOX_COLUMNS);
	for (uint32_t t = 0; t < h->txn_count; t++)
		fill_box(pool, h, t, &f->boxes[t]);
	figure_route(pool, f, edges);
	return f;
}
