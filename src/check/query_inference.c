/* query_inference: see query_inference.h. */
#include "check/query_inference.h"

#include "base/guard.h"

struct inference {
	const struct saturation *s;
	const struct problem *p;
	node_id read, left; /* left: at which the blocker wrote */
	bool blocked;
};

/* Is it not known that the candidate is elsewhere? */
static bool is_possible(const struct inference *x, uint32_t slot)
{
	return !(x->blocked && saturation_before(x->s, slot, x->left)) &&
	       !saturation_after(x->s, slot, x->read);
}

/* Keeps the possible ones; returns one that no other is known to be before. */
static uint32_t keep_possible(const struct inference *x, slot_vec *candidates)
{
	uint32_t first = ID_NONE;
	size_t kept = 0;
	for (size_t i = 0; i < candidates->count; i++) {
		uint32_t slot = candidates->items[i];
		if (!is_possible(x, slot))
			continue;
		candidates->items[kept++] = slot;
		if (first == ID_NONE || saturation_before(x->s, slot, write_node(x->p, first)))
			first = slot;
	}
	candidates->count = kept;
	return first;
}

static bool is_first(const struct inference *x, const slot_vec *candidates, uint32_t first)
{
	bool is = true;
	for (size_t i = 0; i < candidates->count && is; i++) {
		uint32_t slot = candidates->items[i];
		is = slot == first || saturation_before(x->s, first, write_node(x->p, slot));
	}
	return is;
}

bool query_infer(struct saturation *s, struct writers *writers, const struct query_violation *v)
{
	const struct problem *p = writers->p;
	struct inference x = {s, p, .read = read_node(p, v->reader),
	                      .left = version_node(p, v->blocker),
	                      .blocked = v->blocker != ID_NONE};
	struct derived d = {.op = v->q->op, .other = v->blocker, .key = v->key};
	struct reach reachers = opaque_update_reachers(p->h, v->key);
	if (reachers.first < reachers.end)
		return false; /* its writers are not certain */
	slot_vec *candidates = writers_explain(writers, v->q, v->key, v->row, v->reader);
	uint32_t first = keep_possible(&x, candidates);
	bool before = !x.blocked || saturation_before(s, v->blocker, x.read);
	if (first == ID_NONE && x.blocked) {
		d.from = x.read;
		d.to = x.left;
	} else if (first != ID_NONE && before && is_first(&x, candidates, first) &&
	           !saturation_before(s, first, x.read)) {
		d.from = write_node(p, first);
		d.to = x.read;
	} else if (candidates->count == 1 && before && x.blocked) {
		d.from = x.left;
		d.to = write_node(p, first);
	} else {
		return false;
	}
	saturation_derive(s, d);
	return true;
}
