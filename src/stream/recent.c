/* recent: see recent.h. */
#include "stream/recent.h"

struct recent_value {
	struct recent_value *next;
	struct value value;
};

static bool same(const void *item, const void *wanted)
{
	return value_same(((const struct recent_value *)item)->value,
	                  *(const struct value *)wanted);
}

void recent_init(struct recent *r, struct pool *pool, struct store *store, uint64_t seed,
                 size_t most)
{
	*r = (struct recent){.store = store, .seed = seed, .most = most};
	table_init(&r->known, pool);
}

bool recent_has(const struct recent *r, struct value v)
{
	return table_find(&r->known, value_hash(v, r->seed), same, &v);
}

static void forget_oldest(struct recent *r)
{
	struct recent_value *v = r->oldest;
	r->oldest = v->next;
	table_remove(&r->known, value_hash(v->value, r->seed), v);
	value_drop(r->store, v->value);
	store_give(r->store, v, sizeof *v);
}

void recent_add(struct recent *r, struct value v)
{
	if (recent_has(r, v))
		return;
	if (r->known.used == r->most)
		forget_oldest(r);
	struct recent_value *made = store_take(r->store, sizeof *made);
	*made = (struct recent_value){.value = value_copy(r->store, v)};
	table_add(&r->known, value_hash(v, r->seed), made);
	if (r->oldest)
		r->latest->next = made;
	else
		r->oldest = made;
	r->latest = made;
}

void recent_tape(struct recent *r, struct tape *t)
{
	uint64_t count = r->known.used;
	tape_count(t, &count);
	for (struct recent_value *v = r->oldest; t->write && v; v = v->next)
		tape_value(t, &v->value);
	for (uint64_t i = 0; !t->write && i < count; i++) {
		struct value v = {0};
		tape_value(t, &v);
		if (v.kind == ALIBI_LIST)
			tape_refuse(t);
		recent_add(r, v);
		value_drop(r->store, v);
	}
}
