/* route: see figure.h. This file: the arrows, and the y of everything. */
#include "report/figure.h"

#include "base/guard.h"

#include <limits.h>
#include <stdlib.h>

enum {
	LANE_PADDING = 8,
	GAP_UNUSED = 10,
	GAP_EDGE = 22,    /* from a lane to the nearest track */
	TRACK = 20,       /* between two tracks */
	APART = 26,       /* between two arrows at one side of a box */
	PAIR_APART = 44,  /* … that join the same boxes */
	CORNER = 14,      /* arrows keep away from the corners of a box, … */
	CLEARANCE = 12,   /* … and from boxes that they pass, and from each other */
	LABEL_APART = 26, /* numbers do not overlap */
	ALMOST = 12,      /* a smaller bend is drawn straight */
	SHIFTS = 6,       /* places tried beside a box */
	PARTED = 12,      /* between upright lines of two arrows in a gap; 1 if there is no room */
};

enum side { TOP, BOTTOM, LEFT, RIGHT };

/* One end of an arrow. */
struct anchor {
	uint32_t box;
	enum side side;
	int ideal, at; /* x at the top and bottom, y at the sides */
};

/* A part of an arrow that runs along a gap. */
struct run {
	uint32_t gap;
	int from, to;
	uint32_t track;
};

struct arrow_plan {
	struct anchor ends[2];
	bool direct;        /* neighbours of a lane: no gap is used */
	struct run runs[2]; /* beside the first box, beside the second; one may serve both */
	unsigned run_count;
	int crossing; /* x at which it crosses the lanes between, if there are any */
};

struct router {
	struct pool *pool;
	struct figure *f;
	struct arrow_plan *plans; /* by arrow */
	uint32_t *tracks;         /* by gap: how many; gap i is above lane i */
	bool *used;               /* by gap: by any arrow, straight ones included */
	int *gap_top;             /* by gap */
};

static int middle(int a, int b)
{
	return a + (b - a) / 2;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* ---- which sides ---- */

static bool neighbours(const struct figure *f, uint32_t a, uint32_t b)
{
	const struct figure_box *x = &f->boxes[a], *y = &f->boxes[b];
	if (x->lane != y->lane || a == b)
		return false;
	const struct figure_box *first = x->left < y->left ? x : y, *second = x == first ? y : x;
	for (uint32_t t = 0; t < f->box_count; t++) {
		const struct figure_box *other = &f->boxes[t];
		if (other->lane == x->lane && other->left > first->left &&
		    other->left < second->left)
			return false;
	}
	return true;
}

/* The best x for an arrow between two boxes: where they overlap, or at the near end. */
static int ideal_x(const struct figure_box *b, const struct figure_box *other)
{
	int left = larger(b->left, other->left);
	int right = smaller(b->left + b->width, other->left + other->width);
	if (left < right)
		return middle(left, right);
	return other->left > b->left ? b->left + b->width - 2 * CORNER : b->left + 2 * CORNER;
}

static struct arrow_plan plan_arrow(const struct figure *f, uint32_t from, uint32_t to)
{
	const struct figure_box *a = &f->boxes[from], *b = &f->boxes[to];
	struct arrow_plan p = {.ends = {{.box = from}, {.box = to}}};
	if (neighbours(f, from, to)) {
		bool forward = a->left < b->left;
		p.direct = true;
		p.ends[0].side = forward ? RIGHT : LEFT;
		p.ends[1].side = forward ? LEFT : RIGHT;
		p.ends[0].ideal = p.ends[1].ideal = a->height / 2;
		return p;
	}
	p.ends[0].side = a->lane < b->lane ? BOTTOM : TOP;
	p.ends[1].side = a->lane > b->lane ? BOTTOM : TOP;
	p.ends[0].ideal = from == to ? a->left + a->width / 3 : ideal_x(a, b);
	p.ends[1].ideal = from == to ? a->left + 2 * a->width / 3 : ideal_x(b, a);
	p.runs[0].gap = a->lane < b->lane ? a->lane + 1 : a->lane;
	p.runs[1].gap = a->lane > b->lane ? b->lane + 1 : b->lane;
	p.run_count = p.runs[0].gap == p.runs[1].gap ? 1 : 2;
	return p;
}

static bool same_pair(const alibi_edge *x, const alibi_edge *y)
{
	return (x->from == y->from && x->to == y->to) || (x->from == y->to && x->to == y->from);
}

/* Several arrows between two boxes run side by side. */
static void spread_pairs(struct router *r, const alibi_edge *edges)
{
	for (size_t e = 0; e < r->f->arrow_count; e++) {
		int before = 0, all = 0;
		for (size_t i = 0; i < r->f->arrow_count; i++) {
			if (!same_pair(&edges[e], &edges[i]))
				continue;
			all++;
			before += i < e;
		}
		for (unsigned end = 0; end < 2; end++)
			r->plans[e].ends[end].ideal += (2 * before - all + 1) * PAIR_APART / 2;
	}
}

/* ---- where at a side ---- */

static int by_ideal(const void *x, const void *y)
{
	const struct anchor *a = *(struct anchor *const *)x, *b = *(struct anchor *const *)y;
	return a->ideal < b->ideal ? -1 : a->ideal > b->ideal;
}

/* As near to the ideal as the other arrows at that side allow. */
static void settle_side(struct router *r, uint32_t box, enum side side, struct anchor **room)
{
	const struct figure_box *b = &r->f->boxes[box];
	bool upright = side == LEFT || side == RIGHT;
	int low = (upright ? 0 : b->left) + CORNER, size = upright ? b->height : b->width;
	int high = low + size - 2 * CORNER;
	size_t n = 0;
	for (size_t e = 0; e < r->f->arrow_count; e++)
		for (unsigned end = 0; end < 2; end++)
			if (r->plans[e].ends[end].box == box && r->plans[e].ends[end].side == side)
				room[n++] = &r->plans[e].ends[end];
	if (!n)
		return;
	qsort(room, n, sizeof *room, by_ideal);
	int apart = n > 1 ? smaller(APART, (high - low) / (int)(n - 1)) : 0;
	for (size_t i = 0; i < n; i++) {
		int least = i ? room[i - 1]->at + apart : low;
		room[i]->at = larger(room[i]->ideal, least);
	}
	for (size_t i = n; i-- > 0;) {
		int most = i + 1 < n ? room[i + 1]->at - apart : high;
		room[i]->at = smaller(room[i]->at, most);
	}
}

static void settle_anchors(struct router *r)
{
	struct anchor **room = pool_array(r->pool, 2 * r->f->arrow_count + 1, sizeof *room);
	for (uint32_t t = 0; t < r->f->box_count; t++)
		for (int side = TOP; side <= RIGHT; side++)
			settle_side(r, t, (enum side)side, room);
}

/* ---- lines of their own ---- */

static uint32_t gap_of(const struct figure *f, const struct anchor *end)
{
	return f->boxes[end->box].lane + (end->side == BOTTOM);
}

static bool is_upright(const struct anchor *end)
{
	return end->side == TOP || end->side == BOTTOM;
}

/* Is no end of the first so many ends, or of any of another arrow, near x in this gap? */
static bool is_parted(const struct router *r, size_t ends, const struct anchor *self, uint32_t gap,
                      int x, int apart)
{
	for (size_t i = 0; i < ends; i++) {
		const struct anchor *other = &r->plans[i / 2].ends[i % 2];
		if (other != self && is_upright(other) && gap_of(r->f, other) == gap &&
		    abs(other->at - x) < apart)
			return false;
	}
	return true;
}

/* As near to where it is as the ends before it allow: in a gap, an upright line from above and
 * one from below may meet. */
static void part_end(struct router *r, size_t ends, struct anchor *end)
{
	const struct figure_box *b = &r->f->boxes[end->box];
	int low = b->left + CORNER, high = b->left + b->width - CORNER;
	for (int apart = PARTED; apart; apart /= 2)
		for (int off = 0; off <= b->width; off++)
			for (int sign = -1; sign <= 1; sign += 2) {
				int x = end->at + sign * off;
				if (x < low || x > high ||
				    !is_parted(r, ends, end, gap_of(r->f, end), x, apart))
					continue;
				end->at = x;
				return;
			}
}

/* An arrow that bends only a little is drawn straight, if that is free. */
static bool straighten(struct router *r, size_t e)
{
	struct arrow_plan *p = &r->plans[e];
	const struct figure_box *target = &r->f->boxes[p->ends[1].box];
	int x = p->ends[0].at;
	if (p->direct || p->run_count != 1 || p->ends[0].side == p->ends[1].side ||
	    abs(x - p->ends[1].at) > ALMOST || x < target->left + CORNER ||
	    x > target->left + target->width - CORNER ||
	    !is_parted(r, 2 * e, NULL, p->runs[0].gap, x, PARTED))
		return false;
	p->ends[1].at = x;
	return true;
}

static void part_arrows(struct router *r)
{
	for (size_t e = 0; e < r->f->arrow_count; e++) {
		if (r->plans[e].direct || straighten(r, e))
			continue;
		for (unsigned end = 0; end < 2; end++)
			part_end(r, 2 * e + end, &r->plans[e].ends[end]);
		guard_tick(pool_guard(r->pool));
	}
}

/* ---- across lanes ---- */

static bool crossing_is_free(const struct router *r, const struct arrow_plan *p, size_t planned,
                             int x)
{
	uint32_t first = p->runs[0].gap, last = p->runs[1].gap;
	uint32_t low = first < last ? first : last, high = first < last ? last : first;
	if (x < r->f->names_width + CLEARANCE / 2)
		return false;
	for (uint32_t t = 0; t < r->f->box_count; t++) {
		const struct figure_box *b = &r->f->boxes[t];
		if (b->lane >= low && b->lane < high && x > b->left - CLEARANCE &&
		    x < b->left + b->width + CLEARANCE)
			return false;
	}
	for (size_t e = 0; e < planned; e++) {
		const struct arrow_plan *q = &r->plans[e];
		uint32_t a = q->runs[0].gap, b = q->runs[1].gap;
		bool meets = q->run_count == 2 && (a < b ? a : b) <= high && (a < b ? b : a) >= low;
		if (meets && abs(q->crossing - x) < CLEARANCE)
			return false;
	}
	for (size_t i = 0; i < 2 * r->f->arrow_count; i++) {
		const struct anchor *end = &r->plans[i / 2].ends[i % 2];
		uint32_t gap = gap_of(r->f, end);
		if (&r->plans[i / 2] != p && is_upright(end) && gap >= low && gap <= high &&
		    end->at == x)
			return false;
	}
	return true;
}

/* Beside one of the boxes, or beyond all of them: the shortest path. */
static void choose_crossing(struct router *r, size_t e)
{
	struct arrow_plan *p = &r->plans[e];
	int from = p->ends[0].at, to = p->ends[1].at, best = -1, cost = 0;
	int candidates[4] = {from, to, 0, 0};
	for (uint32_t t = 0; t <= r->f->box_count; t++) {
		bool beyond = t == r->f->box_count;
		int shifts = beyond ? (int)r->f->arrow_count : SHIFTS;
		for (int shift = 0; shift <= shifts; shift++) {
			int off = CLEARANCE * (shift + 1) + 2;
			candidates[2] =
			        beyond ? r->f->names_width + off / 2 : r->f->boxes[t].left - off;
			candidates[3] = beyond ? r->f->width - 2 * CLEARANCE + off
			                       : r->f->boxes[t].left + r->f->boxes[t].width + off;
			for (unsigned i = 0; i < 4; i++) {
				int x = candidates[i], length = abs(x - from) + abs(x - to);
				if ((best < 0 || length < cost) && crossing_is_free(r, p, e, x)) {
					best = x;
					cost = length;
				}
			}
		}
	}
	p->crossing = best;
	r->f->width = larger(r->f->width, best + 2 * CLEARANCE);
}

/* ---- tracks in the gaps ---- */

static void plan_runs(struct router *r)
{
	for (size_t e = 0; e < r->f->arrow_count; e++) {
		struct arrow_plan *p = &r->plans[e];
		int from = p->ends[0].at, to = p->ends[1].at;
		if (p->run_count == 2)
			choose_crossing(r, e);
		int turn = p->run_count == 2 ? p->crossing : to;
		p->runs[0].from = smaller(from, turn);
		p->runs[0].to = larger(from, turn);
		p->runs[1].from = smaller(turn, to);
		p->runs[1].to = larger(turn, to);
		for (unsigned i = 0; i < p->run_count; i++)
			r->used[p->runs[i].gap] = true;
		guard_tick(pool_guard(r->pool));
	}
}

static int by_start(const void *x, const void *y)
{
	const struct run *a = *(struct run *const *)x, *b = *(struct run *const *)y;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/* Runs of a gap that would touch get different tracks. */
static void choose_tracks(struct router *r, uint32_t gap)
{
	size_t n = 0;
	struct run **runs = pool_array(r->pool, 2 * r->f->arrow_count + 1, sizeof *runs);
	int *track_end = pool_array(r->pool, 2 * r->f->arrow_count + 1, sizeof *track_end);
	for (size_t e = 0; e < r->f->arrow_count; e++)
		for (unsigned i = 0; i < r->plans[e].run_count; i++)
			if (r->plans[e].runs[i].gap == gap &&
			    r->plans[e].runs[i].from < r->plans[e].runs[i].to)
				runs[n++] = &r->plans[e].runs[i];
	if (n)
		qsort(runs, n, sizeof *runs, by_start);
	for (size_t i = 0; i < n; i++) {
		uint32_t track = 0;
		while (track < r->tracks[gap] && track_end[track] + CLEARANCE > runs[i]->from)
			track++;
		if (track == r->tracks[gap])
			r->tracks[gap]++;
		runs[i]->track = track;
		track_end[track] = runs[i]->to;
	}
}

/* ---- from top to bottom ---- */

static int gap_height(const struct router *r, uint32_t gap)
{
	if (!r->used[gap])
		return GAP_UNUSED;
	uint32_t tracks = r->tracks[gap] ? r->tracks[gap] : 1;
	return 2 * GAP_EDGE + (int)(tracks - 1) * TRACK;
}

/* The boxes of a lane are equally high, so that arrows at their sides meet. */
static void level_boxes(struct figure *f)
{
	for (uint32_t t = 0; t < f->box_count; t++) {
		struct figure_lane *lane = &f->lanes[f->boxes[t].lane];
		lane->height = larger(lane->height, f->boxes[t].height + 2 * LANE_PADDING);
	}
	for (uint32_t t = 0; t < f->box_count; t++)
		f->boxes[t].height = f->lanes[f->boxes[t].lane].height - 2 * LANE_PADDING;
}

static void stack_lanes(struct router *r)
{
	struct figure *f = r->f;
	int y = f->note_count ? FLAG_HEIGHT : 0;
	for (uint32_t i = 0; i <= f->lane_count; i++) {
		r->gap_top[i] = y;
		y += gap_height(r, i);
		if (i < f->lane_count) {
			f->lanes[i].top = y;
			y += f->lanes[i].height;
		}
	}
	f->height = y;
	for (uint32_t t = 0; t < f->box_count; t++)
		f->boxes[t].top = f->lanes[f->boxes[t].lane].top + LANE_PADDING;
}

/* ---- the arrows ---- */

static void corner(struct figure_arrow *a, int x, int y)
{
	const struct point *last = a->corners ? &a->at[a->corners - 1] : NULL;
	if (!last || last->x != x || last->y != y)
		a->at[a->corners++] = (struct point){x, y};
}

static int end_y(const struct figure_box *b, const struct anchor *end)
{
	return end->side == TOP      ? b->top
	       : end->side == BOTTOM ? b->top + b->height
	                             : b->top + end->at;
}

static int end_x(const struct figure_box *b, const struct anchor *end)
{
	return end->side == LEFT ? b->left : end->side == RIGHT ? b->left + b->width : end->at;
}

static int track_y(const struct router *r, const struct run *run)
{
	return r->gap_top[run->gap] + GAP_EDGE + (int)run->track * TRACK;
}

static void draw_arrow(const struct router *r, size_t e)
{
	const struct arrow_plan *p = &r->plans[e];
	struct figure_arrow *a = &r->f->arrows[e];
	const struct figure_box *from = &r->f->boxes[p->ends[0].box];
	const struct figure_box *to = &r->f->boxes[p->ends[1].box];
	int x1 = end_x(from, &p->ends[0]), y1 = end_y(from, &p->ends[0]);
	int x2 = end_x(to, &p->ends[1]), y2 = end_y(to, &p->ends[1]);
	corner(a, x1, y1);
	if (!p->direct && (x1 != x2 || p->run_count == 2)) {
		int turn = p->run_count == 2 ? p->crossing : x2;
		if (turn != x1) {
			corner(a, x1, track_y(r, &p->runs[0]));
			corner(a, turn, track_y(r, &p->runs[0]));
		}
		if (p->run_count == 2 && turn != x2) {
			corner(a, turn, track_y(r, &p->runs[1]));
			corner(a, x2, track_y(r, &p->runs[1]));
		}
	}
	corner(a, x2, y2);
}

/* ---- numbers ---- */

static bool near_segment(struct point p, struct point a, struct point b)
{
	return p.x > smaller(a.x, b.x) - LABEL_APART / 2 &&
	       p.x < larger(a.x, b.x) + LABEL_APART / 2 &&
	       p.y > smaller(a.y, b.y) - LABEL_APART / 2 &&
	       p.y < larger(a.y, b.y) + LABEL_APART / 2;
}

/* How many other numbers and arrows a number would cover there. */
static int covered(const struct figure *f, size_t e, struct point at)
{
	int count = 0;
	for (size_t i = 0; i < f->arrow_count; i++) {
		const struct figure_arrow *other = &f->arrows[i];
		if (i < e && abs(other->label.x - at.x) < LABEL_APART &&
		    abs(other->label.y - at.y) < LABEL_APART)
			count += 2;
		for (unsigned k = 0; i != e && k + 1 < other->corners; k++)
			count += near_segment(at, other->at[k], other->at[k + 1]);
	}
	return count;
}

/* Where it covers the least; of these, on the longest segment. */
static void place_label(struct figure *f, size_t e)
{
	static const int shares[] = {50, 35, 65, 22, 78};
	struct figure_arrow *a = &f->arrows[e];
	int best = INT_MAX, longest = -1;
	for (unsigned i = 0; i + 1 < a->corners; i++) {
		struct point p = a->at[i], q = a->at[i + 1];
		int length = abs(q.x - p.x) + abs(q.y - p.y);
		for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
			struct point at = {p.x + (q.x - p.x) * shares[s] / 100,
			                   p.y + (q.y - p.y) * shares[s] / 100};
			int cost = covered(f, e, at);
			if (cost > best || (cost == best && length <= longest))
				continue;
			best = cost;
			longest = length;
			a->label = at;
		}
	}
}

void figure_route(struct pool *pool, struct figure *f, const alibi_edge *edges)
{
	struct router r = {
	        .pool = pool,
	        .f = f,
	        .plans = pool_zarray(pool, f->arrow_count + 1, sizeof *r.plans),
	        .tracks = pool_zarray(pool, f->lane_count + 1, sizeof *r.tracks),
	        .used = pool_zarray(pool, f->lane_count + 1, sizeof *r.used),
	        .gap_top = pool_zarray(pool, f->lane_count + 1, sizeof *r.gap_top),
	};
	level_boxes(f);
	for (size_t e = 0; e < f->arrow_count; e++)
		r.plans[e] = plan_arrow(f, (uint32_t)edges[e].from, (uint32_t)edges[e].to);
	spread_pairs(&r, edges);
	settle_anchors(&r);
	part_arrows(&r);
	plan_runs(&r);
	for (uint32_t gap = 0; gap <= f->lane_count; gap++)
		choose_tracks(&r, gap);
	stack_lanes(&r);
	for (size_t e = 0; e < f->arrow_count; e++)
		draw_arrow(&r, e);
	for (size_t e = 0; e < f->arrow_count; e++) {
		place_label(f, e);
		guard_tick(pool_guard(pool));
	}
}
