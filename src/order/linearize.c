/* linearize: see linearize.h. */
#include "order/linearize.h"

#include "base/guard.h"
#include "base/map.h"
#include "base/radix.h"

#include <string.h>

/* At most so many for each transaction, and more. */
enum { STEPS_EACH = 64, STEPS_MORE = 100 * 1000 };

/* A transaction. */
struct job {
	uint32_t slot, key;
	int64_t begin, end;
	bool crashed; /* of unknown outcome: it may stay undone */
	bool writes;  /* or may */
	bool done;
	uint64_t content;    /* the same for equal ones: a hash */
	uint32_t rank;       /* in by_end */
	uint32_t next, back; /* those that are not done, by begin; 0: none */
};

/* A place in the search: what was done there, and what else could be. */
struct branch {
	uint32_t done;      /* the job; 0: none yet */
	uint32_t state;     /* of the key, before it */
	uint64_t hash;      /* of what was done before it */
	size_t first, next; /* in choices: all, and those still to try */
};

struct linearizer {
	struct pool *pool;
	struct guard *guard;
	const struct problem *p;
	struct job *jobs; /* of one key, from 1, by begin; 0 is the head of the list */
	uint32_t count;
	uint32_t *by_end; /* the jobs that must be done, by their ends */
	uint32_t must;
	uint32_t ended; /* in by_end: those before it are done */

	uint32_t state;
	uint64_t hash;   /* of the jobs done */
	uint64_t steps;  /* still to make */
	struct map seen; /* hashes of jobs done and the state after them */
	VEC(struct branch) branches;
	VEC(struct keyed) choices; /* by how soon to try them */
	VEC(uint32_t) longest;     /* the jobs of the longest order so far … */
	size_t shared;             /* … which begins like the present one, so far */
	VEC(uint32_t) order;       /* the jobs that are settled */
	VEC(struct keyed) points;  /* of all keys: slots by their time */
};

/* ---- what a transaction does to its key ---- */

static uint64_t mix(uint64_t n)
{
	n = (n + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
	n = (n ^ n >> 29) * 0x94d049bb133111ebu;
	return n ^ n >> 32;
}

/* The query's only key, or ID_NONE. */
static uint32_t only_key(const struct history *h, const struct query *q)
{
	size_t count;
	const uint32_t *keys = query_keys(h, q, &count);
	return count == 1 && !q->excepts ? keys[0] : ID_NONE;
}

/* What an update leaves that does not report it. */
static bool change(const struct history *h, const struct query *q, bool binds, uint32_t *state)
{
	if (!query_matches(h, q, *state))
		return true;
	uint32_t made = opaque_update_makes(h, q, *state);
	if (made != OPAQUE_NEVER)
		*state = made;
	return made != OPAQUE_NEVER || !binds;
}

/* Goes on to what the key holds after the job. False: the job cannot have met this. */
static bool apply(const struct linearizer *l, const struct job *j, uint32_t *state)
{
	const struct history *h = l->p->h;
	uint32_t txn = l->p->txn_of[j->slot];
	bool holds = true, binds = !j->crashed;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		const struct query *q = query_at(h, op);
		if (q && q->opaque)
			holds &= change(h, q, binds, state);
		else if (q)
			holds &= !binds || query_explains(h, q, query_row(h, q, j->key), *state);
		else if (op_writes(h->ops[op]))
			*state = h->ops[op].value;
		else
			holds &= !binds || h->ops[op].value == *state;
	}
	return holds;
}

/* ---- the jobs ---- */

static uint64_t hash_query(const struct queries *x, const struct query *q)
{
	uint64_t hash = 1;
	for (uint32_t i = 0; i < q->comparisons; i++) {
		const struct comparison *c = &x->comparisons.items[q->comparison + i];
		hash = mix(hash ^ radix_pair(c->kind, c->column)) + c->count;
		for (uint32_t k = 0; !joins(c) && k < c->count; k++)
			hash = mix(hash ^ x->constants.items[c->first + k]);
	}
	for (uint32_t i = 0; i < q->assignments; i++) {
		const struct assignment *a = &x->assignments.items[q->assignment + i];
		hash = mix(hash ^ radix_pair(a->column, a->constant)) + a->plus;
	}
	return hash + q->kind;
}

/* Notes what the transaction does. False: it has not one key. */
static bool take_content(const struct history *h, uint32_t txn, struct job *j)
{
	j->key = ID_NONE;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		const struct query *q = query_at(h, op);
		uint32_t this = q ? only_key(h, q) : op_key(h->ops[op]);
		uint64_t does = radix_pair(h->ops[op].kind_and_key, h->ops[op].value);
		if (this == ID_NONE || h->key_is_list[this] ||
		    (j->key != ID_NONE && this != j->key))
			return false;
		j->key = this;
		j->writes |= q ? q->opaque : op_writes(h->ops[op]);
		j->content = mix(j->content ^ (q ? hash_query(h->queries, q) : does));
	}
	return j->key != ID_NONE;
}

static int64_t later(int64_t time, uint64_t skew)
{
	return skew > (uint64_t)INT64_MAX - (uint64_t)time ? INT64_MAX
	                                                   : (int64_t)((uint64_t)time + skew);
}

/* All transactions, by key and begin, in *jobs. */
static bool make_jobs(struct linearizer *l, struct job **jobs)
{
	const struct problem *p = l->p;
	const struct history *h = p->h;
	struct job *all = pool_array(l->pool, (size_t)p->slots + 1, sizeof *all);
	struct keyed *order = pool_array(l->pool, (size_t)p->slots + 1, sizeof *order);
	for (uint32_t slot = 0; slot < p->slots; slot++, guard_tick(l->guard)) {
		uint32_t txn = p->txn_of[slot];
		struct job *j = &all[slot];
		*j = (struct job){.slot = slot, .crashed = h->txns[txn].status != ALIBI_COMMIT};
		if (!take_content(h, txn, j))
			return false;
		bool begun = h->txns[txn].has & ALIBI_HAS_BEGIN,
		     ended = h->txns[txn].has & ALIBI_HAS_END;
		j->begin = begun ? h->times[txn].begin : INT64_MIN;
		j->end = ended && !j->crashed ? later(h->times[txn].end, p->rules.skew) : INT64_MAX;
		order[slot] = (struct keyed){radix_key(j->begin), slot};
	}
	radix_sort(l->pool, order, p->slots);
	for (uint32_t i = 0; i < p->slots; i++)
		order[i].key = all[order[i].item].key;
	radix_sort(l->pool, order, p->slots);
	*jobs = pool_array(l->pool, (size_t)p->slots + 1, sizeof **jobs);
	for (uint32_t i = 0; i < p->slots; i++)
		(*jobs)[i] = all[order[i].item];
	return true;
}

static void take_key(struct linearizer *l, const struct job *jobs, uint32_t count)
{
	struct keyed *ends = pool_array(l->pool, (size_t)count + 1, sizeof *ends);
	l->count = count;
	l->must = l->ended = 0;
	memset(&l->jobs[0], 0, sizeof l->jobs[0]);
	memcpy(l->jobs + 1, jobs, count * sizeof *jobs);
	for (uint32_t i = 1; i <= count; i++) {
		l->jobs[i].next = i < count ? i + 1 : 0;
		l->jobs[i].back = i - 1;
		if (!l->jobs[i].crashed)
			ends[l->must++] = (struct keyed){radix_key(l->jobs[i].end), i};
	}
	l->jobs[0].next = count ? 1 : 0;
	l->jobs[0].back = count;
	radix_sort(l->pool, ends, l->must);
	for (uint32_t i = 0; i < l->must; i++) {
		l->by_end[i] = ends[i].item;
		l->jobs[ends[i].item].rank = i;
	}
	pool_free(l->pool, ends);
	l->state = history_initial(l->p->h, jobs[0].key);
	l->hash = 0;
	l->order.count = 0;
	l->steps = (uint64_t)count * STEPS_EACH + STEPS_MORE;
}

/* ---- steps ---- */

static void do_job(struct linearizer *l, uint32_t i)
{
	struct job *j = &l->jobs[i];
	j->done = true;
	l->jobs[j->back].next = j->next;
	l->jobs[j->next].back = j->back;
	l->hash += mix(i);
	apply(l, j, &l->state);
	while (l->ended < l->must && l->jobs[l->by_end[l->ended]].done)
		l->ended++;
}

static void undo_job(struct linearizer *l, struct branch *b)
{
	struct job *j = &l->jobs[b->done];
	j->done = false;
	l->jobs[j->back].next = l->jobs[j->next].back = b->done;
	l->hash = b->hash;
	l->state = b->state;
	if (!j->crashed && j->rank < l->ended)
		l->ended = j->rank;
	b->done = 0;
}

/* How soon to try a job; less is sooner. */
static uint64_t priority(const struct linearizer *l, uint32_t i, uint32_t after)
{
	uint32_t ended = l->by_end[l->ended];
	const struct job *j = &l->jobs[i];
	uint64_t kind = i == ended ? 0 : 3;
	if (kind && apply(l, &l->jobs[ended], &after))
		kind = 1;
	return (kind + j->crashed) << 32 | j->rank;
}

static void add_choice(struct linearizer *l, size_t first, uint64_t how_soon, uint32_t i)
{
	size_t at = l->choices.count;
	vec_push(l->pool, &l->choices, ((struct keyed){how_soon, i}));
	for (struct keyed *c = l->choices.items; at > first && c[at - 1].key > how_soon; at--) {
		c[at] = c[at - 1];
		c[at - 1] = (struct keyed){how_soon, i};
	}
}

/* Is one among the choices that does the same? */
static bool is_there(const struct linearizer *l, size_t first, uint64_t content)
{
	for (size_t i = first; i < l->choices.count; i++)
		if (l->jobs[l->choices.items[i].item].content == content)
			return true;
	return false;
}

/* Which may come next. */
static void add_branch(struct linearizer *l)
{
	size_t first = l->choices.count;
	int64_t end = l->jobs[l->by_end[l->ended]].end;
	struct branch b = {.state = l->state, .hash = l->hash, .first = first, .next = first};
	for (uint32_t i = l->jobs[0].next; i && l->jobs[i].begin <= end; i = l->jobs[i].next) {
		const struct job *j = &l->jobs[i];
		uint32_t after = l->state;
		guard_tick(l->guard);
		bool fits = apply(l, j, &after);
		if (fits && !j->writes && !j->crashed) { /* now it is in no other one's way */
			l->choices.count = first;
			add_choice(l, first, 0, i);
			break;
		}
		bool idle = j->crashed && (after == l->state || is_there(l, first, j->content));
		if (fits && !idle)
			add_choice(l, first, priority(l, i, after), i);
	}
	vec_push(l->pool, &l->branches, b);
}

static bool seen_before(struct linearizer *l)
{
	uint32_t *there = map_put(l->pool, &l->seen, mix(l->hash ^ mix(l->state)) | 1, 0);
	return (*there)++;
}

static void keep_longest(struct linearizer *l)
{
	if (l->branches.count <= l->longest.count)
		return;
	l->longest.count = l->shared;
	for (size_t i = l->shared; i < l->branches.count && l->branches.items[i].done; i++)
		vec_push(l->pool, &l->longest, l->branches.items[i].done);
	l->shared = l->longest.count;
}

/* Back to the last b with something left to try. False: there is none. */
static bool back_track(struct linearizer *l)
{
	keep_longest(l);
	while (l->branches.count) {
		struct branch *top = &l->branches.items[l->branches.count - 1];
		if (top->done)
			undo_job(l, top);
		if (top->next < l->choices.count)
			return true;
		l->choices.count = top->first;
		l->branches.count--;
		l->shared = l->shared < l->branches.count ? l->shared : l->branches.count;
	}
	return false;
}

/* From here on: are all done that must be? */
static bool find_order(struct linearizer *l)
{
	l->branches.count = l->choices.count = l->longest.count = l->shared = 0;
	add_branch(l);
	while (l->steps && back_track(l)) {
		struct branch *top = &l->branches.items[l->branches.count - 1];
		do {
			top->done = l->choices.items[top->next++].item;
			do_job(l, top->done);
			l->steps--;
			if (l->ended == l->must)
				return true;
			if (seen_before(l))
				break;
			add_branch(l);
			top = &l->branches.items[l->branches.count - 1];
		} while (top->next < l->choices.count && l->steps);
	}
	keep_longest(l);
	return false;
}

static void settle(struct linearizer *l, uint32_t i)
{
	if (!l->jobs[i].done)
		do_job(l, i);
	vec_push(l->pool, &l->order, i);
}

/* All jobs of the key, in l->order. */
static void order_key(struct linearizer *l)
{
	while (l->ended < l->must) {
		if (find_order(l)) {
			for (size_t i = 0; i < l->branches.count; i++)
				settle(l, l->branches.items[i].done);
			break;
		}
		while (l->branches.count) {
			struct branch *top = &l->branches.items[--l->branches.count];
			if (top->done)
				undo_job(l, top);
		}
		for (size_t i = 0; i < l->longest.count; i++)
			settle(l, l->longest.items[i]);
		if (l->ended < l->must)
			settle(l, l->by_end[l->ended]);
	}
}

/* Each as early as it can be, behind the one before it. */
static void add_points(struct linearizer *l)
{
	int64_t now = INT64_MIN;
	for (size_t i = 0; i < l->order.count; i++) {
		const struct job *j = &l->jobs[l->order.items[i]];
		now = j->begin > now ? j->begin : now;
		vec_push(l->pool, &l->points, ((struct keyed){radix_key(now), j->slot}));
	}
	for (uint32_t i = l->jobs[0].next; i; i = l->jobs[i].next)
		vec_push(l->pool, &l->points, ((struct keyed){UINT64_MAX, l->jobs[i].slot}));
}

bool linearize(struct pool *pool, const struct problem *p, uint64_t *hint)
{
	struct linearizer l = {.pool = pool_child(pool), .guard = pool_guard(pool), .p = p};
	struct job *jobs;
	bool fits = p->rules.realtime && !p->rules.snapshot && p->h->times && make_jobs(&l, &jobs);
	if (fits) {
		l.jobs = pool_array(l.pool, (size_t)p->slots + 1, sizeof *l.jobs);
		l.by_end = pool_array(l.pool, (size_t)p->slots + 1, sizeof *l.by_end);
		for (uint32_t first = 0, end; first < p->slots; first = end) {
			for (end = first; end < p->slots && jobs[end].key == jobs[first].key;)
				end++;
			take_key(&l, jobs + first, end - first);
			order_key(&l);
			add_points(&l);
		}
		radix_sort(l.pool, l.points.items, l.points.count);
		for (size_t i = 0; i < l.points.count; i++)
			hint[l.points.items[i].item] = i + 1;
	}
	pool_release(l.pool);
	return fits;
}
