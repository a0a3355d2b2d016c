/* results: see results.h. */
#include "results.h"
#include "output.h"

#include "choices.h"
#include "consistency.h"
#include "edn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ANOMALIES_MAX = 256 };

struct results {
	struct text *t;
	const struct elle_run *run;
	bool json;
	const alibi_explanation *explanation;
	size_t count; /* of anomalies */
	char labels[ANOMALIES_MAX][64];
};

/* ---- notation ---- */

static void comma(struct results *r, bool *first, const char *space)
{
	text_word(r->t, *first ? "" : ",");
	text_word(r->t, *first ? "" : space);
	*first = false;
}

static void member(struct results *r, bool *first, const char *name, const char *space)
{
	comma(r, first, space);
	edn_keyword(r->t, name, r->json);
	text_word(r->t, r->json ? ": " : " ");
}

static void member_text(struct results *r, bool *first, const char *name, const char *text)
{
	member(r, first, name, " ");
	edn_string(r->t, text, strlen(text));
}

static void member_keyword(struct results *r, bool *first, const char *name, const char *word)
{
	member(r, first, name, " ");
	edn_keyword(r->t, word, r->json);
}

/* A key as the library has it, JSON. */
static void add_key(struct results *r, const char *json)
{
	size_t length = strlen(json);
	alibi_value v = {.kind = ALIBI_STRING, .text = json + 1, .length = length - 2};
	if (length > 2 && *json == '"' && !memchr(json, '\\', length))
		edn_value(r->t, &v, r->json);
	else
		text_word(r->t, json);
}

/* ---- operations ---- */

/* The completion of a transaction. */
static void add_op(struct results *r, const alibi_history *h, size_t txn)
{
	static const char *const types[] = {"ok", "fail", "info"};
	static const char *const kinds[] = {"r", "w", "append"};
	alibi *job = r->run->job->alibi;
	alibi_txn x = {ALIBI_INIT(alibi_txn)};
	alibi_op op = {ALIBI_INIT(alibi_op)};
	bool first = true;
	alibi_history_txn_at(h, txn, &x);
	text_word(r->t, "{");
	member(r, &first, "index", " ");
	edn_value(r->t, &x.id, r->json);
	member_keyword(r, &first, "type", types[x.status]);
	member(r, &first, "process", " ");
	edn_value(r->t, &x.session, r->json);
	member_keyword(r, &first, "f", "txn");
	member(r, &first, "value", " ");
	text_word(r->t, "[");
	for (size_t i = 0; i < x.op_count && alibi_history_op_at(job, h, txn, i, &op); i++) {
		text_word(r->t, i ? r->json ? ", [" : " [" : "[");
		edn_keyword(r->t, kinds[op.kind], r->json);
		text_word(r->t, r->json ? ", " : " ");
		edn_value(r->t, &op.key, r->json);
		text_word(r->t, r->json ? ", " : " ");
		edn_value(r->t, &op.value, r->json);
		text_word(r->t, "]");
	}
	text_word(r->t, "]}");
}

/* ---- anomalies ---- */

static void add_steps(struct results *r, const alibi_anomaly *m, const alibi_case *c)
{
	const alibi_history *h = alibi_anomaly_reduced(m);
	alibi_edge edge = {ALIBI_INIT(alibi_edge)};
	bool first = true, first_step = true;
	text_word(r->t, "[");
	for (size_t i = 0; alibi_case_edge_at(c, i, &edge); i++) {
		comma(r, &first, "\n     ");
		add_op(r, h, edge.from);
	}
	if (alibi_case_edge_at(c, 0, &edge)) {
		comma(r, &first, "\n     ");
		add_op(r, h, edge.from);
	}
	text_word(r->t, "]");
	first = false;
	member(r, &first, "steps", "\n    ");
	text_word(r->t, "[");
	for (size_t i = 0; alibi_case_edge_at(c, i, &edge); i++) {
		bool inner = true;
		comma(r, &first_step, "\n     ");
		text_word(r->t, "{");
		member_keyword(r, &inner, "type",
		               !strcmp(edge.kind, "so")   ? "process"
		               : !strcmp(edge.kind, "rt") ? "realtime"
		                                          : edge.kind);
		if (edge.key) {
			member(r, &inner, "key", " ");
			add_key(r, edge.key);
		}
		member_text(r, &inner, "explanation", edge.text);
		text_word(r->t, "}");
	}
	text_word(r->t, "]");
}

static void add_anomaly(struct results *r, size_t at)
{
	const alibi_anomaly *m = alibi_explanation_anomaly_at(r->explanation, at);
	const alibi_case *c = alibi_anomaly_case_at(m, 0);
	const alibi_history *h = alibi_anomaly_reduced(m);
	bool first = true, first_op = true;
	text_word(r->t, "{");
	member_keyword(r, &first, "type", r->labels[at]);
	member_keyword(r, &first, "name", alibi_anomaly_name(m));
	member_text(r, &first, "explanation", alibi_anomaly_summary(m));
	if (c && alibi_case_edge_count(c)) {
		member(r, &first, "cycle", "\n    ");
		add_steps(r, m, c);
	} else {
		member(r, &first, "txns", "\n    ");
		text_word(r->t, "[");
		for (size_t t = 0; t < alibi_history_txn_count(h); t++) {
			comma(r, &first_op, "\n     ");
			add_op(r, h, t);
		}
		text_word(r->t, "]");
	}
	text_word(r->t, "}");
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_anomalies(struct results *r, bool *first)
{
	const char *types[ANOMALIES_MAX + 1];
	size_t count = 0;
	for (size_t i = 0; i < r->count; i++)
		types[count++] = r->labels[i];
	qsort(types, count, sizeof *types, by_text);
	bool first_type = true;
	member(r, first, "anomaly-types", "\n ");
	text_word(r->t, "[");
	for (size_t i = 0; i < count; i++) {
		if (i && !strcmp(types[i], types[i - 1]))
			continue;
		comma(r, &first_type, " ");
		edn_keyword(r->t, types[i], r->json);
	}
	text_word(r->t, "]");
	member(r, first, "anomalies", "\n ");
	text_word(r->t, "{");
	first_type = true;
	for (size_t i = 0; i < count; i++) {
		bool first_one = true;
		if (i && !strcmp(types[i], types[i - 1]))
			continue;
		member(r, &first_type, types[i], "\n  ");
		text_word(r->t, "\n  [");
		for (size_t k = 0; k < r->count; k++) {
			if (strcmp(r->labels[k], types[i]) != 0)
				continue;
			comma(r, &first_one, "\n   ");
			add_anomaly(r, k);
		}
		text_word(r->t, "]");
	}
	text_word(r->t, "}");
}

/* ---- which models do not hold ---- */

static size_t rank_of(const char *level)
{
	size_t rank = 0;
	while (level_choices[rank] && strcmp(level_choices[rank], level) != 0)
		rank++;
	return rank;
}

/* The model by itself: it is stronger than the level that is violated, or an anomaly that it
 * forbids was found. */
static bool is_refuted(const struct results *r, const struct elle_consistency *c)
{
	struct elle_consistency as_level = elle_consistency_as_level(c);
	if (!c->forbids)
		return c->scope >= r->run->scope &&
		       rank_of(as_level.level) >= rank_of(r->run->finding.level);
	struct elle_goal g = {.is_model = true};
	elle_goal_forbid(&g, c->forbids);
	return elle_goal_refuted(r->run->job->alibi, &g, r->explanation);
}

static bool does_not_hold(const struct results *r, const struct elle_consistency *c)
{
	for (const struct elle_consistency *o = elle_consistencies; o->name; o++)
		if (elle_consistency_implies(c, o) && is_refuted(r, o))
			return true;
	return false;
}

static void add_models(struct results *r, bool *first, const char *name, bool weakest)
{
	bool first_model = true;
	member(r, first, name, "\n ");
	text_word(r->t, r->json ? "[" : "#{");
	for (const struct elle_consistency *c = elle_consistencies; c->name; c++) {
		bool implied = false;
		for (const struct elle_consistency *o = elle_consistencies; o->name; o++)
			implied |= o != c && elle_consistency_implies(c, o) && does_not_hold(r, o);
		if (implied == weakest || !does_not_hold(r, c))
			continue;
		comma(r, &first_model, " ");
		edn_keyword(r->t, c->name, r->json);
	}
	text_word(r->t, r->json ? "]" : "}");
}

void elle_results(struct text *t, const struct elle_run *run, bool json)
{
	static const char *const valid[] = {"true", "false", ":unknown"};
	struct results r = {
	        .t = t, .run = run, .json = json, .explanation = run->finding.explanation};
	bool first = true;
	text_word(t, "{");
	member(&r, &first, "valid?", " ");
	text_word(t, json && run->verdict == ALIBI_UNKNOWN ? "\"unknown\"" : valid[run->verdict]);
	if (run->verdict == ALIBI_UNKNOWN)
		member_text(&r, &first, "reason", run->why);
	if (run->verdict == ALIBI_VIOLATES && r.explanation) {
		r.count = alibi_explanation_anomaly_count(r.explanation);
		r.count = r.count < ANOMALIES_MAX ? r.count : ANOMALIES_MAX;
		for (size_t i = 0; i < r.count; i++) {
			const alibi_anomaly *m = alibi_explanation_anomaly_at(r.explanation, i);
			struct elle_names n = elle_names_of(run->job->alibi, m);
			if (n.label.anomaly)
				elle_anomaly_text(n.label, r.labels[i]);
			else
				snprintf(r.labels[i], sizeof r.labels[i], "%s",
				         alibi_anomaly_name(m));
		}
		add_anomalies(&r, &first);
		add_models(&r, &first, "not", true);
		add_models(&r, &first, "also-not", false);
	}
	text_word(t, "}\n");
}

/* ---- files ---- */

static bool complain(const char *path, const char *why)
{
	print_error("elle", "--directory: %s: cannot write: %s", path, why);
	return false;
}

/* The directory and all above it. */
static bool make_directory(const char *path)
{
	char *copy = strdup(path);
	bool ok = copy;
	for (char *p = copy; ok && *p; p++) {
		if (*p != '/' || p == copy)
			continue;
		*p = 0;
		ok = !mkdir(copy, 0777) || errno == EEXIST;
		*p = '/';
	}
	ok = ok && (!mkdir(copy, 0777) || errno == EEXIST);
	free(copy);
	return ok || complain(path, strerror(errno));
}

/* Jepsen has its own results.edn beside a test's history. */
static bool is_of_jepsen(const char *directory)
{
	static const char *const files[] = {"history.edn", "history.txt", "test.jepsen"};
	struct text path = {0};
	bool found = false;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		text_cut(&path, 0);
		text_print(&path, "%s/%s", directory, files[i]);
		found |= !access(path.data, F_OK);
	}
	text_release(&path);
	if (found)
		print_error("elle",
		            "--directory: %s has a test of Jepsen's, and results.edn there "
		            "is "
		            "its own; name another directory, such as %s/alibi",
		            directory, directory);
	return found;
}

static bool write_page(const struct elle_run *r, const char *path)
{
	alibi *job = alibi_new(); /* of its own: that of the run may have reached its limits */
	alibi_reported reported = {ALIBI_INIT(alibi_reported), .name = r->path,
	                           .history = r->history,      .finding_count = 1,
	                           .findings = &r->finding,    .seconds = job_seconds(r->job)};
	alibi_report *page = job ? alibi_report_open(job, ALIBI_REPORT_HTML, path, NULL) : NULL;
	bool ok = (page && alibi_report_add(page, &reported) && alibi_report_close(page)) ||
	          complain(path, job ? alibi_last_error(job)->text : "out of memory");
	alibi_free(job);
	return ok;
}

static bool write_text(const char *path, const struct text *t)
{
	FILE *out = fopen(path, "w");
	bool ok = out && fwrite(t->data, 1, t->length, out) == t->length;
	if (out && fclose(out))
		ok = false;
	return ok || complain(path, strerror(errno));
}

bool elle_results_write(const struct elle_run *r, const char *directory)
{
	struct text results = {0}, path = {0};
	text_print(&path, "%s/results.edn", directory);
	elle_results(&results, r, false);
	bool ok = !is_of_jepsen(directory) && make_directory(directory) &&
	          write_text(path.data, &results);
	text_cut(&path, 0);
	text_print(&path, "%s/index.html", directory);
	ok = ok && (!r->finding.result || write_page(r, path.data));
	text_release(&results);
	text_release(&path);
	return ok;
}
