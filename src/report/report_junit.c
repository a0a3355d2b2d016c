/*
 * report_junit: for CI, in the XML that JUnit's tasks for Ant write and that every
 * CI server reads. A history is a suite, and a level is a test: it passes if the
 * verdict is valid, fails if it is violates, and is in error otherwise. An unknown
 * verdict is not a skipped test: nobody should take it for a pass. Where all levels
 * were checked, those that nobody claims and that do not hold are skipped.
 *
 * The strict schema wants each suite to have a time, a host, properties and both
 * outputs, so they are there, empty perhaps.
 */
#include "report/report.h"
#include "report/tell.h"

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

static void attribute(struct sink *s, const char *member, const char *value)
{
	sink_addf(s, " %s=\"", member);
	words_markup(s, value);
	sink_text(s, "\"");
}

static void property(struct sink *s, const char *member, uint64_t n)
{
	sink_addf(s, "<property name=\"%s\" value=\"%" PRIu64 "\"/>\n", member, n);
}

static void line(struct sink *s, const char *text)
{
	words_markup(s, text);
	sink_text(s, "\n");
}

static void anomaly(struct sink *s, const alibi_anomaly *a)
{
	words_markup(s, a->title);
	sink_text(s, ": ");
	line(s, tell_sentence(s->pool, a->summary));
	for (size_t i = 0; i < a->case_count; i++) {
		const alibi_case *c = &a->cases[i];
		if (c->assumption) {
			sink_text(s, "  suppose that ");
			line(s, c->assumption);
		}
		for (size_t e = 0; e < c->edge_count; e++) {
			sink_addf(s, "  %zu. ", e + 1);
			line(s, tell_sentence(s->pool, c->edges[e].text));
		}
		if (c->text) {
			sink_text(s, "  ");
			line(s, tell_sentence(s->pool, c->text));
		}
	}
}

static void failure(struct sink *s, const alibi_finding *f)
{
	const alibi_explanation *e = f->explanation;
	size_t count = tell_anomaly_count(f), described = f->result->described;
	const char *message = count       ? e->anomalies[0].summary
	                      : described ? f->result->violations[0].text
	                                  : "it violates the level";
	const char *type = count       ? e->anomalies[0].name
	                   : described ? f->result->violations[0].kind
	                               : "violates";
	sink_text(s, "<failure");
	attribute(s, "type", type);
	attribute(s, "message", tell_words(s->pool, message));
	sink_text(s, ">");
	for (size_t i = 0; i < count; i++)
		anomaly(s, &e->anomalies[i]);
	for (size_t i = 0; !count && i < described; i++)
		line(s, tell_sentence(s->pool, f->result->violations[i].text));
	sink_text(s, "</failure>");
}

static bool is(const alibi_finding *f, const char *verdict)
{
	return !strcmp(tell_verdict(f), verdict);
}

/* Was this level promised? The one that is claimed, and all weaker ones; if none is,
 * those up to the strongest that holds. */
static bool promised(const alibi_reported *what, const alibi_finding *f)
{
	const char *last = what->claimed ? what->claimed : what->strongest;
	if (what->finding_count == 1 || !last)
		return true;
	for (const alibi_finding *at = what->findings; at < f; at++)
		if (at->level && !strcmp(at->level, last))
			return false;
	return true;
}

static bool failed(const alibi_reported *what, const alibi_finding *f)
{
	return is(f, "violates") && promised(what, f);
}

static void testcase(struct sink *s, const alibi_reported *what, const alibi_finding *f)
{
	sink_text(s, "<testcase");
	attribute(s, "name", tell_level(f->level));
	attribute(s, "classname", what->name);
	sink_addf(s, " time=\"%.3f\">", what->seconds / (double)what->finding_count);
	if (failed(what, f)) {
		failure(s, f);
	} else if (is(f, "violates")) {
		sink_text(s, "<skipped");
		attribute(s, "message", tell_words(s->pool, tell_why(s->pool, what, f)));
		sink_text(s, "/>");
	} else if (!is(f, "valid")) {
		const char *reason = tell_reason(f);
		sink_text(s, "<error");
		attribute(s, "type", tell_verdict(f));
		attribute(s, "message", reason ? tell_words(s->pool, reason) : "");
		sink_text(s, "/>");
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
		errors += is(&what->findings[i], "unknown") || is(&what->findings[i], "error");
	}
	sink_text(s, "<testsuite package=\"alibi\"");
	attribute(s, "name", what->name);
	sink_addf(s,
	          " id=\"%zu\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\" "
	          "timestamp=\"%s\" hostname=\"localhost\">\n<properties>\n",
	          r->histories, what->finding_count, failures, errors, what->seconds, now);
	if (what->history) {
		alibi_stats stats = alibi_history_stats(what->history);
		property(s, "transactions", stats.txns);
		property(s, "committed", stats.committed);
		property(s, "sessions", stats.sessions);
		property(s, "operations", stats.ops);
	}
	if (tell_coverage(what) && tell_coverage(what)->warning) {
		sink_text(s, "<property name=\"warning\"");
		attribute(s, "value", tell_coverage(what)->warning);
		sink_text(s, "/>\n");
	}
	sink_text(s, "</properties>\n");
	for (size_t i = 0; i < what->finding_count; i++)
		testcase(s, what, &what->findings[i]);
	sink_text(s, "<system-out/>\n<system-err/>\n</testsuite>\n");
}

const struct report_kind report_junit = {
        .name = "JUnit", .many = true, .open = open_report, .add = add, .close = close_report};
