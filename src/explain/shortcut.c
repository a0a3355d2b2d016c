/* shortcut: see shortcut.h. */
#include "explain/shortcut.h"

#include "base/guard.h"
#include "explain/cases.h"
#include "explain/reduce.h"

#include <assert.h>
#include <string.h>

/* The next step of the path from a transaction. */
struct hop {
	bool reached;
	uint32_t next; /* transaction */
	uint32_t read; /* by next, from this one; ID_NONE: next is later in its session */
};

struct shortcuts {
	struct pool *pool;
	const struct history *h;
	bool session; /* session order counts */
	struct origins origins;
	uint32_t *session_before;
	struct hop *hops;    /* by transaction */
	VEC(uint32_t) queue; /* transactions */
	bool *keep;          /* by operation: in the part, or on a path */
	bool *fresh;         /* by transaction: on a path */
};

/* ---- one path ---- */

static void reach(struct shortcuts *s, uint32_t txn, uint32_t next, uint32_t read)
{
	if (s->hops[txn].reached)
		return;
	s->hops[txn] = (struct hop){true, next, read};
	vec_push(s->pool, &s->queue, txn);
}

/* Its predecessors in the session, up to one that was reached already. */
static void reach_session(struct shortcuts *s, uint32_t txn)
{
	uint32_t before = s->session ? s->session_before[txn] : ID_NONE;
	for (; before != ID_NONE && !s->hops[before].reached; before = s->session_before[before]) {
		guard_tick(pool_guard(s->pool));
		reach(s, before, txn, ID_NONE);
	}
}

/* Only a read with a single candidate writer orders transactions. */
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

/* The read, and the writes of its key by its writers. */
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

/* Layer by layer, by the number of reads on the hop to `to`. */
static bool search_back(struct shortcuts *s, uint32_t from, uint32_t to)
{
	for (uint32_t t = 0; t < s->h->txn_count; t++)
		s->hops[t].reached = false;
	s->queue.count = 0;
	reach(s, to, to, ID_NONE);
	for (size_t first = 0; first < s->queue.count && !s->hops[from].reached;) {
		for (size_t i = first; i < s->queue.count; i++)
			reach_session(s, s->queue.items[i]);
		size_t end = s->queue.count;
		for (; first < end; first++)
			reach_writers(s, s->queue.items[first]);
	}
	return s->hops[from].reached;
}

/* Keeps the operations which show that `from` precedes `to`. */
static void add_path(struct shortcuts *s, uint32_t from, uint32_t to)
{
	if (!search_back(s, from, to))
		return;
	for (uint32_t txn = from; txn != to; txn = s->hops[txn].next) {
		s->fresh[txn] = s->fresh[s->hops[txn].next] = true;
		if (s->hops[txn].read != ID_NONE)
			keep_read(s, s->hops[txn].read);
	}
}

/* ---- all paths that may be shorter ---- */

static bool is_hop(const struct dependency *a)
{
	return a->kind == DEP_WR || a->kind == DEP_SO;
}

static uint32_t whole_txn(const struct shortcuts *s, const struct subset *part, uint32_t txn)
{
	return s->origins.txn_of_op[part->origin[part->h->txns[txn].first_op]];
}

/* The length of the run of reads-from and session edges that begins here. */
static uint32_t run_length(const struct dependency *cycle, uint32_t count, uint32_t first)
{
	uint32_t length = 0;
	if (is_hop(&cycle[(first + count - 1) % count]))
		return 0; /* it began before */
	while (is_hop(&cycle[(first + length) % count]))
		length++;
	return length;
}

/* Indexes the history at the first use, and keeps the part. */
static void start_paths(struct shortcuts *s, const struct subset *part)
{
	const struct history *h = s->h;
	if (!s->hops) {
		origins_index(&s->origins, s->pool, h);
		s->session_before = history_session_before(s->pool, h);
		s->hops = pool_array(s->pool, (size_t)h->txn_count + 1, sizeof *s->hops);
		s->keep = pool_array(s->pool, (size_t)h->op_count + 1, sizeof *s->keep);
		s->fresh = pool_array(s->pool, (size_t)h->txn_count + 1, sizeof *s->fresh);
	}
	memset(s->keep, false, h->op_count * sizeof *s->keep);
	memset(s->fresh, false, h->txn_count * sizeof *s->fresh);
	for (uint32_t i = 0; i < part->h->op_count; i++)
		s->keep[part->origin[i]] = true;
}

/* Adds a shortest path for each run of more than one edge, which may be longer than necessary.
 * Returns whether there was any. */
static bool add_paths(struct shortcuts *s, const struct subset *part, const struct cases *c)
{
	bool any = false;
	for (size_t i = 0; i < c->leaves.count; i++) {
		const struct dependency *cycle = leaf_cycle(c, &c->leaves.items[i]);
		uint32_t count = c->leaves.items[i].length;
		for (uint32_t first = 0; first < count; first++) {
			uint32_t length = run_length(cycle, count, first);
			if (length < 2)
				continue;
			if (!any)
				start_paths(s, part);
			any = true;
			add_path(s, whole_txn(s, part, cycle[first].from),
			         whole_txn(s, part, cycle[(first + length) % count].from));
		}
	}
	return any;
}

/* Reduces the part and the new paths; transactions on the paths are preferred. */
static struct subset reduce_again(struct shortcuts *s, const struct check_options *options)
{
	struct subset wider = subset_of(s->pool, s->h, s->keep);
	bool *prefer = pool_array(s->pool, (size_t)wider.h->txn_count + 1, sizeof *prefer);
	for (uint32_t t = 0; t < wider.h->txn_count; t++)
		prefer[t] = s->fresh[whole_txn(s, &wider, t)];
	struct subset less = reduce_history(s->pool, wider.h, options, prefer);
	subset_rebase(&less, wider.origin);
	return less;
}

/* Returns whether the part became smaller. */
static bool try_paths(struct shortcuts *s, const struct check_options *options, struct subset *part)
{
	struct reads r = reads_of(s->pool, part->h);
	struct cases c = r.faulty.fault == NO_FAULT ? cases_of(&r, options) : (struct cases){0};
	if (!c.found || !add_paths(s, part, &c))
		return false;
	struct subset less = reduce_again(s, options);
	bool smaller = less.h->txn_count < part->h->txn_count;
	if (smaller)
		*part = less;
	return smaller;
}

void shortcut(struct pool *pool, const struct history *h, const struct check_options *options,
              uint32_t few, struct subset *part)
{
	assert(part->h->op_count <= h->op_count);
	struct shortcuts s = {.pool = pool, .h = h, .session = options->session_order};
	while (part->h->txn_count > few && try_paths(&s, options, part))
		;
}
