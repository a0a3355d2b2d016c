/* certificate: see certificate.h. */
#include "check/certificate.h"

#include "base/guard.h"

#include <stdio.h>

static void put_order(struct pool *pool, byte_vec *bytes, const struct search_result *found)
{
	uint32_t before = 0;
	struct read_from last = {0};
	certificate_put(pool, bytes, (uint32_t)found->event_count);
	for (size_t i = 0; i < found->event_count; i++) {
		uint32_t event = event_txn(found->events[i]) << 1 | (found->events[i] & 1);
		certificate_put_step(pool, bytes, before, event);
		before = event;
		guard_tick(pool_guard(pool));
	}
	for (size_t i = 0; i < found->chosen_count; i++) {
		certificate_put_step(pool, bytes, last.op, found->chosen[i].op);
		certificate_put_step(pool, bytes, last.writer, found->chosen[i].writer);
		last = found->chosen[i];
	}
}

static void put_steps(struct pool *pool, byte_vec *bytes, const struct proof *p)
{
	for (size_t i = 0; i < p->steps.count; i++) {
		const struct proof_step *s = &p->steps.items[i];
		certificate_put(pool, bytes, s->kind);
		certificate_put(pool, bytes, s->count);
		for (uint32_t j = 0; j < s->count; j++)
			certificate_put(pool, bytes, p->words.items[s->offset + j]);
		guard_tick(pool_guard(pool));
	}
}

byte_vec certificate_of(struct pool *pool, const struct history *h,
                        const struct verify_rules *rules, const struct search_result *found)
{
	struct certificate c = {.session = !rules->replay.no_session,
	                        .clocks = rules->replay.realtime,
	                        .skew = rules->replay.skew,
	                        .valid = found->found,
	                        .digest = history_digest(h)};
	byte_vec bytes = {0};
	snprintf(c.level, sizeof c.level, "%s", rules->level);
	certificate_begin(pool, &bytes, &c);
	if (found->found)
		put_order(pool, &bytes, found);
	else
		put_steps(pool, &bytes, &found->proof);
	return bytes;
}
