/*
 * report_html: one page that opens from disk and needs nothing else: the verdict, the levels,
 * and a section (anomaly_html.h) for each anomaly.
 *
 * The page is never larger than PAGE_MAX, however long the history is. Sections are added
 * while they fit, the simplest anomaly first, and the page says how many do not.
 */
#include "report/anomaly_html.h"
#include "report/faults.h"
#include "report/overview.h"
#include "report/page.h"
#include "report/report.h"
#include "report/view.h"

#include <ctype.h>
#include <string.h>

enum { PAGE_MAX = 2000 * 1000, AROUND = 200 * 1000, VIOLATIONS_MAX = 100, NAME_COLUMNS = 300 };

struct page {
	struct sink *s;
	const alibi_reported *what;
	struct sink *nav, *sections;
	size_t section_count, left_out;
	bool counted_all;
	struct faults faults;
};

static void paragraph(struct sink *s, const char *class, const char *text)
{
	words_markupf(s, "<p class=\"%s\">%s</p>\n", class, text);
}

/* ---- the head ---- */

/* "Violates snapshot isolation" */
static void headline(struct sink *s, const alibi_finding *f)
{
	const char *verdict = view_verdict(f);
	static const struct {
		const char *verdict, *words;
	} forms[] = {{"valid", "Holds at"},
	             {"violates", "Violates"},
	             {"unknown", "Unknown whether it holds at"},
	             {"error", "Not checked at"}};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(forms[i].verdict, verdict))
			words_markupf(s, "<span class=\"%s\">%s %s</span>", verdict, forms[i].words,
			              view_level(f->level));
}

/* "Holds up to snapshot isolation" */
static void headline_of_all(struct sink *s, const alibi_reported *what)
{
	const char *words = view_strongest(s->pool, what, true);
	sink_addf(s, "<span class=\"%s\">%c",
	          view_expected(what) ? view_verdict_of_all(what) : "neutral",
	          toupper((unsigned char)*words));
	words_markupf(s, "%s</span>", words + 1);
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
	alibi_stats stats = history_stats(view_history(what->history));
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

static const char search_field[] = "<div class=\"find\" role=\"search\">\n"
                                   "<label for=\"find\">Find a transaction by its id</label>\n"
                                   "<input id=\"find\" type=\"search\" autocomplete=\"off\" "
                                   "autocapitalize=\"off\" spellcheck=\"false\">\n"
                                   "<p class=\"soft\" id=\"found-count\" role=\"status\"></p>\n"
                                   "<ul id=\"found\"></ul>\n</div>\n";

static void coverage(struct sink *s, const alibi_reported *what)
{
	const alibi_coverage *c = view_coverage(what);
	if (view_warning(what))
		words_markupf(s, "<p class=\"basis unknown\">Warning: %s.</p>\n",
		              view_warning(what));
	if (c)
		words_markupf(s, "<p class=\"basis soft\">Evidence: %s.</p>\n",
		              view_evidence(s->pool, c));
}

static void availability(struct sink *s, const alibi_reported *what)
{
	const struct availability *a = view_availability(what);
	if (a)
		words_markupf(s, "<p class=\"basis soft\">Availability: %s.</p>\n",
		              view_available(s->pool, a));
}

static void head(const struct page *p)
{
	struct sink *s = p->s;
	const alibi_finding *only = p->what->finding_count == 1 ? &p->what->findings[0] : NULL;
	sink_text(s, "<header class=\"head\">\n<div>\n<p class=\"brand\">Alibi</p>\n<h1>");
	if (only)
		headline(s, only);
	else
		headline_of_all(s, p->what);
	words_markupf(s, "</h1>\n<p class=\"file\"><code>%s</code></p>\n",
	              words_elided(s->pool, p->what->name, NAME_COLUMNS));
	if (only && only->result && only->result->verdict == ALIBI_VALID)
		paragraph(s, "basis", "An order of events explains every value that was read.");
	if (only && view_asked(s->pool, only))
		paragraph(s, "basis soft", view_asked(s->pool, only));
	if (only && view_reason(only))
		paragraph(s, "basis", view_sentence(s->pool, view_reason(only)));
	if (view_nothing_expected(p->what))
		paragraph(s, "basis", view_sentence(s->pool, view_nothing_expected(p->what)));
	const char *judged = view_basis(s->pool, p->what, "Judged");
	if (judged)
		paragraph(s, "basis soft", view_sentence(s->pool, judged));
	coverage(s, p->what);
	availability(s, p->what);
	facts(s, p->what);
	sink_addf(s, "</div>\n%s</header>\n", p->section_count ? search_field : "");
}

/* ---- levels, if there are several ---- */

static void levels(const struct page *p)
{
	struct sink *s = p->s;
	sink_text(s, "<table>\n<thead><tr><th scope=\"col\">Level</th><th scope=\"col\">Verdict"
	             "</th><th scope=\"col\">Why</th></tr></thead>\n<tbody>\n");
	for (size_t i = p->what->finding_count; i-- > 0;) {
		const alibi_finding *f = &p->what->findings[i];
		words_markupf(
		        s,
		        "<tr><th scope=\"row\">%s <code>%s</code></th><td class=\"%s\">%s</td>"
		        "<td>%s</td></tr>\n",
		        view_level(f->level), f->level, view_verdict(f), view_verdict(f),
		        view_shortened(s->pool, view_why(s->pool, p->what, f)));
	}
	sink_text(s, "</tbody>\n</table>\n");
}

/* ---- violations without an explanation ---- */

static void violations(struct sink *s, const alibi_finding *f)
{
	const alibi_result *r = f->result;
	size_t shown = r->described < VIOLATIONS_MAX ? r->described : VIOLATIONS_MAX;
	sink_text(s, "<section class=\"card\">\n<h2>What was found</h2>\n<ol class=\"steps\">\n");
	for (size_t i = 0; i < shown; i++)
		words_markupf(s, "<li>%s</li>\n", view_sentence(s->pool, r->violations[i].text));
	sink_text(s, "</ol>\n");
	if (r->violation_count > shown) {
		sink_text(s, "<p class=\"soft\">");
		words_count(s, r->violation_count);
		sink_addf(s, "%s violations in all.</p>\n", r->counted_all ? "" : " or more");
	}
	sink_text(s, "</section>\n");
}

/* ---- anomalies ---- */

static void link_to(struct sink *s, const alibi_anomaly *a, size_t number)
{
	enum { NAMED = 4, ID_COLUMNS = 24 };
	words_markupf(s, "<li><a href=\"#anomaly-%zu\"><b>%zu. %s</b><span>", number, number,
	              a->title);
	for (uint32_t i = 0; i < a->txn_count && i < NAMED; i++) {
		const char *id = view_id(s->pool, view_history(a->reduced), i);
		words_markupf(s, "%s%s", i ? ", " : "", words_elided(s->pool, id, ID_COLUMNS));
	}
	sink_text(s, a->txn_count > NAMED ? ", …</span></a></li>\n" : "</span></a></li>\n");
}

static void append(struct sink *s, const struct sink *from)
{
	sink_add(s, from->buffer.items, from->buffer.count);
}

/* Written to memory, and used if it fits on the page. */
static void add_section(struct page *p, const alibi_anomaly *a, const char *level)
{
	struct pool *scratch = pool_child(p->s->pool);
	struct sink *section = sink_in_memory(scratch);
	anomaly_html_write(section,
	                   &(struct anomaly_html){.anomaly = a,
	                                          .level = level,
	                                          .annotated = view_history(p->what->history),
	                                          .faults = &p->faults,
	                                          .number = p->section_count + 1});
	size_t size = p->sections->buffer.count + p->nav->buffer.count + section->buffer.count;
	if (size + AROUND > PAGE_MAX) {
		p->left_out++;
	} else {
		link_to(p->nav, a, ++p->section_count);
		append(p->sections, section);
	}
	pool_release(scratch);
}

static void add_sections(struct page *p)
{
	for (size_t i = 0; i < p->what->finding_count; i++) {
		const alibi_finding *f = &p->what->findings[i];
		size_t count = view_anomaly_count(f);
		for (size_t k = 0; k < count; k++) {
			if (p->left_out)
				p->left_out++;
			else
				add_section(p, &f->explanation->anomalies[k], f->level);
		}
		p->counted_all = p->counted_all && (!count || f->explanation->counted_all);
	}
}

/* How many there are of each kind, with a link to the first. */
static void kinds(const struct page *p)
{
	struct kind {
		const char *title;
		size_t count, first;
	};
	VEC(struct kind) found = {0};
	const alibi_anomaly *a;
	const char *level;
	size_t k;
	for (size_t i = 0; (a = view_anomaly(p->what, i, &level)); i++) {
		for (k = 0; k < found.count && strcmp(found.items[k].title, a->title) != 0; k++)
			;
		if (k == found.count)
			vec_push(p->s->pool, &found, ((struct kind){a->title, 0, i + 1}));
		found.items[k].count++;
	}
	sink_text(p->s, "<ul class=\"kinds\" aria-label=\"Anomalies by kind\">\n");
	for (k = 0; k < found.count; k++) {
		bool link = found.items[k].first <= p->section_count;
		if (link)
			words_markupf(p->s, "<li><a href=\"#anomaly-%zu\">", found.items[k].first);
		sink_text(p->s, link ? "<b>" : "<li><b>");
		words_count(p->s, found.items[k].count);
		words_markupf(p->s, "</b> %s", found.items[k].title);
		sink_text(p->s, link ? "</a></li>\n" : "</li>\n");
	}
	sink_text(p->s, "</ul>\n");
}

static void anomalies(struct page *p)
{
	struct sink *s = p->s;
	bool several = p->section_count > 1;
	sink_addf(s, "<div class=\"columns%s\">\n", several ? " several" : "");
	if (several) {
		sink_text(s, "<nav aria-label=\"Anomalies\">\n<h2>");
		words_count(s, p->section_count + p->left_out);
		sink_text(s, " anomalies, the simplest first</h2>\n");
		kinds(p);
		sink_text(s, "<ol>\n");
		append(s, p->nav);
		sink_text(s, "</ol>\n</nav>\n");
	}
	sink_text(s, "<div id=\"anomalies\">\n");
	append(s, p->sections);
	for (size_t i = 0; !p->section_count && i < p->what->finding_count; i++) {
		const alibi_finding *f = &p->what->findings[i];
		bool followed = p->what->finding_count > 1 && f->result && f->result->implied_by;
		if (f->result && f->result->described && !followed && !view_anomaly_count(f))
			violations(s, f);
	}
	if (p->left_out) {
		sink_text(s, "<p class=\"foot soft\">");
		words_count(s, p->left_out);
		sink_text(s, " more anomalies did not fit on this page; the JSON report has them "
		             "all.</p>\n");
	}
	if (!p->counted_all)
		paragraph(s, "foot soft",
		          "There may be more anomalies that were not searched for.");
	sink_text(s, "</div>\n</div>\n");
}

static void body(struct sink *s, const alibi_reported *what)
{
	struct page p = {.s = s,
	                 .what = what,
	                 .nav = sink_in_memory(s->pool),
	                 .sections = sink_in_memory(s->pool),
	                 .counted_all = true};
	if (what->history)
		p.faults = faults_of(s->pool, view_history(what->history));
	add_sections(&p);
	head(&p);
	sink_text(s, "<main>\n");
	if (what->finding_count > 1)
		levels(&p);
	overview_write(s, what, &p.faults, p.section_count);
	anomalies(&p);
	sink_text(s, "</main>\n");
}

static void title(struct sink *s, const alibi_reported *what)
{
	words_markupf(s, "%s: %s, %s", words_elided(s->pool, what->name, NAME_COLUMNS),
	              view_verdict_of_all(what),
	              what->finding_count == 1 ? view_level(what->findings[0].level)
	                                       : "all levels");
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
