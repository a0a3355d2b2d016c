/* certificate: see certificate.h. */
#include "check/certificate.h"

#include "base/guard.h"
#include "history/digest.h"

#include <stdio.h>

struct writer {
	struct pool *pool;
	byte_vec bytes;
};

static void number(struct writer *w, uint32_t n)
{
	for (; n >= 128; n >>= 7)
		vec_push(w->pool, &w->bytes, (unsigned char)(n | 128));
	vec_push(w->pool, &w->bytes, (unsigned char)n);
}

static void header(struct writer *w, const struct history *h, const struct verify_rules *rules,
                   bool valid)
{
	struct digest d = history_digest(h);
	char line[160];
	int n = snprintf(line, sizeof line, VERIFY_HEADER, rules->level,
	                 rules->session ? "on" : "off", d.high, d.low,
	                 valid ? "valid" : "violates");
	for (int i = 0; i < n; i++)
		vec_push(w->pool, &w->bytes, (unsigned char)line[i]);
}

/* Differences of neighbours are small; the sign goes into the lowest bit. */
static void order(struct writer *w, const struct search_result *found)
{
	uint32_t before = 0;
	for (size_t i = 0; i < found->event_count; i++) {
		uint32_t event = found->events[i] >> 2 << 1 | (found->events[i] & 1);
		uint32_t delta = event - before;
		number(w, delta & 1u << 31 ? ~delta << 1 | 1 : delta << 1);
		before = event;
		guard_tick(pool_guard(w->pool));
	}
}

static void steps(struct writer *w, const struct proof *p)
{
	for (size_t i = 0; i < p->steps.count; i++) {
		const struct proof_step *s = &p->steps.items[i];
		number(w, s->kind);
		number(w, s->count);
		for (uint32_t j = 0; j < s->count; j++)
			number(w, p->words.items[s->offset + j]);
		guard_tick(pool_guard(w->pool));
	}
}

byte_vec certificate_of(struct pool *pool, const struct history *h,
                        const struct verify_rules *rules, const struct search_result *found)
{
	struct writer w = {.pool = pool};
	header(&w, h, rules, found->found);
	if (found->found)
		order(&w, found);
	else
		steps(&w, &found->proof);
	return w.bytes;
}
