/*
 * report_text: for terminals, and for grep: the first line is the path, a tab and the
 * verdict. Sentences are wrapped at the width of the terminal; operations are shortened to
 * fit.
 */
#include "report/group.h"
#include "report/report.h"
#include "report/view.h"

#include <inttypes.h>
#include <string.h>

enum { OPS_COLUMNS = 60, OPS_SHOWN = 12, TXNS_SHOWN = 30, ANOMALIES_SHOWN = 10, CASES_SHOWN = 12 };

struct printer {
	struct sink *s;
	const alibi_report_options *options;
	bool brief; /* no proofs */
};

#define GOOD "32"
#define BAD "1;31"
#define DOUBT "33"
#define DIM "2"
#define BOLD "1"

static void coloured(const struct printer *w, const char *code, const char *text)
{
	if (w->options->colour)
		sink_addf(w->s, "\033[%sm", code);
	words_plain(w->s, text);
	if (w->options->colour)
		sink_text(w->s, "\033[m");
}

static void indent(const struct printer *w, size_t columns)
{
	sink_addf(w->s, "%*s", (int)columns, "");
}

/* The lines of text; the first starts at column `at`, the others are indented.
 * code: its colour, or NULL. */
static void wrapped(const struct printer *w, size_t at, size_t columns, const char *code,
                    const char *text)
{
	enum { ROOM_MIN = 20 };
	size_t width = w->options->columns > columns + ROOM_MIN ? w->options->columns : 0;
	const char *line;
	for (bool first = true;; first = false) {
		size_t used = first ? at : columns;
		line = words_line(w->s->pool, &text, width > used ? width - used : width);
		if (!line)
			break;
		if (!first)
			indent(w, columns);
		if (code)
			coloured(w, code, line);
		else
			words_plain(w->s, line);
		sink_text(w->s, "\n");
	}
}

static void paragraph(const struct printer *w, size_t columns, const char *code, const char *text)
{
	indent(w, columns);
	wrapped(w, columns, columns, code, text);
}

/* ---- violations ---- */

static void violations(const struct printer *w, const alibi_result *r)
{
	for (size_t i = 0; i < r->described; i++) {
		const char *rule = view_rule(r->violations[i].kind);
		paragraph(w, 2, NULL,
		          rule ? text_format(w->s->pool, "%s: %s", rule, r->violations[i].text)
		               : r->violations[i].text);
	}
	if (r->violation_count > r->described)
		paragraph(w, 2, NULL,
		          text_format(w->s->pool,
		                      "… %s%s violations in all; the first ones are shown",
		                      r->counted_all ? "" : "more than ",
		                      view_number(w->s->pool, r->violation_count)));
}

/* ---- anomalies ---- */

static void transaction(const struct printer *w, const struct history *h, uint32_t t)
{
	struct pool *pool = w->s->pool;
	text_vec line = {0};
	const char *session = view_session(pool, h, t), *info = view_info(pool, h, t);
	text_addf(pool, &line, "%s%s%s%s%s: ", view_id(pool, h, t), session ? " (session " : "",
	          session ? session : "", session ? ")" : "",
	          h->txns[t].status == ALIBI_COMMIT  ? ""
	          : h->txns[t].status == ALIBI_ABORT ? ", aborted"
	                                             : ", outcome unknown");
	for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
		uint32_t shown = op - h->txns[t].first_op;
		if (shown == OPS_SHOWN) {
			text_addf(pool, &line, ", … %u more", txn_op_end(h, t) - op);
			break;
		}
		text_addf(pool, &line, "%s%s", shown ? ", " : "",
		          view_op(pool, h, op, OPS_COLUMNS));
	}
	indent(w, 4);
	wrapped(w, 4, 6, NULL, text_string(pool, &line));
	if (info)
		paragraph(w, 6, DIM, words_elided(pool, info, 2 * OPS_COLUMNS));
}

static void case_of(const struct printer *w, const alibi_anomaly *a, size_t i)
{
	const alibi_case *c = &a->cases[i];
	struct pool *pool = w->s->pool;
	size_t columns = 4;
	if (a->case_count > 1) {
		paragraph(w, columns, NULL,
		          text_format(pool, "Case %zu%s%s:", i + 1,
		                      c->assumption ? ", suppose that " : "",
		                      c->assumption ? c->assumption : ""));
		columns += 2;
	}
	if (c->mirrors) {
		paragraph(w, columns, NULL, view_sentence(pool, c->mirrors));
		return;
	}
	for (size_t e = 0; e < c->edge_count; e++) {
		const char *label = text_format(pool, "%zu. %-3s ", e + 1, c->edges[e].kind);
		indent(w, columns);
		sink_text(w->s, label);
		wrapped(w, columns + strlen(label), columns + 7, NULL,
		        view_shortened(pool, c->edges[e].text));
	}
	if (c->text && strcmp(c->text, a->summary) != 0)
		paragraph(w, columns, NULL, view_sentence(pool, c->text));
}

static void anomaly(const struct printer *w, const alibi_anomaly *a)
{
	const struct history *h = view_history(a->reduced);
	paragraph(w, 2, BOLD,
	          text_format(w->s->pool, "%s (%s)", a->title, view_names(w->s->pool, a)));
	paragraph(w, 4, NULL, view_sentence(w->s->pool, a->summary));
	if (a->advice)
		paragraph(w, 4, NULL, view_sentence(w->s->pool, a->advice));
	for (uint32_t t = 0; h && t < h->txn_count && t < TXNS_SHOWN; t++)
		transaction(w, h, t);
	if (h && h->txn_count > TXNS_SHOWN)
		sink_addf(w->s, "    … %u more transactions\n", h->txn_count - TXNS_SHOWN);
	if (a->lists_cut)
		paragraph(w, 4, NULL, view_lists_cut);
	if (w->brief)
		return;
	for (size_t i = 0; i < a->case_count && i < CASES_SHOWN; i++)
		case_of(w, a, i);
	if (a->case_count > CASES_SHOWN)
		sink_addf(w->s,
		          "    … %zu more cases, which the JSON report has: each is a "
		          "contradiction\n",
		          a->case_count - CASES_SHOWN);
}

/* One in full; of the others, what happened. */
static void kind_of_anomaly(const struct printer *w, const struct group *g, size_t *shown)
{
	if (g->count > 1)
		paragraph(
		        w, 2, BOLD,
		        text_format(w->s->pool, "%s. One of them:", group_heading(w->s->pool, g)));
	anomaly(w, g->members[0]);
	++*shown;
	if (w->brief || g->count == 1)
		return;
	paragraph(w, 2, NULL, g->count == 2 ? "The other:" : "The others:");
	for (size_t i = 1; i < g->count && *shown < ANOMALIES_SHOWN; i++, ++*shown)
		paragraph(w, 4, NULL, view_sentence(w->s->pool, g->members[i]->summary));
	if (*shown >= ANOMALIES_SHOWN && *shown < g->count)
		paragraph(w, 4, NULL,
		          text_format(w->s->pool,
		                      "… %zu more, which the JSON and HTML reports have",
		                      g->count - *shown));
}

static const char *colour_of(const char *verdict)
{
	return !strcmp(verdict, "valid") ? GOOD : !strcmp(verdict, "violates") ? BAD : DOUBT;
}

static void anomalies(struct printer *w, const alibi_explanation *e)
{
	w->brief = e->brief;
	size_t shown = 0, count;
	const struct group *groups = groups_of(w->s->pool, e, &count);
	for (size_t i = 0; i < count; i++)
		kind_of_anomaly(w, &groups[i], &shown);
	if (e->count && !e->counted_all)
		paragraph(w, 2, NULL, "there may be more that were not searched for");
}

static void warning(const struct printer *w, const char *text)
{
	static const char word[] = "warning:";
	if (!text)
		return;
	indent(w, 2);
	coloured(w, DOUBT, word);
	sink_text(w->s, " ");
	wrapped(w, 3 + strlen(word), 4, NULL, text);
}

static void coverage(const struct printer *w, const alibi_reported *what)
{
	const alibi_coverage *c = view_coverage(what);
	if (!c)
		return;
	warning(w, view_doubt(what) ? NULL : view_warning(what));
	paragraph(w, 2, NULL,
	          text_format(w->s->pool, "evidence: %s", view_evidence(w->s->pool, c)));
}

static void availability(const struct printer *w, const alibi_reported *what)
{
	const struct availability *a = view_availability(what);
	if (a)
		paragraph(
		        w, 2, NULL,
		        text_format(w->s->pool, "availability: %s", view_available(w->s->pool, a)));
}

static void figures(const struct printer *w, const alibi_reported *what, const alibi_finding *f)
{
	struct pool *pool = w->s->pool;
	struct view_figures shown = view_figures(&f->result->work);
	text_vec seconds = {0}, counts = {0};
	text_addf(pool, &seconds, "CPU seconds: load %.3f", what->load_seconds);
	for (size_t i = 0; i < sizeof shown.stages / sizeof *shown.stages; i++)
		text_addf(pool, &seconds, ", %s %.3f", shown.stages[i].name,
		          shown.stages[i].seconds);
	text_addf(pool, &counts, "search:");
	for (size_t i = 0; i < sizeof shown.counts / sizeof *shown.counts; i++)
		text_addf(pool, &counts, "%s %s %" PRIu64, i ? "," : "", shown.counts[i].name,
		          shown.counts[i].count);
	text_addf(pool, &counts, " (the largest has %.0f %% of the transactions)",
	          100 * f->result->work.largest_component);
	paragraph(w, 2, DIM, text_string(pool, &seconds));
	paragraph(w, 2, DIM, text_string(pool, &counts));
}

static void basis(const struct printer *w, const alibi_reported *what)
{
	const char *judged = view_basis(w->s->pool, what, "judged");
	if (judged)
		paragraph(w, 2, DIM, judged);
}

static void one_level(struct printer *w, const alibi_reported *what)
{
	const alibi_finding *f = what->findings;
	const char *reason = view_reason(f), *asked = view_asked(w->s->pool, f);
	words_plain(w->s, what->name);
	sink_text(w->s, "\t");
	coloured(w, colour_of(view_verdict(f)), view_verdict(f));
	sink_text(w->s, "\n");
	if (w->options->quiet && strcmp(view_verdict(f), "error") != 0)
		return;
	if (asked)
		paragraph(w, 2, NULL, asked);
	warning(w, view_doubt(what));
	if (reason)
		paragraph(w, 2, NULL, reason);
	if (view_anomaly_count(f))
		anomalies(w, f->explanation);
	else if (f->result)
		violations(w, f->result);
	basis(w, what);
	if (w->options->figures && view_searched(f))
		figures(w, what, f);
}

/* One line per level, the strongest first; then the anomalies of the weakest violated one. */
static void all_levels(struct printer *w, const alibi_reported *what)
{
	enum { WHY = 17 };
	words_plain(w->s, what->name);
	sink_text(w->s, "\t");
	sink_text(w->s, view_strongest(w->s->pool, what, false));
	sink_text(w->s, "\n");
	warning(w, w->options->quiet ? NULL : view_doubt(what));
	for (size_t i = what->finding_count; !w->options->quiet && i-- > 0;) {
		const alibi_finding *f = &what->findings[i];
		const char *verdict = view_verdict(f), *why = view_why(w->s->pool, what, f);
		sink_addf(w->s, "  %-5s ", f->level);
		coloured(w, colour_of(verdict), verdict);
		if (*why)
			sink_addf(w->s, "%*s", WHY - 8 - (int)strlen(verdict), "");
		wrapped(w, WHY, WHY, NULL, why);
		sink_text(w->s, *why ? "" : "\n");
	}
	for (size_t i = 0; !w->options->quiet && i < what->finding_count; i++)
		if (view_anomaly_count(&what->findings[i]))
			anomalies(w, what->findings[i].explanation);
	if (w->options->quiet)
		return;
	if (view_nothing_expected(what))
		paragraph(w, 2, NULL, view_nothing_expected(what));
	basis(w, what);
}

static void add(const struct report *r, struct sink *s, const alibi_reported *what)
{
	struct printer w = {.s = s, .options = &r->options};
	if (what->finding_count == 1)
		one_level(&w, what);
	else
		all_levels(&w, what);
	if (w.options->quiet)
		return;
	coverage(&w, what);
	availability(&w, what);
}

const struct report_kind report_text = {.name = "text", .many = true, .add = add};
