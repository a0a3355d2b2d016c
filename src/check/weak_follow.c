/*
 * weak_follow: the edges that follow from who is seen (weak.h).
 *
 * u wrote the key of a read and is seen by the reader, which reads from w: u comes before
 * w. Of those in one session, or in one chain of clocks, only the last one seen is
 * needed: the others come before it anyhow.
 */
#include "check/weak_pass.h"

#include "base/bisect.h"
#include "base/guard.h"
#include "verify/claims.h"

#include <assert.h>
#include <string.h>

/* Marks by key, for the reader at hand. */
struct marks {
	uint32_t *reader, *sight; /* by key: the reader + 1, its last sight of the key … */
	uint32_t *before;         /* … by place among its sights: the one before, + 1; 0: none */
	size_t before_size;
	uint32_t *seen;       /* by slot: by whom, + 1 */
	struct keyed *writes; /* by key and slot */
};

static void add_edge(struct weak *w, uint32_t from, uint32_t to, uint32_t why)
{
	if (!w->only_backward || w->place[from] > w->place[to])
		vec_push(w->problem.pool, &w->edges, ((struct edge){from, to, why}));
}

static void follow(struct weak *w, uint32_t sight, uint32_t seen)
{
	const struct sight *s = &w->sights.items[sight];
	if (s->writer == seen)
		return;
	if (s->writer == ID_NONE)
		weak_refute_initial(w, sight, seen);
	else
		add_edge(w, seen, s->writer, why_of(sight, CLAIM_SEEN));
}

/* ---- seen directly ---- */

static bool writes_key(const struct weak *w, const struct marks *m, uint32_t slot, uint32_t key)
{
	uint64_t wanted = radix_pair(key, slot);
	size_t count = w->problem.writes.count, at = radix_find(m->writes, count, wanted);
	return at < count && m->writes[at].key == wanted;
}

/* The reader sees this slot, from its sight `from` on. */
static void follow_one(struct weak *w, const struct marks *m, uint32_t reader, uint32_t from,
                       uint32_t seen)
{
	const struct problem *p = &w->problem;
	uint32_t first = w->sight_first[reader], end = w->sight_first[reader + 1];
	uint32_t writes = p->write_first[seen + 1] - p->write_first[seen];
	if (writes > 8 + end - from) {
		for (uint32_t i = from; i < end; i++) {
			guard_tick(w->guard);
			if (writes_key(w, m, seen, w->sights.items[i].key))
				follow(w, i, seen);
		}
		return;
	}
	for (uint32_t i = p->write_first[seen]; i < p->write_first[seen + 1]; i++) {
		uint32_t key = p->writes.items[i].key;
		uint32_t at = m->reader[key] == reader + 1 ? m->sight[key] + 1 : 0;
		guard_tick(w->guard);
		for (; at && first + at - 1 >= from; at = m->before[at - 1])
			follow(w, first + at - 1, seen);
	}
}

/* Links the sights of one key, the last one first. */
static void mark_sights(struct weak *w, struct marks *m, uint32_t reader)
{
	uint32_t first = w->sight_first[reader], count = w->sight_first[reader + 1] - first;
	if (count > m->before_size) {
		m->before_size = 2 * (size_t)count;
		m->before = pool_resize(w->pool, m->before, m->before_size * sizeof *m->before);
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t key = w->sights.items[first + i].key;
		m->before[i] = m->reader[key] == reader + 1 ? m->sight[key] + 1 : 0;
		m->reader[key] = reader + 1;
		m->sight[key] = i;
	}
}

static void follow_reads(struct weak *w, struct marks *m, uint32_t reader)
{
	bool earlier = w->rules.visible == VISIBLE_EARLIER;
	uint32_t first = w->sight_first[reader], end = w->sight_first[reader + 1];
	if (end - first < 2)
		return;
	mark_sights(w, m, reader);
	for (uint32_t i = first; i < end; i++) {
		uint32_t writer = w->sights.items[i].writer;
		if (writer == ID_NONE || m->seen[writer] == reader + 1)
			continue;
		m->seen[writer] = reader + 1;
		follow_one(w, m, reader, earlier ? i + 1 : first, writer);
	}
}

static void sort_writes(struct weak *w, struct marks *m)
{
	const struct problem *p = &w->problem;
	m->writes = pool_array(w->pool, p->writes.count + 1, sizeof *m->writes);
	for (uint32_t slot = 0, i = 0; slot < p->slots; slot++)
		for (; i < p->write_first[slot + 1]; i++)
			m->writes[i] =
			        (struct keyed){radix_pair(p->writes.items[i].key, slot), slot};
	radix_sort(w->pool, m->writes, p->writes.count);
}

static void follow_direct(struct weak *w)
{
	const struct problem *p = &w->problem;
	size_t keys = atoms_count(&p->h->keys) + 1;
	struct marks m = {.reader = pool_zarray(w->pool, keys, sizeof *m.reader),
	                  .sight = pool_array(w->pool, keys, sizeof *m.sight),
	                  .seen = pool_zarray(w->pool, (size_t)p->slots + 1, sizeof *m.seen)};
	sort_writes(w, &m);
	for (uint32_t slot = 0; slot < p->slots; slot++)
		follow_reads(w, &m, slot);
	pool_free(w->pool, m.reader);
	pool_free(w->pool, m.sight);
	pool_free(w->pool, m.before);
	pool_free(w->pool, m.seen);
	pool_free(w->pool, m.writes);
}

/* The last writer of the key before the reader in its session. */
static void follow_sessions(struct weak *w)
{
	const struct problem *p = &w->problem;
	const struct history *h = p->h;
	size_t keys = atoms_count(&h->keys) + 1;
	uint32_t *session = pool_zarray(w->pool, keys, sizeof *session);
	uint32_t *last = pool_array(w->pool, keys, sizeof *last);
	for (uint32_t i = 0; i < h->txn_count; i++) {
		uint32_t txn = h->session_txns[i], slot = p->slot_of[txn];
		if (slot == ID_NONE || h->txns[txn].status != ALIBI_COMMIT)
			continue;
		for (uint32_t j = w->sight_first[slot]; j < w->sight_first[slot + 1]; j++) {
			uint32_t key = w->sights.items[j].key;
			guard_tick(w->guard);
			if (session[key] == h->txns[txn].session + 1)
				follow(w, j, last[key]);
		}
		for (uint32_t j = p->write_first[slot]; j < p->write_first[slot + 1]; j++) {
			session[p->writes.items[j].key] = h->txns[txn].session + 1;
			last[p->writes.items[j].key] = slot;
		}
	}
	pool_free(w->pool, session);
	pool_free(w->pool, last);
}

/* ---- seen causally ---- */

/* Of the writers of the key, the first that stands behind this place. */
static uint32_t writer_behind(const struct weak *w, uint32_t key, uint32_t place)
{
	uint32_t at;
	bisect(at, w->writers_first[key], w->writers_first[key + 1],
	       w->place[w->writers[at]] <= place);
	return at;
}

/* Whom the reader sees stands before it. So only who stands between it and whom it reads
 * from can be seen and make an edge that goes backward; mostly there is nobody. False:
 * they are too many to go through. */
static bool follow_between(struct weak *w, uint32_t reader, uint32_t sight)
{
	const struct clocks *c = &w->clocks;
	const struct sight *s = &w->sights.items[sight];
	const uint32_t *sees = c->past + (size_t)reader * c->chains;
	uint32_t first = s->writer == ID_NONE ? w->writers_first[s->key]
	                                      : writer_behind(w, s->key, w->place[s->writer]);
	uint32_t end = w->writers_first[s->key + 1];
	uint32_t most = first + c->groups_first[s->key + 1] - c->groups_first[s->key];
	for (uint32_t i = first; i < end && w->place[w->writers[i]] < w->place[reader]; i++) {
		uint32_t slot = w->writers[i];
		guard_tick(w->guard);
		if (i == most)
			return false;
		if (sees[c->chain_of[slot]] > c->index_of[slot])
			follow(w, sight, slot);
	}
	return true;
}

static void follow_causal_read(struct weak *w, uint32_t reader, uint32_t sight)
{
	const struct clocks *c = &w->clocks;
	const struct sight *s = &w->sights.items[sight];
	const uint32_t *sees = c->past + (size_t)reader * c->chains, *known = NULL;
	if (s->writer != ID_NONE)
		known = c->past + (size_t)s->writer * c->chains;
	for (uint32_t i = c->groups_first[s->key]; i < c->groups_first[s->key + 1]; i++) {
		const struct group *g = &c->groups.items[i];
		uint32_t limit =
		        g->chain == c->chain_of[reader] ? c->index_of[reader] : sees[g->chain];
		guard_tick(w->guard);
		if (known && limit <= known[g->chain])
			continue;
		const struct writer *u = clocks_from(c, g, limit);
		if (u > c->writers + g->first)
			follow(w, sight, u[-1].slot);
	}
}

static void follow_causal(struct weak *w)
{
	const struct problem *p = &w->problem;
	assert(w->clocks.past);
	for (uint32_t slot = 0; slot < p->slots; slot++)
		for (uint32_t i = w->sight_first[slot]; i < w->sight_first[slot + 1]; i++)
			if (!w->only_backward || !follow_between(w, slot, i))
				follow_causal_read(w, slot, i);
}

/* ---- lists ---- */

/* A list's appenders come one after another, and all others of its key after them. */
static void follow_list(struct weak *w, uint32_t sight, const uint32_t *all, size_t all_count,
                        uint32_t *listed)
{
	size_t count;
	const uint32_t *writers = sight_writers(w, &w->sights.items[sight], &count);
	uint32_t why = why_of(sight, CLAIM_LIST);
	for (size_t i = 0; i < count; i++) {
		listed[writers[i]] = sight + 1;
		if (i)
			add_edge(w, writers[i - 1], writers[i], why);
	}
	for (size_t i = 0; i < all_count && count; i++) {
		guard_tick(w->guard);
		if (listed[all[i]] != sight + 1)
			add_edge(w, writers[count - 1], all[i], why);
	}
}

static bool is_prefix(const struct weak *w, uint32_t sight, uint32_t of)
{
	size_t count, length;
	const uint32_t *shorter = sight_writers(w, &w->sights.items[sight], &count);
	const uint32_t *longer = sight_writers(w, &w->sights.items[of], &length);
	return count <= length && (!count || !memcmp(shorter, longer, count * sizeof *shorter));
}

/* The longest list of a key says it all, if the others are how it begins; the first
 * that is not makes a cycle with it. */
static void follow_lists(struct weak *w)
{
	const struct problem *p = &w->problem;
	size_t keys = atoms_count(&p->h->keys) + 1, count, most;
	uint32_t *longest = pool_zarray(w->pool, keys, sizeof *longest); /* sight + 1 */
	uint32_t *other = pool_zarray(w->pool, keys, sizeof *other);
	uint32_t *listed = pool_zarray(w->pool, (size_t)p->slots + 1, sizeof *listed);
	for (uint32_t i = 0; i < w->sights.count; i++) {
		uint32_t key = w->sights.items[i].key;
		guard_tick(w->guard);
		if (!p->h->key_is_list[key])
			continue;
		sight_writers(w, &w->sights.items[i], &count);
		most = 0;
		if (longest[key])
			sight_writers(w, &w->sights.items[longest[key] - 1], &most);
		if (!longest[key] || count > most)
			longest[key] = i + 1;
	}
	for (uint32_t i = 0; i < w->sights.count; i++) {
		uint32_t key = w->sights.items[i].key;
		if (longest[key] && !other[key] && !is_prefix(w, i, longest[key] - 1))
			other[key] = i + 1;
	}
	for (uint32_t key = 0; key + 1 < keys; key++) {
		if (longest[key])
			follow_list(w, longest[key] - 1, w->writers + w->writers_first[key],
			            w->writers_first[key + 1] - w->writers_first[key], listed);
		if (other[key])
			follow_list(w, other[key] - 1, w->writers + w->writers_first[key],
			            w->writers_first[key + 1] - w->writers_first[key], listed);
	}
	pool_free(w->pool, longest);
	pool_free(w->pool, other);
	pool_free(w->pool, listed);
}

/* The writers of each key, as they stand in the order. */
static void list_writers(struct weak *w)
{
	const struct problem *p = &w->problem;
	size_t keys = atoms_count(&p->h->keys) + 2;
	uint32_t *first = pool_zarray(w->of_pass, keys, sizeof *first);
	w->writers = pool_array(w->of_pass, p->writes.count + 1, sizeof *w->writers);
	for (size_t i = 0; i < p->writes.count; i++)
		first[p->writes.items[i].key + 2]++;
	for (size_t k = 2; k < keys; k++)
		first[k] += first[k - 1];
	for (uint32_t at = 0; at < p->slots; at++) {
		uint32_t slot = w->slot_at[at];
		guard_tick(w->guard);
		for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++)
			w->writers[first[p->writes.items[i].key + 1]++] = slot;
	}
	w->writers_first = first;
}

void weak_prepare(struct weak *w)
{
	struct clocks *c = &w->clocks;
	size_t n = (size_t)w->problem.slots + 1;
	list_writers(w);
	if (w->rules.visible != VISIBLE_CAUSAL)
		return;
	clocks_init(c, w->of_pass, &w->problem);
	memcpy(c->order, w->slot_at, (n - 1) * sizeof *c->order);
	clocks_make_chains(c);
	clocks_index_writers(c);
	c->past = pool_zarray(c->pool, n * c->chains, sizeof *c->past);
	c->past_changed = pool_zarray(c->pool, n, sizeof *c->past_changed);
	clocks_sweep_past(c, NULL);
}

void weak_follow(struct weak *w)
{
	if (w->rules.visible == VISIBLE_CAUSAL)
		follow_causal(w);
	else
		follow_direct(w);
	if (w->rules.visible == VISIBLE_DIRECT && !w->rules.no_session)
		follow_sessions(w);
	if (w->problem.list_reads.count)
		follow_lists(w);
}
