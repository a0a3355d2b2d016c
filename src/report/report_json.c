/*
 * report_json: for other programs, an object a history, a line each.
 * docs/report.schema.json says what is in it. Ids, keys and values are JSON of
 * their own, as in the history format.
 */
#include "format/format.h"
#include "report/report.h"
#include "report/tell.h"

#include <inttypes.h>
#include <string.h>

static void name(struct sink *s, const char *member, bool *first)
{
	sink_addf(s, "%s\"%s\":", *first ? "" : ",", member);
	*first = false;
}

/* text NULL: null. */
static void text(struct sink *s, const char *member, const char *value, bool *first)
{
	name(s, member, first);
	if (value)
		words_json(s, value);
	else
		sink_text(s, "null");
}

static void text_if_any(struct sink *s, const char *member, const char *value, bool *first)
{
	if (value)
		text(s, member, value, first);
}

static void json_if_any(struct sink *s, const char *member, const char *json, bool *first)
{
	if (!json)
		return;
	name(s, member, first);
	words_raw_json(s, json);
}

static void count(struct sink *s, const char *member, uint64_t n, bool *first)
{
	name(s, member, first);
	sink_addf(s, "%" PRIu64, n);
}

static void flag(struct sink *s, const char *member, bool value, bool *first)
{
	name(s, member, first);
	sink_text(s, value ? "true" : "false");
}

/* ---- violations ---- */

static void violation(struct sink *s, const alibi_violation *v)
{
	bool first = true;
	sink_text(s, "{");
	text(s, "kind", v->kind, &first);
	name(s, "txns", &first);
	sink_text(s, "[");
	words_raw_json(s, v->txn ? v->txn : "");
	sink_text(s, v->other ? "," : "");
	words_raw_json(s, v->other ? v->other : "");
	sink_text(s, "]");
	json_if_any(s, "key", v->key, &first);
	json_if_any(s, "expected", v->expected, &first);
	json_if_any(s, "found", v->found, &first);
	text(s, "text", v->text, &first);
	sink_text(s, "}");
}

static void violations(struct sink *s, const alibi_result *r, bool *first)
{
	count(s, "violation_count", r ? r->violation_count : 0, first);
	name(s, "violations", first);
	sink_text(s, "[");
	for (size_t i = 0; r && i < r->described; i++) {
		sink_text(s, i ? "," : "");
		violation(s, &r->violations[i]);
	}
	sink_text(s, "]");
}

/* ---- the explanation ---- */

static void edge(struct sink *s, const alibi_anomaly *a, const alibi_edge *e)
{
	bool first = true;
	sink_text(s, "{");
	json_if_any(s, "from", a->txns[e->from], &first);
	json_if_any(s, "to", a->txns[e->to], &first);
	text(s, "kind", e->kind, &first);
	json_if_any(s, "key", e->key, &first);
	text(s, "text", e->text, &first);
	sink_text(s, "}");
}

static void case_of(struct sink *s, const alibi_anomaly *a, const alibi_case *c)
{
	bool first = true;
	sink_text(s, "{");
	text_if_any(s, "assumption", c->assumption, &first);
	text_if_any(s, "text", c->text, &first);
	name(s, "edges", &first);
	sink_text(s, "[");
	for (size_t e = 0; e < c->edge_count; e++) {
		sink_text(s, e ? "," : "");
		edge(s, a, &c->edges[e]);
	}
	sink_text(s, "]}");
}

/* The lines of the history format, as the items of an array. */
static void history(struct sink *s, const struct history *h)
{
	struct sink *lines = sink_in_memory(s->pool);
	format_named("alibi")->write(h, lines);
	const char *all = text_string(s->pool, &lines->buffer), *next;
	for (const char *line = all; *line; line = next + 1) {
		next = strchr(line, '\n');
		sink_text(s, line == all ? "" : ",");
		words_raw_json(s, pool_text(s->pool, line, (size_t)(next - line)));
	}
}

static void anomaly(struct sink *s, const alibi_anomaly *a)
{
	bool first = true;
	sink_text(s, "{");
	text(s, "name", a->name, &first);
	text(s, "title", a->title, &first);
	text(s, "adya", a->adya, &first);
	text(s, "summary", a->summary, &first);
	name(s, "txns", &first);
	sink_text(s, "[");
	for (size_t i = 0; i < a->txn_count; i++) {
		sink_text(s, i ? "," : "");
		words_raw_json(s, a->txns[i]);
	}
	sink_text(s, "]");
	flag(s, "lists_cut", a->lists_cut, &first);
	name(s, "cases", &first);
	sink_text(s, "[");
	for (size_t i = 0; i < a->case_count; i++) {
		sink_text(s, i ? "," : "");
		case_of(s, a, &a->cases[i]);
	}
	sink_text(s, "],\"reduced\":[");
	history(s, tell_history(a->reduced));
	sink_text(s, "]}");
}

static void explanation(struct sink *s, const alibi_explanation *e, bool *first)
{
	name(s, "anomalies", first);
	sink_text(s, "[");
	for (size_t i = 0; i < e->count; i++) {
		sink_text(s, i ? "," : "");
		anomaly(s, &e->anomalies[i]);
	}
	sink_text(s, "]");
	flag(s, "counted_all", e->counted_all, first);
}

/* ---- a history ---- */

static void clocks(struct sink *s, const alibi_clocks *c, bool *first)
{
	bool inner = true;
	name(s, "clocks", first);
	sink_text(s, "{");
	count(s, "enough", c->enough, &inner);
	flag(s, "least", c->least, &inner);
	if (c->session) {
		name(s, "session", &inner);
		sink_text(s, c->session);
		flag(s, "ahead", c->ahead, &inner);
	}
	sink_text(s, "}");
}

static void level(struct sink *s, const alibi_finding *f, bool *first)
{
	text(s, "level", f->level, first);
	text_if_any(s, "level_asked", f->asked, first);
	text(s, "session_order", f->ignore_sessions ? "off" : "on", first);
	text(s, "verdict", tell_verdict(f), first);
	text_if_any(s, "reason", tell_reason(f), first);
	if (f->result)
		text_if_any(s, "basis", f->result->basis, first);
	if (f->result && f->result->clocks.alone)
		clocks(s, &f->result->clocks, first);
}

static void number(struct sink *s, const char *member, double value, bool *first)
{
	name(s, member, first);
	sink_addf(s, "%.6f", value);
}

static void figures(struct sink *s, const alibi_work *w, bool *first)
{
	struct tell_figures f = tell_figures(w);
	bool inner = true, seconds = true;
	name(s, "search", first);
	sink_text(s, "{");
	for (size_t i = 0; i < sizeof f.counts / sizeof *f.counts; i++)
		count(s, f.counts[i].name, f.counts[i].count, &inner);
	number(s, "largest_component", w->largest_component, &inner);
	name(s, "cpu_seconds", &inner);
	sink_text(s, "{");
	for (size_t i = 0; i < sizeof f.stages / sizeof *f.stages; i++)
		number(s, f.stages[i].name, f.stages[i].seconds, &seconds);
	sink_text(s, "}}");
}

static void details(struct sink *s, const alibi_finding *f, bool *first)
{
	violations(s, f->result, first);
	if (tell_searched(f))
		figures(s, &f->result->work, first);
	if (f->explanation)
		explanation(s, f->explanation, first);
}

static void all_levels(struct sink *s, const alibi_reported *what, bool *first)
{
	text(s, "strongest", what->strongest, first);
	text(s, "claimed", what->claimed, first);
	name(s, "levels", first);
	for (size_t i = 0; i < what->finding_count; i++) {
		const alibi_finding *f = &what->findings[i];
		bool inner = true;
		sink_text(s, i ? ",{" : "[{");
		level(s, f, &inner);
		if (f->result && f->result->implied_by)
			text(s, "implied_by", f->result->implied_by, &inner);
		else
			details(s, f, &inner);
		sink_text(s, "}");
	}
	sink_text(s, "]");
}

static void coverage(struct sink *s, const alibi_reported *what, bool *first)
{
	const alibi_coverage *c = tell_coverage(what);
	bool inner = true;
	if (!c)
		return;
	name(s, "coverage", first);
	sink_text(s, "{");
	count(s, "reads", c->reads, &inner);
	count(s, "contended_reads", c->contended_reads, &inner);
	count(s, "contended_keys", c->contended_keys, &inner);
	count(s, "conflicts", c->conflicts, &inner);
	if (c->has_client_times)
		count(s, "overlapping_conflicts", c->overlapping_conflicts, &inner);
	count(s, "conflicting_sessions", c->conflicting_sessions, &inner);
	if (c->queries) {
		count(s, "queries", c->queries, &inner);
		count(s, "contended_queries", c->contended_queries, &inner);
	}
	flag(s, "could_violate", c->could_violate, &inner);
	text(s, "says_no_more_than", c->says_no_more_than, &inner);
	sink_text(s, "}");
	text_if_any(s, "warning", c->warning, first);
}

static void counts(struct sink *s, const alibi_stats *stats, bool *first)
{
	count(s, "txns", stats->txns, first);
	count(s, "committed", stats->committed, first);
	count(s, "aborted", stats->aborted, first);
	count(s, "unknown", stats->unknown, first);
	count(s, "sessions", stats->sessions, first);
	count(s, "ops", stats->ops, first);
}

static void add(const struct report *r, struct sink *s, const alibi_reported *what)
{
	(void)r;
	alibi_stats stats = {0};
	bool first = true, one = what->finding_count == 1;
	if (what->history)
		stats = alibi_history_stats(what->history);
	sink_text(s, "{");
	text(s, "file", what->name, &first);
	text(s, "format", stats.format, &first);
	if (one) {
		level(s, what->findings, &first);
	} else {
		text(s, "level", "all", &first);
		text(s, "verdict", tell_verdict_of_all(what), &first);
	}
	counts(s, &stats, &first);
	if (one)
		details(s, what->findings, &first);
	else
		all_levels(s, what, &first);
	coverage(s, what, &first);
	number(s, "load_cpu_seconds", what->load_seconds, &first);
	sink_addf(s, ",\"seconds\":%.3f", what->seconds);
	count(s, "peak_bytes", what->peak_bytes, &first);
	sink_text(s, "}\n");
}

const struct report_kind report_json = {.name = "JSON", .many = true, .add = add};
