/*
 * report_html: one page that opens from disk and needs nothing else: the verdict,
 * the levels, and a story (story.h) for each anomaly.
 *
 * The page is never larger than PAGE_MAX: stories are added, the simplest anomaly
 * first, while they fit, and the page says how many do not. So it does not matter
 * how long the history is.
 */
#include "report/page.h"
#include "report/report.h"
#include "report/story.h"
#include "report/tell.h"

#include <ctype.h>
#include <string.h>

enum { PAGE_MAX = 2000 * 1000, AROUND = 100 * 1000, VIOLATIONS_MAX = 100, NAME_COLUMNS = 300 };

struct page {
	struct sink *s;
	const alibi_reported *what;
	struct sink *nav, *stories;
	size_t story_count, left_out;
	bool counted_all;
};

static const alibi_finding *only(const struct page *p)
{
	return p->what->finding_count == 1 ? &p->what->findings[0] : NULL;
}

static void paragraph(struct sink *s, const char *class, const char *text)
{
	sink_addf(s, "<p class=\"%s\">", class);
	words_markup(s, text);
	sink_text(s, "</p>\n");
}

/* ---- the head ---- */

/* "Violates snapshot isolation" */
static void headline(struct sink *s, const alibi_finding *f)
{
	const char *verdict = tell_verdict(f), *level = tell_level(f->level);
	static const struct {
		const char *verdict, *words;
	} forms[] = {{"valid", "Holds at"},
	             {"violates", "Violates"},
	             {"unknown", "Unknown whether it holds at"},
	             {"error", "Not checked at"}};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (strcmp(forms[i].verdict, verdict) != 0)
			continue;
		sink_addf(s, "<span class=\"%s\">%s ", verdict, forms[i].words);
		words_markup(s, level);
		sink_text(s, "</span>");
	}
}

/* "Holds up to snapshot isolation" */
static void headline_of_all(struct sink *s, const alibi_reported *what)
{
	const char *words = tell_strongest(s->pool, what, true);
	sink_addf(s, "<span class=\"%s\">", tell_verdict_of_all(what));
	sink_addf(s, "%c", toupper((unsigned char)*words));
	words_markup(s, words + 1);
	sink_text(s, "</span>");
}

static void fact(struct sink *s, uint64_t n, const char *one, const char *many)
{
	sink_text(s, "<li><b>");
	words_count(s, n);
	sink_addf(s, "</b> %s</li>\n", n == 1 ? one : many);
}

static void facts(struct sink *s, const alibi_reported *what)
{
	if (!what->history)
		return;
	alibi_stats stats = alibi_history_stats(what->history);
	sink_text(s, "<ul class=\"facts\" aria-label=\"The history\">\n");
	fact(s, stats.txns, "transaction", "transactions");
	if (stats.aborted)
		fact(s, stats.aborted, "aborted", "aborted");
	if (stats.unknown)
		fact(s, stats.unknown, "of unknown outcome", "of unknown outcome");
	fact(s, stats.sessions, "session", "sessions");
	fact(s, stats.ops, "operation", "operations");
	fact(s, stats.keys, "key", "keys");
	sink_addf(s, "<li>checked in <b>%.1f s</b></li>\n</ul>\n", what->seconds);
}

static void search_field(struct sink *s)
{
	sink_text(s, "<div class=\"find\" role=\"search\">\n"
	             "<label for=\"find\">Find a transaction by its id</label>\n"
	             "<input id=\"find\" type=\"search\" autocomplete=\"off\" "
	             "autocapitalize=\"off\" spellcheck=\"false\">\n"
	             "<p class=\"soft\" id=\"found-count\" role=\"status\"></p>\n"
	             "<ul id=\"found\"></ul>\n</div>\n");
}

static void coverage(struct sink *s, const alibi_reported *what)
{
	const alibi_coverage *c = tell_coverage(what);
	text_vec t = {0};
	if (!c)
		return;
	if (c->warning) {
		text_addf(s->pool, &t, "Warning: %s.", c->warning);
		paragraph(s, "basis unknown", text_string(s->pool, &t));
	}
	text_vec evidence = {0};
	text_addf(s->pool, &evidence, "Evidence: %s.", tell_evidence(s->pool, c));
	paragraph(s, "basis soft", text_string(s->pool, &evidence));
}

static void head(const struct page *p)
{
	struct sink *s = p->s;
	const alibi_finding *f = only(p);
	sink_text(s, "<header class=\"head\">\n<div>\n<p class=\"brand\">Alibi</p>\n<h1>");
	if (f)
		headline(s, f);
	else
		headline_of_all(s, p->what);
	sink_text(s, "</h1>\n<p class=\"file\"><code>");
	words_markup(s, words_elided(s->pool, p->what->name, NAME_COLUMNS));
	sink_text(s, "</code></p>\n");
	if (f && f->result && f->result->verdict == ALIBI_VALID)
		paragraph(s, "basis", "An order of events explains every value that was read.");
	if (f && tell_asked(s->pool, f))
		paragraph(s, "basis soft", tell_asked(s->pool, f));
	if (f && tell_reason(f))
		paragraph(s, "basis", tell_sentence(s->pool, tell_reason(f)));
	const char *judged = tell_basis(s->pool, p->what, "Judged");
	if (judged)
		paragraph(s, "basis soft", tell_sentence(s->pool, judged));
	coverage(s, p->what);
	facts(s, p->what);
	sink_text(s, "</div>\n");
	if (p->story_count)
		search_field(s);
	sink_text(s, "</header>\n");
}

/* ---- levels, if there are several ---- */

static void levels(const struct page *p)
{
	struct sink *s = p->s;
	sink_text(s, "<table>\n<thead><tr><th scope=\"col\">Level</th><th scope=\"col\">Verdict"
	             "</th><th scope=\"col\">Why</th></tr></thead>\n<tbody>\n");
	for (size_t i = p->what->finding_count; i-- > 0;) {
		const alibi_finding *f = &p->what->findings[i];
		sink_text(s, "<tr><th scope=\"row\">");
		words_markup(s, tell_level(f->level));
		sink_addf(s, " <code>%s</code>", f->level);
		sink_addf(s, "</th><td class=\"%s\">%s</td><td>", tell_verdict(f), tell_verdict(f));
		words_markup(s, tell_words(s->pool, tell_why(s->pool, p->what, f)));
		sink_text(s, "</td></tr>\n");
	}
	sink_text(s, "</tbody>\n</table>\n");
}

/* ---- violations that nobody explained ---- */

static void violations(struct sink *s, const alibi_finding *f)
{
	const alibi_result *r = f->result;
	size_t shown = r->described < VIOLATIONS_MAX ? r->described : VIOLATIONS_MAX;
	sink_text(s, "<section class=\"card\">\n<h2>What was found</h2>\n<ol class=\"steps\">\n");
	for (size_t i = 0; i < shown; i++) {
		sink_text(s, "<li>");
		words_markup(s, tell_sentence(s->pool, r->violations[i].text));
		sink_text(s, "</li>\n");
	}
	sink_text(s, "</ol>\n");
	if (r->violation_count > shown) {
		sink_text(s, "<p class=\"soft\">");
		words_count(s, r->violation_count);
		sink_addf(s, "%s violations in all.</p>\n", r->counted_all ? "" : " or more");
	}
	sink_text(s, "</section>\n");
}

/* ---- stories ---- */

static void link_to(struct sink *s, const alibi_anomaly *a, size_t number)
{
	enum { NAMED = 4, ID_COLUMNS = 24 };
	sink_addf(s, "<li><a href=\"#anomaly-%zu\"><b>%zu. ", number, number);
	words_markup(s, a->title);
	sink_text(s, "</b><span>");
	for (uint32_t i = 0; i < a->txn_count && i < NAMED; i++) {
		const char *id = tell_id(s->pool, tell_history(a->reduced), i);
		sink_text(s, i ? ", " : "");
		words_markup(s, words_elided(s->pool, id, ID_COLUMNS));
	}
	sink_text(s, a->txn_count > NAMED ? ", …</span></a></li>\n" : "</span></a></li>\n");
}

/* Into memory, and kept if the page has room for it. */
static void tell_story(struct page *p, const alibi_anomaly *a, const char *level)
{
	struct pool *scratch = pool_child(p->s->pool);
	struct sink *story = sink_in_memory(scratch);
	story_write(story, &(struct story){.anomaly = a,
	                                   .level = level,
	                                   .annotated = tell_history(p->what->history),
	                                   .number = p->story_count + 1});
	size_t size = p->stories->buffer.count + p->nav->buffer.count + story->buffer.count;
	if (size + AROUND > PAGE_MAX) {
		p->left_out++;
	} else {
		link_to(p->nav, a, ++p->story_count);
		sink_add(p->stories, story->buffer.items, story->buffer.count);
	}
	pool_release(scratch);
}

static void tell_stories(struct page *p)
{
	for (size_t i = 0; i < p->what->finding_count; i++) {
		const alibi_finding *f = &p->what->findings[i];
		size_t count = tell_anomaly_count(f);
		for (size_t k = 0; k < count; k++) {
			if (p->left_out)
				p->left_out++;
			else
				tell_story(p, &f->explanation->anomalies[k], f->level);
		}
		p->counted_all = p->counted_all && (!count || f->explanation->counted_all);
	}
}

static void add_all(struct sink *s, const struct sink *from)
{
	sink_add(s, from->buffer.items, from->buffer.count);
}

static void stories(struct page *p)
{
	struct sink *s = p->s;
	bool several = p->story_count > 1;
	sink_addf(s, "<div class=\"columns%s\">\n", several ? " several" : "");
	if (several) {
		sink_text(s, "<nav aria-label=\"Anomalies\">\n<h2>");
		words_count(s, p->story_count + p->left_out);
		sink_text(s, " anomalies, the simplest first</h2>\n<ol>\n");
		add_all(s, p->nav);
		sink_text(s, "</ol>\n</nav>\n");
	}
	sink_text(s, "<main id=\"story\">\n");
	add_all(s, p->stories);
	for (size_t i = 0; !p->story_count && i < p->what->finding_count; i++) {
		const alibi_finding *f = &p->what->findings[i];
		if (f->result && f->result->described && !f->result->implied_by &&
		    !tell_anomaly_count(f))
			violations(s, f);
	}
	if (p->left_out) {
		sink_text(s, "<p class=\"foot soft\">");
		words_count(s, p->left_out);
		sink_text(s, " more anomalies did not fit on this page; the JSON report has them "
		             "all.</p>\n");
	}
	if (!p->counted_all)
		paragraph(s, "foot soft", "There may be more anomalies that were not looked for.");
	sink_text(s, "</main>\n</div>\n");
}

static void body(struct sink *s, const alibi_reported *what)
{
	struct page p = {.s = s,
	                 .what = what,
	                 .nav = sink_in_memory(s->pool),
	                 .stories = sink_in_memory(s->pool),
	                 .counted_all = true};
	tell_stories(&p);
	head(&p);
	if (what->finding_count > 1)
		levels(&p);
	stories(&p);
}

static void title(struct sink *s, const alibi_reported *what)
{
	words_markup(s, words_elided(s->pool, what->name, NAME_COLUMNS));
	sink_addf(s, ": %s, ", tell_verdict_of_all(what));
	words_markup(s,
	             what->finding_count == 1 ? tell_level(what->findings[0].level) : "all levels");
}

static void add(const struct report *r, struct sink *s, const alibi_reported *what)
{
	(void)r;
	for (const struct page_part *part = page_parts;; part++) {
		sink_add(s, part->text, part->length);
		if (!part->slot)
			break;
		if (!strcmp(part->slot, "title"))
			title(s, what);
		else
			body(s, what);
	}
}

const struct report_kind report_html = {.name = "HTML", .add = add};
