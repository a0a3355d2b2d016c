/*
 * http_metrics: the status in the format of Prometheus. Counters are the library's own, so they
 * continue after a restart from a checkpoint.
 */
#include "findings.h"
#include "http.h"

#include <inttypes.h>
#include <string.h>

static void about(struct text *t, const char *name, const char *type, const char *help)
{
	text_print(t, "# HELP alibi_%s %s\n# TYPE alibi_%s %s\n", name, help, name, type);
}

static void count(struct text *t, const char *name, const char *type, const char *help, uint64_t n)
{
	about(t, name, type, help);
	text_print(t, "alibi_%s %" PRIu64 "\n", name, n);
}

static void seconds(struct text *t, const char *name, const char *help, double s)
{
	about(t, name, "gauge", help);
	text_print(t, "alibi_%s %.3f\n", name, s);
}

static void labelled(struct text *t, const char *name, const char *label, const char *value,
                     uint64_t n)
{
	text_print(t, "alibi_%s{%s=\"%s\"} %" PRIu64 "\n", name, label, value, n);
}

static void add_input(struct text *t, const struct status_view *v)
{
	const alibi_watch_stats *s = &v->facts.stats;
	about(t, "transactions_total", "counter", "Transactions, each once, by their outcome.");
	labelled(t, "transactions_total", "outcome", "committed", s->committed);
	labelled(t, "transactions_total", "outcome", "aborted", s->aborted);
	labelled(t, "transactions_total", "outcome", "unknown", s->unknown);
	count(t, "operations_total", "counter", "Operations of these transactions.", s->ops);
	count(t, "duplicates_total", "counter", "Transactions that arrived again.", s->duplicates);
	if (v->facts.came > 0)
		seconds(t, "last_transaction_age_seconds",
		        "Time since the last transaction arrived; absent before the first.",
		        v->now - v->facts.came);
	count(t, "stream_place", "gauge",
	      "How far the stream was read: bytes of a file, or the number of a message.",
	      v->facts.place);
	count(t, "stream_lost_messages_total", "counter",
	      "Messages that were deleted from the stream before they were read.", s->lost);
}

static void add_findings(struct text *t, const alibi_watch_stats *s)
{
	struct kind_count kinds[FINDING_KINDS];
	findings_kinds(s, kinds);
	about(t, "verdict", "gauge", "1 for the verdict so far, 0 for the others.");
	for (int i = ALIBI_VALID; i <= ALIBI_UNKNOWN; i++)
		labelled(t, "verdict", "verdict", alibi_verdict_name((enum alibi_verdict)i),
		         s->verdict == (enum alibi_verdict)i);
	about(t, "violations_total", "counter", "Violations of the isolation level, by kind.");
	for (size_t i = 0; i < FINDING_KINDS; i++)
		labelled(t, "violations_total", "kind", kinds[i].name, kinds[i].count);
	count(t, "undecided_total", "counter",
	      "Mismatches that a tie or an unknown outcome may explain.", s->undecided);
	about(t, "unverified_total", "counter",
	      "Transactions that could not be checked, by reason.");
	for (int i = 0; i < ALIBI_WATCH_REASONS; i++)
		labelled(t, "unverified_total", "reason",
		         alibi_watch_reason_name((enum alibi_watch_reason)i), s->by_reason[i]);
}

static void add_state(struct text *t, const struct status_view *v)
{
	const alibi_watch_stats *s = &v->facts.stats;
	uint64_t lag;
	count(t, "waiting_transactions", "gauge", "Transactions that are not checked yet.",
	      s->waiting);
	if (status_lag(v, &lag))
		count(t, "lag_timestamp_units", "gauge",
		      "How far the watermark is behind the newest commit, in the unit of the "
		      "timestamps, or in fences; absent before the first watermark.",
		      lag);
	count(t, "fences_total", "counter", "Fences in a row.", s->fences);
	count(t, "keys", "gauge", "Keys in memory.", s->keys);
	count(t, "versions", "gauge", "Versions of keys in memory.", s->versions);
	count(t, "sessions", "gauge", "Sessions in memory.", s->sessions);
	count(t, "state_bytes", "gauge", "Memory of the checker's state.", s->bytes);
	count(t, "resident_memory_bytes", "gauge", "Resident memory of the program.", v->resident);
	if (v->facts.checkpoint > 0)
		seconds(t, "checkpoint_age_seconds",
		        "Time since the latest checkpoint; absent before the first.",
		        v->now - v->facts.checkpoint);
	count(t, "up", "gauge", "1 while the stream is being read, as /health says.",
	      !status_problem(v));
	about(t, "start_time_seconds", "gauge", "Start time of the watch, Unix time.");
	text_print(t, "alibi_start_time_seconds %.3f\n", v->started);
}

void http_metrics(struct status *b, struct text *t)
{
	struct status_view v = status_read(b);
	about(t, "watch_info", "gauge", "What is watched, and by which version.");
	text_print(t, "alibi_watch_info{version=\"%s\",level=\"%s\",stream=\"", alibi_version(),
	           v.level);
	text_escaped(t, ALIBI_ESCAPE_LABEL, v.stream, strlen(v.stream));
	text_word(t, "\"} 1\n");
	add_input(t, &v);
	add_findings(t, &v.facts.stats);
	add_state(t, &v);
}
