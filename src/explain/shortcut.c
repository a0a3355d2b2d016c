/* shortcut: see shortcut.h. */
#include "explain/shortcut.h"

#include "base/guard.h"
#include "explain/cases.h"
#include "explain/reduce.h"

#include <string.h>

/* How to go on from a transaction. */
struct way {
	bool reached;
	uint32_t next; /* transaction */
	uint32_t read; /* of next, of what this one wrote; NO_OPERATION: it is later in the session
	                */
};

#define NO_OPERATION UINT32_MAX

struct shortcuts {
	struct pool *pool;
	const struct history *h;
	bool session; /* session order counts */
	struct origins origins;
	uint32_t *session_before;
	struct way *ways;    /* by transaction */
	VEC(uint32_t) queue; /* transactions */
	bool *keep;          /* by operation: it was there, or is on a way */
	bool *fresh;         /* by transaction: it is on a way */
};

/* ---- one way ---- */

static void reach(struct shortcuts *s, uint32_t txn, uint32_t next, uint32_t read)
{
	if (s->ways[txn].reached)
		return;
	s->ways[txn] = (struct way){true, next, read};
	vec_push(s->pool, &s->queue, txn);
}

/* Those before it in its session, down to the first that was reached already. */
static void reach_session(struct shortcuts *s, uint32_t txn)
{
	uint32_t before = s->session ? s->session_before[txn] : NO_TXN;
	for (; before != NO_TXN && !s->ways[before].reached; before = s->session_before[before]) {
		guard_tick(pool_guard(s->pool));
		reach(s, before, txn, NO_OPERATION);
	}
}

/* Only a read that can have but one writer shows anything. */
static bool read_from_one(struct shortcuts *s, uint32_t op)
{
	return op_kind(s->h->ops[op]) == ALIBI_READ && origins_choices(&s->origins, op, 1) &&
	       s->origins.ends.count == 1 && s->origins.found.count;
}

static void reach_writers(struct shortcuts *s, uint32_t txn)
{
	const struct history *h = s->h;
	for (uint32_t op = h->txns[txn].first_op;
	     h->txns[txn].status == ALIBI_COMMIT && op < txn_op_end(h, txn); op++) {
		guard_tick(pool_guard(s->pool));
		if (read_from_one(s, op))
			reach(s, s->origins.found.items[s->origins.found.count - 1], txn, op);
	}
}

/* The read, and who wrote what it found. */
static void keep_read(struct shortcuts *s, uint32_t read)
{
	const struct history *h = s->h;
	s->keep[read] = true;
	if (!read_from_one(s, read))
		return;
	for (size_t i = 0; i < s->origins.found.count; i++) {
		uint32_t txn = s->origins.found.items[i];
		for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++)
			s->keep[op] |=
			        op_writes(h->ops[op]) && op_key(h->ops[op]) == op_key(h->ops[read]);
	}
}

/* Layer by layer: those from which `to` is as many reads away. */
static bool search_back(struct shortcuts *s, uint32_t from, uint32_t to)
{
	for (uint32_t t = 0; t < s->h->txn_count; t++)
		s->ways[t].reached = false;
	s->queue.count = 0;
	reach(s, to, to, NO_OPERATION);
	for (size_t first = 0; first < s->queue.count && !s->ways[from].reached;) {
		for (size_t i = first; i < s->queue.count; i++)
			reach_session(s, s->queue.items[i]);
		size_t end = s->queue.count;
		for (; first < end; first++)
			reach_writers(s, s->queue.items[first]);
	}
	return s->ways[from].reached;
}

/* Keeps what shows that from came before to. */
static void add_way(struct shortcuts *s, uint32_t from, uint32_t to)
{
	if (!search_back(s, from, to))
		return;
	for (uint32_t txn = from; txn != to; txn = s->ways[txn].next) {
		s->fresh[txn] = s->fresh[s->ways[txn].next] = true;
		if (s->ways[txn].read != NO_OPERATION)
			keep_read(s, s->ways[txn].read);
	}
}

/* ---- all that may be shorter ---- */

static bool is_step(const struct arrow *a)
{
	return a->kind == ARROW_WR || a->kind == ARROW_SO;
}

static uint32_t whole_txn(const struct shortcuts *s, const struct subset *part, uint32_t txn)
{
	return s->origins.txn_of_op[part->origin[part->h->txns[txn].first_op]];
}

/* A run of reads and sessions in a cycle: from there on so many arrows. */
static uint32_t run_length(const struct arrow *cycle, uint32_t count, uint32_t first)
{
	uint32_t length = 0;
	if (is_step(&cycle[(first + count - 1) % count]))
		return 0; /* it began before */
	while (is_step(&cycle[(first + length) % count]))
		length++;
	return length;
}

/* Ways of more than one arrow, which may be longer than they must. */
static bool has_ways(const struct cases *c)
{
	for (size_t i = 0; i < c->leaves.count; i++) {
		const struct leaf *leaf = &c->leaves.items[i];
		for (uint32_t j = 0; j < leaf->arrow_count; j++)
			if (run_length(c->arrows.items + leaf->first_arrow, leaf->arrow_count, j) >
			    1)
				return true;
	}
	return false;
}

static void add_ways(struct shortcuts *s, const struct subset *part, const struct arrow *cycle,
                     uint32_t count)
{
	for (uint32_t first = 0; first < count; first++) {
		uint32_t length = run_length(cycle, count, first);
		if (length > 1)
			add_way(s, whole_txn(s, part, cycle[first].from),
			        whole_txn(s, part, cycle[(first + length) % count].from));
	}
}

/* With the ways, which are preferred to what was there. */
static struct subset reduce_again(struct shortcuts *s, const struct check_options *options)
{
	struct subset wider = subset_of(s->pool, s->h, s->keep);
	bool *prefer = pool_array(s->pool, (size_t)wider.h->txn_count + 1, sizeof *prefer);
	for (uint32_t t = 0; t < wider.h->txn_count; t++)
		prefer[t] = s->fresh[whole_txn(s, &wider, t)];
	struct subset less = reduce_history(s->pool, wider.h, options, prefer);
	for (uint32_t i = 0; i < less.h->op_count; i++)
		less.origin[i] = wider.origin[less.origin[i]];
	return less;
}

static void look_at_history(struct shortcuts *s)
{
	const struct history *h = s->h;
	origins_index(&s->origins, s->pool, h);
	s->session_before = history_session_before(s->pool, h);
	s->ways = pool_array(s->pool, (size_t)h->txn_count + 1, sizeof *s->ways);
	s->keep = pool_array(s->pool, (size_t)h->op_count + 1, sizeof *s->keep);
	s->fresh = pool_array(s->pool, (size_t)h->txn_count + 1, sizeof *s->fresh);
}

/* Makes the part smaller, or not: false. */
static bool try_ways(struct shortcuts *s, const struct check_options *options, struct subset *part)
{
	struct reads r = reads_of(s->pool, part->h);
	struct cases c = r.faulty.fault == NO_FAULT ? cases_of(&r, options) : (struct cases){0};
	if (!c.found || !has_ways(&c))
		return false;
	if (!s->ways)
		look_at_history(s);
	memset(s->keep, false, s->h->op_count * sizeof *s->keep);
	memset(s->fresh, false, s->h->txn_count * sizeof *s->fresh);
	for (uint32_t i = 0; i < part->h->op_count; i++)
		s->keep[part->origin[i]] = true;
	for (size_t i = 0; i < c.leaves.count; i++)
		add_ways(s, part, c.arrows.items + c.leaves.items[i].first_arrow,
		         c.leaves.items[i].arrow_count);
	struct subset less = reduce_again(s, options);
	bool smaller = less.h->txn_count < part->h->txn_count;
	if (smaller)
		*part = less;
	return smaller;
}

void shortcut(struct pool *pool, const struct history *h, const struct check_options *options,
              uint32_t few, struct subset *part)
{
	struct shortcuts s = {.pool = pool, .h = h, .session = options->session_order};
	while (part->h->txn_count > few && try_ways(&s, options, part))
		;
}
