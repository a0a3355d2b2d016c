/*
 * report_junit: for CI, in the XML of JUnit's Ant task, which every CI server reads. A
 * history is a suite and a level is a test: it passes if the verdict is valid, fails if it is
 * violates, and is an error otherwise. An unknown verdict is not a skipped test, since it
 * must not be mistaken for a pass. If all levels were checked, those that need not hold are skipped
 * where they do not; and if it is not known which must, that is an error.
 *
 * The strict schema requires a time, a host, properties and both outputs of each suite, even
 * if they are empty.
 */
#include "report/report.h"
#include "report/view.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static void open_report(struct sink *s)
{
	sink_text(s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
}

static void close_report(struct sink *s)
{
	sink_text(s, "</testsuites>\n");
}

static void property(struct sink *s, const char *member, uint64_t n)
{
	sink_addf(s, "<property name=\"%s\" value=\"%" PRIu64 "\"/>\n", member, n);
}

static void anomaly(struct sink *s, const alibi_anomaly *a)
{
	words_markupf(s, "%s: %s\n", a->title, view_sentence(s->pool, a->summary));
	if (a->advice)
		words_markupf(s, "  %s\n", view_sentence(s->pool, a->advice));
	for (size_t i = 0; i < a->case_count; i++) {
		const alibi_case *c = &a->cases[i];
		if (c->assumption)
			words_markupf(s, "  suppose that %s\n", c->assumption);
		for (size_t e = 0; e < c->edge_count; e++)
			words_markupf(s, "  %zu. %s\n", e + 1,
			              view_sentence(s->pool, c->edges[e].text));
		if (c->text)
			words_markupf(s, "  %s\n", view_sentence(s->pool, c->text));
	}
}

static void failure(struct sink *s, const alibi_finding *f)
{
	const alibi_explanation *e = f->explanation;
	size_t count = view_anomaly_count(f), described = f->result->described;
	const char *message = count       ? e->anomalies[0].summary
	                      : described ? f->result->violations[0].text
	                                  : "it violates the level";
	const char *type = count       ? e->anomalies[0].name
	                   : described ? f->result->violations[0].kind
	                               : "violates";
	words_markupf(s, "<failure type=\"%s\" message=\"%s\">", type,
	              view_shortened(s->pool, message));
	for (size_t i = 0; i < count; i++)
		anomaly(s, &e->anomalies[i]);
	for (size_t i = 0; !count && i < described; i++)
		words_markupf(s, "%s\n", view_sentence(s->pool, f->result->violations[i].text));
	sink_text(s, "</failure>");
}

static bool is(const alibi_finding *f, const char *verdict)
{
	return !strcmp(view_verdict(f), verdict);
}

/* Must the level hold? The expected or claimed one and all weaker ones must; if there is none,
 * those up to the strongest that holds. */
static bool expected(const alibi_reported *what, const alibi_finding *f)
{
	const char *last = view_expected(what) ? view_expected(what) : what->strongest;
	if (what->finding_count == 1 || !last)
		return true;
	for (const alibi_finding *at = what->findings; at < f; at++)
		if (at->level && !strcmp(at->level, last))
			return false;
	return true;
}

static bool failed(const alibi_reported *what, const alibi_finding *f)
{
	return is(f, "violates") && expected(what, f);
}

static bool is_error(const alibi_reported *what, const alibi_finding *f)
{
	return !is(f, "valid") && !is(f, "violates") && expected(what, f);
}

/* A test that cannot pass: which level must hold is not known. */
static void missing_expectation(struct sink *s, const alibi_reported *what)
{
	words_markupf(s,
	              "<testcase name=\"expected level\" classname=\"%s\" time=\"0\"><error "
	              "type=\"unknown\" message=\"%s\"/></testcase>\n",
	              what->name, view_nothing_expected(what));
}

static void testcase(struct sink *s, const alibi_reported *what, const alibi_finding *f)
{
	words_markupf(s, "<testcase name=\"%s\" classname=\"%s\" time=\"%.3f\">",
	              view_level(f->level), what->name,
	              what->seconds / (double)what->finding_count);
	if (failed(what, f)) {
		failure(s, f);
	} else if (!is(f, "valid") && !expected(what, f)) {
		words_markupf(s, "<skipped message=\"%s\"/>",
		              view_shortened(s->pool, view_why(s->pool, what, f)));
	} else if (!is(f, "valid")) {
		const char *reason = view_reason(f);
		words_markupf(s, "<error type=\"%s\" message=\"%s\"/>", view_verdict(f),
		              reason ? view_shortened(s->pool, reason) : "");
	}
	sink_text(s, "</testcase>\n");
}

static void add(const struct report *r, struct sink *s, const alibi_reported *what)
{
	size_t failures = 0, errors = 0;
	char now[32] = "";
	struct tm utc;
	time_t seconds = time(NULL);
	if (gmtime_r(&seconds, &utc))
		strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%S", &utc);
	for (size_t i = 0; i < what->finding_count; i++) {
		failures += failed(what, &what->findings[i]);
		errors += is_error(what, &what->findings[i]);
	}
	bool missing = view_nothing_expected(what);
	words_markupf(s,
	              "<testsuite package=\"alibi\" name=\"%s\" id=\"%zu\" tests=\"%zu\" "
	              "failures=\"%zu\" errors=\"%zu\" time=\"%.3f\" "
	              "timestamp=\"%s\" hostname=\"localhost\">\n<properties>\n",
	              what->name, r->histories, what->finding_count + missing, failures,
	              errors + missing, what->seconds, now);
	if (what->history) {
		alibi_stats stats = history_stats(view_history(what->history));
		property(s, "transactions", stats.txns);
		property(s, "committed", stats.committed);
		property(s, "sessions", stats.sessions);
		property(s, "operations", stats.ops);
	}
	if (view_warning(what))
		words_markupf(s, "<property name=\"warning\" value=\"%s\"/>\n", view_warning(what));
	if (view_availability(what))
		words_markupf(s, "<property name=\"availability\" value=\"%s\"/>\n",
		              view_available(s->pool, view_availability(what)));
	sink_text(s, "</properties>\n");
	for (size_t i = 0; i < what->finding_count; i++)
		testcase(s, what, &what->findings[i]);
	if (missing)
		missing_expectation(s, what);
	sink_text(s, "<system-out/>\n<system-err/>\n</testsuite>\n");
}

const struct report_kind report_junit = {
        .name = "JUnit", .many = true, .open = open_report, .add = add, .close = close_report};
