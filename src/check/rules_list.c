/* rules_list: see rules_list.h. */
#include "check/rules_list.h"

#include "base/guard.h"
#include "order/known.h"

#include <assert.h>
#include <string.h>

void list_rules_init(struct list_rules *l, struct clauses *c)
{
	const struct problem *p = c->problem;
	size_t keys = (size_t)p->keys + 1;
	l->c = c;
	if (p->h->empty_list == ID_NONE)
		return;
	l->appenders = pool_zarray(c->pool, keys, sizeof *l->appenders);
	l->all_appenders = pool_zarray(c->pool, keys, sizeof *l->all_appenders);
	l->last = pool_array(c->pool, keys, sizeof *l->last);
	l->marked = pool_zarray(c->pool, (size_t)p->slots + 1, sizeof *l->marked);
	for (uint32_t slot = 0, i = 0; slot < p->slots; slot++)
		for (; i < p->write_first[slot + 1]; i++, guard_tick(c->guard))
			if (p->repeats[p->writes.items[i].key])
				vec_push(c->pool, &l->all_appenders[p->writes.items[i].key], slot);
}

void list_rules_restart(struct list_rules *l)
{
	size_t keys = l->c->problem->keys;
	if (!l->appenders)
		return;
	for (size_t key = 0; key < keys; key++)
		l->appenders[key].count = 0;
	memset(l->last, 0xff, keys * sizeof *l->last);
}

static void mark_slots(struct list_rules *l, const uint32_t *slots, size_t count)
{
	l->mark++;
	for (size_t i = 0; i < count; i++)
		l->marked[slots[i]] = l->mark;
}

/* Elements are unique: appenders that are not in the list come after the read. */
static void check_unique(struct list_rules *l, uint32_t slot, const struct external_list_read *w)
{
	const struct problem *p = l->c->problem;
	const slot_vec *now = &l->appenders[w->key];
	if (now->count == w->writers)
		return;
	if (w->writers)
		mark_slots(l, p->list_writers.items + w->first_writer, w->writers);
	else
		l->mark++;
	for (size_t i = 0; i < now->count; i++) {
		uint32_t other = now->items[i];
		guard_tick(l->c->guard);
		if (l->marked[other] == l->mark || rule_counted(l->c))
			continue;
		uint32_t first = p->append_first[other];
		while (p->appends.items[first].key != w->key)
			first++;
		rule_word(l->c, w->op);
		rule_word(l->c, p->appends.items[first].value);
		rule_word(l->c, p->txn_of[other]);
		rule_before(l->c, read_node(p, slot), write_node(p, other));
		rule_close(l->c, STEP_LIST_MORE);
	}
}

/* The first k appenders are wrong (whole: exactly these k are). */
static void add_appenders(struct list_rules *l, uint32_t reader, const struct external_list_read *w,
                          size_t k, bool whole)
{
	if (rule_counted(l->c))
		return;
	const struct problem *p = l->c->problem;
	const slot_vec *now = &l->appenders[w->key], *all = &l->all_appenders[w->key];
	node_id r = read_node(p, reader), last = k ? write_node(p, now->items[k - 1]) : r;
	rule_word(l->c, w->op);
	for (size_t i = 0; i < k; i++) {
		rule_word(l->c, p->txn_of[now->items[i]]);
		if (i)
			rule_before(l->c, write_node(p, now->items[i]),
			            write_node(p, now->items[i - 1]));
	}
	if (k)
		rule_before(l->c, r, last);
	mark_slots(l, now->items, k);
	for (size_t i = 0; i < all->count; i++) {
		uint32_t other = all->items[i];
		guard_tick(l->c->guard);
		if (l->marked[other] != l->mark && other != reader)
			rule_before(l->c, write_node(p, other), whole ? r : last);
	}
	rule_close(l->c, whole ? STEP_LIST_WHOLE : STEP_LIST_PREFIX);
}

/* The marked slots appended the element too often to be all before the read, or are needed
 * before it. */
static void add_count(struct list_rules *l, uint32_t reader, const struct external_list_read *w,
                      uint32_t element, bool more)
{
	if (rule_counted(l->c))
		return;
	const struct problem *p = l->c->problem;
	const slot_vec *all = &l->all_appenders[w->key];
	node_id r = read_node(p, reader);
	rule_word(l->c, w->op);
	rule_word(l->c, element);
	for (size_t i = 0; i < all->count; i++) {
		uint32_t other = all->items[i];
		node_id write = write_node(p, other);
		guard_tick(l->c->guard);
		if (l->marked[other] != l->mark)
			continue;
		rule_word(l->c, p->txn_of[other]);
		rule_before(l->c, more ? r : write, more ? write : r);
	}
	rule_close(l->c, more ? STEP_LIST_MORE : STEP_LIST_FEWER);
}

/* Was the element appended more often than it was read, or less? Then a rule is violated. */
static bool check_count(struct list_rules *l, uint32_t reader, const struct external_list_read *w,
                        const uint32_t *items, uint32_t element)
{
	const struct problem *p = l->c->problem;
	const slot_vec *now = &l->appenders[w->key], *all = &l->all_appenders[w->key];
	size_t read = 0, there = 0, total = 0;
	for (size_t i = 0; i < w->count; i++)
		read += items[i] == element;
	l->mark++;
	for (size_t i = 0; i < now->count && there <= read; i++, guard_tick(l->c->guard)) {
		size_t own = known_appended(p, now->items[i], w->key, element);
		there += own;
		if (own)
			l->marked[now->items[i]] = l->mark;
	}
	if (there > read)
		add_count(l, reader, w, element, true);
	if (there >= read)
		return there > read;
	mark_slots(l, now->items, now->count);
	uint32_t before = l->mark++;
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i] != reader)
			total += known_appended(p, all->items[i], w->key, element);
	for (size_t i = 0; i < all->count && total >= read; i++, guard_tick(l->c->guard)) {
		uint32_t other = all->items[i];
		size_t own = known_appended(p, other, w->key, element);
		if (!own || other == reader || l->marked[other] == before)
			continue;
		l->marked[other] = l->mark;
		total -= own;
	}
	add_count(l, reader, w, element, false);
	return true;
}

/* Does it begin with what was read before it? */
static bool check_pair(struct list_rules *l, uint32_t slot, const struct external_list_read *w,
                       const uint32_t *items)
{
	const struct problem *p = l->c->problem;
	struct last_read before = l->last[w->key];
	size_t length;
	l->last[w->key] = (struct last_read){slot, (uint32_t)(w - p->list_reads.items)};
	if (before.slot == ID_NONE || before.slot == slot)
		return false;
	const struct external_list_read *b = &p->list_reads.items[before.read];
	const uint32_t *there = atoms_items(&p->h->values, p->h->ops[b->op].value, &length);
	if (b->count <= w->count && (!b->count || !memcmp(there, items, b->count * sizeof *there)))
		return false;
	if (rule_counted(l->c))
		return true;
	rule_word(l->c, b->op);
	rule_word(l->c, w->op);
	rule_before(l->c, read_node(p, slot), read_node(p, before.slot));
	rule_close(l->c, STEP_LIST_PAIR);
	return true;
}

static void check_repeating(struct list_rules *l, uint32_t slot, const struct external_list_read *w)
{
	const struct problem *p = l->c->problem;
	assert(l->appenders); /* there are lists */
	const slot_vec *now = &l->appenders[w->key];
	size_t length, at = 0;
	uint32_t named;
	const uint32_t *items = atoms_items(&p->h->values, p->h->ops[w->op].value, &length);
	if (check_pair(l, slot, w, items))
		return;
	for (size_t k = 0; k < now->count; k++) {
		uint32_t wrong;
		at += known_block(p, now->items[k], w->key, items + at, w->count - at, &wrong);
		guard_tick(l->c->guard);
		if (wrong == ID_NONE)
			continue;
		if (!check_count(l, slot, w, items, wrong) &&
		    (at == w->count || !check_count(l, slot, w, items, items[at])))
			add_appenders(l, slot, w, k + 1, false);
		return;
	}
	uint32_t last = now->count ? p->txn_of[now->items[now->count - 1]] : ID_NONE;
	bool unnamed =
	        length == w->count && history_read_from(p->h, w->op, &named) && named != last;
	if (at < w->count)
		check_count(l, slot, w, items, items[at]);
	else if (unnamed)
		add_appenders(l, slot, w, now->count, true);
}

void check_lists(struct list_rules *l, uint32_t slot)
{
	const struct problem *p = l->c->problem;
	for (uint32_t i = p->list_read_first[slot]; i < p->list_read_first[slot + 1]; i++) {
		const struct external_list_read *w = &p->list_reads.items[i];
		if (p->repeats[w->key])
			check_repeating(l, slot, w);
		else
			check_unique(l, slot, w);
	}
}
