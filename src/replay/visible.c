/* visible: see visible.h. */
#include "replay/visible.h"

#include "base/bisect.h"
#include "base/guard.h"
#include "replay/final_writes.h"

#include <string.h>

enum { NEVER = 0 }; /* the place of the initial version, and of what is not in the order */

struct external {
	uint32_t op, key;
	uint32_t writer; /* ID_NONE: the initial version */
};

/* What a list key holds in the end, and the appender of each element. */
struct whole_list {
	VEC(uint32_t) items, owners;
};

/* What the transaction at hand knows of a key. */
struct glimpse {
	uint32_t by;                  /* transaction + 1 */
	uint32_t own;                 /* how often it wrote it */
	bool read;                    /* it has read … */
	uint32_t value;               /* … this, … */
	uint32_t base_count;          /* … so many elements of it not its own */
	uint32_t seen_by, seen;       /* the last writer's place among those it sees directly */
	uint32_t session, in_session; /* the last writer's place in this session (+ 1) */
};

/* The writers of a key in one chain. */
struct group {
	uint32_t chain, first, end;
};

struct viewer {
	struct pool *pool;
	struct guard *guard;
	const struct history *h;
	struct replay_rules rules;
	const replay_event *events;
	size_t count;
	const struct read_from *chosen;
	size_t chosen_count;
	struct final_writes final_writes;

	uint32_t *place; /* by transaction: in the order, from 1 */
	struct whole_list *lists;
	struct glimpse *keys;
	uint32_t *read_first; /* by transaction */
	VEC(struct external) reads;

	uint64_t *written;                 /* by transaction: bit_of() the keys that it writes */
	uint32_t *seen_txn;                /* by transaction: the last one that saw it, + 1 */
	uint32_t *ordered_first, *ordered; /* by key: the places of its writers, once needed */

	uint32_t chains;
	uint32_t *chain_of, *index_of;
	uint32_t *clocks; /* rows by transaction, columns by chain: how many it sees, itself too */
	uint32_t *group_first, *group_end; /* by key, once they are needed (end: not 0) */
	struct keyed *writes;              /* by key, chain, index */
	VEC(struct group) groups;
};

/* ---- reads-from ---- */

/* A read with several candidates needs a choice in the certificate. */
static bool read_register(struct viewer *v, uint32_t txn, uint32_t op, uint32_t *writer)
{
	const struct history *h = v->h;
	uint32_t key = op_key(h->ops[op]), value = h->ops[op].value;
	bool initial = history_initial(h, key) == value && read_may_be_from(h, op, ID_NONE);
	size_t at, candidates = initial;
	bisect(at, 0, v->chosen_count, v->chosen[at].op < op);
	bool is_chosen = at < v->chosen_count && v->chosen[at].op == op;
	*writer = is_chosen ? v->chosen[at].writer : ID_NONE;
	bool found = initial && *writer == ID_NONE;
	for (const struct keyed *w = final_writes_of(&v->final_writes, key, value);
	     w->key == radix_pair(key, value); w++) {
		guard_tick(v->guard);
		if (w->item == txn || !read_may_be_from(h, op, w->item))
			continue;
		candidates++;
		*writer = is_chosen ? *writer : w->item;
		found |= w->item == *writer;
	}
	return found && (is_chosen || candidates == 1);
}

/* The first count elements are what the first appenders left, all of each. */
static bool read_list(const struct viewer *v, uint32_t op, uint32_t count, uint32_t *writer)
{
	const struct whole_list *l = &v->lists[op_key(v->h->ops[op])];
	size_t length;
	uint32_t named;
	const uint32_t *items = atoms_items(&v->h->values, v->h->ops[op].value, &length);
	if (count > l->items.count ||
	    (count && memcmp(items, l->items.items, count * sizeof *items) != 0) ||
	    (count && count < l->items.count &&
	     l->owners.items[count - 1] == l->owners.items[count]))
		return false;
	*writer = count ? l->owners.items[count - 1] : ID_NONE;
	return count < length || !history_read_from(v->h, op, &named) || named == *writer;
}

/* A list, own appends taken off, is the one that was read before. */
static bool same_base(const struct viewer *v, const struct glimpse *k, uint32_t value,
                      uint32_t count)
{
	size_t length;
	return k->base_count == count &&
	       (!count ||
	        !memcmp(atoms_items(&v->h->values, value, &length),
	                atoms_items(&v->h->values, k->value, &length), count * sizeof(uint32_t)));
}

/* Reads that own writes, or an equal read before, do not explain. */
static bool collect_read(struct viewer *v, uint32_t txn, uint32_t op)
{
	const struct history *h = v->h;
	uint32_t key = op_key(h->ops[op]), value = h->ops[op].value, base = 0, named, writer;
	struct glimpse *k = &v->keys[key];
	bool list = h->key_is_list[key], same = k->value == value;
	size_t length;
	if (k->by != txn + 1)
		*k = (struct glimpse){.by = txn + 1};
	if (list) {
		atoms_items(&h->values, value, &length);
		base = (uint32_t)length - k->own;
		same = same_base(v, k, value, base);
	} else if (k->own) {
		return true;
	}
	if (k->read && same && (k->own || !history_read_from(h, op, &named)))
		return true;
	k->read = true;
	k->value = value;
	k->base_count = base;
	if (list ? !read_list(v, op, base, &writer) : !read_register(v, txn, op, &writer))
		return false;
	vec_push(v->pool, &v->reads, ((struct external){op, key, writer}));
	return writer == ID_NONE || (v->place[writer] && v->place[writer] < v->place[txn]);
}

static bool collect_reads(struct viewer *v, uint32_t *wrong)
{
	const struct history *h = v->h;
	for (uint32_t t = 0; t < h->txn_count; t++) {
		v->read_first[t] = (uint32_t)v->reads.count;
		for (uint32_t op = h->txns[t].first_op;
		     h->txns[t].status == ALIBI_COMMIT && op < txn_op_end(h, t); op++) {
			struct glimpse *k = &v->keys[op_key(h->ops[op])];
			guard_tick(v->guard);
			if (op_writes(h->ops[op])) {
				if (k->by != t + 1)
					*k = (struct glimpse){.by = t + 1};
				k->own++;
			} else if (!collect_read(v, t, op)) {
				*wrong = t;
				return false;
			}
		}
	}
	v->read_first[h->txn_count] = (uint32_t)v->reads.count;
	return true;
}

/* ---- the writers of a key ---- */

/* Counted by key, then filled in the order of the commits. */
static void sort_by_place(struct viewer *v)
{
	const struct history *h = v->h;
	size_t keys = atoms_count(&h->keys);
	uint32_t *first = pool_zarray(v->pool, keys + 2, sizeof *first);
	v->ordered = pool_array(v->pool, (size_t)h->op_count + 1, sizeof *v->ordered);
	v->group_first = pool_array(v->pool, keys + 1, sizeof *v->group_first);
	v->group_end = pool_zarray(v->pool, keys + 1, sizeof *v->group_end);
	for (int fill = 0; fill < 2; fill++) {
		for (size_t i = 0; i < v->count; i++) {
			uint32_t t = event_txn(v->events[i]);
			for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
				uint32_t key = op_key(h->ops[op]);
				guard_tick(v->guard);
				if (!op_writes(h->ops[op]))
					continue;
				if (fill)
					v->ordered[first[key + 1]++] = (uint32_t)i + 1;
				else
					first[key + 2]++;
			}
		}
		for (size_t k = 2; !fill && k < keys + 2; k++)
			first[k] += first[k - 1];
	}
	v->ordered_first = first;
}

/* Among the writers of a key, in their order, the first that stands at this place or
 * behind it. */
static uint32_t from_place(const struct viewer *v, uint32_t key, uint32_t place)
{
	uint32_t at;
	bisect(at, v->ordered_first[key], v->ordered_first[key + 1], v->ordered[at] < place);
	return at;
}

/* ---- direct visibility ---- */

/* One of 64 for each key: a quick no to whether a transaction writes one of several keys. */
static uint64_t bit_of(uint32_t key)
{
	return (uint64_t)1 << key % 64;
}

static bool writes_key(struct viewer *v, uint32_t txn, uint32_t key)
{
	if (!v->ordered)
		sort_by_place(v);
	uint32_t at = from_place(v, key, v->place[txn]);
	return at < v->ordered_first[key + 1] && v->ordered[at] == v->place[txn];
}

static void see_write(struct viewer *v, uint32_t reader, uint32_t txn, uint32_t key)
{
	struct glimpse *k = &v->keys[key];
	if (k->seen_by != reader + 1 || k->seen < v->place[txn])
		k->seen = v->place[txn];
	k->seen_by = reader + 1;
}

/* keys: the bits of those that the reader reads besides the one that it reads from txn. */
static void see(struct viewer *v, uint32_t reader, uint32_t txn, uint64_t keys)
{
	const struct op *ops = v->h->ops;
	uint32_t read = v->read_first[reader], end = v->read_first[reader + 1];
	if (txn == ID_NONE || !(v->written[txn] & keys) || v->seen_txn[txn] == reader + 1)
		return;
	v->seen_txn[txn] = reader + 1;
	uint32_t op = v->h->txns[txn].first_op, last = txn_op_end(v->h, txn);
	bool large = last - op > 8 + end - read;
	for (; !large && op < last; op++, guard_tick(v->guard))
		if (op_writes(ops[op]))
			see_write(v, reader, txn, op_key(ops[op]));
	for (; large && read < end; read++, guard_tick(v->guard))
		if (writes_key(v, txn, v->reads.items[read].key))
			see_write(v, reader, txn, v->reads.items[read].key);
}

/* The place of the last writer of the key that the reader sees. */
static uint32_t last_direct(const struct viewer *v, uint32_t reader, uint32_t key)
{
	const struct glimpse *k = &v->keys[key];
	uint32_t last = k->seen_by == reader + 1 ? k->seen : NEVER;
	if (v->rules.visible == VISIBLE_DIRECT && !v->rules.no_session &&
	    k->session == v->h->txns[reader].session + 1 && k->in_session > last)
		last = k->in_session;
	return last;
}

/* ---- causal visibility ---- */

/* A transaction continues the chain of one that it sees, unless another one does. */
static void make_chains(struct viewer *v, const uint32_t *session_before)
{
	size_t n = (size_t)v->h->txn_count + 1;
	uint32_t *tail = pool_array(v->pool, n, sizeof *tail);
	v->chain_of = pool_zarray(v->pool, n, sizeof *v->chain_of);
	v->index_of = pool_zarray(v->pool, n, sizeof *v->index_of);
	for (size_t i = 0; i < v->count; i++) {
		uint32_t t = event_txn(v->events[i]), before = session_before[t];
		for (uint32_t r = v->read_first[t];
		     r < v->read_first[t + 1] &&
		     (before == ID_NONE || tail[v->chain_of[before]] != before);
		     r++)
			before = v->reads.items[r].writer;
		bool goes_on = before != ID_NONE && tail[v->chain_of[before]] == before;
		v->chain_of[t] = goes_on ? v->chain_of[before] : v->chains++;
		v->index_of[t] = goes_on ? v->index_of[before] + 1 : 0;
		tail[v->chain_of[t]] = t;
		guard_tick(v->guard);
	}
	pool_free(v->pool, tail);
}

static void join(struct viewer *v, uint32_t *row, uint32_t txn)
{
	if (txn == ID_NONE)
		return;
	const uint32_t *other = v->clocks + (size_t)txn * v->chains;
	for (uint32_t c = 0; c < v->chains; c++)
		row[c] = other[c] > row[c] ? other[c] : row[c];
}

static void make_clocks(struct viewer *v)
{
	uint32_t *session_before = history_session_before(v->pool, v->h);
	if (v->rules.no_session)
		memset(session_before, 0xff, v->h->txn_count * sizeof *session_before);
	make_chains(v, session_before);
	v->clocks =
	        pool_zarray(v->pool, (size_t)v->h->txn_count * v->chains + 1, sizeof *v->clocks);
	for (size_t i = 0; i < v->count; i++) {
		uint32_t t = event_txn(v->events[i]), *row = v->clocks + (size_t)t * v->chains;
		join(v, row, session_before[t]);
		for (uint32_t r = v->read_first[t]; r < v->read_first[t + 1]; r++) {
			join(v, row, v->reads.items[r].writer);
			guard_tick(v->guard);
		}
		row[v->chain_of[t]] = v->index_of[t] + 1;
	}
	pool_free(v->pool, session_before);
}

/* Looks at the writers of the key between the one that was read from and the reader. Others
 * are not visible, or do no harm. Mostly there are none. */
static bool sees_between(const struct viewer *v, uint32_t reader, const struct external *e,
                         uint32_t first, uint32_t end)
{
	const uint32_t *sees = v->clocks + (size_t)reader * v->chains;
	for (; first < end; first++) {
		uint32_t txn = event_txn(v->events[v->ordered[first] - 1]);
		guard_tick(v->guard);
		if (txn != e->writer && sees[v->chain_of[txn]] > v->index_of[txn])
			return true;
	}
	return false;
}

/* The writers of a key again, by chain; where the chain changes, a group begins. */
static void make_groups(struct viewer *v, uint32_t key)
{
	uint32_t first = v->ordered_first[key], last = v->ordered_first[key + 1];
	if (!v->writes)
		v->writes = pool_array(v->pool, (size_t)v->h->op_count + 1, sizeof *v->writes);
	v->group_first[key] = (uint32_t)v->groups.count;
	for (uint32_t i = first; i < last; i++) {
		uint32_t t = event_txn(v->events[v->ordered[i] - 1]);
		v->writes[i] = (struct keyed){(uint64_t)v->chain_of[t] << 32 | v->index_of[t], t};
	}
	radix_sort(v->pool, v->writes + first, last - first);
	for (uint32_t i = first, end; i < last; i = end) {
		uint32_t chain = (uint32_t)(v->writes[i].key >> 32);
		for (end = i + 1; end < last && v->writes[end].key >> 32 == chain;)
			end++;
		vec_push(v->pool, &v->groups, ((struct group){chain, i, end}));
	}
	v->group_end[key] = (uint32_t)v->groups.count;
}

/* The same if they are many: of each chain that writes the key, the last one seen. */
static bool sees_in_chains(struct viewer *v, uint32_t reader, const struct external *e,
                           uint32_t place)
{
	const uint32_t *sees = v->clocks + (size_t)reader * v->chains;
	if (!v->group_end[e->key])
		make_groups(v, e->key);
	for (uint32_t i = v->group_first[e->key]; i < v->group_end[e->key]; i++) {
		struct group g = v->groups.items[i];
		uint32_t limit =
		        g.chain == v->chain_of[reader] ? v->index_of[reader] : sees[g.chain];
		guard_tick(v->guard);
		size_t at = radix_find(v->writes + g.first, g.end - g.first,
		                       (uint64_t)g.chain << 32 | limit);
		if (at && v->place[v->writes[g.first + at - 1].item] > place)
			return true;
	}
	return false;
}

/* Does the reader see a writer of the key that stands behind this place? */
static bool sees_later(struct viewer *v, uint32_t reader, const struct external *e, uint32_t place)
{
	uint32_t first = from_place(v, e->key, place + 1);
	uint32_t end = from_place(v, e->key, v->place[reader]);
	if (end <= first)
		return false;
	return end - first <= v->chains ? sees_between(v, reader, e, first, end)
	                                : sees_in_chains(v, reader, e, place);
}

/* ---- all of it ---- */

/* No visible writer of a key is behind the one that the transaction reads from. */
static bool check_txn(struct viewer *v, uint32_t txn)
{
	uint32_t count = v->read_first[txn + 1] - v->read_first[txn];
	if (!count)
		return true;
	const struct external *read = v->reads.items + v->read_first[txn], *end = read + count;
	uint64_t once = 0, again = 0;
	for (const struct external *e = read; e < end; e++) {
		again |= once & bit_of(e->key);
		once |= bit_of(e->key);
	}
	for (const struct external *e = read; v->rules.visible == VISIBLE_DIRECT && e < end; e++)
		see(v, txn, e->writer, again | (once & ~bit_of(e->key)));
	for (; read < end; read++) {
		uint32_t place = read->writer == ID_NONE ? NEVER : v->place[read->writer];
		if (v->rules.visible == VISIBLE_CAUSAL ? sees_later(v, txn, read, place)
		                                       : last_direct(v, txn, read->key) > place)
			return false;
		if (v->rules.visible == VISIBLE_EARLIER)
			see(v, txn, read->writer, again | (once & ~bit_of(read->key)));
	}
	return true;
}

static bool check_sessions(struct viewer *v, uint32_t *wrong)
{
	const struct history *h = v->h;
	for (uint32_t i = 0; i < h->txn_count; i++) {
		uint32_t t = h->session_txns[i];
		if (h->txns[t].status != ALIBI_COMMIT)
			continue;
		if (!check_txn(v, t)) {
			*wrong = t;
			return false;
		}
		for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
			struct glimpse *k = &v->keys[op_key(h->ops[op])];
			guard_tick(v->guard);
			if (op_writes(h->ops[op])) {
				k->session = h->txns[t].session + 1;
				k->in_session = v->place[t];
			}
		}
	}
	return true;
}

/* The place of each transaction, and what the lists hold in the end. */
static void lay_out(struct viewer *v)
{
	const struct history *h = v->h;
	size_t n = (size_t)h->txn_count + 1, keys = atoms_count(&h->keys) + 1;
	v->place = pool_zarray(v->pool, n, sizeof *v->place);
	v->seen_txn = pool_zarray(v->pool, n, sizeof *v->seen_txn);
	v->read_first = pool_zarray(v->pool, n, sizeof *v->read_first);
	v->keys = pool_zarray(v->pool, keys, sizeof *v->keys);
	v->written = pool_zarray(v->pool, n, sizeof *v->written);
	if (h->empty_list != ID_NONE)
		v->lists = pool_zarray(v->pool, keys, sizeof *v->lists);
	for (size_t i = 0; i < v->count; i++) {
		uint32_t t = event_txn(v->events[i]);
		v->place[t] = (uint32_t)i + 1;
		for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
			uint32_t key = op_key(h->ops[op]);
			guard_tick(v->guard);
			if (op_writes(h->ops[op]))
				v->written[t] |= bit_of(key);
			if (!v->lists || op_kind(h->ops[op]) != ALIBI_APPEND)
				continue;
			vec_push(v->pool, &v->lists[key].items, h->ops[op].value);
			vec_push(v->pool, &v->lists[key].owners, t);
		}
	}
}

/* What one walk finds out without visibility: SESSION, INT, and whether it is an order. */
static bool note_other(void *data, const struct mismatch *m)
{
	if (m->kind == MISMATCH_EXT)
		return true;
	*(uint32_t *)data = m->txn;
	return false;
}

bool replay_visible(struct pool *pool, const struct history *h, struct replay_rules rules,
                    const replay_event *events, size_t count, const struct read_from *chosen,
                    size_t chosen_count, uint32_t *wrong)
{
	struct viewer v = {.pool = pool_child(pool),
	                   .guard = pool_guard(pool),
	                   .h = h,
	                   .rules = rules,
	                   .events = events,
	                   .count = count,
	                   .chosen = chosen,
	                   .chosen_count = chosen_count};
	struct opaque opaque; /* there is nothing opaque at these levels (verify.c) */
	bool holds = replay(pool, h, rules, events, count, note_other, wrong);
	guard_stage(v.guard, "replaying visibility", count);
	if (holds) {
		lay_out(&v);
		opaque_init(&opaque, v.pool, h);
		final_writes_init(&v.final_writes, v.pool, h, &opaque);
		holds = collect_reads(&v, wrong);
	}
	if (holds && rules.visible == VISIBLE_CAUSAL) {
		make_clocks(&v);
		sort_by_place(&v);
	}
	holds = holds && check_sessions(&v, wrong);
	pool_release(v.pool);
	return holds;
}
