/* svg: see svg.h. */
#include "report/svg.h"

#include "report/faults.h"
#include "report/view.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	ROUNDED = 14,
	HEAD_LONG = 9,
	HEAD_WIDE = 4,
	NUMBER_RADIUS = 10,
	BASELINE = 13,
	LABEL_COLUMNS = 100
};

const char *svg_clock(const struct figure *f)
{
	static const char *const words[] = {
	        "Each session runs from left to right. The transactions carry no times.",
	        "Time runs from left to right, by the clients' clocks; not to scale.",
	        "Time runs from left to right, by the database's timestamps; not to scale.",
	};
	return words[f->clock];
}

const char *svg_note(struct pool *pool, const struct history *annotated,
                     const struct figure_note *note)
{
	const struct annotation *a = note->what;
	const char *text = faults_words(pool, annotated, a);
	return a->at < 0 ? text_format(pool, "%s, at %lld", text, (long long)a->at)
	                 : text_format(pool, "%s, at %s", text,
	                               faults_distance(pool, annotated, (uint64_t)a->at));
}

static void text_at(struct sink *s, const char *class, int x, int y, const char *text)
{
	words_markupf(s, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>", class, x, y, text);
}

static void draw_lanes(struct sink *s, const struct figure *f)
{
	for (uint32_t i = 0; i < f->lane_count; i++) {
		const struct figure_lane *lane = &f->lanes[i];
		int base = lane->top + BASELINE + BOX_PADDING;
		sink_addf(s,
		          "<rect class=\"lane\" x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\" "
		          "rx=\"8\"/>",
		          lane->top, f->width, lane->height);
		if (!lane->name)
			continue;
		text_at(s, "small", BOX_PADDING, base, "session");
		text_at(s, "name", BOX_PADDING, base + LINE_HEIGHT, lane->name);
	}
}

static void draw_notes(struct sink *s, const struct drawing *d)
{
	const struct figure *f = d->figure;
	for (size_t i = 0; i < f->note_count; i++) {
		char letter[2] = {(char)('A' + i), 0};
		int x = f->notes[i].x;
		const char *text = svg_note(s->pool, d->annotated, &f->notes[i]);
		words_markupf(s,
		              "<g class=\"note\" id=\"%s-n%zu\" tabindex=\"0\" role=\"img\" "
		              "aria-label=\"%s\"><path d=\"M%d %dV%d\"/><rect x=\"%d\" y=\"2\" "
		              "width=\"20\" height=\"20\" rx=\"4\"/>",
		              d->prefix, i + 1, text, x, FLAG_HEIGHT - 4, f->height, x - 10);
		text_at(s, "mark", x, 16, letter);
		words_markupf(s, "<title>%s</title></g>", text);
	}
}

/* The whole transaction as a label, for screen readers. */
static void describe_box(struct sink *s, const struct drawing *d, uint32_t t)
{
	const char *session = view_session(s->pool, d->h, t);
	words_markupf(s, " role=\"img\" aria-label=\"transaction %s%s%s, %s",
	              view_id(s->pool, d->h, t), session ? ", session " : "",
	              session ? session : "", view_status(d->h, t));
	uint32_t shown = d->figure->boxes[t].op_count, first = d->h->txns[t].first_op;
	for (uint32_t i = 0; i < shown; i++)
		words_markupf(s, "%s%s", i ? ", " : ": ",
		              view_op(s->pool, d->h, first + i, LABEL_COLUMNS));
	if (first + shown < txn_op_end(d->h, t))
		sink_addf(s, ", and %u more", txn_op_end(d->h, t) - first - shown);
	sink_text(s, "\"");
}

static void draw_box(struct sink *s, const struct drawing *d, uint32_t t)
{
	static const char *const classes[] = {"", " aborted", " uncertain"};
	const struct figure_box *b = &d->figure->boxes[t];
	int x = b->left + BOX_PADDING, y = b->top + BOX_PADDING + BASELINE;
	sink_addf(s, "<g class=\"txn%s\" id=\"%s-t%u\" tabindex=\"-1\"",
	          classes[d->h->txns[t].status], d->prefix, t + 1);
	describe_box(s, d, t);
	sink_addf(s, "><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>", b->left,
	          b->top, b->width, b->height);
	text_at(s, "id", x, y, b->id);
	if (d->h->txns[t].status != ALIBI_COMMIT)
		text_at(s, "small", x, y += LINE_HEIGHT, view_status(d->h, t));
	for (size_t i = 0; i < b->line_count; i++)
		text_at(s, "op", x + (b->lines[i].goes_on ? LINE_INDENT : 0), y += LINE_HEIGHT,
		        b->lines[i].text);
	sink_text(s, "</g>");
}

/* ---- arrows ---- */

static int sign(int n)
{
	return n < 0 ? -1 : n > 0;
}

/* A line with round corners. */
static void draw_path(struct sink *s, const struct figure_arrow *a)
{
	sink_addf(s, "M%d %d", a->at[0].x, a->at[0].y);
	for (unsigned i = 1; i + 1 < a->corners; i++) {
		struct point p = a->at[i - 1], q = a->at[i], r = a->at[i + 1];
		int before = (abs(q.x - p.x) + abs(q.y - p.y)) / 2;
		int after = (abs(r.x - q.x) + abs(r.y - q.y)) / 2;
		int radius = before < after ? before : after;
		radius = radius < ROUNDED ? radius : ROUNDED;
		sink_addf(s, "L%d %dQ%d %d %d %d", q.x - sign(q.x - p.x) * radius,
		          q.y - sign(q.y - p.y) * radius, q.x, q.y, q.x + sign(r.x - q.x) * radius,
		          q.y + sign(r.y - q.y) * radius);
	}
	sink_addf(s, "L%d %d", a->at[a->corners - 1].x, a->at[a->corners - 1].y);
}

static void draw_head(struct sink *s, const struct figure_arrow *a)
{
	struct point tip = a->at[a->corners - 1], from = a->at[a->corners - 2];
	int dx = sign(tip.x - from.x), dy = sign(tip.y - from.y);
	int x = tip.x - dx * HEAD_LONG, y = tip.y - dy * HEAD_LONG;
	sink_addf(s, "<path class=\"head\" d=\"M%d %dL%d %dL%d %dZ\"/>", tip.x, tip.y,
	          x - dy * HEAD_WIDE, y + dx * HEAD_WIDE, x + dy * HEAD_WIDE, y - dx * HEAD_WIDE);
}

/* The class in figure.css. */
static const char *arrow_class(const char *kind)
{
	return view_kind(kind) == kind ? "other" : kind;
}

static void draw_arrow(struct sink *s, const struct drawing *d, size_t e)
{
	const struct figure_arrow *a = &d->figure->arrows[e];
	const char *sentence = view_sentence(s->pool, d->edges[e].text);
	char number[24];
	snprintf(number, sizeof number, "%zu", e + 1);
	words_markupf(s,
	              "<g class=\"arrow %s\" id=\"%s-e%s\" tabindex=\"0\" role=\"img\" "
	              "aria-label=\"%s\"><title>%s</title><path class=\"near\" d=\"",
	              arrow_class(d->edges[e].kind), d->prefix, number, sentence, sentence);
	draw_path(s, a);
	sink_text(s, "\"/><path class=\"line\" d=\"");
	draw_path(s, a);
	sink_text(s, "\"/>");
	draw_head(s, a);
	sink_addf(s, "<circle cx=\"%d\" cy=\"%d\" r=\"%d\"/>", a->label.x, a->label.y,
	          NUMBER_RADIUS);
	text_at(s, "mark", a->label.x, a->label.y + 4, number);
	sink_text(s, "</g>");
}

void svg_draw(struct sink *s, const struct drawing *d)
{
	draw_lanes(s, d->figure);
	draw_notes(s, d);
	for (uint32_t t = 0; t < d->figure->box_count; t++)
		draw_box(s, d, t);
	for (size_t e = 0; e < d->figure->arrow_count; e++)
		draw_arrow(s, d, e);
}
