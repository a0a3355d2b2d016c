/*
 * report_svg: the figures of the anomalies, one below the other, each with its sentences. It
 * is light or dark, as the viewer is.
 */
#include "report/page.h"
#include "report/report.h"
#include "report/svg.h"
#include "report/view.h"

enum {
	PICTURES = 24, /* drawn, at most */
	MARGIN = 24,
	WIDTH_MIN = 640,
	PROSE_4 = 28, /* four times the width of a letter of the prose, on average */
	PROSE_LINE = 20,
	TITLE_LINE = 34,
	TITLE_LETTER = 12,
};

struct canvas {
	struct sink *s;
	const struct history *annotated;
	int width, y;
	size_t pictures, left_out;
};

static void line(struct canvas *c, const char *class, int x, const char *text)
{
	words_markupf(c->s, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", class, x, c->y + 14,
	              text);
	c->y += PROSE_LINE;
}

static void prose(struct canvas *c, int x, const char *text)
{
	size_t columns = (size_t)((c->width - MARGIN - x) * 4 / PROSE_4);
	const char *part;
	while ((part = words_line(c->s->pool, &text, columns)))
		line(c, "prose", x, part);
}

static void numbered(struct canvas *c, const char *number, const char *text)
{
	int y = c->y;
	line(c, "prose", MARGIN, number);
	c->y = y;
	prose(c, MARGIN + 28, text);
}

static void picture(struct canvas *c, const alibi_anomaly *a, const alibi_case *which)
{
	struct sink *s = c->s;
	const struct history *h = view_history(a->reduced);
	size_t edge_count = which ? which->edge_count : 0;
	const alibi_edge *edges = which ? which->edges : NULL;
	struct figure *f = figure_make(s->pool, h, edges, edge_count, c->annotated);
	const char *prefix = text_format(s->pool, "p%zu", ++c->pictures);
	if (f) {
		sink_addf(s, "<g transform=\"translate(%d %d)\">\n", MARGIN, c->y);
		svg_draw(s, &(struct drawing){f, h, edges, c->annotated, prefix});
		sink_text(s, "</g>\n");
		c->y += f->height + 12;
		line(c, "small", MARGIN, svg_clock(f));
		c->y += 8;
	} else {
		line(c, "small", MARGIN, "Too many transactions to draw.");
	}
	for (size_t e = 0; e < edge_count; e++)
		numbered(c, text_format(s->pool, "%zu.", e + 1),
		         view_sentence(s->pool, edges[e].text));
	for (size_t i = 0; f && i < f->note_count; i++)
		numbered(c, text_format(s->pool, "%c", (char)('A' + i)),
		         svg_note(s->pool, c->annotated, &f->notes[i]));
	if (which && which->text)
		prose(c, MARGIN, view_sentence(s->pool, which->text));
}

static void anomaly(struct canvas *c, const alibi_anomaly *a, const char *level)
{
	if (c->pictures >= PICTURES) {
		c->left_out++;
		return;
	}
	c->y += c->pictures ? PROSE_LINE : 0;
	const char *part, *title = text_format(c->s->pool, "%s (%s), at %s", a->title,
	                                       view_names(c->s->pool, a), view_level(level));
	while ((part = words_line(c->s->pool, &title,
	                          (size_t)((c->width - 2 * MARGIN) / TITLE_LETTER)))) {
		line(c, "title", MARGIN, part);
		c->y += TITLE_LINE - PROSE_LINE;
	}
	prose(c, MARGIN, view_sentence(c->s->pool, a->summary));
	c->y += 8;
	for (size_t i = 0; i < a->case_count || !i; i++) {
		const alibi_case *which = i < a->case_count ? &a->cases[i] : NULL;
		if (which && which->assumption)
			prose(c, MARGIN,
			      text_format(c->s->pool, "Suppose that %s:", which->assumption));
		picture(c, a, which);
	}
}

/* Of the widest figure: needed before anything is written. */
static int width_of(struct pool *pool, const alibi_reported *what, const struct history *annotated)
{
	int width = WIDTH_MIN;
	size_t pictures = 0;
	const alibi_anomaly *a;
	const char *level;
	for (size_t n = 0; (a = view_anomaly(what, n, &level)) && pictures < PICTURES; n++)
		for (size_t i = 0; i < a->case_count || !i; i++, pictures++) {
			static const alibi_case no_case;
			const alibi_case *c = i < a->case_count ? &a->cases[i] : &no_case;
			struct figure *f = figure_make(pool, view_history(a->reduced), c->edges,
			                               c->edge_count, annotated);
			width = larger(width, f ? f->width : 0);
		}
	return width + 2 * MARGIN;
}

static void add(const struct report *r, struct sink *s, const alibi_reported *what)
{
	(void)r;
	const alibi_anomaly *a;
	const char *level;
	struct canvas c = {.s = sink_in_memory(s->pool),
	                   .annotated = view_history(what->history),
	                   .y = MARGIN};
	c.width = width_of(s->pool, what, c.annotated);
	for (size_t n = 0; (a = view_anomaly(what, n, &level)); n++)
		anomaly(&c, a, level);
	if (!c.pictures)
		line(&c, "prose", MARGIN, "There is no anomaly to draw.");
	if (c.left_out)
		line(&c, "prose", MARGIN,
		     text_format(s->pool, "%zu more anomalies are not drawn.", c.left_out));
	c.y += MARGIN;
	words_markupf(s,
	              "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure alone\" "
	              "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n<title>%s"
	              "</title>\n<style>\n",
	              c.width, c.y, c.width, c.y, what->name);
	sink_add(s, figure_style, figure_style_length);
	sink_text(s, "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
	sink_add(s, c.s->buffer.items, c.s->buffer.count);
	sink_text(s, "</svg>\n");
}

const struct report_kind report_svg = {.name = "SVG", .add = add};
