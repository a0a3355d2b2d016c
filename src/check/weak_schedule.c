/* weak_schedule: see weak_schedule.h. */
#include "check/weak_schedule.h"

#include "base/bisect.h"
#include "base/guard.h"
#include "base/radix.h"
#include "order/first_order.h"
#include "order/known.h"

#include <assert.h>
#include <string.h>

enum {
	BEFORE_ALL = 0,       /* the place of the initial version */
	MANY_TRIES = 16,      /* of a transaction, on average */
	MANY_CANDIDATES = 32, /* given up for the floors of others, in one try */
};

struct source {
	uint32_t op, key;
	uint32_t group;   /* candidates, or the appenders of a list; ID_NONE: there are none */
	uint32_t count;   /* of a list: its elements; ID_NONE: it is a register */
	uint32_t named;   /* the slot that the database named, or ID_NONE */
	uint32_t session; /* the last writer of the key before the reader in its session, or ID_NONE
	                   */
	bool initial;     /* the initial version is a candidate */
	uint32_t writer;  /* the slot chosen; ID_NONE: the initial version */
	uint32_t floor;   /* the place of the last visible writer of the key */
	uint32_t least;   /* the choice is not before this place */
};

/* What a list key holds, and will hold: the longest list that was read from it. */
struct target {
	const uint32_t *items;
	uint32_t count, length; /* length: what is there so far, counted only up to count */
	bool *ends;             /* by length: a read ends there */
	uint32_t *ended_by;     /* by length: the slot whose appends end there, or ID_NONE */
	uint32_t own;           /* what the transaction at hand would add */
};

/* What a transaction sees: how many of each chain (order/clocks.h). */
struct past {
	uint32_t *seen, chains;
};

struct schedule {
	struct pool *pool;
	struct guard *guard;
	struct problem *p;
	struct replay_rules rules;

	uint32_t *place; /* by slot, from 1; 0: not yet */
	uint32_t *order; /* slots */
	uint32_t placed;
	uint64_t tries;

	uint32_t *first; /* by slot, one more at the end: its sources */
	VEC(struct source) sources;
	struct target *lists; /* by key; NULL: no list was read */

	/* What has a place, in this order: */
	uint32_t *group_of; /* by write: where its group begins in candidates, … */
	uint32_t *candidates, *group_count;        /* … and how many of it have a place */
	uint32_t *key_first, *writers, *key_count; /* by key */

	/* Transactions without a place: those that may come next, a heap; … */
	VEC(uint32_t) ready;
	uint64_t *hint;         /* by slot: the lowest comes first */
	uint32_t *predecessors; /* by slot: known ones without a place */
	/* … and those that are blocked. They wait in lists, one a group and one a slot. */
	VEC(uint32_t) blocked;
	uint32_t *blocked_at;   /* by slot: where it stands there, … */
	uint32_t *waits_for;    /* … the list in which it is, … */
	uint32_t *lacks;        /* … and its read without a candidate, or ID_NONE */
	uint32_t *waits, *next; /* the lists: by group or slot the first, + 1; by slot the next */
	uint32_t *after;        /* by slot: a repair put it behind this one; or ID_NONE */
	uint32_t *repairs;      /* by slot: how often it was the reason of one */
	uint32_t retried;       /* how many had a place when all were tried again */

	/* At the causal level: */
	uint32_t *before;              /* by slot: the one before it in its session, or ID_NONE */
	uint32_t *chain_of, *index_of; /* by slot */
	uint32_t *chain_before;        /* by slot: the one before it in its chain, or ID_NONE */
	VEC(uint32_t) tails;           /* by chain: its last slot */
	struct past *pasts, now;       /* by slot; of the one at hand */
};

/* ---- transactions that may come next ---- */

static bool sooner(const struct schedule *s, uint32_t a, uint32_t b)
{
	return s->hint[a] != s->hint[b] ? s->hint[a] < s->hint[b] : a < b;
}

static void put_ready(struct schedule *s, uint32_t slot)
{
	vec_push(s->pool, &s->ready, slot);
	size_t i = s->ready.count - 1;
	uint32_t *items = s->ready.items;
	for (; i && sooner(s, slot, items[(i - 1) / 2]); i = (i - 1) / 2)
		items[i] = items[(i - 1) / 2];
	items[i] = slot;
}

static uint32_t take_ready(struct schedule *s)
{
	uint32_t *items = s->ready.items, top = items[0], slot = items[--s->ready.count];
	size_t i = 0, child;
	while ((child = 2 * i + 1) < s->ready.count) {
		if (child + 1 < s->ready.count && sooner(s, items[child + 1], items[child]))
			child++;
		if (!sooner(s, items[child], slot))
			break;
		items[i] = items[child];
		i = child;
	}
	items[i] = slot;
	return top;
}

/* The list of those that wait for a slot; those of groups come first, and the last one is of
 * those that wait for nothing. */
static uint32_t wait_for_slot(const struct schedule *s, uint32_t slot)
{
	return (uint32_t)s->p->writes.count + (slot == ID_NONE ? s->p->slots : slot);
}

static void block(struct schedule *s, uint32_t slot, uint32_t list)
{
	s->waits_for[slot] = list;
	s->blocked_at[slot] = (uint32_t)s->blocked.count;
	vec_push(s->pool, &s->blocked, slot);
	s->next[slot] = s->waits[list];
	s->waits[list] = slot + 1;
}

static void wake(struct schedule *s, uint32_t list)
{
	uint32_t waiter = s->waits[list];
	s->waits[list] = 0;
	for (; waiter; waiter = s->next[waiter - 1]) {
		uint32_t last = s->blocked.items[--s->blocked.count];
		s->blocked.items[s->blocked_at[waiter - 1]] = last;
		s->blocked_at[last] = s->blocked_at[waiter - 1];
		put_ready(s, waiter - 1);
	}
}

/* ---- what a transaction sees ---- */

static uint32_t place_of(const struct schedule *s, uint32_t slot)
{
	return slot == ID_NONE ? BEFORE_ALL : s->place[slot];
}

/* The writer is visible to these reads. */
static void raise_floors(struct schedule *s, struct source *r, const struct source *end,
                         uint32_t writer)
{
	const struct problem *p = s->p;
	if (writer == ID_NONE)
		return;
	for (; r < end; r++)
		for (uint32_t i = p->write_first[writer];
		     i < p->write_first[writer + 1] && r->floor < s->place[writer]; i++) {
			guard_tick(s->guard);
			if (p->writes.items[i].key == r->key)
				r->floor = s->place[writer];
		}
}

static bool sees(const struct past *past, const struct schedule *s, uint32_t slot)
{
	return s->chain_of[slot] < past->chains &&
	       past->seen[s->chain_of[slot]] > s->index_of[slot];
}

static void join(struct schedule *s, uint32_t slot)
{
	if (slot == ID_NONE || sees(&s->now, s, slot))
		return;
	const struct past *past = &s->pasts[slot];
	for (; s->now.chains < past->chains; s->now.chains++)
		s->now.seen[s->now.chains] = 0;
	for (uint32_t i = 0; i < past->chains; i++)
		if (s->now.seen[i] < past->seen[i])
			s->now.seen[i] = past->seen[i];
}

static void find_causal_floors(struct schedule *s, uint32_t slot, struct source *r,
                               const struct source *end)
{
	s->now.chains = 0;
	join(s, s->before[slot]);
	for (const struct source *i = r; i < end; i++)
		join(s, i->writer);
	for (; r < end; r++) {
		uint32_t at = s->key_first[r->key] + s->key_count[r->key];
		r->floor = BEFORE_ALL;
		while (at > s->key_first[r->key] && r->floor == BEFORE_ALL) {
			guard_tick(s->guard);
			if (sees(&s->now, s, s->writers[--at]))
				r->floor = s->place[s->writers[at]];
		}
	}
}

/* The place of the last writer that each read must not miss, with the present choices. */
static void find_floors(struct schedule *s, uint32_t slot, struct source *r,
                        const struct source *end)
{
	bool direct = s->rules.visible == VISIBLE_DIRECT;
	if (s->rules.visible == VISIBLE_CAUSAL) {
		find_causal_floors(s, slot, r, end);
		return;
	}
	for (struct source *i = r; i < end; i++)
		i->floor = direct ? place_of(s, i->session) : BEFORE_ALL;
	for (struct source *i = r; i < end; i++)
		raise_floors(s, direct ? r : i + 1, end, i->writer);
}

/* ---- the reads of one transaction ---- */

/* The oldest version that is at least as new as the floor; false: there is none yet. */
static bool choose(struct schedule *s, struct source *r)
{
	uint32_t at, end;
	uint32_t least = r->floor > r->least ? r->floor : r->least;
	if (r->initial && least == BEFORE_ALL) {
		r->writer = ID_NONE;
		return true;
	}
	if (r->named != ID_NONE || r->count != ID_NONE) {
		r->writer = r->count == ID_NONE ? r->named : s->lists[r->key].ended_by[r->count];
		return r->writer != ID_NONE && s->place[r->writer] &&
		       s->place[r->writer] >= least &&
		       (r->named == ID_NONE || r->named == r->writer);
	}
	if (r->group == ID_NONE)
		return false;
	end = r->group + s->group_count[r->group];
	bisect(at, r->group, end, s->place[s->candidates[at]] < least);
	if (at == end)
		return false;
	r->writer = s->candidates[at];
	return true;
}

static bool shows(const struct schedule *s, const struct source *r, uint32_t slot)
{
	return r->writer == slot || (r->writer != ID_NONE && s->rules.visible == VISIBLE_CAUSAL &&
	                             sees(&s->pasts[r->writer], s, slot));
}

/* The read has no candidate: takes the next one of a read that raised its floor. */
static bool lower_floor(struct schedule *s, struct source *first, const struct source *end,
                        const struct source *read)
{
	if (read->floor == BEFORE_ALL)
		return false;
	uint32_t by = s->order[read->floor - 1];
	for (struct source *r = first; r < end; r++) {
		if (r == read || !shows(s, r, by))
			continue;
		r->least = s->place[r->writer] + 1;
		if (choose(s, r))
			return true;
	}
	return false;
}

/* Gives each read the oldest candidate that is not below its floor. Candidates only get later,
 * so that it ends. The read that has none; NULL: all have one. */
static struct source *choose_all(struct schedule *s, uint32_t slot)
{
	struct source *first = s->sources.items + s->first[slot];
	struct source *end = s->sources.items + s->first[slot + 1], *r;
	uint32_t lowered = 0;
	for (r = first; r < end; r++) {
		r->floor = r->least = BEFORE_ALL;
		if (!choose(s, r))
			return r;
	}
	do {
		find_floors(s, slot, first, end);
		for (r = first; r < end && place_of(s, r->writer) >= r->floor;)
			r++;
		if (r == end || choose(s, r))
			continue;
		bool earlier = s->rules.visible == VISIBLE_EARLIER;
		if (lowered++ == MANY_CANDIDATES || !lower_floor(s, first, earlier ? r : end, r))
			return r;
	} while (r < end);
	return NULL;
}

/* ---- a place for a transaction ---- */

/* Its appends go on as the longest lists do. */
static bool appends_fit(struct schedule *s, uint32_t slot)
{
	const struct problem *p = s->p;
	uint32_t first = p->append_first[slot], end = p->append_first[slot + 1], i;
	bool fits = true;
	if (!s->lists)
		return true;
	for (i = first; i < end && fits; i++) {
		struct target *l = &s->lists[p->appends.items[i].key];
		uint32_t at = l->length + l->own;
		fits = at > l->count ||
		       (!(l->own && l->ends[at]) &&
		        (at == l->count || l->items[at] == p->appends.items[i].value));
		l->own++;
	}
	while (i-- > first)
		s->lists[p->appends.items[i].key].own = 0;
	return fits;
}

static void append(struct schedule *s, uint32_t slot)
{
	const struct problem *p = s->p;
	for (uint32_t i = p->append_first[slot]; s->lists && i < p->append_first[slot + 1]; i++) {
		struct target *l = &s->lists[p->appends.items[i].key];
		if (l->length < l->count)
			l->ended_by[++l->length] = slot;
	}
}

/* It goes on the chain of a transaction that it sees, if that is the last one there. */
static void join_chain(struct schedule *s, uint32_t slot)
{
	uint32_t i = s->first[slot], end = s->first[slot + 1], before = s->before[slot];
	for (; i < end && (before == ID_NONE || s->tails.items[s->chain_of[before]] != before); i++)
		before = s->sources.items[i].writer;
	if (before != ID_NONE && s->tails.items[s->chain_of[before]] != before)
		before = ID_NONE;
	s->chain_before[slot] = before;
	if (before == ID_NONE) {
		s->chain_of[slot] = (uint32_t)s->tails.count;
		s->index_of[slot] = 0;
		vec_push(s->pool, &s->tails, slot);
	} else {
		s->chain_of[slot] = s->chain_of[before];
		s->index_of[slot] = s->index_of[before] + 1;
		s->tails.items[s->chain_of[slot]] = slot;
	}
}

/* What the transaction at hand saw when its floors were found, and itself. */
static void note_past(struct schedule *s, uint32_t slot)
{
	uint32_t chain = s->chain_of[slot];
	while (s->now.chains <= chain)
		s->now.seen[s->now.chains++] = 0;
	s->now.seen[chain] = s->index_of[slot] + 1;
	struct past past = {pool_array(s->pool, s->now.chains, sizeof *past.seen), s->now.chains};
	memcpy(past.seen, s->now.seen, past.chains * sizeof *past.seen);
	s->pasts[slot] = past;
}

static void forget_past(struct schedule *s, uint32_t slot)
{
	pool_free(s->pool, s->pasts[slot].seen);
	if (s->chain_before[slot] == ID_NONE)
		s->tails.count--;
	else
		s->tails.items[s->chain_of[slot]] = s->chain_before[slot];
}

static void put(struct schedule *s, uint32_t slot)
{
	struct problem *p = s->p;
	s->order[s->placed++] = slot;
	s->place[slot] = s->placed;
	append(s, slot);
	if (s->rules.visible == VISIBLE_CAUSAL) {
		join_chain(s, slot);
		note_past(s, slot);
	}
	for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++) {
		uint32_t group = s->group_of[i], key = p->writes.items[i].key;
		guard_tick(s->guard);
		s->candidates[group + s->group_count[group]++] = slot;
		s->writers[s->key_first[key] + s->key_count[key]++] = slot;
		wake(s, group);
	}
	wake(s, wait_for_slot(s, slot));
	for (uint32_t i = p->after_first[slot]; i < p->after_first[slot + 1]; i++)
		if (!--s->predecessors[p->after[i].index])
			put_ready(s, p->after[i].index);
}

/* The first of its keys that are lists. */
static uint32_t list_group(const struct schedule *s, uint32_t slot)
{
	uint32_t i = s->p->write_first[slot];
	while (s->p->writes.items[i].value != ID_NONE)
		i++;
	return s->group_of[i];
}

static void try(struct schedule *s, uint32_t slot)
{
	uint32_t after = s->after[slot];
	s->tries++;
	s->lacks[slot] = ID_NONE;
	if (after != ID_NONE && !s->place[after]) {
		block(s, slot, wait_for_slot(s, after));
		return;
	}
	const struct source *r = choose_all(s, slot);
	if (r) {
		s->lacks[slot] = (uint32_t)(r - s->sources.items);
		block(s, slot, r->group != ID_NONE ? r->group : wait_for_slot(s, ID_NONE));
	} else if (!appends_fit(s, slot)) {
		block(s, slot, list_group(s, slot));
	} else {
		put(s, slot);
	}
}

/* ---- when all are blocked ---- */

static void take_back(struct schedule *s)
{
	const struct problem *p = s->p;
	uint32_t slot = s->order[--s->placed];
	s->place[slot] = 0;
	for (uint32_t i = p->append_first[slot]; s->lists && i < p->append_first[slot + 1]; i++) {
		struct target *l = &s->lists[p->appends.items[i].key];
		if (l->length && l->ended_by[l->length] == slot)
			l->ended_by[l->length--] = ID_NONE;
	}
	if (s->rules.visible == VISIBLE_CAUSAL)
		forget_past(s, slot);
	for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++) {
		guard_tick(s->guard);
		s->group_count[s->group_of[i]]--;
		s->key_count[p->writes.items[i].key]--;
	}
	for (uint32_t i = p->after_first[slot]; i < p->after_first[slot + 1]; i++)
		s->predecessors[p->after[i].index]++;
}

static void unblock_all(struct schedule *s)
{
	for (size_t i = 0; i < s->blocked.count; i++) {
		uint32_t slot = s->blocked.items[i];
		s->waits[s->waits_for[slot]] = 0;
		if (!s->predecessors[slot])
			put_ready(s, slot);
	}
	s->blocked.count = 0;
}

/* A transaction waits for one value, but another one may have helped, too. */
static bool retry(struct schedule *s)
{
	if (s->retried == s->placed)
		return false;
	s->retried = s->placed;
	unblock_all(s);
	return true;
}

/* The last candidate of the read that blocks the slot is below its floor. */
static bool is_below_floor(const struct schedule *s, uint32_t slot)
{
	if (s->lacks[slot] == ID_NONE)
		return false;
	const struct source *r = &s->sources.items[s->lacks[slot]];
	return r->group != ID_NONE && r->count == ID_NONE && r->named == ID_NONE &&
	       s->group_count[r->group] && r->floor != BEFORE_ALL;
}

/* Moves a writer behind another one, for the transaction that was helped least so far; or lets go
 * of such a move. False: there is nothing left to be tried. */
static bool repair(struct schedule *s)
{
	uint32_t best = ID_NONE, moved = ID_NONE, end = s->placed;
	for (size_t i = 0; i < s->blocked.count; i++) {
		uint32_t slot = s->blocked.items[i];
		guard_tick(s->guard);
		if (s->after[slot] != ID_NONE &&
		    s->waits_for[slot] == wait_for_slot(s, s->after[slot]) &&
		    (moved == ID_NONE || sooner(s, slot, moved)))
			moved = slot;
		if (is_below_floor(s, slot) &&
		    (best == ID_NONE || s->repairs[slot] < s->repairs[best] ||
		     (s->repairs[slot] == s->repairs[best] && sooner(s, slot, best))))
			best = slot;
	}
	if (best != ID_NONE) {
		const struct source *r = &s->sources.items[s->lacks[best]];
		uint32_t w = s->candidates[r->group + s->group_count[r->group] - 1];
		s->after[w] = s->order[r->floor - 1];
		s->repairs[best]++;
		for (uint32_t place = s->place[w]; s->placed >= place;)
			take_back(s);
	} else if (moved != ID_NONE) {
		s->after[moved] = ID_NONE;
	} else {
		return false;
	}
	unblock_all(s);
	for (uint32_t i = s->placed; i < end; i++)
		if (!s->predecessors[s->order[i]])
			put_ready(s, s->order[i]);
	return true;
}

/* ---- preparing ---- */

static void index_writes(struct schedule *s)
{
	struct problem *p = s->p;
	size_t n = p->writes.count, keys = (size_t)p->keys + 1;
	struct keyed *sorted = pool_array(s->pool, n + 1, sizeof *sorted);
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = (struct keyed){
		        radix_pair(p->writes.items[i].key, p->writes.items[i].value), i};
	radix_sort(s->pool, sorted, n);
	s->group_of = pool_array(s->pool, n + 1, sizeof *s->group_of);
	s->candidates = pool_array(s->pool, n + 1, sizeof *s->candidates);
	s->group_count = pool_zarray(s->pool, n + 1, sizeof *s->group_count);
	s->waits = pool_zarray(s->pool, n + p->slots + 1, sizeof *s->waits);
	s->key_first = pool_zarray(s->pool, keys + 1, sizeof *s->key_first);
	s->key_count = pool_zarray(s->pool, keys, sizeof *s->key_count);
	s->writers = pool_array(s->pool, n + 1, sizeof *s->writers);
	for (uint32_t i = 0, group = 0; i < n; i++) {
		guard_tick(s->guard);
		group = i && sorted[i].key == sorted[i - 1].key ? group : i;
		s->group_of[sorted[i].item] = group;
		s->key_first[p->writes.items[i].key + 1]++;
	}
	for (size_t k = 1; k <= keys; k++)
		s->key_first[k] += s->key_first[k - 1];
	pool_free(s->pool, sorted);
}

static struct source register_source(const struct problem *p, const struct external_read *x)
{
	return (struct source){.op = x->op,
	                       .key = x->key,
	                       .group = x->count ? x->first : ID_NONE,
	                       .count = ID_NONE,
	                       .named = x->count && x->named ? p->candidates[x->first] : ID_NONE,
	                       .session = ID_NONE,
	                       .initial = x->initial};
}

/* A named writer that cannot be the one is replaced by the reader, which never is. */
static struct source list_source(const struct problem *p, uint32_t reader,
                                 const struct external_list_read *x)
{
	size_t length;
	uint32_t by = ID_NONE, named = ID_NONE;
	atoms_items(&p->h->values, p->h->ops[x->op].value, &length);
	bool has_named = x->count == length && history_read_from(p->h, x->op, &by);
	if (has_named && (x->count || by != ID_NONE))
		named = problem_slot(p, by) != ID_NONE ? problem_slot(p, by) : reader;
	return (struct source){.op = x->op,
	                       .key = x->key,
	                       .group = ID_NONE,
	                       .count = x->count,
	                       .named = named,
	                       .session = ID_NONE,
	                       .initial = !x->count && named == ID_NONE};
}

static void index_reads(struct schedule *s)
{
	const struct problem *p = s->p;
	s->first = pool_array(s->pool, (size_t)p->slots + 1, sizeof *s->first);
	vec_reserve(s->pool, &s->sources, p->reads.count + p->list_reads.count);
	for (uint32_t slot = 0, i = 0, l = 0; slot < p->slots; slot++) {
		s->first[slot] = (uint32_t)s->sources.count;
		uint32_t reads = p->read_first[slot + 1], lists = p->list_read_first[slot + 1];
		while (i < reads || l < lists) {
			uint32_t read = i < reads ? p->reads.items[i].op : ID_NONE;
			uint32_t list = l < lists ? p->list_reads.items[l].op : ID_NONE;
			guard_tick(s->guard);
			vec_push(s->pool, &s->sources,
			         list < read ? list_source(p, slot, &p->list_reads.items[l++])
			                     : register_source(p, &p->reads.items[i++]));
		}
	}
	s->first[p->slots] = (uint32_t)s->sources.count;
}

/* Of each read, the last writer of the key before the reader in its session; of each slot, the
 * one before it. */
static void index_sessions(struct schedule *s)
{
	const struct problem *p = s->p;
	const struct history *h = p->h;
	size_t keys = (size_t)p->keys + 1;
	uint32_t *session = pool_zarray(s->pool, keys, sizeof *session);
	uint32_t *last = pool_array(s->pool, keys, sizeof *last), before = ID_NONE;
	for (uint32_t i = 0; i < h->txn_count; i++) {
		uint32_t txn = h->session_txns[i], slot = p->slot_of[txn];
		bool same = before != ID_NONE &&
		            h->txns[p->txn_of[before]].session == h->txns[txn].session;
		if (slot == ID_NONE)
			continue;
		s->before[slot] = same && !s->rules.no_session ? before : ID_NONE;
		if (h->txns[txn].status != ALIBI_COMMIT)
			continue;
		before = slot;
		for (uint32_t j = s->first[slot]; j < s->first[slot + 1]; j++) {
			struct source *r = &s->sources.items[j];
			assert(s->sources.items);
			if (session[r->key] == h->txns[txn].session + 1 && !s->rules.no_session)
				r->session = last[r->key];
			guard_tick(s->guard);
		}
		for (uint32_t j = p->write_first[slot]; j < p->write_first[slot + 1]; j++) {
			session[p->writes.items[j].key] = h->txns[txn].session + 1;
			last[p->writes.items[j].key] = slot;
		}
	}
	pool_free(s->pool, session);
	pool_free(s->pool, last);
}

static const uint32_t *list_items(const struct problem *p, uint32_t op)
{
	size_t length;
	return atoms_items(&p->h->values, p->h->ops[op].value, &length);
}

static void lay_out_list(struct schedule *s, struct target *l)
{
	size_t lengths = (size_t)l->count + 1;
	l->ends = pool_zarray(s->pool, lengths, sizeof *l->ends);
	l->ended_by = pool_array(s->pool, lengths, sizeof *l->ended_by);
	memset(l->ended_by, 0xff, lengths * sizeof *l->ended_by);
}

/* The longest list of each key. False: another one is no beginning of it. */
static bool index_lists(struct schedule *s)
{
	const struct problem *p = s->p;
	if (!p->list_reads.count)
		return true;
	s->lists = pool_zarray(s->pool, (size_t)p->keys + 1, sizeof *s->lists);
	for (size_t i = 0; i < p->list_reads.count; i++) {
		const struct external_list_read *x = &p->list_reads.items[i];
		if (x->count > s->lists[x->key].count)
			s->lists[x->key] =
			        (struct target){.items = list_items(p, x->op), .count = x->count};
	}
	for (size_t i = 0; i < p->list_reads.count; i++) {
		const struct external_list_read *x = &p->list_reads.items[i];
		struct target *l = &s->lists[x->key];
		guard_tick(s->guard);
		if (!l->ends)
			lay_out_list(s, l);
		if (x->count &&
		    memcmp(l->items, list_items(p, x->op), x->count * sizeof *l->items) != 0)
			return false;
		l->ends[x->count] = true;
	}
	return true;
}

/* A transaction that lacks a list waits for the next appender of its key. */
static void group_lists(struct schedule *s)
{
	const struct problem *p = s->p;
	uint32_t *group = pool_array(s->pool, (size_t)p->keys + 1, sizeof *group);
	memset(group, 0xff, (size_t)p->keys * sizeof *group);
	for (uint32_t i = 0; i < p->writes.count; i++)
		if (p->writes.items[i].value == ID_NONE)
			group[p->writes.items[i].key] = s->group_of[i];
	for (size_t i = 0; i < s->sources.count; i++)
		if (s->sources.items[i].count != ID_NONE)
			s->sources.items[i].group = group[s->sources.items[i].key];
	pool_free(s->pool, group);
}

/* By the ends that clients saw, if they told them. */
static void find_hints(struct schedule *s)
{
	const struct problem *p = s->p;
	s->hint = first_order_hint(s->pool, p);
	for (uint32_t slot = 0; slot < p->slots && p->h->times; slot++)
		if (p->h->txns[p->txn_of[slot]].has & ALIBI_HAS_END)
			s->hint[slot] = radix_key(p->h->times[p->txn_of[slot]].end);
}

static bool prepare(struct schedule *s)
{
	struct problem *p = s->p;
	size_t n = (size_t)p->slots + 1;
	known_edges(p);
	find_hints(s);
	if (!index_lists(s))
		return false;
	index_writes(s);
	index_reads(s);
	group_lists(s);
	s->place = pool_zarray(s->pool, n, sizeof *s->place);
	s->order = pool_array(s->pool, n, sizeof *s->order);
	s->next = pool_array(s->pool, n, sizeof *s->next);
	s->predecessors = pool_array(s->pool, n, sizeof *s->predecessors);
	s->before = pool_array(s->pool, n, sizeof *s->before);
	s->after = pool_array(s->pool, n, sizeof *s->after);
	memset(s->after, 0xff, n * sizeof *s->after);
	s->repairs = pool_zarray(s->pool, n, sizeof *s->repairs);
	s->lacks = pool_array(s->pool, n, sizeof *s->lacks);
	s->waits_for = pool_array(s->pool, n, sizeof *s->waits_for);
	s->blocked_at = pool_array(s->pool, n, sizeof *s->blocked_at);
	index_sessions(s);
	if (s->rules.visible == VISIBLE_CAUSAL) {
		s->chain_before = pool_array(s->pool, n, sizeof *s->chain_before);
		s->chain_of = pool_array(s->pool, n, sizeof *s->chain_of);
		s->index_of = pool_array(s->pool, n, sizeof *s->index_of);
		s->pasts = pool_array(s->pool, n, sizeof *s->pasts);
		s->now.seen = pool_array(s->pool, n, sizeof *s->now.seen);
	}
	for (uint32_t slot = 0; slot < p->slots; slot++) {
		s->predecessors[slot] = p->before_first[slot + 1] - p->before_first[slot];
		if (!s->predecessors[slot])
			put_ready(s, slot);
	}
	return true;
}

static struct search_result give_order(struct pool *pool, const struct schedule *s)
{
	const struct problem *p = s->p;
	struct search_result result = {.found = true};
	VEC(struct read_from) chosen = {0};
	result.events = pool_array(pool, (size_t)p->slots + 1, sizeof *result.events);
	for (uint32_t i = 0; i < p->slots; i++)
		result.events[result.event_count++] = event_of(p->txn_of[s->order[i]], true, false);
	for (size_t i = 0; i < s->sources.count; i++) {
		const struct source *r = &s->sources.items[i];
		uint32_t writer = r->writer == ID_NONE ? ID_NONE : p->txn_of[r->writer];
		if (r->count == ID_NONE)
			vec_push(pool, &chosen, ((struct read_from){r->op, writer}));
	}
	result.chosen = chosen.items;
	result.chosen_count = chosen.count;
	return result;
}

struct search_result weak_schedule(struct pool *pool, struct problem *p, struct replay_rules rules)
{
	struct pool *own = pool_child(pool);
	struct schedule s = {.pool = own, .guard = pool_guard(pool), .p = p, .rules = rules};
	struct search_result result = {.given_up = true};
	guard_stage(s.guard, "looking for an order of commits", 0);
	if (prepare(&s)) {
		do
			while (s.ready.count)
				try(&s, take_ready(&s));
		while (s.placed < p->slots && s.tries / MANY_TRIES < p->slots &&
		       (retry(&s) || repair(&s)));
		if (s.placed == p->slots)
			result = give_order(pool, &s);
	}
	pool_release(own);
	return result;
}
