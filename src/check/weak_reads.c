/* weak_reads: see weak_reads.h. */
#include "check/weak_reads.h"

#include "base/guard.h"

#include <assert.h>

enum { SEQUENCES_MAX = 10000 }; /* of one list */

/* The reader itself is no candidate; the initial version is last. */
uint32_t weak_read_candidate(const struct weak_reads *r, const struct weak_read *read, uint32_t n)
{
	const struct problem *p = r->p;
	const struct external_read *x = &p->reads.items[read->source];
	if (n >= x->count - x->includes_reader)
		return ID_NONE;
	uint32_t slot = p->candidates[x->first + n];
	return x->includes_reader && slot >= read->reader ? p->candidates[x->first + n + 1] : slot;
}

const uint32_t *weak_read_writers(const struct weak_reads *r, const struct weak_read *read,
                                  size_t *count)
{
	const struct problem *p = r->p;
	if (!p->h->key_is_list[read->key]) {
		*count = read->writer != ID_NONE;
		return &read->writer;
	}
	if (!p->repeats[read->key]) {
		const struct external_list_read *list = &p->list_reads.items[read->source];
		*count = list->writers;
		return *count ? p->list_writers.items + list->first_writer : NULL;
	}
	uint32_t at = read->source + read->choice;
	uint32_t first = at ? r->sequence_ends.items[at - 1] : 0;
	*count = r->sequence_ends.items[at] - first;
	return *count ? r->sequences.items + first : NULL;
}

void weak_read_choose(const struct weak_reads *r, struct weak_read *read, uint32_t choice)
{
	assert(choice < read->choices);
	read->choice = choice;
	if (r->p->h->key_is_list[read->key]) {
		size_t count;
		const uint32_t *writers = weak_read_writers(r, read, &count);
		read->writer = count ? writers[count - 1] : ID_NONE;
	} else {
		read->writer = weak_read_candidate(r, read, choice);
	}
}

uint32_t weak_read_latest(const struct weak_reads *r, const struct weak_read *read,
                          const uint32_t *place)
{
	const struct problem *p = r->p;
	if (p->h->key_is_list[read->key])
		return 0;
	const struct external_read *x = &p->reads.items[read->source];
	uint32_t best = ID_NONE, earliest = 0;
	for (uint32_t n = 0; n < x->count - x->includes_reader; n++) {
		uint32_t at = place[weak_read_candidate(r, read, n)];
		guard_tick(pool_guard(r->pool));
		if (at < place[weak_read_candidate(r, read, earliest)])
			earliest = n;
		if (at < place[read->reader] &&
		    (best == ID_NONE || at > place[weak_read_candidate(r, read, best)]))
			best = n;
	}
	return best != ID_NONE ? best : x->initial ? read->choices - 1 : earliest;
}

/* ---- collecting ---- */

/* All sequences of appenders that make up a list whose elements repeat; false: too many. */
static bool add_sequences(struct weak_reads *r, struct weak_read *read)
{
	struct origins *o = &r->origins;
	if (!o->h)
		origins_index(o, r->pool, r->p->h);
	if (!origins_choices(o, read->op, SEQUENCES_MAX))
		return false;
	read->source = (uint32_t)r->sequence_ends.count;
	read->choices = (uint32_t)o->ends.count;
	for (size_t i = 0, at = 0; i < o->ends.count; i++) {
		for (; at < o->ends.items[i]; at++)
			vec_push(r->pool, &r->sequences, r->p->slot_of[o->found.items[at]]);
		vec_push(r->pool, &r->sequence_ends, (uint32_t)r->sequences.count);
	}
	return true;
}

static void add(struct weak_reads *r, struct weak_read read)
{
	const struct problem *p = r->p;
	read.key = op_key(p->h->ops[read.op]);
	read.variable = ID_NONE;
	read.writer = ID_NONE;
	guard_tick(pool_guard(r->pool));
	if (!p->h->key_is_list[read.key]) {
		const struct external_read *x = &p->reads.items[read.source];
		read.choices = x->count - x->includes_reader + x->initial;
	} else if (!p->repeats[read.key]) {
		read.choices = 1;
	} else if (!add_sequences(r, &read)) {
		r->incomplete = true;
		return;
	}
	if (read.choices == 1)
		weak_read_choose(r, &read, 0);
	vec_push(r->pool, &r->list, read);
}

void weak_reads_init(struct weak_reads *r, struct pool *pool, const struct problem *p)
{
	*r = (struct weak_reads){.pool = pool, .p = p};
	r->first = pool_array(pool, (size_t)p->slots + 1, sizeof *r->first);
	vec_reserve(pool, &r->list, p->reads.count + p->list_reads.count);
	for (uint32_t slot = 0, i = 0, l = 0; slot < p->slots; slot++) {
		r->first[slot] = (uint32_t)r->list.count;
		uint32_t reads = p->read_first[slot + 1], lists = p->list_read_first[slot + 1];
		while (i < reads || l < lists) {
			uint32_t read = i < reads ? p->reads.items[i].op : ID_NONE;
			uint32_t list = l < lists ? p->list_reads.items[l].op : ID_NONE;
			add(r, (struct weak_read){.op = list < read ? list : read,
			                          .reader = slot,
			                          .source = list < read ? l++ : i++});
		}
	}
	r->first[p->slots] = (uint32_t)r->list.count;
}

void weak_reads_of_sessions(const struct weak_reads *r, struct pool *pool,
                            void (*see)(void *data, uint32_t read, uint32_t writer), void *data)
{
	const struct problem *p = r->p;
	const struct history *h = p->h;
	size_t keys = atoms_count(&h->keys) + 1;
	uint32_t *session = pool_zarray(pool, keys, sizeof *session); /* by key, + 1 */
	uint32_t *last = pool_array(pool, keys, sizeof *last);
	for (uint32_t i = 0; i < h->txn_count; i++) {
		uint32_t txn = h->session_txns[i], slot = p->slot_of[txn];
		if (slot == ID_NONE || h->txns[txn].status != ALIBI_COMMIT)
			continue;
		for (uint32_t j = r->first[slot]; j < r->first[slot + 1]; j++) {
			uint32_t key = r->list.items[j].key;
			guard_tick(pool_guard(pool));
			if (session[key] == h->txns[txn].session + 1)
				see(data, j, last[key]);
		}
		for (uint32_t j = p->write_first[slot]; j < p->write_first[slot + 1]; j++) {
			session[p->writes.items[j].key] = h->txns[txn].session + 1;
			last[p->writes.items[j].key] = slot;
		}
	}
	pool_free(pool, session);
	pool_free(pool, last);
}
