/*
 * broken_list: which rules about lists does the present order break? See broken.h.
 *
 * Where elements are unique a list says who appended it, and in which order; that is
 * known from the start (order/known.h), and who is not in it comes later.
 *
 * Where elements repeat, three rules tell more or less. A list that is read after
 * another one begins with that. If some transactions appended an element more often
 * than it was read, not all of them are before the read; if all but some did so less
 * often, not all of those are behind it. And the appenders in their order do not make
 * up the list: a rule that excludes little more than this order, and comes last.
 */
#include "check/broken.h"

#include "base/guard.h"

#include <assert.h>
#include <string.h>

static void mark_slots(struct search *s, const uint32_t *slots, size_t count)
{
	s->mark++;
	for (size_t i = 0; i < count; i++)
		s->marked[slots[i]] = s->mark;
}

/* How often the slot appended the element to the key. */
static size_t appended(const struct problem *p, uint32_t slot, uint32_t key, uint32_t element)
{
	size_t count = 0;
	for (uint32_t i = p->append_first[slot]; i < p->append_first[slot + 1]; i++)
		count += p->appends.items[i].key == key && p->appends.items[i].value == element;
	return count;
}

/* Elements are unique: who appended what is not in the list comes later. */
static void walk_list(struct search *s, uint32_t slot, const struct external_list_read *w)
{
	const struct problem *p = &s->problem;
	const slot_vec *now = &s->appenders[w->key];
	if (now->count == w->writers)
		return;
	if (w->writers)
		mark_slots(s, p->list_writers.items + w->first_writer, w->writers);
	else
		s->mark++;
	for (size_t i = 0; i < now->count; i++) {
		uint32_t other = now->items[i];
		guard_tick(s->guard);
		if (s->marked[other] == s->mark || broken_only_counted(s))
			continue;
		uint32_t first = p->append_first[other];
		while (p->appends.items[first].key != w->key)
			first++;
		proof_word(&s->proof, w->op);
		proof_word(&s->proof, p->appends.items[first].value);
		proof_word(&s->proof, p->txn_of[other]);
		broken_literal(s, read_node(p, slot), write_node(p, other));
		broken_close(s, STEP_LIST_MORE);
	}
}

/* How many of the elements that slot appended to key follow in the list; *wrong: the
 * first that does not, or ATOM_NONE. */
static size_t follows(const struct problem *p, uint32_t slot, uint32_t key, const uint32_t *items,
                      size_t count, uint32_t *wrong)
{
	size_t matched = 0;
	*wrong = ATOM_NONE;
	for (uint32_t i = p->append_first[slot]; i < p->append_first[slot + 1]; i++) {
		uint32_t element = p->appends.items[i].value;
		if (p->appends.items[i].key != key)
			continue;
		if (matched == count || items[matched] != element) {
			*wrong = element;
			break;
		}
		matched++;
	}
	return matched;
}

/* The first k appenders are wrong (whole: exactly these k are). */
static void list_is_broken(struct search *s, uint32_t reader, const struct external_list_read *w,
                           size_t k, bool whole)
{
	if (broken_only_counted(s))
		return;
	const struct problem *p = &s->problem;
	const slot_vec *now = &s->appenders[w->key], *all = &s->all_appenders[w->key];
	uint32_t r = read_node(p, reader), last = k ? write_node(p, now->items[k - 1]) : r;
	proof_word(&s->proof, w->op);
	for (size_t i = 0; i < k; i++) {
		proof_word(&s->proof, p->txn_of[now->items[i]]);
		if (i)
			broken_literal(s, write_node(p, now->items[i]),
			               write_node(p, now->items[i - 1]));
	}
	if (k)
		broken_literal(s, r, last);
	mark_slots(s, now->items, k);
	for (size_t i = 0; i < all->count; i++) {
		uint32_t other = all->items[i];
		guard_tick(s->guard);
		if (s->marked[other] != s->mark && other != reader)
			broken_literal(s, write_node(p, other), whole ? r : last);
	}
	broken_close(s, whole ? STEP_LIST_WHOLE : STEP_LIST_PREFIX);
}

/* Of the marked ones, who are enough to say so. */
static void count_is_broken(struct search *s, uint32_t reader, const struct external_list_read *w,
                            uint32_t element, bool more)
{
	if (broken_only_counted(s))
		return;
	const struct problem *p = &s->problem;
	const slot_vec *all = &s->all_appenders[w->key];
	uint32_t r = read_node(p, reader);
	proof_word(&s->proof, w->op);
	proof_word(&s->proof, element);
	for (size_t i = 0; i < all->count; i++) {
		uint32_t other = all->items[i], write = write_node(p, other);
		guard_tick(s->guard);
		if (s->marked[other] != s->mark)
			continue;
		proof_word(&s->proof, p->txn_of[other]);
		broken_literal(s, more ? r : write, more ? write : r);
	}
	broken_close(s, more ? STEP_LIST_MORE : STEP_LIST_FEWER);
}

/* Was the element appended more often than it was read, or less? Then this is broken. */
static bool walk_count(struct search *s, uint32_t reader, const struct external_list_read *w,
                       const uint32_t *items, uint32_t element)
{
	const struct problem *p = &s->problem;
	const slot_vec *now = &s->appenders[w->key], *all = &s->all_appenders[w->key];
	size_t read = 0, there = 0, total = 0;
	for (size_t i = 0; i < w->count; i++)
		read += items[i] == element;
	s->mark++;
	for (size_t i = 0; i < now->count && there <= read; i++, guard_tick(s->guard)) {
		size_t own = appended(p, now->items[i], w->key, element);
		there += own;
		if (own)
			s->marked[now->items[i]] = s->mark;
	}
	if (there > read)
		count_is_broken(s, reader, w, element, true);
	if (there >= read)
		return there > read;
	mark_slots(s, now->items, now->count);
	uint32_t before = s->mark++;
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i] != reader)
			total += appended(p, all->items[i], w->key, element);
	for (size_t i = 0; i < all->count && total >= read; i++, guard_tick(s->guard)) {
		uint32_t other = all->items[i];
		size_t own = appended(p, other, w->key, element);
		if (!own || other == reader || s->marked[other] == before)
			continue;
		s->marked[other] = s->mark;
		total -= own;
	}
	count_is_broken(s, reader, w, element, false);
	return true;
}

/* Does it begin with what was read before it? */
static bool walk_pair(struct search *s, uint32_t slot, const struct external_list_read *w,
                      const uint32_t *items)
{
	const struct problem *p = &s->problem;
	struct list_reader *reader = &s->readers[w->key], before = *reader;
	size_t length;
	*reader = (struct list_reader){slot + 1, (uint32_t)(w - p->list_reads.items)};
	if (!before.slot || before.slot == slot + 1)
		return false;
	const struct external_list_read *b = &p->list_reads.items[before.read];
	const uint32_t *there = atoms_items(&p->h->values, p->h->ops[b->op].value, &length);
	if (b->count <= w->count && (!b->count || !memcmp(there, items, b->count * sizeof *there)))
		return false;
	if (broken_only_counted(s))
		return true;
	proof_word(&s->proof, b->op);
	proof_word(&s->proof, w->op);
	broken_literal(s, read_node(p, slot), read_node(p, before.slot - 1));
	broken_close(s, STEP_LIST_PAIR);
	return true;
}

static void walk_repeating_list(struct search *s, uint32_t slot, const struct external_list_read *w)
{
	const struct problem *p = &s->problem;
	assert(s->appenders); /* there are lists */
	const slot_vec *now = &s->appenders[w->key];
	size_t length, at = 0;
	uint32_t named;
	const uint32_t *items = atoms_items(&p->h->values, p->h->ops[w->op].value, &length);
	if (walk_pair(s, slot, w, items))
		return;
	for (size_t k = 0; k < now->count; k++) {
		uint32_t wrong;
		at += follows(p, now->items[k], w->key, items + at, w->count - at, &wrong);
		guard_tick(s->guard);
		if (wrong == ATOM_NONE)
			continue;
		if (!walk_count(s, slot, w, items, wrong) &&
		    (at == w->count || !walk_count(s, slot, w, items, items[at])))
			list_is_broken(s, slot, w, k + 1, false);
		return;
	}
	uint32_t last = now->count ? p->txn_of[now->items[now->count - 1]] : NO_TXN;
	bool unnamed = length == w->count && p->h->from.count &&
	               history_read_from(p->h, w->op, &named) && named != last;
	if (at < w->count)
		walk_count(s, slot, w, items, items[at]);
	else if (unnamed)
		list_is_broken(s, slot, w, now->count, true);
}

void broken_lists(struct search *s, uint32_t slot)
{
	const struct problem *p = &s->problem;
	for (uint32_t i = p->list_read_first[slot]; i < p->list_read_first[slot + 1]; i++) {
		const struct external_list_read *w = &p->list_reads.items[i];
		if (p->repeats[w->key])
			walk_repeating_list(s, slot, w);
		else
			walk_list(s, slot, w);
	}
}
