/*
 * lattice_html: the lattice as a page: a Hasse diagram, and the histories that its lines link to.
 *
 * A layered drawing (Sugiyama): rows are heights; a line across several rows passes through gaps in
 * the rows between, so that it crosses no box; rows are sorted by the barycentre of their
 * neighbours, down and up, several times.
 */
#include "lattice.h"

#include "text.h"

#include <string.h>

enum {
	ITEMS_MAX = LATTICE_MAX * LATTICE_MAX,
	BOX_WIDTH = 170,
	BOX_HEIGHT = 40,
	GAP_WIDTH = 10,
	SPACE_X = 30,
	SPACE_Y = 50,
	MARGIN = 10,
	SWEEPS = 8,
};

static void html_text(FILE *out, const char *text)
{
	struct text t = {0};
	for (size_t length; *text; text += length) {
		length = strcspn(text, "\n");
		text_escaped(&t, ALIBI_ESCAPE_MARKUP, text, length);
		if (text[length] == '\n')
			text_add(&t, text + length++, 1);
	}
	if (t.length)
		fwrite(t.data, 1, t.length, out);
	text_release(&t);
}

static void html_class(const struct lattice *l, FILE *out, size_t class)
{
	for (size_t i = class; i < l->count; i++)
		if (l->class_of[i] == class) {
			fputs(i == class ? "" : " = ", out);
			html_text(out, l->asked[i]);
		}
}

/* ---- the drawing ---- */

/* A row has boxes of classes, and gaps that lines to lower rows pass through. */
struct item {
	size_t row; /* from the top */
	bool gap;
	size_t class;                                    /* of a box */
	uint16_t upper[LATTICE_MAX], lower[LATTICE_MAX]; /* neighbours */
	size_t upper_count, lower_count;
	double middle;
};

struct drawing {
	struct item items[ITEMS_MAX];
	size_t count, rows;
	double width;
};

static double width_of(const struct item *m)
{
	return (m->gap ? GAP_WIDTH : BOX_WIDTH) + SPACE_X;
}

static size_t add_item(struct drawing *d, size_t row, bool gap, size_t class)
{
	d->items[d->count] = (struct item){.row = row, .gap = gap, .class = class};
	return d->count++;
}

static void connect(struct drawing *d, size_t upper, size_t lower)
{
	struct item *u = &d->items[upper], *w = &d->items[lower];
	u->lower[u->lower_count++] = (uint16_t)lower;
	w->upper[w->upper_count++] = (uint16_t)upper;
}

static void add_items(struct drawing *d, const struct lattice *l)
{
	size_t box[LATTICE_MAX] = {0};
	for (size_t i = 0; i < l->count; i++)
		if (lattice_is_class(l, i) && lattice_height(l, i) + 1 > d->rows)
			d->rows = lattice_height(l, i) + 1;
	for (size_t i = 0; i < l->count; i++)
		if (lattice_is_class(l, i))
			box[i] = add_item(d, d->rows - 1 - lattice_height(l, i), false, i);
	for (size_t i = 0; i < l->count; i++)
		for (size_t j = 0; j < l->count; j++) {
			if (!l->above[i][j])
				continue;
			size_t at = box[i];
			for (size_t row = d->items[at].row + 1;
			     row < d->items[box[j]].row && d->count < ITEMS_MAX; row++) {
				size_t gap = add_item(d, row, true, j);
				connect(d, at, gap);
				at = gap;
			}
			connect(d, at, box[j]);
		}
}

/* The barycentre of its neighbours in the row above or below. */
static double barycentre(const struct drawing *d, const struct item *m, bool up)
{
	const uint16_t *near = up ? m->upper : m->lower;
	size_t n = up ? m->upper_count : m->lower_count;
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += d->items[near[i]].middle;
	return n ? sum / (double)n : m->middle;
}

/* Sorts a row by barycentre, and spreads its items from left to right. */
static void place_row(struct drawing *d, size_t row, bool up)
{
	size_t order[ITEMS_MAX], n = 0;
	double centre[ITEMS_MAX], at = 0;
	for (size_t i = 0; i < d->count; i++) {
		if (d->items[i].row != row)
			continue;
		double w = barycentre(d, &d->items[i], up);
		size_t k = n++;
		for (; k && centre[k - 1] > w; k--) {
			centre[k] = centre[k - 1];
			order[k] = order[k - 1];
		}
		centre[k] = w;
		order[k] = i;
		at += width_of(&d->items[i]);
	}
	d->width = at > d->width ? at : d->width;
	at = -at / 2;
	for (size_t k = 0; k < n; k++) {
		struct item *m = &d->items[order[k]];
		m->middle = at + width_of(m) / 2;
		at += width_of(m);
	}
}

static double x_of(const struct drawing *d, const struct item *m)
{
	return d->width / 2 + m->middle;
}

static int y_of(const struct item *m)
{
	return MARGIN + (int)m->row * (BOX_HEIGHT + SPACE_Y);
}

/* From a box down, through gaps, to another one. */
static void draw_line(const struct drawing *d, FILE *out, const struct item *from, size_t next)
{
	const struct item *m = &d->items[next];
	fprintf(out, "<a href=\"#%zu-%zu\"><polyline points=\"%.0f,%d", from->class, m->class,
	        x_of(d, from), y_of(from) + BOX_HEIGHT);
	for (; m->gap; m = &d->items[m->lower[0]])
		fprintf(out, " %.0f,%d %.0f,%d", x_of(d, m), y_of(m), x_of(d, m),
		        y_of(m) + BOX_HEIGHT);
	fprintf(out, " %.0f,%d\"/></a>\n", x_of(d, m), y_of(m));
}

static void html_drawing(const struct lattice *l, FILE *out)
{
	struct drawing d = {0};
	add_items(&d, l);
	for (size_t sweep = 0; sweep < SWEEPS; sweep++) {
		for (size_t row = 0; row < d.rows; row++)
			place_row(&d, row, true);
		for (size_t row = d.rows; row-- > 0;)
			place_row(&d, row, false);
	}
	int height = (int)d.rows * (BOX_HEIGHT + SPACE_Y) - SPACE_Y + 2 * MARGIN;
	fprintf(out,
	        "<svg viewBox=\"0 0 %.0f %d\" width=\"%.0f\" role=\"img\" "
	        "aria-label=\"which levels are above which\">\n",
	        d.width, height, d.width);
	for (size_t i = 0; i < d.count; i++)
		for (size_t k = 0; !d.items[i].gap && k < d.items[i].lower_count; k++)
			draw_line(&d, out, &d.items[i], d.items[i].lower[k]);
	for (size_t i = 0; i < d.count; i++) {
		const struct item *m = &d.items[i];
		if (m->gap)
			continue;
		fprintf(out,
		        "<rect x=\"%.0f\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>"
		        "<text x=\"%.0f\" y=\"%d\">",
		        x_of(&d, m) - BOX_WIDTH / 2.0, y_of(m), BOX_WIDTH, BOX_HEIGHT, x_of(&d, m),
		        y_of(m) + BOX_HEIGHT / 2 + 5);
		html_class(l, out, m->class);
		fputs("</text>\n", out);
	}
	fputs("</svg>\n", out);
}

/* ---- the page ---- */

static void html_pair(const struct lattice *l, FILE *out, size_t strong, size_t weak)
{
	const alibi_synth_history *h = l->histories[weak][strong];
	if (!h)
		return;
	fprintf(out, "<h2 id=\"%zu-%zu\">", strong, weak);
	fputs("Allowed by ", out);
	html_class(l, out, weak);
	fputs(", forbidden by ", out);
	html_class(l, out, strong);
	fputs("</h2>\n<pre>", out);
	html_text(out, alibi_synth_history_text(h));
	fputs("</pre>\n<p>The order at ", out);
	const alibi_synth_level *level = alibi_synth_history_level_at(h, 0);
	html_text(out, alibi_definition_name(alibi_synth_level_definition(level)));
	fputs(": ", out);
	html_text(out, alibi_synth_level_witness(level));
	fputs(".</p>\n", out);
}

void lattice_write_html(const struct lattice *l, FILE *out)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<title>Isolation levels compared</title>\n<style>\n"
	      "body { font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 "
	      "1em; "
	      "color: #222; background: #fff; }\n"
	      "svg { max-width: 100%; height: auto; }\n"
	      "rect { fill: #eef3fa; stroke: #456; }\n"
	      "text { text-anchor: middle; font-size: 14px; }\n"
	      "polyline { fill: none; stroke: #456; stroke-width: 2; }\n"
	      "a:hover polyline { stroke: #c40; stroke-width: 4; }\n"
	      "pre { background: #f6f6f6; padding: .5em 1em; }\n"
	      "</style>\n</head>\n<body>\n<h1>Isolation levels compared</h1>\n",
	      out);
	fprintf(out,
	        "<p>A level above another one is stronger: it allows fewer histories. "
	        "A line leads to a smallest history that only the lower one allows. Names joined "
	        "by = allow the same. "
	        "All of this holds up to %u transactions, %u keys and %u values a key: histories "
	        "were confirmed by evaluating the formulas, and that there are no others rests on "
	        "the solver, CaDiCaL.</p>\n",
	        l->txns, l->keys, l->values);
	if (l->reason) {
		fputs("<p>Some pairs are unknown: ", out);
		html_text(out, l->reason);
		fputs(".</p>\n", out);
	}
	html_drawing(l, out);
	for (size_t i = 0; i < l->count; i++)
		for (size_t j = 0; j < l->count; j++)
			if (l->above[i][j] || (l->count == 2 && i != j))
				html_pair(l, out, i, j);
	fputs("</body>\n</html>\n", out);
}
