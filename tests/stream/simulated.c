/* simulated: see simulated.h. */
#include "simulated.h"

#include "../random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

void simulated_seed(uint64_t seed)
{
	state = seed << 32;
}

int below(int n)
{
	return (int)random_below(&state, (uint32_t)n);
}

bool chance(int percent)
{
	return below(100) < percent;
}

/* ---- what happened ---- */

static int by_effect(const void *x, const void *y)
{
	const struct txn *a = x, *b = y;
	return a->effect != b->effect ? (a->effect < b->effect ? -1 : 1) : a->id - b->id;
}

static int by_arrival(const void *x, const void *y)
{
	const struct txn *a = x, *b = y;
	return a->arrival != b->arrival ? (a->arrival < b->arrival ? -1 : 1) : a->id - b->id;
}

static void make_times(struct random_history *h, int sessions, int longest)
{
	int64_t free_at[SESSIONS] = {0};
	int unknown = below(3) ? 0 : 15;
	for (int i = 0; i < h->count; i++) {
		struct txn *t = &h->txns[i];
		*t = (struct txn){.id = i + 1, .session = below(sessions), .count = 1 + below(OPS)};
		t->fence = h->fences && chance(h->fences);
		t->odd = t->fence && h->odd_fences && chance(h->odd_fences);
		t->count += t->fence && t->count < 2;
		t->begin = free_at[t->session] + below(4);
		t->end = t->begin + 1 + below(longest);
		free_at[t->session] = t->end + 1;
		t->effect = t->begin + below((int)(t->end - t->begin) + 1);
		t->takes_effect = true;
		if (chance(5)) {
			t->status = ALIBI_ABORT;
			t->takes_effect = false;
		} else if (chance(unknown)) {
			t->status = ALIBI_UNKNOWN_STATUS;
			t->takes_effect = chance(60);
			t->effect += chance(30) ? below(40) : 0;
		}
	}
}

/* Runs them all, one after the other, by when they take effect. */
static void make_ops(struct random_history *h, int values, int reads, bool late_readers)
{
	int held[KEYS + 1] = {0}, writer[KEYS + 1], next = 1;
	for (int k = 0; k <= KEYS; k++)
		writer[k] = -1;
	qsort(h->txns, (size_t)h->count, sizeof *h->txns, by_effect);
	for (int i = 0; i < h->count; i++) {
		struct txn *t = &h->txns[i];
		int own[KEYS + 1], own_writer[KEYS + 1];
		memcpy(own, held, sizeof own);
		memcpy(own_writer, writer, sizeof own_writer);
		/* Who wrote last is seen only at the end. */
		bool blind = late_readers || chance(50);
		bool only_reads = late_readers ? 3 * i > 2 * h->count : chance(reads);
		for (int j = 0; j < t->count; j++) {
			struct op *o = &t->ops[j];
			*o = (struct op){.key = below(h->keys)};
			o->writes = blind ? !only_reads : !chance(reads);
			if (t->fence && j < 2)
				*o = (struct op){.key = FENCE, .writes = j || t->odd};
			if (!o->writes) {
				o->value = own[o->key];
				o->from = own_writer[o->key];
				o->has_from = h->named && chance(50);
				continue;
			}
			o->value = values ? 1 + below(values) : next++;
			if (o->key == FENCE)
				o->value = t->odd && chance(50) ? 1 + below(3) : 1000 + t->id;
			else if (chance(4))
				o->value = 0;
			own[o->key] = o->value;
			own_writer[o->key] = t->id;
		}
		if (t->takes_effect) {
			memcpy(held, own, sizeof held);
			memcpy(writer, own_writer, sizeof writer);
		}
	}
}

/* Some reads return what another transaction wrote, often one that wrote before as well. */
static void break_reads(struct random_history *h, int times)
{
	bool near = chance(60);
	for (int tries = 0; tries < 200 && times; tries++) {
		int reader = below(h->count), writer = below(h->count);
		if (near)
			writer = reader - below(reader < 20 ? reader + 1 : 20);
		struct txn *t = &h->txns[reader], *u = &h->txns[writer];
		struct op *o = &t->ops[below(t->count)], *w = &u->ops[below(u->count)];
		if (o->writes || !w->writes || o->key != w->key || t == u)
			continue;
		o->value = w->value;
		o->from = u->id;
		times--;
	}
}

/* Clocks differ, and messages take their time, but those of a session keep their order. */
static void make_arrival(struct random_history *h)
{
	int64_t last[SESSIONS], away[SESSIONS];
	for (int s = 0; s < SESSIONS; s++) {
		last[s] = INT64_MIN;
		away[s] = h->far_away ? below((int)h->far_away) : 0;
	}
	for (int i = 0; i < h->count; i++) { /* ids are in session order */
		struct txn *t = NULL;
		for (int j = 0; j < h->count && !t; j++)
			t = h->txns[j].id == i + 1 ? &h->txns[j] : NULL;
		t->begin += below((int)h->skew + 1);
		t->end += below((int)h->skew + 1);
		t->end = t->end < t->begin ? t->begin : t->end;
		t->arrival = t->end + below((int)h->delay + 1) + away[t->session];
		if (t->arrival < last[t->session])
			t->arrival = last[t->session];
		last[t->session] = t->arrival;
	}
	qsort(h->txns, (size_t)h->count, sizeof *h->txns, by_arrival);
}

void simulated_make(struct random_history *h)
{
	h->count = 8 + below(TXNS - 8);
	h->keys = 1 + below(KEYS);
	h->skew = chance(50) ? 0 : below(12);
	h->delay = chance(30) ? 0 : below(30);
	h->named = chance(15);
	h->twice = chance(20);
	h->restarts = chance(30);
	make_times(h, 1 + below(SESSIONS), 2 + below(chance(20) ? 60 : 15));
	make_ops(h, chance(30) ? 1 + below(5) : 0, 20 + below(60), chance(30));
	if (chance(50))
		break_reads(h, 1 + below(2));
	make_arrival(h);
}

/* ---- to the library ---- */

alibi_value number(int n)
{
	return n ? (alibi_value){.kind = ALIBI_INT, .integer = n} : (alibi_value){0};
}

void feed(alibi_builder *b, const struct txn *t, bool times)
{
	for (int i = 0; i < t->count; i++) {
		const struct op *o = &t->ops[i];
		alibi_op op = {ALIBI_INIT(alibi_op), .kind = o->writes ? ALIBI_WRITE : ALIBI_READ,
		               .key = number(o->key + 1), .value = number(o->value),
		               .has_from = !o->writes && o->has_from};
		if (o->from > 0)
			op.from = number(o->from);
		alibi_builder_op(b, &op);
	}
	alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn), .id = number(t->id),
	                                  .session = number(t->session + 1), .status = t->status,
	                                  .has = times ? ALIBI_HAS_BEGIN | ALIBI_HAS_END : 0,
	                                  .begin = t->begin, .end = t->end});
}

struct saved {
	unsigned char bytes[1 << 16];
	size_t length;
};

static bool keep(void *data, const void *bytes, size_t length)
{
	struct saved *s = data;
	if (length > sizeof s->bytes - s->length)
		return false;
	memcpy(s->bytes + s->length, bytes, length);
	s->length += length;
	return true;
}

void fail_if(alibi *a)
{
	if (alibi_last_error(a)->code == ALIBI_OK)
		return;
	fprintf(stderr, "%s\n", alibi_last_error(a)->text);
	exit(1);
}

alibi_watch *restart(alibi **a, alibi_watch *w, const alibi_watch_options *options)
{
	static struct saved saved;
	saved.length = 0;
	alibi_watch_save(w, keep, &saved);
	fail_if(*a);
	alibi_free(*a);
	*a = alibi_new();
	w = alibi_watch_new(*a, options);
	alibi_watch_load(w, saved.bytes, saved.length);
	fail_if(*a);
	return w;
}

void show(const struct random_history *h, int count)
{
	for (int i = 0; i < count; i++) {
		const struct txn *t = &h->txns[i];
		static const char *const status[] = {"commit", "abort", "unknown"};
		printf("{\"id\":%d,\"session\":%d,\"status\":\"%s\",\"begin\":%" PRId64
		       ",\"end\":%" PRId64 ",\"ops\":[",
		       t->id, t->session + 1, status[t->status], t->begin, t->end);
		for (int j = 0; j < t->count; j++) {
			const struct op *o = &t->ops[j];
			printf("%s[\"%s\",%d", j ? "," : "",
			       !o->writes ? "r"
			       : o->value ? "w"
			                  : "d",
			       o->key + 1);
			if (!o->writes && !o->value)
				printf(",null");
			else if (o->value)
				printf(",%d", o->value);
			if (!o->writes && o->has_from && o->from > 0)
				printf(",{\"from\":%d}", o->from);
			else if (!o->writes && o->has_from)
				printf(",{\"from\":null}");
			printf("]");
		}
		printf("]}\n");
	}
}

void simulated_lose(struct random_history *h, int count)
{
	h->gone_from = h->gone_until = below(count);
	for (int most = 1 + below(12); most && h->gone_until < count; most--) {
		if (h->txns[h->gone_until].status == ALIBI_UNKNOWN_STATUS)
			break;
		h->gone_until++;
	}
}

int next_arrival(const struct random_history *h, int after, alibi_watch *w)
{
	if (after + 1 != h->gone_from || h->gone_from == h->gone_until)
		return after + 1;
	alibi_watch_gap(w, (uint64_t)h->gone_from, (uint64_t)h->gone_until - 1);
	return h->gone_until;
}
