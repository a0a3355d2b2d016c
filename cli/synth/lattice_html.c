/*
 * lattice_html: the lattice as a page: a Hasse diagram, whose lines lead to the histories that tell
 * two levels apart. Each is a section as a report has it, with a picture and, if `alibi check`
 * knows the stronger level, the reason why that forbids it.
 *
 * A layered drawing (Sugiyama): rows are heights; a line across several rows passes through gaps in
 * the rows between, so that it crosses no box; rows are sorted by the barycentre of their
 * neighbours, down and up, several times.
 */
#include "lattice.h"

#include "lattice_page.h"
#include "text.h"

#include <string.h>

enum {
	ITEMS_MAX = LATTICE_MAX * LATTICE_MAX,
	BOX_WIDTH = 178,
	BOX_HEIGHT = 58,
	GAP_WIDTH = 10,
	SPACE_X = 22,
	SPACE_Y = 50,
	MARGIN = 10,
	SWEEPS = 8,
	TITLE_COLUMNS = 25, /* of a line in a box */
	BASELINE = 5,
	TITLE_LINE = 16,
	NUMBER_RADIUS = 10,
};

struct pair_of {
	size_t strong, weak;
};

/* The page is written from its first byte to its last. */
struct writer {
	const struct lattice *l;
	alibi *a;
	FILE *out;
	struct pair_of pairs[LATTICE_MAX * LATTICE_MAX]; /* with a history, … */
	size_t count;
	size_t numbers[LATTICE_MAX]
	              [LATTICE_MAX]; /* … from 1: by the stronger, the weaker; 0: none */
};

static void html_bytes(FILE *out, const char *text, size_t length)
{
	struct text t = {0};
	text_escaped(&t, ALIBI_ESCAPE_MARKUP, text, length);
	if (t.length)
		fwrite(t.data, 1, t.length, out);
	text_release(&t);
}

static void html_text(FILE *out, const char *text)
{
	html_bytes(out, text, strlen(text));
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

/* In a box: the title in one or two lines, and below it the names. */
static void draw_box(const struct writer *w, const struct drawing *d, const struct item *m)
{
	const char *title = w->l->titles[m->class];
	size_t length = title ? strlen(title) : 0, cut = length;
	double x = x_of(d, m);
	int y = y_of(m) + BOX_HEIGHT / 2 + BASELINE;
	fprintf(w->out,
	        "<rect class=\"level\" x=\"%.0f\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"8\"/>",
	        x - BOX_WIDTH / 2.0, y_of(m), BOX_WIDTH, BOX_HEIGHT);
	for (size_t i = TITLE_COLUMNS; length > TITLE_COLUMNS && i && cut == length; i--)
		cut = title[i] == ' ' ? i : cut;
	int lines = title ? (cut < length ? 2 : 1) : 0;
	y -= lines * TITLE_LINE / 2;
	for (int i = 0; i < lines; i++, y += TITLE_LINE) {
		fprintf(w->out, "<text x=\"%.0f\" y=\"%d\">", x, y);
		html_bytes(w->out, i ? title + cut + 1 : title, i ? length - cut - 1 : cut);
		fputs("</text>", w->out);
	}
	fprintf(w->out, "<text class=\"names\" x=\"%.0f\" y=\"%d\">", x, y);
	html_class(w->l, w->out, m->class);
	fputs("</text>\n", w->out);
}

/* From a box down, through gaps, to another one; the number of the history is in the middle of the
 * first part. */
static void draw_line(const struct writer *w, const struct drawing *d, const struct item *from,
                      size_t next)
{
	const struct item *first = &d->items[next], *m = first;
	size_t number = w->numbers[from->class][m->class];
	double x1 = x_of(d, from), y1 = y_of(from) + BOX_HEIGHT;
	double x = (x1 + x_of(d, first)) / 2, y = (y1 + y_of(first)) / 2;
	if (number) {
		fprintf(w->out, "<a href=\"#anomaly-%zu\" aria-label=\"History %zu: allowed by ",
		        number, number);
		html_class(w->l, w->out, m->class);
		fputs(", forbidden by ", w->out);
		html_class(w->l, w->out, from->class);
		fputs("\">", w->out);
	}
	for (int i = 0; i < 2; i++) {
		fputs(i ? "<polyline class=\"line\"" : "<polyline class=\"near\"", w->out);
		fprintf(w->out, " points=\"%.0f,%.0f", x1, y1);
		for (m = first; m->gap; m = &d->items[m->lower[0]])
			fprintf(w->out, " %.0f,%d %.0f,%d", x_of(d, m), y_of(m), x_of(d, m),
			        y_of(m) + BOX_HEIGHT);
		fprintf(w->out, " %.0f,%d\"/>", x_of(d, m), y_of(m));
	}
	if (number)
		fprintf(w->out,
		        "<circle cx=\"%.0f\" cy=\"%.0f\" r=\"%d\"/><text class=\"mark\" "
		        "x=\"%.0f\" y=\"%.0f\">%zu</text></a>\n",
		        x, y, NUMBER_RADIUS, x, y + 4, number);
}

static void html_drawing(const struct writer *w)
{
	struct drawing d = {0};
	add_items(&d, w->l);
	for (size_t sweep = 0; sweep < SWEEPS; sweep++) {
		for (size_t row = 0; row < d.rows; row++)
			place_row(&d, row, true);
		for (size_t row = d.rows; row-- > 0;)
			place_row(&d, row, false);
	}
	int height = (int)d.rows * (BOX_HEIGHT + SPACE_Y) - SPACE_Y + 2 * MARGIN;
	fprintf(w->out,
	        "<svg class=\"lattice\" viewBox=\"0 0 %.0f %d\" role=\"group\" "
	        "aria-label=\"Which levels are above which\">\n",
	        d.width, height);
	for (size_t row = 0; row < d.rows; row++) /* the keyboard goes from top to bottom */
		for (size_t i = 0; i < d.count; i++)
			for (size_t k = 0;
			     d.items[i].row == row && !d.items[i].gap && k < d.items[i].lower_count;
			     k++)
				draw_line(w, &d, &d.items[i], d.items[i].lower[k]);
	for (size_t i = 0; i < d.count; i++)
		if (!d.items[i].gap)
			draw_box(w, &d, &d.items[i]);
	fputs("</svg>\n", w->out);
}

/* ---- the histories ---- */

static bool write_out(void *data, const void *bytes, size_t length)
{
	return fwrite(bytes, 1, length, data) == length;
}

static void add_class(const struct lattice *l, struct text *t, size_t class)
{
	const char *title = l->titles[class];
	if (title)
		text_print(t, "%s (", title);
	for (size_t i = class; i < l->count; i++)
		if (l->class_of[i] == class)
			text_print(t, "%s%s", i == class ? "" : " = ", l->asked[i]);
	text_word(t, title ? ")" : "");
}

/* Why the stronger level forbids it; NULL: `alibi check` does not know that level. */
static const alibi_explanation *explanation_of(alibi *a, const alibi_history *h, const char *level,
                                               const alibi_result **result)
{
	alibi_check_options options = {ALIBI_INIT(alibi_check_options), .level = level};
	*result = level ? alibi_check(a, h, &options) : NULL;
	return *result && alibi_result_verdict(*result) == ALIBI_VIOLATES
	               ? alibi_explain(a, h, &options, *result)
	               : NULL;
}

static bool write_section(const struct writer *w, size_t strong, size_t weak)
{
	const alibi_synth_history *found = w->l->histories[weak][strong];
	const alibi_history *h = alibi_synth_history_history(found);
	const alibi_synth_level *allows = alibi_synth_history_level_at(found, 0);
	const char *level = alibi_definition_same_as(
	        alibi_synth_level_definition(alibi_synth_history_level_at(found, 1)));
	struct text heading = {0}, note = {0};
	alibi_finding finding = {ALIBI_INIT(alibi_finding), .level = level};
	finding.explanation = explanation_of(w->a, h, level, &finding.result);
	text_print(&heading, "%zu. Allowed by ", w->numbers[strong][weak]);
	add_class(w->l, &heading, weak);
	text_word(&heading, ", forbidden by ");
	add_class(w->l, &heading, strong);
	text_print(&note, "The order at %s: %s.",
	           alibi_definition_name(alibi_synth_level_definition(allows)),
	           alibi_synth_level_witness(allows));
	alibi_report *r = alibi_report_to(
	        w->a, ALIBI_REPORT_SECTION, write_out, w->out,
	        &(alibi_report_options){ALIBI_INIT(alibi_report_options),
	                                .number = w->numbers[strong][weak], .note = note.data});
	alibi_reported reported = {ALIBI_INIT(alibi_reported), .name = heading.data, .history = h,
	                           .finding_count = 1, .findings = &finding};
	bool ok = r && alibi_report_add(r, &reported) && alibi_report_close(r);
	text_release(&heading);
	text_release(&note);
	return ok;
}

/* ---- the page ---- */

static void write_head(const struct writer *w)
{
	fputs("<header class=\"head\">\n<div>\n<p class=\"brand\">Alibi</p>\n"
	      "<h1>Isolation levels compared</h1>\n",
	      w->out);
	fprintf(w->out,
	        "<p class=\"basis\">A level above another one is stronger: it allows fewer "
	        "histories. "
	        "A line leads to a smallest history that only the lower one allows. Names joined "
	        "by = allow the same.</p>\n<p class=\"basis soft\">"
	        "All of this holds up to %u transactions, %u keys and %u values a key: histories "
	        "were confirmed by evaluating the formulas, and that there are no others rests on "
	        "the solver, CaDiCaL.</p>\n",
	        w->l->txns, w->l->keys, w->l->values);
	if (w->l->reason) {
		fputs("<p class=\"basis unknown\">Some pairs are unknown: ", w->out);
		html_text(w->out, w->l->reason);
		fputs(".</p>\n", w->out);
	}
	fputs("</div>\n</header>\n", w->out);
}

/* Numbers the histories, those of the strongest levels first. */
static void number_pairs(struct writer *w)
{
	const struct lattice *l = w->l;
	for (size_t height = l->count; height-- > 0;)
		for (size_t i = 0; i < l->count; i++)
			for (size_t j = 0; j < l->count; j++)
				if (l->histories[j][i] && lattice_height(l, i) == height) {
					w->pairs[w->count] = (struct pair_of){i, j};
					w->numbers[i][j] = ++w->count;
				}
}

/* Of two levels that are incomparable, no line leads to the histories. */
static void list_links(const struct writer *w)
{
	fputs("<ol>\n", w->out);
	for (size_t i = 0; i < w->count; i++) {
		fprintf(w->out, "<li><a href=\"#anomaly-%zu\"><b>Allowed by ", i + 1);
		html_class(w->l, w->out, w->pairs[i].weak);
		fputs(", forbidden by ", w->out);
		html_class(w->l, w->out, w->pairs[i].strong);
		fputs("</b></a></li>\n", w->out);
	}
	fputs("</ol>\n", w->out);
}

static bool write_body(struct writer *w)
{
	bool ok = true;
	number_pairs(w);
	write_head(w);
	fputs("<div class=\"levels\">\n<nav aria-label=\"Levels\">\n", w->out);
	html_drawing(w);
	if (w->l->count == 2)
		list_links(w);
	fputs("</nav>\n<main id=\"histories\">\n", w->out);
	for (size_t i = 0; ok && i < w->count; i++)
		ok = write_section(w, w->pairs[i].strong, w->pairs[i].weak);
	fputs("</main>\n</div>\n", w->out);
	return ok;
}

bool lattice_write_html(const struct lattice *l, alibi *a, FILE *out)
{
	static const char slot[] = "<!-- slot: body -->";
	const char *page = (const char *)lattice_page, *end = page + lattice_page_length;
	const char *body = memmem(page, lattice_page_length, slot, strlen(slot));
	struct writer w = {.l = l, .a = a, .out = out};
	fwrite(page, 1, (size_t)(body - page), out);
	bool ok = write_body(&w);
	body += strlen(slot);
	fwrite(body, 1, (size_t)(end - body), out);
	return ok;
}
