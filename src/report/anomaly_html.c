/* anomaly_html: see anomaly_html.h. */
#include "report/anomaly_html.h"

#include "format/format.h"
#include "history/units.h"
#include "report/faults.h"
#include "report/svg.h"
#include "report/view.h"

#include <stdio.h>
#include <string.h>

enum { CASES_MAX = 20, OPS_MAX = 60, OP_COLUMNS = 160, PREFIX_BYTES = 64 };

static bool is_long(const struct sink *s)
{
	return s->buffer.count > ANOMALY_HTML_MAX;
}

/* ---- the figure, and the proof ---- */

static void draw(struct sink *s, const struct drawing *d)
{
	const struct figure *f = d->figure;
	sink_addf(s,
	          "<figure>\n<div class=\"stage\">"
	          "<svg class=\"figure\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
	          "role=\"group\" aria-label=\"%u transactions of %u sessions, and %zu arrows "
	          "between them\">\n",
	          f->width, f->height, f->width, f->height, f->box_count, f->lane_count,
	          f->arrow_count);
	svg_draw(s, d);
	sink_addf(s, "</svg></div>\n<figcaption>%s%s</figcaption>\n</figure>\n", svg_clock(f),
	          f->arrow_count ? " Point at an arrow, or tab to it, to read why it is there."
	                         : "");
}

static void step(struct sink *s, const alibi_edge *e, const char *prefix, size_t number)
{
	const char *words = view_kind(e->kind);
	const char *key = e->key ? words_elided(s->pool, words_bare(s->pool, e->key), 24) : "";
	words_markupf(s,
	              "<li class=\"%s\" data-of=\"%s-e%zu\">%s <abbr class=\"kind\" "
	              "title=\"%s\">%s%s%s</abbr></li>\n",
	              words == e->kind ? "" : e->kind, prefix, number,
	              view_sentence(s->pool, e->text), words, e->kind, e->key ? " " : "", key);
}

static void notes(struct sink *s, const struct drawing *d)
{
	const struct figure *f = d->figure;
	if (!f || !f->note_count)
		return;
	sink_text(s, "<h3>What else happened</h3>\n<ol class=\"steps letters\">\n");
	for (size_t i = 0; i < f->note_count; i++)
		words_markupf(s, "<li data-of=\"%s-n%zu\">%s</li>\n", d->prefix, i + 1,
		              svg_note(s->pool, d->annotated, &f->notes[i]));
	sink_text(s, "</ol>\n");
	if (f->notes_left_out)
		sink_addf(s, "<p class=\"soft\">%zu more annotations are not shown.</p>\n",
		          f->notes_left_out);
}

static void case_of(struct sink *s, const alibi_anomaly *a, size_t i, struct drawing *d)
{
	const alibi_case *c = i < a->case_count ? &a->cases[i] : NULL;
	size_t edge_count = c ? c->edge_count : 0;
	sink_text(s, "<section>\n");
	if (c && a->case_count > 1)
		words_markupf(s, "<h3>Case %zu%s%s</h3>\n", i + 1,
		              c->assumption ? ": suppose that " : "",
		              c->assumption ? view_shortened(s->pool, c->assumption) : "");
	if (c && c->mirrors) {
		words_markupf(s, "<p>It is %s</p>\n</section>\n",
		              view_sentence(s->pool, c->mirrors));
		return;
	}
	sink_text(s, "<div class=\"beside\">\n");
	d->edges = c ? c->edges : NULL;
	d->figure = figure_make(s->pool, d->h, d->edges, edge_count, d->annotated);
	if (d->figure)
		draw(s, d);
	else
		sink_text(s, "<p class=\"soft\">No figure: too many transactions to draw.</p>\n");
	sink_text(s, "<div class=\"why\">\n");
	if (a->case_count == 1)
		sink_text(s, "<h3>Why this is a contradiction</h3>\n");
	sink_text(s, edge_count ? "<ol class=\"steps\">\n" : "");
	for (size_t e = 0; e < edge_count && !is_long(s); e++)
		step(s, &c->edges[e], d->prefix, e + 1);
	sink_text(s, edge_count ? "</ol>\n" : "");
	if (c && c->text)
		words_markupf(s, "<p class=\"so-what\">%s</p>\n", view_sentence(s->pool, c->text));
	sink_text(s, "</div>\n</div>\n</section>\n");
}

/* ---- the transactions ---- */

/* When the first transaction began. */
static int64_t first_begin(const struct history *h)
{
	int64_t first = INT64_MAX;
	for (uint32_t t = 0; t < h->txn_count; t++)
		if (h->txns[t].has & ALIBI_HAS_BEGIN && h->times[t].begin < first)
			first = h->times[t].begin;
	return first;
}

static void times(struct sink *s, const struct history *h, uint32_t t)
{
	unsigned has = h->txns[t].has;
	if (h->times && units_are_nanoseconds(h) && (has & BOTH_TIMES) == BOTH_TIMES) {
		uint64_t first = (uint64_t)first_begin(h);
		sink_addf(s, ", from %s to %s",
		          units_distance(s->pool, h, (uint64_t)h->times[t].begin - first),
		          units_distance(s->pool, h, (uint64_t)h->times[t].end - first));
		has &= ~(unsigned)BOTH_TIMES;
	}
	const struct {
		unsigned flag;
		const char *words;
		int64_t at;
	} rows[] = {
	        {ALIBI_HAS_BEGIN, ", began at ", h->times ? h->times[t].begin : 0},
	        {ALIBI_HAS_END, ", ended at ", h->times ? h->times[t].end : 0},
	        {ALIBI_HAS_START_TS, ", start_ts ", h->stamps ? h->stamps[t].start.physical : 0},
	        {ALIBI_HYBRID_START, ".", h->stamps ? h->stamps[t].start.logical : 0},
	        {ALIBI_HAS_COMMIT_TS, ", commit_ts ", h->stamps ? h->stamps[t].commit.physical : 0},
	        {ALIBI_HYBRID_COMMIT, ".", h->stamps ? h->stamps[t].commit.logical : 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (has & rows[i].flag)
			sink_addf(s, "%s%lld", rows[i].words, (long long)rows[i].at);
}

static void transaction(struct sink *s, const struct history *h, uint32_t t, const char *prefix)
{
	const char *id = words_elided(s->pool, view_id(s->pool, h, t), OP_COLUMNS);
	const char *session = view_session(s->pool, h, t), *info = view_info(s->pool, h, t);
	uint32_t first = h->txns[t].first_op, count = txn_op_end(h, t) - first;
	words_markupf(s,
	              "<li tabindex=\"-1\" data-box=\"%s-t%u\" data-id=\"%s\"><p class=\"id\">%s"
	              "</p><p class=\"soft\">",
	              prefix, t + 1, id, id);
	if (session)
		words_markupf(s, "session %s, ", words_elided(s->pool, session, OP_COLUMNS));
	sink_text(s, view_status(h, t));
	times(s, h, t);
	sink_text(s, "</p><ol>");
	for (uint32_t i = 0; i < count && i < OPS_MAX; i++)
		words_markupf(s, "<li><code>%s</code></li>",
		              view_op(s->pool, h, first + i, OP_COLUMNS));
	if (count > OPS_MAX)
		sink_addf(s, "<li>… %u more operations</li>", count - OPS_MAX);
	sink_text(s, "</ol>");
	if (info)
		words_markupf(s, "<p class=\"soft\">%s</p>\n",
		              words_elided(s->pool, info, 2 * OP_COLUMNS));
	sink_text(s, "</li>\n");
}

static void transactions(struct sink *s, const struct history *h, const char *prefix)
{
	uint32_t t = 0;
	sink_text(s, "<h3>The transactions</h3>\n<ul class=\"txns\">\n");
	for (; t < h->txn_count && !is_long(s); t++)
		transaction(s, h, t, prefix);
	sink_text(s, "</ul>\n");
	if (t < h->txn_count)
		sink_addf(s, "<p class=\"soft\">%u more transactions are not shown.</p>\n",
		          h->txn_count - t);
}

/* ---- the reduced history ---- */

static void reduced(struct sink *s, const struct anomaly_html *section)
{
	struct sink *lines = sink_in_memory(s->pool);
	format_named("alibi")->write(view_history(section->anomaly->reduced), lines);
	bool named = section->anomaly->name;
	const char *what = named ? "The reduced history" : "The history";
	words_markupf(s, "<h3>%s</h3>\n", what);
	if (lines->buffer.count + s->buffer.count > ANOMALY_HTML_MAX) {
		sink_text(s, "<p class=\"soft\">It is too long for this page.</p>\n");
		return;
	}
	words_markupf(s,
	              "<div class=\"copy\"><p class=\"soft\">%s%s%s format of Alibi.</p>"
	              "<button type=\"button\" data-copy=\"reduced-%zu\">Copy</button></div>\n"
	              "<pre id=\"reduced-%zu\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">"
	              "<code>",
	              named ? "It violates " : "", named ? view_level(section->level) : "",
	              named ? " by itself, in the" : "In the", section->number, section->number,
	              what);
	const char *line = text_string(s->pool, &lines->buffer), *end;
	for (; *line; line = end + 1) {
		end = strchr(line, '\n');
		words_markupf(s, "%s\n", pool_text(s->pool, line, (size_t)(end - line)));
	}
	sink_text(s, "</code></pre>\n");
}

/* The faults at the time of its transactions. */
static void during(struct sink *s, const struct anomaly_html *section)
{
	const struct history *h = view_history(section->anomaly->reduced);
	int64_t first = INT64_MAX, last = INT64_MIN;
	for (uint32_t t = 0; h->times && t < h->txn_count; t++) {
		bool ended = h->txns[t].has & ALIBI_HAS_END;
		if (!(h->txns[t].has & ALIBI_HAS_BEGIN))
			continue;
		int64_t end = ended ? h->times[t].end : h->times[t].begin;
		first = h->times[t].begin < first ? h->times[t].begin : first;
		last = end > last ? end : last;
	}
	if (first > last || !section->annotated || !section->faults)
		return;
	const char *words = faults_near(s->pool, section->annotated, section->faults, first, last);
	if (words)
		words_markupf(s, "<p class=\"during\">%s</p>\n", view_sentence(s->pool, words));
}

static void describe(struct sink *s, const struct anomaly_html *section)
{
	const alibi_anomaly *a = section->anomaly;
	if (a->name)
		words_markupf(s, "<p class=\"soft\">%s%s%s, forbidden by %s</p>\n",
		              section->heading ? a->title : "", section->heading ? ": " : "",
		              view_names(s->pool, a), view_level(section->level));
	if (section->note)
		words_markupf(s, "<p class=\"soft\">%s</p>\n", section->note);
	if (a->name)
		words_markupf(s, "<p class=\"summary\">%s</p>\n",
		              view_sentence(s->pool, a->summary));
	if (a->advice)
		words_markupf(s, "<p>%s</p>\n", view_sentence(s->pool, a->advice));
}

void anomaly_html_write(struct sink *s, const struct anomaly_html *section)
{
	const alibi_anomaly *a = section->anomaly;
	size_t number = section->number, i = 0;
	char prefix[PREFIX_BYTES], first[PREFIX_BYTES];
	struct drawing d = {.h = view_history(a->reduced), .annotated = section->annotated};
	d.annotated = d.annotated ? d.annotated : d.h;
	d.prefix = prefix;
	snprintf(first, sizeof first, "a%zuc1", number);
	words_markupf(s,
	              "<article class=\"anomaly\" id=\"anomaly-%zu\" "
	              "aria-labelledby=\"anomaly-%zu-title\">\n<h2 id=\"anomaly-%zu-title\">"
	              "%s</h2>\n",
	              number, number, number, section->heading ? section->heading : a->title);
	describe(s, section);
	during(s, section);
	for (; (i < a->case_count || !i) && i < CASES_MAX && !is_long(s); i++) {
		snprintf(prefix, sizeof prefix, "a%zuc%zu", number, i + 1);
		case_of(s, a, i, &d);
	}
	if (i < a->case_count)
		sink_addf(s, "<p class=\"soft\">%zu more cases are not shown.</p>\n",
		          a->case_count - i);
	transactions(s, d.h, first);
	if (a->lists_cut)
		words_markupf(s, "<p class=\"soft\">%s</p>\n", view_lists_cut);
	notes(s, &d);
	reduced(s, section);
	sink_text(s, "</article>\n");
}
