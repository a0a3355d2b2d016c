/* cycle: see cycle.h. */
#include "explain/cycle.h"

#include "base/guard.h"

#include <assert.h>

enum {
	WR = 1 << DEP_WR,
	SO = 1 << DEP_SO,
	RT = 1 << DEP_RT,
	WW = 1 << DEP_WW,
	RW = 1 << DEP_RW,
	KINDS = DEP_RW + 1
};

/* The cycles of a class. */
struct pattern {
	unsigned first, rest; /* kinds of dependencies */
	unsigned before_rw;   /* kinds that may precede an rw */
	uint32_t max_length;  /* 0: any */
	bool earlier_read;    /* the wr is by an earlier read than the rw */
};

enum { SEES = WR | SO | RT, NO_RW = SEES | WW, ALL = NO_RW | RW };

static const struct pattern patterns[CYCLE_CLASSES] = {
        [CYCLE_TIME] = {.first = RT, .rest = SO | RT},
        [CYCLE_G0] = {.first = WW, .rest = WW | SO | RT},
        [CYCLE_G1C] = {.first = WR, .rest = NO_RW},
        [CYCLE_READ_COMMITTED] =
                {.first = RW, .rest = WR, .before_rw = WR, .max_length = 2, .earlier_read = true},
        [CYCLE_READ_ATOMIC] = {.first = RW, .rest = SEES, .before_rw = SEES, .max_length = 2},
        [CYCLE_CAUSAL] = {.first = RW, .rest = SEES, .before_rw = SEES},
        [CYCLE_PREFIX_SINGLE] = {.first = RW, .rest = NO_RW, .before_rw = SEES},
        [CYCLE_PREFIX] = {.first = RW, .rest = ALL, .before_rw = SEES},
        [CYCLE_SNAPSHOT_SINGLE] = {.first = RW, .rest = NO_RW, .before_rw = NO_RW},
        [CYCLE_SNAPSHOT] = {.first = RW, .rest = ALL, .before_rw = NO_RW},
        [CYCLE_ANY] = {.first = RW, .rest = ALL, .before_rw = ALL},
};

struct walk {
	struct pool *pool;
	const struct reads *r;
	const dependency_vec *dependencies;
	const struct pattern *p;
	uint32_t shortest; /* a cycle must be shorter */
	bool *reached;     /* by state */
	struct visit {
		uint32_t dependency, from, length; /* from: in queue; length: so far */
	} * queue;
};

static bool may_follow(const struct pattern *p, const struct dependency *a,
                       const struct dependency *b, unsigned kinds)
{
	unsigned kind = 1u << b->kind;
	if (!(kinds & kind) || a->to != b->from)
		return false;
	return kind != RW || p->before_rw & 1u << a->kind;
}

/* May the first dependency follow the last? */
static bool closes(const struct walk *w, const struct dependency *last,
                   const struct dependency *first)
{
	if (!may_follow(w->p, last, first, w->p->first))
		return false;
	return !w->p->earlier_read ||
	       w->r->external.items[last->read].op < w->r->external.items[first->read].op;
}

static void copy_cycle(const struct walk *w, uint32_t last, dependency_vec *cycle)
{
	uint32_t length = w->queue[last].length;
	vec_reserve(w->pool, cycle, length);
	cycle->count = length;
	for (uint32_t i = length, at = last; i-- > 0; at = w->queue[at].from)
		cycle->items[i] = w->dependencies->items[w->queue[at].dependency];
}

/* From one dependency on; true: found a shorter cycle than before. */
static bool walk_from(struct walk *w, uint32_t first, uint32_t states, dependency_vec *cycle)
{
	const struct dependency *dependencies = w->dependencies->items;
	size_t head = 0, tail = 1;
	for (uint32_t i = 0; i < states; i++)
		w->reached[i] = false;
	w->queue[0] = (struct visit){first, 0, 1};
	for (; head < tail && w->queue[head].length + 1 < w->shortest; head++) {
		const struct visit *at = &w->queue[head];
		for (uint32_t i = 0; i < w->dependencies->count; i++) {
			uint32_t state = dependencies[i].to * KINDS + dependencies[i].kind;
			guard_tick(pool_guard(w->pool));
			if (!may_follow(w->p, &dependencies[at->dependency], &dependencies[i],
			                w->p->rest))
				continue;
			bool back = dependencies[i].to == dependencies[first].from;
			if (back && closes(w, &dependencies[i], &dependencies[first])) {
				w->queue[tail] = (struct visit){i, (uint32_t)head, at->length + 1};
				w->shortest = at->length + 1;
				copy_cycle(w, (uint32_t)tail, cycle);
				return true;
			}
			if (back || w->reached[state])
				continue;
			w->reached[state] = true;
			w->queue[tail++] = (struct visit){i, (uint32_t)head, at->length + 1};
		}
	}
	return false;
}

bool cycle_find(struct pool *pool, const struct reads *r, const dependency_vec *dependencies,
                uint32_t n, enum cycle_class class, dependency_vec *cycle)
{
	assert(class < CYCLE_CLASSES);
	struct pool *own = pool_child(pool);
	struct walk w = {.pool = own, .r = r, .dependencies = dependencies, .p = &patterns[class]};
	uint32_t states = n * KINDS;
	bool found = false;
	dependency_vec best = {0};
	w.shortest = w.p->max_length ? w.p->max_length + 1 : UINT32_MAX;
	w.reached = pool_array(own, (size_t)states + 1, sizeof *w.reached);
	w.queue = pool_array(own, (size_t)states + 2, sizeof *w.queue);
	for (uint32_t i = 0; i < dependencies->count; i++)
		if (w.p->first & 1u << dependencies->items[i].kind)
			found |= walk_from(&w, i, states, &best);
	cycle->count = 0;
	for (size_t i = 0; i < best.count; i++)
		vec_push(pool, cycle, best.items[i]);
	pool_release(own);
	return found;
}
