/*
 * http_state: the status as JSON: /state with everything for the page, and /health in short.
 */
#include "http.h"

#include <inttypes.h>

static void text_member(struct text *t, const char *name, const char *text)
{
	text_print(t, ",\"%s\":", name);
	if (text)
		text_json(t, text);
	else
		text_word(t, "null");
}

static void count(struct text *t, const char *name, uint64_t n)
{
	text_print(t, ",\"%s\":%" PRIu64, name, n);
}

/* Seconds since then; null: never. */
static void age(struct text *t, const char *name, double now, double then)
{
	if (then > 0)
		text_print(t, ",\"%s\":%.3f", name, now - then);
	else
		text_print(t, ",\"%s\":null", name);
}

/* The members of /health, without the closing brace. */
static bool begin(struct text *t, const struct status_view *v)
{
	const char *trouble = status_problem(v);
	text_print(t, "{\"ok\":%s", trouble ? "false" : "true");
	text_member(t, "reason", trouble);
	text_member(t, "verdict", alibi_verdict_name(v->facts.stats.verdict));
	count(t, "txns", v->facts.stats.txns);
	age(t, "last_transaction_age", v->now, v->facts.came);
	return !trouble;
}

bool http_health(struct status *b, struct text *t)
{
	struct status_view v = status_read(b);
	bool well = begin(t, &v);
	text_word(t, "}\n");
	return well;
}

void http_state(struct status *b, struct text *t)
{
	struct status_view v = status_read(b);
	const alibi_watch_stats *s = &v.facts.stats;
	uint64_t lag;
	begin(t, &v);
	text_member(t, "stream", v.stream);
	text_member(t, "level", v.level);
	text_member(t, "version", alibi_version());
	text_print(t, ",\"started\":%.3f", v.started);
	count(t, "committed", s->committed);
	count(t, "aborted", s->aborted);
	count(t, "unknown", s->unknown);
	count(t, "duplicates", s->duplicates);
	count(t, "ops", s->ops);
	count(t, "violations", s->violations);
	count(t, "undecided", s->undecided);
	count(t, "unverified", s->unverified);
	count(t, "waiting", s->waiting);
	count(t, "keys", s->keys);
	count(t, "fences", s->fences);
	count(t, "lost_messages", s->lost);
	count(t, "resident", v.resident);
	text_print(t, ",\"has_checkpoint\":%s", v.facts.has_checkpoint ? "true" : "false");
	age(t, "checkpoint_age", v.now, v.facts.checkpoint);
	if (status_lag(&v, &lag))
		count(t, "lag", lag);
	text_print(t, ",\"rate\":%.1f,\"rates\":[", status_rate(&v));
	for (size_t i = 0; i < v.facts.rate_count; i++)
		text_print(t, "%s%.0f", i ? "," : "", v.facts.rates[i]);
	text_word(t, "],\"latest_violations\":");
	status_latest(b, true, t);
	text_word(t, ",\"latest_others\":");
	status_latest(b, false, t);
	text_word(t, "}\n");
}
