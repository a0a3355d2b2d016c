/*
 * report_json: one JSON object per history and line, for other programs.
 * docs/report.schema.json describes it. Ids, keys and values are JSON, as in the history
 * format.
 *
 * Each history is written to memory (report.h), so the last byte shows whether a comma is
 * due.
 */
#include "format/format.h"
#include "report/report.h"
#include "report/view.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- members and items ---- */

/* A comma, unless this is the first member or item. */
static void separate(struct sink *s)
{
	assert(s->in_memory);
	if (s->buffer.count && !strchr("[{\n", s->buffer.items[s->buffer.count - 1]))
		sink_text(s, ",");
}

static void member(struct sink *s, const char *name)
{
	separate(s);
	sink_addf(s, "\"%s\":", name);
}

/* Begins an object or array; name: of the member, or NULL for an item. */
static void begin(struct sink *s, const char *name, const char *bracket)
{
	if (name)
		member(s, name);
	else
		separate(s);
	sink_text(s, bracket);
}

/* NULL: null. */
static void text(struct sink *s, const char *name, const char *value)
{
	member(s, name);
	if (value)
		words_json(s, value);
	else
		sink_text(s, "null");
}

static void text_if_any(struct sink *s, const char *name, const char *value)
{
	if (value)
		text(s, name, value);
}

static void json_if_any(struct sink *s, const char *name, const char *json)
{
	if (!json)
		return;
	member(s, name);
	words_raw_json(s, json);
}

static void item(struct sink *s, const char *json)
{
	separate(s);
	words_raw_json(s, json);
}

static void count(struct sink *s, const char *name, uint64_t n)
{
	member(s, name);
	sink_addf(s, "%" PRIu64, n);
}

static void number(struct sink *s, const char *name, double value)
{
	member(s, name);
	sink_addf(s, "%.6f", value);
}

static void flag(struct sink *s, const char *name, bool value)
{
	member(s, name);
	sink_text(s, value ? "true" : "false");
}

/* ---- violations ---- */

static void violation(struct sink *s, const alibi_violation *v)
{
	begin(s, NULL, "{");
	text(s, "kind", v->kind);
	begin(s, "txns", "[");
	if (v->txn)
		item(s, v->txn);
	if (v->other)
		item(s, v->other);
	sink_text(s, "]");
	json_if_any(s, "key", v->key);
	json_if_any(s, "expected", v->expected);
	json_if_any(s, "found", v->found);
	text(s, "text", v->text);
	sink_text(s, "}");
}

static void violations(struct sink *s, const alibi_result *r)
{
	count(s, "violation_count", r ? r->violation_count : 0);
	begin(s, "violations", "[");
	for (size_t i = 0; r && i < r->described; i++)
		violation(s, &r->violations[i]);
	sink_text(s, "]");
}

/* ---- the explanation ---- */

static void edge(struct sink *s, const alibi_anomaly *a, const alibi_edge *e)
{
	begin(s, NULL, "{");
	json_if_any(s, "from", a->txns[e->from]);
	json_if_any(s, "to", a->txns[e->to]);
	text(s, "kind", e->kind);
	json_if_any(s, "key", e->key);
	text(s, "text", e->text);
	sink_text(s, "}");
}

static void case_of(struct sink *s, const alibi_anomaly *a, const alibi_case *c)
{
	begin(s, NULL, "{");
	text_if_any(s, "assumption", c->assumption);
	text_if_any(s, "text", c->text);
	begin(s, "edges", "[");
	for (size_t e = 0; e < c->edge_count; e++)
		edge(s, a, &c->edges[e]);
	sink_text(s, "]}");
}

/* The lines of the history format, as the items of an array. */
static void history(struct sink *s, const struct history *h)
{
	struct sink *lines = sink_in_memory(s->pool);
	format_named("alibi")->write(h, lines);
	const char *line = text_string(s->pool, &lines->buffer), *end;
	for (; *line; line = end + 1) {
		end = strchr(line, '\n');
		item(s, pool_text(s->pool, line, (size_t)(end - line)));
	}
}

static void anomaly(struct sink *s, const alibi_anomaly *a)
{
	begin(s, NULL, "{");
	text(s, "name", a->name);
	text(s, "title", a->title);
	text(s, "adya", a->adya);
	text(s, "summary", a->summary);
	if (a->advice)
		text(s, "advice", a->advice);
	begin(s, "txns", "[");
	for (size_t i = 0; i < a->txn_count; i++)
		item(s, a->txns[i]);
	sink_text(s, "]");
	flag(s, "lists_cut", a->lists_cut);
	begin(s, "cases", "[");
	for (size_t i = 0; i < a->case_count; i++)
		case_of(s, a, &a->cases[i]);
	sink_text(s, "]");
	begin(s, "reduced", "[");
	history(s, view_history(a->reduced));
	sink_text(s, "]}");
}

static void explanation(struct sink *s, const alibi_explanation *e)
{
	begin(s, "anomalies", "[");
	for (size_t i = 0; i < e->count; i++)
		anomaly(s, &e->anomalies[i]);
	sink_text(s, "]");
	flag(s, "counted_all", e->counted_all);
}

/* ---- a history ---- */

static void clocks(struct sink *s, const alibi_clocks *c)
{
	begin(s, "clocks", "{");
	count(s, "enough", c->enough);
	flag(s, "least", c->least);
	if (c->session) {
		json_if_any(s, "session", c->session);
		flag(s, "ahead", c->ahead);
	}
	sink_text(s, "}");
}

static void level(struct sink *s, const alibi_finding *f)
{
	text(s, "level", f->level);
	text_if_any(s, "level_asked", f->asked);
	text(s, "session_order", f->ignore_sessions ? "off" : "on");
	text(s, "verdict", view_verdict(f));
	text_if_any(s, "reason", view_reason(f));
	if (f->result)
		text_if_any(s, "basis", f->result->basis);
	if (f->result && f->result->clocks.alone)
		clocks(s, &f->result->clocks);
}

static void figures(struct sink *s, const alibi_work *w)
{
	struct view_figures f = view_figures(w);
	begin(s, "search", "{");
	for (size_t i = 0; i < sizeof f.counts / sizeof *f.counts; i++)
		count(s, f.counts[i].name, f.counts[i].count);
	number(s, "largest_component", w->largest_component);
	begin(s, "cpu_seconds", "{");
	for (size_t i = 0; i < sizeof f.stages / sizeof *f.stages; i++)
		number(s, f.stages[i].name, f.stages[i].seconds);
	sink_text(s, "}}");
}

static void details(struct sink *s, const alibi_finding *f)
{
	violations(s, f->result);
	if (view_searched(f))
		figures(s, &f->result->work);
	if (f->explanation)
		explanation(s, f->explanation);
}

static void all_levels(struct sink *s, const alibi_reported *what)
{
	text(s, "strongest", what->strongest);
	text(s, "claimed", what->claimed);
	text(s, "expected", what->expected);
	text_if_any(s, "reason", view_nothing_expected(what));
	begin(s, "levels", "[");
	for (size_t i = 0; i < what->finding_count; i++) {
		const alibi_finding *f = &what->findings[i];
		begin(s, NULL, "{");
		level(s, f);
		if (f->result && f->result->implied_by)
			text(s, "implied_by", f->result->implied_by);
		else
			details(s, f);
		sink_text(s, "}");
	}
	sink_text(s, "]");
}

static void coverage(struct sink *s, const alibi_reported *what)
{
	const alibi_coverage *c = view_coverage(what);
	if (!c)
		return;
	begin(s, "coverage", "{");
	count(s, "reads", c->reads);
	count(s, "contended_reads", c->contended_reads);
	count(s, "contended_keys", c->contended_keys);
	count(s, "conflicts", c->conflicts);
	if (c->has_client_times)
		count(s, "overlapping_conflicts", c->overlapping_conflicts);
	count(s, "conflicting_sessions", c->conflicting_sessions);
	if (c->queries) {
		count(s, "queries", c->queries);
		count(s, "contended_queries", c->contended_queries);
	}
	flag(s, "could_violate", c->could_violate);
	text(s, "says_no_more_than", c->says_no_more_than);
	sink_text(s, "}");
	text_if_any(s, "warning", view_warning(what));
}

static void availability(struct sink *s, const struct availability *a)
{
	if (!a)
		return;
	begin(s, "availability", "{");
	count(s, "milliseconds", (uint64_t)a->milliseconds);
	count(s, "without_commits", (uint64_t)a->without_commits);
	begin(s, "nodes", "[");
	for (size_t i = 0; i < a->nodes.count; i++) {
		const struct node_availability *n = &a->nodes.items[i];
		begin(s, NULL, "{");
		text(s, "node", n->node);
		count(s, "without_commits", (uint64_t)n->without_commits);
		count(s, "attempts", (uint64_t)n->attempts);
		count(s, "unanswered", (uint64_t)n->unanswered);
		sink_text(s, "}");
	}
	sink_text(s, "]}");
}

static void counts(struct sink *s, const alibi_stats *stats)
{
	count(s, "txns", stats->txns);
	count(s, "committed", stats->committed);
	count(s, "aborted", stats->aborted);
	count(s, "unknown", stats->unknown);
	count(s, "sessions", stats->sessions);
	count(s, "ops", stats->ops);
}

static void add(const struct report *r, struct sink *s, const alibi_reported *what)
{
	(void)r;
	alibi_stats stats = {0};
	bool one = what->finding_count == 1;
	if (what->history)
		stats = history_stats(view_history(what->history));
	begin(s, NULL, "{");
	text(s, "file", what->name);
	text(s, "format", stats.format);
	if (one) {
		level(s, what->findings);
	} else {
		text(s, "level", "all");
		text(s, "verdict", view_verdict_of_all(what));
	}
	counts(s, &stats);
	if (one)
		details(s, what->findings);
	else
		all_levels(s, what);
	coverage(s, what);
	availability(s, view_availability(what));
	number(s, "load_cpu_seconds", what->load_seconds);
	member(s, "seconds");
	sink_addf(s, "%.3f", what->seconds);
	count(s, "peak_bytes", what->peak_bytes);
	sink_text(s, "}\n");
}

const struct report_kind report_json = {.name = "JSON", .many = true, .add = add};
