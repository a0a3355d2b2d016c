/*
 * Tests of report/figure: what a picture promises holds for the samples and for
 * random histories with random edges.
 */
#include "../random.h"
#include "samples.h"

#include "base/guard.h"
#include "report/figure.h"
#include "report/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES = 12, TXNS = 10, TEXT = 4096 };

static bool overlap(int a, int a_end, int b, int b_end)
{
	return a < b_end && b < a_end;
}

static void boxes_stand_in_their_lanes(const struct history *h, const struct figure *f)
{
	for (uint32_t s = 0; s < h->session_count; s++) {
		for (uint32_t i = h->session_first[s]; i < h->session_first[s + 1]; i++) {
			const struct figure_box *b = &f->boxes[h->session_txns[i]];
			const struct figure_lane *lane = &f->lanes[b->lane];
			assert_true(b->top >= lane->top);
			assert_true(b->top + b->height <= lane->top + lane->height);
			assert_true(b->left >= f->names_width && b->left + b->width <= f->width);
			if (i > h->session_first[s]) {
				const struct figure_box *last = &f->boxes[h->session_txns[i - 1]];
				assert_true(last->left + last->width < b->left);
			}
		}
		if (s)
			assert_true(f->lanes[s].top >=
			            f->lanes[s - 1].top + f->lanes[s - 1].height);
		assert_true(f->lanes[s].top + f->lanes[s].height <= f->height);
	}
}

static void overlaps_are_those_of_time(const struct history *h, const struct figure *f)
{
	if (f->clock != CLOCK_CLIENTS)
		return;
	for (uint32_t a = 0; a < h->txn_count; a++) {
		for (uint32_t b = 0; b < a; b++) {
			const struct figure_box *x = &f->boxes[a], *y = &f->boxes[b];
			if (x->open || y->open)
				continue;
			bool in_time = h->times[a].begin < h->times[b].end &&
			               h->times[b].begin < h->times[a].end;
			bool shown =
			        overlap(x->left, x->left + x->width, y->left, y->left + y->width);
			assert_true(shown || !in_time);
			bool apart = h->times[a].end < h->times[b].begin ||
			             h->times[b].end < h->times[a].begin;
			assert_true(!shown || !apart);
		}
	}
}

static void segment_crosses_no_box(const struct figure *f, struct point p, struct point q)
{
	int left = p.x < q.x ? p.x : q.x, right = p.x < q.x ? q.x : p.x;
	int top = p.y < q.y ? p.y : q.y, bottom = p.y < q.y ? q.y : p.y;
	assert_true(p.x == q.x || p.y == q.y);
	for (uint32_t t = 0; t < f->box_count; t++) {
		const struct figure_box *b = &f->boxes[t];
		assert_false(overlap(left, right + 1, b->left + 1, b->left + b->width) &&
		             overlap(top, bottom + 1, b->top + 1, b->top + b->height));
	}
}

static bool touches(const struct figure_box *b, struct point p)
{
	return p.x >= b->left && p.x <= b->left + b->width && p.y >= b->top &&
	       p.y <= b->top + b->height;
}

static void arrows_lead_from_box_to_box(const struct figure *f, const alibi_edge *edges)
{
	for (size_t e = 0; e < f->arrow_count; e++) {
		const struct figure_arrow *a = &f->arrows[e];
		assert_in_range(a->corners, 2, ARROW_POINTS);
		assert_true(touches(&f->boxes[edges[e].from], a->at[0]));
		assert_true(touches(&f->boxes[edges[e].to], a->at[a->corners - 1]));
		for (unsigned i = 0; i < a->corners; i++) {
			assert_in_range(a->at[i].x, 0, f->width);
			assert_in_range(a->at[i].y, 0, f->height);
			if (i)
				segment_crosses_no_box(f, a->at[i - 1], a->at[i]);
		}
		assert_in_range(a->label.x, 0, f->width);
		assert_in_range(a->label.y, 0, f->height);
	}
}

/* The line of two segments, if they have more than a point in common. */
static bool share_a_line(struct point p, struct point q, struct point v, struct point w)
{
	bool upright = p.x == q.x && v.x == w.x && p.x == v.x;
	bool level = p.y == q.y && v.y == w.y && p.y == v.y;
	int a = upright ? p.y : p.x, b = upright ? q.y : q.x;
	int c = upright ? v.y : v.x, d = upright ? w.y : w.x;
	return (upright || level) &&
	       overlap(a < b ? a : b, a < b ? b : a, c < d ? c : d, c < d ? d : c);
}

static void arrows_share_no_line(const struct figure *f)
{
	for (size_t e = 0; e < f->arrow_count; e++)
		for (size_t o = 0; o < e; o++)
			for (unsigned i = 1; i < f->arrows[e].corners; i++)
				for (unsigned k = 1; k < f->arrows[o].corners; k++)
					assert_false(share_a_line(
					        f->arrows[e].at[i - 1], f->arrows[e].at[i],
					        f->arrows[o].at[k - 1], f->arrows[o].at[k]));
}

/* Nothing is shortened that has room, and nothing is wider than its box. */
static void lines_fit_their_boxes(const struct history *h, const struct figure *f)
{
	for (uint32_t t = 0; t < h->txn_count; t++) {
		const struct figure_box *b = &f->boxes[t];
		int room = b->width - 2 * BOX_PADDING;
		for (size_t i = 0; i < b->line_count; i++) {
			int indent = b->lines[i].goes_on ? LINE_INDENT : 0;
			int width = (int)words_width(b->lines[i].text) * LETTER_WIDTH_4 / 4;
			assert_true(indent + width <= room);
		}
		assert_true((int)words_width(b->id) * LETTER_WIDTH_4 / 4 <= room);
	}
}

static void check_figure(struct test *t, const struct history *h, const alibi_edge *edges,
                         size_t edge_count, const struct history *annotated)
{
	(void)t;
	struct figure *f = figure_make(h->pool, h, edges, edge_count, annotated);
	assert_non_null(f);
	assert_int_equal(f->box_count, h->txn_count);
	boxes_stand_in_their_lanes(h, f);
	overlaps_are_those_of_time(h, f);
	arrows_lead_from_box_to_box(f, edges);
	arrows_share_no_line(f);
	lines_fit_their_boxes(h, f);
	for (size_t i = 0; i < f->note_count; i++)
		assert_in_range(f->notes[i].x, f->names_width, f->width);
}

static void keeps_its_promises_for_the_samples(void **state)
{
	(void)state;
	for (const char *const *name = sample_names; *name; name++) {
		struct test t = test_start();
		const struct sample *s = sample_make(&t, *name);
		size_t count = s->explanation.count < 10 ? s->explanation.count : 10;
		for (size_t i = 0; i < count; i++) {
			const alibi_anomaly *a = &s->explanation.anomalies[i];
			const struct history *h = (const struct history *)a->reduced;
			for (size_t k = 0; k < a->case_count && h->txn_count <= FIGURE_MAX; k++)
				check_figure(&t, h, a->cases[k].edges, a->cases[k].edge_count,
				             (const struct history *)s->reported.history);
		}
		test_release(&t);
	}
}

/* ---- random ones ---- */

/* With times: each session has a clock that goes on. Without an end: unknown. */
static const struct history *random_history(struct test *t, uint64_t *seed)
{
	char text[TEXT];
	size_t at = 0;
	unsigned sessions = 1 + random_below(seed, 6), txns = 1 + random_below(seed, TXNS),
	         timed = random_below(seed, 3);
	unsigned clock[6] = {0};
	for (unsigned i = 0; i < txns; i++) {
		unsigned s = random_below(seed, sessions),
		         begin = clock[s] + random_below(seed, 20);
		unsigned end = begin + random_below(seed, 30);
		bool unknown = !random_below(seed, 8);
		clock[s] = unknown ? begin : end;
		at += (size_t)snprintf(text + at, sizeof text - at,
		                       "{\"session\":%u,\"ops\":[[\"w\",\"x\",%u]]", s, i);
		if (unknown)
			at += (size_t)snprintf(text + at, sizeof text - at,
			                       ",\"status\":\"unknown\"");
		if (timed)
			at += (size_t)snprintf(text + at, sizeof text - at,
			                       timed == 1 ? ",\"begin\":%u,\"end\":%u"
			                                  : ",\"start_ts\":%u,\"commit_ts\":%u",
			                       begin, end);
		at += (size_t)snprintf(text + at, sizeof text - at, "}\n");
		if (!random_below(seed, 4))
			at += (size_t)snprintf(text + at, sizeof text - at,
			                       "{\"event\":%u,\"at\":%u}\n", i,
			                       random_below(seed, 100));
	}
	return load_text(t, "alibi", text);
}

static void keeps_its_promises_for_random_ones(void **state)
{
	(void)state;
	static const char *const kinds[] = {"wr", "ww", "rw", "so", "rt"};
	uint64_t seed = 7;
	for (int i = 0; i < 3000; i++) {
		struct test t = test_start();
		const struct history *h = random_history(&t, &seed);
		alibi_edge edges[EDGES];
		size_t count = random_below(&seed, EDGES + 1);
		for (size_t e = 0; e < count; e++)
			edges[e] = (alibi_edge){0,
			                        random_below(&seed, h->txn_count),
			                        random_below(&seed, h->txn_count),
			                        kinds[random_below(&seed, 5)],
			                        NULL,
			                        ""};
		check_figure(&t, h, edges, count, h);
		test_release(&t);
	}
}

static void draws_as_many_as_it_says(void **state)
{
	(void)state;
	struct test t = test_start();
	char *text = malloc(1 << 16);
	size_t at = 0;
	assert_non_null(text);
	for (int i = 0; i <= FIGURE_MAX; i++)
		at += (size_t)snprintf(text + at, (1 << 16) - at, "{\"session\":%d,\"ops\":[]}\n",
		                       i % 9);
	const struct history *h = load_text(&t, "alibi", text);
	assert_null(figure_make(h->pool, h, NULL, 0, NULL));
	text[at - strlen("{\"session\":1,\"ops\":[]}\n")] = 0;
	h = load_text(&t, "alibi", text);
	assert_int_equal(h->txn_count, FIGURE_MAX);
	alibi_edge edges[FIGURE_MAX];
	for (size_t e = 0; e < FIGURE_MAX; e++)
		edges[e] = (alibi_edge){0, e, (e * 37 + 11) % FIGURE_MAX, "rw", NULL, ""};
	check_figure(&t, h, edges, FIGURE_MAX, NULL);
	free(text);
	test_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(keeps_its_promises_for_the_samples),
	        cmocka_unit_test(keeps_its_promises_for_random_ones),
	        cmocka_unit_test(draws_as_many_as_it_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
