/* told: see told.h. */
#include "check/told.h"

#include "base/guard.h"
#include "order/guess.h"

/* A rule that the present order breaks, and who may repair it. */
struct rule {
	uint32_t reader, read;  /* slot, node */
	uint32_t blocker, left; /* whose value it finds: slot (ID_NONE: initial), node */
	uint32_t count, first;  /* candidates that are possible, and the first of them */
	bool ordered;           /* all others are known to be behind the first */
};

static bool is_possible(const struct saturation *x, const struct rule *r, uint32_t slot)
{
	return !(r->blocker != ID_NONE && saturation_before(x, slot, r->left)) &&
	       !saturation_after(x, slot, r->read);
}

static void look_at_candidates(struct search *s, struct rule *r, const struct query *q,
                               uint32_t number, uint32_t row)
{
	const struct problem *p = &s->problem;
	const struct saturation *x = s->saturation;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = s->writers_first[number]; i < s->writers_first[number + 1]; i++) {
			uint32_t write = s->writers[i], slot = s->writer_slot[write];
			guard_tick(s->guard);
			if (slot == r->reader || !is_possible(x, r, slot) ||
			    !query_explains(p->h, q, row, p->writes.items[write].value))
				continue;
			if (pass) {
				r->ordered &= slot == r->first ||
				              saturation_before(x, r->first, write_node(p, slot));
			} else if (!r->count++ ||
			           saturation_before(x, slot, write_node(p, r->first))) {
				r->first = slot;
			}
		}
}

void told_follows(struct search *s, uint32_t reader, const struct query *q, uint32_t key,
                  uint32_t row)
{
	const struct problem *p = &s->problem;
	struct saturation *x = s->saturation;
	uint32_t number = p->number_of[key], writer = s->writer[number];
	struct rule r = {.reader = reader,
	                 .read = read_node(p, reader),
	                 .blocker = writer ? writer - 1 : ID_NONE,
	                 .ordered = true};
	struct derived d = {.op = q->op, .other = r.blocker, .key = key};
	struct reach reachers = open_reachers(p->h, key);
	if (reachers.first < reachers.end)
		return; /* who writes it is not certain */
	if (writer)
		r.left = write_node(p, r.blocker);
	look_at_candidates(s, &r, q, number, row);
	bool before = !writer || saturation_before(x, r.blocker, r.read);
	uint32_t first = write_node(p, r.first);
	if (!r.count && writer) {
		d.from = r.read;
		d.to = r.left;
	} else if (r.count && before && r.ordered && !saturation_before(x, r.first, r.read)) {
		d.from = first;
		d.to = r.read;
	} else if (r.count == 1 && before && writer) {
		d.from = r.left;
		d.to = first;
	} else {
		return;
	}
	saturation_derive(x, d);
	s->followed++;
}

size_t told_look(void *data, struct saturation *saturation)
{
	struct search *s = data;
	const struct problem *p = &s->problem;
	struct pool *own = pool_child(s->pool);
	uint32_t *place = pool_array(own, (size_t)p->nodes + 1, sizeof *place);
	uint32_t *node_at = pool_array(own, (size_t)p->nodes + 1, sizeof *node_at);
	s->followed = 0;
	if (guess_order(own, p, s->hint, place, node_at)) {
		s->saturation = saturation;
		broken_queries(s, node_at);
		s->saturation = NULL;
	}
	pool_release(own);
	return s->followed;
}
