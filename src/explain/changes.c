/* changes: see changes.h. */
#include "explain/changes.h"

#include "base/guard.h"
#include "history/open.h"
#include "history/render.h"

/* One way in which a transaction can have changed a key. */
struct way {
	size_t first, count; /* in rows */
};

/* A transaction and a key, and its ways. */
struct reached {
	uint32_t txn, key;
	size_t first, count; /* in ways */
	size_t chosen;
};

struct changing {
	struct pool *pool;
	const struct history *h;
	VEC(uint32_t) versions; /* of the key at hand */
	VEC(struct told_row) rows;
	VEC(struct way) ways;
	VEC(struct reached) reached;
	VEC(struct told_row) chosen;
};

static void add_version(struct changing *c, uint32_t value)
{
	for (size_t i = 0; i < c->versions.count; i++)
		if (c->versions.items[i] == value)
			return;
	vec_push(c->pool, &c->versions, value);
}

/* What txn makes of the key if it meets this value, in rows; returns what it leaves, or
 * OPEN_NEVER. */
static uint32_t add_rows(struct changing *c, uint32_t txn, uint32_t key, uint32_t value)
{
	const struct history *h = c->h;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		const struct query *q = query_at(h, op);
		guard_tick(pool_guard(c->pool));
		if (op_writes(h->ops[op]) && op_key(h->ops[op]) == key)
			value = h->ops[op].value;
		if (!q || !q->open || !query_asks(h, q, key) || !query_matches(h, q, value))
			continue;
		uint32_t made = open_makes(h, q, value);
		if (made != OPEN_NEVER) {
			value = made;
			vec_push(c->pool, &c->rows, ((struct told_row){op, key, made}));
		} else if (h->txns[txn].status == ALIBI_COMMIT) {
			return OPEN_NEVER;
		}
	}
	return value;
}

/* All that the key can hold: what is written, and what those who reach it make of that, each
 * of them once; false: too much. */
static bool find_versions(struct changing *c, uint32_t key, struct reach all)
{
	const struct history *h = c->h;
	size_t rows = c->rows.count, known = 0;
	c->versions.count = 0;
	add_version(c, history_initial(h, key));
	for (uint32_t op = 0; op < h->op_count; op++)
		if (op_writes(h->ops[op]) && op_key(h->ops[op]) == key)
			add_version(c, h->ops[op].value);
	for (uint32_t i = all.first; i < all.end && c->versions.count <= CHANGES_MAX; i++) {
		size_t end = c->versions.count;
		for (; known < end; known++)
			for (uint32_t j = all.first; j < all.end; j++) {
				uint32_t left = add_rows(c, h->queries->reach_txn.items[j], key,
				                         c->versions.items[known]);
				if (left != OPEN_NEVER)
					add_version(c, left);
				c->rows.count = rows;
			}
	}
	return c->versions.count <= CHANGES_MAX;
}

static bool same_way(const struct changing *c, struct way a, struct way b)
{
	bool same = a.count == b.count;
	for (size_t i = 0; i < a.count && same; i++) {
		struct told_row x = c->rows.items[a.first + i], y = c->rows.items[b.first + i];
		same = x.op == y.op && x.value == y.value;
	}
	return same;
}

/* Does what txn itself says of the key allow that it met this value? Who wrote it is left
 * open. */
static bool can_meet(const struct changing *c, const struct reached *r, uint32_t value)
{
	const struct history *h = c->h;
	for (uint32_t op = h->txns[r->txn].first_op; op < txn_op_end(h, r->txn); op++) {
		const struct query *q = query_at(h, op);
		if (h->txns[r->txn].status != ALIBI_COMMIT || (q && q->open) ||
		    (op_key(h->ops[op]) == r->key && op_writes(h->ops[op])))
			break;
		if (op_key(h->ops[op]) == r->key && h->ops[op].value != value)
			return false;
	}
	return h->from.count || open_leaves(h, r->txn, r->key, NO_TXN, value) != OPEN_NEVER;
}

/* What it makes of the key if it meets this value, unless that is known. */
static void add_way(struct changing *c, struct reached *r, uint32_t value)
{
	struct way way = {c->rows.count, 0};
	if (add_rows(c, r->txn, r->key, value) == OPEN_NEVER)
		return;
	way.count = c->rows.count - way.first;
	for (size_t i = 0; i < r->count; i++)
		if (same_way(c, way, c->ways.items[r->first + i]))
			return;
	vec_push(c->pool, &c->ways, way);
	r->count++;
}

/* In how many ways all of it can have happened; 0: too many, or none. */
static uint32_t find_ways(struct changing *c)
{
	const struct history *h = c->h;
	uint32_t count = 1;
	for (uint32_t key = 0; key < atoms_count(&h->keys) && count; key++) {
		struct reach all = open_reachers(h, key);
		if (all.first < all.end && !find_versions(c, key, all))
			return 0;
		for (; all.first < all.end && count; all.first++) {
			struct reached r = {h->queries->reach_txn.items[all.first], key,
			                    c->ways.count, 0, 0};
			for (size_t i = 0; i < c->versions.count; i++)
				if (can_meet(c, &r, c->versions.items[i]))
					add_way(c, &r, c->versions.items[i]);
			bool none = !r.count;
			for (size_t i = 0; i < c->versions.count && none; i++)
				add_way(c, &r, c->versions.items[i]); /* all are wrong */
			vec_push(c->pool, &c->reached, r);
			count = r.count > CHANGES_MAX / count ? 0 : count * (uint32_t)r.count;
		}
	}
	return count;
}

static const char *say(struct changing *c, const struct history *made)
{
	text_vec t = {0};
	for (size_t i = 0; i < c->reached.count; i++) {
		const struct reached *r = &c->reached.items[i];
		struct way way = c->ways.items[r->first + r->chosen];
		if (r->count < 2)
			continue;
		text_addf(c->pool, &t, t.count ? " and " : "");
		text_add_txn(c->pool, &t, made, r->txn);
		text_addf(c->pool, &t, way.count ? " changed " : " left ");
		text_add_key(c->pool, &t, c->h, r->key);
		if (!way.count) {
			text_addf(c->pool, &t, " as it was");
			continue;
		}
		uint32_t value = c->rows.items[way.first + way.count - 1].value;
		text_addf(c->pool, &t, " to ");
		text_add_value(c->pool, &t, atoms_value(&c->h->values, value));
	}
	return t.count ? text_string(c->pool, &t) : NULL;
}

/* The next choice of ways. */
static void next(struct changing *c)
{
	for (size_t i = 0; i < c->reached.count; i++) {
		if (++c->reached.items[i].chosen < c->reached.items[i].count)
			return;
		c->reached.items[i].chosen = 0;
	}
}

struct changes changes_of(struct pool *pool, const struct history *h)
{
	struct changing c = {.pool = pool, .h = h};
	struct changes made = {.count = find_ways(&c)};
	const struct history **all = pool_array(pool, (size_t)made.count + 1, sizeof(void *));
	const char **words = pool_array(pool, (size_t)made.count + 1, sizeof(void *));
	for (uint32_t i = 0; i < made.count; i++, next(&c)) {
		c.chosen.count = 0;
		for (size_t j = 0; j < c.reached.count; j++) {
			const struct reached *r = &c.reached.items[j];
			struct way way = c.ways.items[r->first + r->chosen];
			for (size_t k = 0; k < way.count; k++)
				vec_push(pool, &c.chosen, c.rows.items[way.first + k]);
		}
		all[i] = subset_told(pool, h, c.chosen.items, c.chosen.count);
		words[i] = say(&c, h);
	}
	made.h = all;
	made.assumption = words;
	return made;
}
