/*
 * http_state: the board as JSON: all of it for the page, and a short word for those who
 * only want to know whether it is well.
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

/* Since then; null: it never happened. */
static void age(struct text *t, const char *name, double now, double then)
{
	if (then > 0)
		text_print(t, ",\"%s\":%.3f", name, now - then);
	else
		text_print(t, ",\"%s\":null", name);
}

/* What /health says, without the brace at its end. */
static bool begin(struct text *t, const struct board_view *v)
{
	const char *trouble = board_trouble(v);
	text_print(t, "{\"ok\":%s", trouble ? "false" : "true");
	text_member(t, "reason", trouble);
	text_member(t, "verdict", alibi_verdict_name(v->facts.stats.verdict));
	count(t, "txns", v->facts.stats.txns);
	age(t, "last_transaction_age", v->now, v->facts.came);
	return !trouble;
}

bool http_health(struct board *b, struct text *t)
{
	struct board_view v = board_look(b);
	bool well = begin(t, &v);
	text_word(t, "}\n");
	return well;
}

void http_state(struct board *b, struct text *t)
{
	struct board_view v = board_look(b);
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
	if (board_lag(&v, &lag))
		count(t, "lag", lag);
	text_print(t, ",\"rate\":%.1f,\"rates\":[", board_rate(&v));
	for (size_t i = 0; i < v.facts.rate_count; i++)
		text_print(t, "%s%.0f", i ? "," : "", v.facts.rates[i]);
	text_word(t, "],\"latest_violations\":");
	board_latest(b, true, t);
	text_word(t, ",\"latest_others\":");
	board_latest(b, false, t);
	text_word(t, "}\n");
}
