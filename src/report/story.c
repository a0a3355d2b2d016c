/* story: see story.h. */
#include "report/story.h"

#include "format/format.h"
#include "report/svg.h"
#include "report/tell.h"

#include <stdio.h>
#include <string.h>

enum { CASES_MAX = 20, OPS_MAX = 60, OP_COLUMNS = 160, PREFIX_BYTES = 64 };

static bool is_long(const struct sink *s)
{
	return s->buffer.count > STORY_MAX;
}

static void element(struct sink *s, const char *tag, const char *class, const char *text)
{
	sink_addf(s, "<%s%s%s%s>", tag, class ? " class=\"" : "", class ? class : "",
	          class ? "\"" : "");
	words_markup(s, text);
	sink_addf(s, "</%s>\n", tag);
}

/* ---- the picture, and why it cannot be ---- */

static void draw(struct sink *s, const struct drawing *d)
{
	const struct figure *f = d->figure;
	sink_text(s, "<figure>\n<div class=\"stage\">");
	sink_addf(s,
	          "<svg class=\"figure\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
	          "role=\"group\" aria-label=\"%u transactions of %u sessions, and %zu arrows "
	          "between them\">\n",
	          f->width, f->height, f->width, f->height, f->box_count, f->lane_count,
	          f->arrow_count);
	svg_draw(s, d);
	sink_text(s, "</svg></div>\n<figcaption>");
	sink_text(s, svg_clock(f));
	if (f->arrow_count)
		sink_text(s, " Point at an arrow, or tab to it, to read why it is there.");
	sink_text(s, "</figcaption>\n</figure>\n");
}

static void step(struct sink *s, const alibi_edge *e, const char *prefix, size_t number)
{
	const char *words = tell_kind(e->kind);
	sink_addf(s, "<li class=\"%s\" data-of=\"%s-e%zu\">", words == e->kind ? "" : e->kind,
	          prefix, number);
	words_markup(s, tell_sentence(s->pool, e->text));
	sink_text(s, " <abbr class=\"kind\" title=\"");
	words_markup(s, words);
	sink_text(s, "\">");
	words_markup(s, e->kind);
	if (e->key) {
		sink_text(s, " ");
		words_markup(s, words_elided(s->pool, words_bare(s->pool, e->key), 24));
	}
	sink_text(s, "</abbr></li>\n");
}

static void notes(struct sink *s, const struct drawing *d)
{
	const struct figure *f = d->figure;
	if (!f || !f->note_count)
		return;
	sink_text(s, "<h3>What else happened</h3>\n<ol class=\"steps letters\">\n");
	for (size_t i = 0; i < f->note_count; i++) {
		sink_addf(s, "<li data-of=\"%s-n%zu\">", d->prefix, i + 1);
		words_markup(s, svg_note(s->pool, d->annotated, &f->notes[i]));
		sink_text(s, "</li>\n");
	}
	sink_text(s, "</ol>\n");
	if (f->notes_left_out)
		sink_addf(s, "<p class=\"soft\">%zu more annotations are not shown.</p>\n",
		          f->notes_left_out);
}

static void case_of(struct sink *s, const struct story *story, size_t i, struct drawing *d)
{
	const alibi_anomaly *a = story->anomaly;
	const alibi_case *c = i < a->case_count ? &a->cases[i] : NULL;
	size_t edge_count = c ? c->edge_count : 0;
	sink_text(s, "<section>\n");
	if (c && a->case_count > 1) {
		sink_addf(s, "<h3>Case %zu", i + 1);
		sink_text(s, c->assumption ? ": suppose that " : "");
		words_markup(s, c->assumption ? tell_words(s->pool, c->assumption) : "");
		sink_text(s, "</h3>\n");
	}
	sink_text(s, "<div class=\"beside\">\n");
	d->edges = c ? c->edges : NULL;
	d->figure = figure_make(s->pool, d->h, d->edges, edge_count, d->annotated);
	if (d->figure)
		draw(s, d);
	else
		element(s, "p", "soft", "There is no picture: these are too many to draw.");
	sink_text(s, "<div class=\"why\">\n");
	if (a->case_count == 1)
		element(s, "h3", NULL, "Why this cannot be");
	sink_text(s, edge_count ? "<ol class=\"steps\">\n" : "");
	for (size_t e = 0; e < edge_count && !is_long(s); e++)
		step(s, &c->edges[e], d->prefix, e + 1);
	sink_text(s, edge_count ? "</ol>\n" : "");
	if (c && c->text)
		element(s, "p", "so-what", tell_sentence(s->pool, c->text));
	sink_text(s, "</div>\n</div>\n</section>\n");
}

/* ---- the transactions ---- */

static void times(struct sink *s, const struct history *h, uint32_t t)
{
	unsigned has = h->txns[t].has;
	if (has & ALIBI_HAS_BEGIN)
		sink_addf(s, ", began at %lld", (long long)h->times[t].begin);
	if (has & ALIBI_HAS_END)
		sink_addf(s, ", ended at %lld", (long long)h->times[t].end);
	if (has & ALIBI_HAS_START_TS)
		sink_addf(s, ", start_ts %lld", (long long)h->stamps[t].start.physical);
	if (has & ALIBI_HYBRID_START)
		sink_addf(s, ".%lld", (long long)h->stamps[t].start.logical);
	if (has & ALIBI_HAS_COMMIT_TS)
		sink_addf(s, ", commit_ts %lld", (long long)h->stamps[t].commit.physical);
	if (has & ALIBI_HYBRID_COMMIT)
		sink_addf(s, ".%lld", (long long)h->stamps[t].commit.logical);
}

static void transaction(struct sink *s, const struct history *h, uint32_t t, const char *prefix)
{
	const char *id = tell_id(s->pool, h, t), *session = tell_session(s->pool, h, t);
	const char *info = tell_info(s->pool, h, t);
	uint32_t first = h->txns[t].first_op, count = txn_op_end(h, t) - first;
	sink_addf(s, "<li tabindex=\"-1\" data-box=\"%s-t%u\" data-id=\"", prefix, t + 1);
	words_markup(s, words_elided(s->pool, id, OP_COLUMNS));
	sink_text(s, "\"><p class=\"id\">");
	words_markup(s, words_elided(s->pool, id, OP_COLUMNS));
	sink_text(s, "</p><p class=\"soft\">");
	if (session) {
		sink_text(s, "session ");
		words_markup(s, words_elided(s->pool, session, OP_COLUMNS));
		sink_text(s, ", ");
	}
	sink_text(s, tell_status(h, t));
	times(s, h, t);
	sink_text(s, "</p><ol>");
	for (uint32_t i = 0; i < count && i < OPS_MAX; i++) {
		sink_text(s, "<li><code>");
		words_markup(s, tell_op(s->pool, h, first + i, OP_COLUMNS));
		sink_text(s, "</code></li>");
	}
	if (count > OPS_MAX)
		sink_addf(s, "<li>… %u more operations</li>", count - OPS_MAX);
	sink_text(s, "</ol>");
	if (info)
		element(s, "p", "soft", words_elided(s->pool, info, 2 * OP_COLUMNS));
	sink_text(s, "</li>\n");
}

static void transactions(struct sink *s, const struct history *h, const char *prefix)
{
	uint32_t t = 0;
	element(s, "h3", NULL, "The transactions");
	sink_text(s, "<ul class=\"txns\">\n");
	for (; t < h->txn_count && !is_long(s); t++)
		transaction(s, h, t, prefix);
	sink_text(s, "</ul>\n");
	if (t < h->txn_count)
		sink_addf(s, "<p class=\"soft\">%u more transactions are not shown.</p>\n",
		          h->txn_count - t);
}

/* ---- the reduced history ---- */

static void reduced(struct sink *s, const struct story *story)
{
	struct sink *lines = sink_in_memory(s->pool);
	format_named("alibi")->write(tell_history(story->anomaly->reduced), lines);
	element(s, "h3", NULL, "The reduced history");
	if (lines->buffer.count + s->buffer.count > STORY_MAX) {
		element(s, "p", "soft",
		        "It is too long for this page; --reduced writes it to a file.");
		return;
	}
	sink_text(s, "<div class=\"copy\"><p class=\"soft\">It violates ");
	words_markup(s, tell_level(story->level));
	sink_addf(s,
	          " by itself, in the format of Alibi.</p>"
	          "<button type=\"button\" data-copy=\"reduced-%zu\">Copy</button></div>\n"
	          "<pre id=\"reduced-%zu\" tabindex=\"0\" aria-label=\"The reduced history\">"
	          "<code>",
	          story->number, story->number);
	const char *line = text_string(s->pool, &lines->buffer), *end;
	for (; *line; line = end + 1) {
		end = strchr(line, '\n');
		words_markup(s, pool_text(s->pool, line, (size_t)(end - line)));
		sink_text(s, "\n");
	}
	sink_text(s, "</code></pre>\n");
}

void story_write(struct sink *s, const struct story *story)
{
	const alibi_anomaly *a = story->anomaly;
	char prefix[PREFIX_BYTES], first[PREFIX_BYTES];
	struct drawing d = {.h = tell_history(a->reduced),
	                    .annotated =
	                            story->annotated ? story->annotated : tell_history(a->reduced),
	                    .prefix = prefix};
	snprintf(first, sizeof first, "a%zuc1", story->number);
	sink_addf(s,
	          "<article class=\"anomaly\" id=\"anomaly-%zu\" "
	          "aria-labelledby=\"anomaly-%zu-title\">\n<h2 id=\"anomaly-%zu-title\">",
	          story->number, story->number, story->number);
	words_markup(s, a->title);
	sink_text(s, "</h2>\n<p class=\"soft\">");
	words_markup(s, tell_names(s->pool, a));
	sink_text(s, ", forbidden by ");
	words_markup(s, tell_level(story->level));
	sink_text(s, "</p>\n");
	element(s, "p", "summary", tell_sentence(s->pool, a->summary));
	size_t i = 0;
	for (; (i < a->case_count || !i) && i < CASES_MAX && !is_long(s); i++) {
		snprintf(prefix, sizeof prefix, "a%zuc%zu", story->number, i + 1);
		case_of(s, story, i, &d);
	}
	if (i < a->case_count)
		sink_addf(s, "<p class=\"soft\">%zu more cases are not shown.</p>\n",
		          a->case_count - i);
	transactions(s, d.h, first);
	if (a->lists_cut)
		element(s, "p", "soft", tell_lists_cut);
	notes(s, &d);
	reduced(s, story);
	sink_text(s, "</article>\n");
}
