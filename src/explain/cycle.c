/* cycle: see cycle.h. */
#include "explain/cycle.h"

#include "base/guard.h"

enum {
	WR = 1 << ARROW_WR,
	SO = 1 << ARROW_SO,
	RT = 1 << ARROW_RT,
	WW = 1 << ARROW_WW,
	RW = 1 << ARROW_RW,
	KINDS = ARROW_RW + 1
};

/* The cycles of a rung. */
struct pattern {
	unsigned first, rest; /* kinds of arrows */
	unsigned before_rw;   /* what may stand before an rw */
	uint32_t max_length;  /* 0: any */
	bool earlier_read;    /* the wr is by an earlier read than the rw */
};

enum { SEES = WR | SO | RT, NO_RW = SEES | WW, ALL = NO_RW | RW };

static const struct pattern patterns[RUNGS] = {
        [RUNG_TIME] = {.first = RT, .rest = SO | RT},
        [RUNG_G0] = {.first = WW, .rest = WW | SO | RT},
        [RUNG_G1C] = {.first = WR, .rest = NO_RW},
        [RUNG_READ_COMMITTED] =
                {.first = RW, .rest = WR, .before_rw = WR, .max_length = 2, .earlier_read = true},
        [RUNG_READ_ATOMIC] = {.first = RW, .rest = SEES, .before_rw = SEES, .max_length = 2},
        [RUNG_CAUSAL] = {.first = RW, .rest = SEES, .before_rw = SEES},
        [RUNG_PREFIX_SINGLE] = {.first = RW, .rest = NO_RW, .before_rw = SEES},
        [RUNG_PREFIX] = {.first = RW, .rest = ALL, .before_rw = SEES},
        [RUNG_SNAPSHOT_SINGLE] = {.first = RW, .rest = NO_RW, .before_rw = NO_RW},
        [RUNG_SNAPSHOT] = {.first = RW, .rest = ALL, .before_rw = NO_RW},
        [RUNG_ANY] = {.first = RW, .rest = ALL, .before_rw = ALL},
};

struct walk {
	struct pool *pool;
	const struct reads *r;
	const arrow_vec *arrows;
	const struct pattern *p;
	uint32_t shortest; /* a cycle must be shorter */
	bool *reached;     /* by state */
	struct step {
		uint32_t arrow, from, length; /* from: in queue; length: arrows so far */
	} * queue;
};

static bool may_follow(const struct pattern *p, const struct arrow *a, const struct arrow *b,
                       unsigned kinds)
{
	unsigned kind = 1u << b->kind;
	if (!(kinds & kind) || a->to != b->from)
		return false;
	return kind != RW || p->before_rw & 1u << a->kind;
}

/* May the cycle go from the last arrow to the first? */
static bool closes(const struct walk *w, const struct arrow *last, const struct arrow *first)
{
	if (!may_follow(w->p, last, first, w->p->first))
		return false;
	return !w->p->earlier_read ||
	       w->r->seen.items[last->read].op < w->r->seen.items[first->read].op;
}

static void hand_out(const struct walk *w, uint32_t last, arrow_vec *cycle)
{
	uint32_t length = w->queue[last].length;
	vec_reserve(w->pool, cycle, length);
	cycle->count = length;
	for (uint32_t i = length, at = last; i-- > 0; at = w->queue[at].from)
		cycle->items[i] = w->arrows->items[w->queue[at].arrow];
}

/* From one arrow on; true: a shorter cycle than before was found. */
static bool walk_from(struct walk *w, uint32_t first, uint32_t states, arrow_vec *cycle)
{
	const struct arrow *arrows = w->arrows->items;
	size_t head = 0, tail = 1;
	for (uint32_t i = 0; i < states; i++)
		w->reached[i] = false;
	w->queue[0] = (struct step){first, 0, 1};
	for (; head < tail && w->queue[head].length + 1 < w->shortest; head++) {
		const struct step *at = &w->queue[head];
		for (uint32_t i = 0; i < w->arrows->count; i++) {
			uint32_t state = arrows[i].to * KINDS + arrows[i].kind;
			guard_tick(pool_guard(w->pool));
			if (!may_follow(w->p, &arrows[at->arrow], &arrows[i], w->p->rest))
				continue;
			bool back = arrows[i].to == arrows[first].from;
			if (back && closes(w, &arrows[i], &arrows[first])) {
				w->queue[tail] = (struct step){i, (uint32_t)head, at->length + 1};
				w->shortest = at->length + 1;
				hand_out(w, (uint32_t)tail, cycle);
				return true;
			}
			if (back || w->reached[state])
				continue;
			w->reached[state] = true;
			w->queue[tail++] = (struct step){i, (uint32_t)head, at->length + 1};
		}
	}
	return false;
}

bool cycle_find(struct pool *pool, const struct reads *r, const arrow_vec *arrows, uint32_t n,
                enum rung rung, arrow_vec *cycle)
{
	struct pool *own = pool_child(pool);
	struct walk w = {.pool = own, .r = r, .arrows = arrows, .p = &patterns[rung]};
	uint32_t states = n * KINDS;
	bool found = false;
	arrow_vec best = {0};
	w.shortest = w.p->max_length ? w.p->max_length + 1 : UINT32_MAX;
	w.reached = pool_array(own, (size_t)states + 1, sizeof *w.reached);
	w.queue = pool_array(own, (size_t)states + 2, sizeof *w.queue);
	for (uint32_t i = 0; i < arrows->count; i++)
		if (w.p->first & 1u << arrows->items[i].kind)
			found |= walk_from(&w, i, states, &best);
	cycle->count = 0;
	for (size_t i = 0; i < best.count; i++)
		vec_push(pool, cycle, best.items[i]);
	pool_release(own);
	return found;
}
