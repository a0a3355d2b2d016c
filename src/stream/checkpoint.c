/*
 * checkpoint: all that a stream knows, written down and read again.
 *
 * What is built from the rest is left out: hash tables, free blocks, and what is only
 * meant for the transaction at hand. Keys keep their numbers. The rest stands in the
 * order of the functions below, once for both directions (tape.h).
 */
#include "stream/fences.h"
#include "stream/tape.h"

#include "base/bisect.h"

#include <assert.h>
#include <string.h>

static const char magic[] = "alibi watch 7";

/* ---- keys ---- */

static void tape_list(struct tape *t, struct versions *vs, struct key *k)
{
	struct held_list *list = versions_list(vs, k);
	uint64_t count = list->items.count, base = list->base;
	tape_count(t, &count);
	tape_count(t, &base);
	tape_flag(t, &list->tied);
	list->base = base;
	for (uint64_t i = 0; i < count; i++) {
		struct value v = {0};
		if (t->write)
			v = list->items.items[i];
		tape_value(t, &v);
		if (!t->write)
			vec_push(vs->store->pool, &list->items, v);
	}
}

static void tape_split_value(struct tape *t, uint64_t *word, uint8_t *kind)
{
	struct value v = {.word = *word, .kind = *kind};
	tape_value(t, &v);
	*word = v.word;
	*kind = v.kind;
}

static void tape_version(struct tape *t, const struct key *k, struct version *v)
{
	tape_stamp(t, &v->commit);
	tape_stamp(t, &v->start);
	tape_count(t, &v->number);
	if (k->state & HELD_LIST)
		tape_count(t, &v->value);
	else
		tape_split_value(t, &v->value, &v->value_kind);
	tape_split_value(t, &v->writer, &v->writer_kind);
	tape_flag(t, &v->tied);
}

void tape_key(struct tape *t, struct versions *vs, struct key *k)
{
	uint8_t state = k->state;
	uint32_t count = k->count;
	tape_u8(t, &k->flags);
	tape_u8(t, &state);
	tape_u32(t, &count);
	tape_stamp(t, &k->commit);
	tape_split_value(t, &k->writer, &k->writer_kind);
	if (state & HELD_LIST)
		tape_list(t, vs, k);
	else
		tape_split_value(t, &k->value, &k->value_kind);
	k->state = state;
	if (!t->write && count) {
		if (count > (size_t)(t->end - t->at))
			tape_refuse(t);
		while ((uint32_t)1 << k->room < count)
			k->room++;
		k->recent = store_take(vs->store, sizeof *k->recent << k->room);
		memset(k->recent, 0, sizeof *k->recent << k->room);
		k->count = count;
		vs->kept += count;
	}
	for (uint32_t i = 0; i < count; i++)
		tape_version(t, k, &k->recent[i]);
}

static void tape_keys(struct tape *t, struct stream *s)
{
	uint32_t count = s->versions.keys.count;
	VEC(uint32_t) free_ones = {0}; /* numbers of no key, so that the others keep theirs */
	tape_u32(t, &count);
	for (uint32_t i = 0; i < count; i++) {
		bool known = t->write && !(versions_key(&s->versions, i)->use & KEY_FREE);
		struct value name = {0};
		if (known)
			name = key_name(versions_key(&s->versions, i));
		tape_flag(t, &known);
		tape_value(t, &name);
		if (name.kind == ALIBI_LIST)
			tape_refuse(t);
		if (!t->write)
			keys_add(&s->versions.keys, name);
		if (known)
			tape_key(t, &s->versions, versions_key(&s->versions, i));
		else
			vec_push(s->pool, &free_ones, i);
	}
	while (!t->write && free_ones.count)
		keys_remove(&s->versions.keys, free_ones.items[--free_ones.count]);
	pool_free(s->pool, free_ones.items);
}

void tape_known_key(struct tape *t, const struct stream *s, uint32_t *key)
{
	tape_u32(t, key);
	if (*key >= s->versions.keys.count || versions_key(&s->versions, *key)->use & KEY_FREE)
		tape_refuse(t);
}

/* ---- the queue ---- */

static void tape_op(struct tape *t, const struct stream *s, struct waiting_op *o)
{
	tape_known_key(t, s, &o->key);
	tape_split_value(t, &o->word, &o->value_kind);
	tape_u8(t, &o->kind);
	tape_flag(t, &o->named);
	tape_flag(t, &o->unread);
	if (o->kind > ALIBI_APPEND)
		tape_refuse(t);
}

struct waiting *tape_waiting(struct tape *t, struct stream *s, struct waiting *w)
{
	struct waiting head = {0};
	assert(!w == !t->write);
	if (w)
		head = *w;
	tape_count(t, &head.number);
	tape_stamp(t, &head.start);
	tape_stamp(t, &head.commit);
	tape_stamp(t, &head.oldest);
	tape_value(t, &head.id);
	tape_u32(t, &head.op_count);
	tape_u32(t, &head.named_count);
	tape_u8(t, &head.status);
	tape_flag(t, &head.has_id);
	tape_flag(t, &head.placed);
	tape_flag(t, &head.reads);
	tape_flag(t, &head.writes);
	tape_flag(t, &head.goes_on);
	tape_flag(t, &head.has_places);
	if (head.status > ALIBI_UNKNOWN_STATUS)
		tape_refuse(t);
	if (!w) {
		if ((size_t)head.op_count + head.named_count > (size_t)(t->end - t->at))
			tape_refuse(t);
		w = store_take(&s->store, waiting_bytes(&head));
		memset(w, 0, waiting_bytes(&head));
		*w = head;
	}
	for (uint32_t i = 0; i < w->op_count; i++) {
		tape_op(t, s, &w->ops[i]);
		if (w->has_places)
			tape_u32(t, &op_places(w)[i]);
	}
	for (uint32_t i = 0; i < w->named_count; i++) {
		tape_u32(t, &named_writers(w)[i].op);
		tape_value(t, &named_writers(w)[i].id);
	}
	return w;
}

/* The last `unjudged` of them are not judged yet. */
static void tape_queue(struct tape *t, struct stream *s)
{
	uint64_t count = 0, unjudged = s->stats.waiting;
	struct waiting *first_unjudged = NULL;
	for (struct waiting *w = s->first; w; w = w->next)
		count++;
	tape_count(t, &count);
	tape_count(t, &unjudged);
	for (struct waiting *w = s->first; w && t->write; w = w->next)
		tape_waiting(t, s, w);
	for (uint64_t i = 0; i < count && !t->write; i++) {
		struct waiting *w = tape_waiting(t, s, NULL);
		stream_enqueue(s, w);
		if (i + unjudged == count)
			first_unjudged = w;
	}
	if (!t->write) {
		s->unjudged = first_unjudged;
		s->stats.waiting = unjudged;
	}
}

/* ---- sessions and unknown writes ---- */

typedef VEC(struct waiting *) waiting_vec;

/* The transaction of that number; in the queue they rise. */
static struct waiting *waiting_numbered(const waiting_vec *queue, uint64_t number)
{
	size_t at;
	bisect(at, 0, queue->count, queue->items[at]->number < number);
	bool there = at < queue->count && queue->items[at]->number == number;
	return there ? queue->items[at] : NULL;
}

static void tape_session(struct tape *t, const struct stream *s, struct session *session,
                         const waiting_vec *queue)
{
	uint64_t last = 0;
	if (t->write && session->any && stamp_compare(session->commit, s->settled) > 0)
		last = session->last->number;
	tape_value(t, &session->name);
	tape_flag(t, &session->mine);
	tape_flag(t, &session->any);
	tape_stamp(t, &session->commit);
	tape_value(t, &session->txn);
	tape_count(t, &last);
	if (!t->write && last) {
		session->last = waiting_numbered(queue, last);
		if (!session->last)
			tape_refuse(t);
	}
}

static void tape_sessions(struct tape *t, struct stream *s)
{
	uint64_t count = s->sessions.used;
	waiting_vec queue = {0};
	for (struct waiting *w = s->first; w && !t->write; w = w->next)
		vec_push(s->pool, &queue, w);
	tape_count(t, &count);
	for (size_t i = 0; t->write && i <= s->sessions.mask; i++)
		if (s->sessions.slots[i].item)
			tape_session(t, s, s->sessions.slots[i].item, &queue);
	for (uint64_t i = 0; !t->write && i < count; i++) {
		struct session *session = store_take(&s->store, sizeof *session);
		*session = (struct session){0};
		tape_session(t, s, session, &queue);
		table_add(&s->sessions, value_hash(session->name, s->seed), session);
	}
	s->sessions_kept = s->sessions.used;
	pool_free(s->pool, queue.items);
}

static void tape_unknown(struct tape *t, struct stream *s)
{
	uint64_t count = s->unknown.used;
	tape_count(t, &count);
	for (size_t i = 0; t->write && i <= s->unknown.mask; i++) {
		struct unknown_write *w = s->unknown.slots[i].item;
		if (!w)
			continue;
		tape_known_key(t, s, &w->key);
		tape_value(t, &w->value);
	}
	for (uint64_t i = 0; !t->write && i < count; i++) {
		struct unknown_write w = {0};
		tape_known_key(t, s, &w.key);
		tape_value(t, &w.value);
		unknown_add(s, &w);
		value_drop(&s->store, w.value);
	}
}

/* ---- all ---- */

static void tape_stats(struct tape *t, alibi_watch_stats *stats)
{
	tape_count(t, &stats->txns);
	tape_count(t, &stats->committed);
	tape_count(t, &stats->aborted);
	tape_count(t, &stats->unknown);
	tape_count(t, &stats->duplicates);
	tape_count(t, &stats->ops);
	tape_count(t, &stats->violations);
	tape_count(t, &stats->undecided);
	tape_count(t, &stats->unverified);
	tape_count(t, &stats->by_session);
	tape_count(t, &stats->by_int);
	tape_count(t, &stats->by_ext);
	tape_count(t, &stats->by_noconflict);
	tape_count(t, &stats->by_order);
	tape_count(t, &stats->lost);
	for (int i = 0; i < ALIBI_WATCH_REASONS; i++)
		tape_count(t, &stats->by_reason[i]);
}

/* Of keys that have none of their own: what the user says, or else the stream. */
static void tape_initial(struct tape *t, struct stream *s)
{
	struct value initial = s->versions.initial;
	bool said = s->options.initial;
	tape_flag(t, &said);
	tape_value(t, &initial);
	if (said != (s->options.initial != NULL) ||
	    (said && !value_same(initial, s->versions.initial)))
		tape_of_option(s->guard, "--initial");
	if (!t->write)
		value_drop(&s->store, s->versions.initial);
	s->versions.initial = initial;
}

static void tape_all(struct tape *t, struct stream *s)
{
	char name[sizeof magic];
	bool snapshot = s->snapshot, order = s->options.session_order;
	bool client_times = s->options.client_times, fences = s->fences;
	struct shard shard = s->options.shard;
	memcpy(name, magic, sizeof magic);
	tape_bytes(t, name, sizeof name);
	if (memcmp(name, magic, sizeof magic) != 0)
		tape_refuse(t);
	tape_flag(t, &snapshot);
	tape_flag(t, &order);
	tape_flag(t, &client_times);
	tape_flag(t, &fences);
	tape_u32(t, &shard.number);
	tape_u32(t, &shard.count);
	if (snapshot != s->snapshot || order != s->options.session_order ||
	    client_times != s->options.client_times || fences != (s->fences != NULL))
		tape_of_another(s->guard);
	if (shard.number != s->options.shard.number || shard.count != s->options.shard.count)
		tape_of_others(s->guard);
	tape_stats(t, &s->stats);
	tape_count(t, &s->numbers);
	tape_flag(t, &s->any_stamp);
	tape_stamp(t, &s->newest);
	tape_value(t, &s->newest_txn);
	tape_stamp(t, &s->newest_before);
	tape_stamp(t, &s->settled);
	tape_stamp(t, &s->oldest);
	tape_gap(t, s);
	tape_flag(t, &s->any_list);
	tape_initial(t, s);
	tape_keys(t, s);
	tape_queue(t, s);
	tape_sessions(t, s);
	tape_unknown(t, s);
	tape_standing(t, s);
	tape_spilled(t, s);
	if (s->rounds)
		rounds_tape(s->rounds, t);
	if (s->fences)
		fences_tape(s->fences, t);
	tape_end(t);
}

void stream_save(struct stream *s, alibi_write_fn *write, void *data)
{
	struct tape t;
	assert(s->events_taken == s->events.count && !s->b);
	tape_write(&t, s->pool, &s->store, write, data);
	tape_all(&t, s);
}

void stream_load(struct stream *s, const unsigned char *bytes, size_t length)
{
	struct tape t;
	assert(!s->stats.txns && !s->first);
	tape_read(&t, s->pool, &s->store, bytes, length);
	tape_all(&t, s);
}
