/*
 * figure: the layout of the picture of an anomaly.
 *
 * Problem. A few transactions of a few sessions, with the arrows that prove the
 * contradiction, must be readable at a glance: on a wide screen, on a phone and on paper.
 * Distances to scale would tear them apart. What matters is which transactions overlap.
 *
 * Idea. Sessions are lanes, from top to bottom; time runs from left to right. All begins and
 * ends are sorted by time and placed one after the other, each as far left as possible. So
 * two boxes overlap in the figure exactly where the transactions did in time. Times come from
 * the clients, or from the database's timestamps. Where neither is complete and consistent
 * with the sessions, steps are used: a transaction follows its predecessors in the session
 * and, unless that is cyclic, those that it read from.
 *
 * Boxes are as wide as their longest line, unless the figure then outgrows FIGURE_WIDTH:
 * a figure that has to be scaled down for a phone is hard to read. Longer lines are folded.
 *
 * Arrows leave and enter boxes at the top and bottom and run in the gaps between the lanes,
 * each in a track of its own. Where they cross a lane, they pass beside its boxes. Neighbours
 * in a lane are joined directly.
 *
 * Invariants.
 * 1. Boxes of one lane do not overlap, and are in session order.
 * 2. No arrow crosses a box.
 * 3. No two arrows share a line: they meet in points only, where they cross.
 * 4. Everything lies within width and height.
 *
 * Cost. Quadratic in the transactions and edges. There is no figure of more than FIGURE_MAX of
 * either.
 */
#ifndef ALIBI_REPORT_FIGURE_H
#define ALIBI_REPORT_FIGURE_H

#include "history/history.h"

enum {
	FIGURE_MAX = 100, /* transactions, and edges */
	NOTES_MAX = 26,   /* annotations shown: A to Z */
	ARROW_POINTS = 8,
	LETTER_WIDTH_4 = 29, /* four times the width of a letter, in pixels */
	LINE_HEIGHT = 17,
	BOX_PADDING = 10,
	LINE_INDENT = 14,   /* of a line that goes on */
	FIGURE_WIDTH = 700, /* boxes are not widened for their text beyond this */
	FLAG_HEIGHT = 26,   /* the row of the annotations */
};

struct point {
	int x, y;
};

static inline int larger(int a, int b)
{
	return a > b ? a : b;
}

struct figure_lane {
	const char *name; /* NULL: it has none */
	int top, height;
};

struct figure_line {
	const char *text;
	bool goes_on; /* with what the line above began */
};

struct figure_box {
	uint32_t lane;
	int left, top, width, height;
	bool open;                 /* it has no known end */
	const char *id;            /* id and lines are short enough for the box */
	uint32_t op_count;         /* how many operations are shown */
	struct figure_line *lines; /* these operations; the last may be "… 3 more" */
	size_t line_count;
};

struct figure_arrow {
	struct point at[ARROW_POINTS]; /* corners, from box to box */
	unsigned corners;
	struct point label; /* the middle of its number */
};

struct figure_note {
	const struct annotation *what;
	int x;
};

enum figure_clock { CLOCK_STEPS, CLOCK_CLIENTS, CLOCK_DATABASE };

struct figure {
	int width, height, names_width;
	enum figure_clock clock;
	struct figure_lane *lanes;
	uint32_t lane_count;
	struct figure_box *boxes; /* by transaction */
	uint32_t box_count;
	struct figure_arrow *arrows; /* by edge */
	size_t arrow_count;
	struct figure_note *notes; /* by time; only with CLOCK_CLIENTS */
	size_t note_count, notes_left_out;
};

/* Of all transactions of h and these edges. annotated: the history whose annotations are
 * shown. NULL: too many to draw. */
struct figure *figure_make(struct pool *pool, const struct history *h, const alibi_edge *edges,
                           size_t edge_count, const struct history *annotated);

/* route.c: lanes, arrows, and the size. */
void figure_route(struct pool *pool, struct figure *f, const alibi_edge *edges);

#endif
