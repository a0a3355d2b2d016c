/* changes: see changes.h. */
#include "explain/changes.h"

#include "base/guard.h"
#include "history/opaque_update.h"
#include "history/render.h"

/* The rows of a key that the opaque updates of a transaction changed. */
struct outcome {
	size_t first, count; /* in rows */
};

/* A transaction, a key that its opaque updates may change, and the outcomes. */
struct target {
	uint32_t txn, key;
	size_t first, count; /* in outcomes */
	size_t chosen;
};

struct changing {
	struct pool *pool;
	const struct history *h;
	VEC(uint32_t) versions; /* of the current key */
	VEC(struct assumed_row) rows;
	VEC(struct outcome) outcomes;
	VEC(struct target) targets;
	VEC(struct assumed_row) chosen;
};

static void add_version(struct changing *c, uint32_t value)
{
	for (size_t i = 0; i < c->versions.count; i++)
		if (c->versions.items[i] == value)
			return;
	vec_push(c->pool, &c->versions, value);
}

/* Adds the rows that txn changes if it finds this value at the key. Returns the resulting
 * value, or OPAQUE_NEVER. */
static uint32_t add_rows(struct changing *c, uint32_t txn, uint32_t key, uint32_t value)
{
	const struct history *h = c->h;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		const struct query *q = query_at(h, op);
		guard_tick(pool_guard(c->pool));
		if (op_writes(h->ops[op]) && op_key(h->ops[op]) == key)
			value = h->ops[op].value;
		if (!q || !q->opaque || !query_asks(h, q, key) || !query_matches(h, q, value))
			continue;
		uint32_t made = opaque_update_makes(h, q, value);
		if (made != OPAQUE_NEVER) {
			value = made;
			vec_push(c->pool, &c->rows, ((struct assumed_row){op, key, made}));
		} else if (h->txns[txn].status == ALIBI_COMMIT) {
			return OPAQUE_NEVER;
		}
	}
	return value;
}

/* All possible versions of the key: those written, and the results of applying each opaque
 * update to them at most once. False: too many. */
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
				if (left != OPAQUE_NEVER)
					add_version(c, left);
				c->rows.count = rows;
			}
	}
	return c->versions.count <= CHANGES_MAX;
}

static bool same_outcome(const struct changing *c, struct outcome a, struct outcome b)
{
	bool same = a.count == b.count;
	for (size_t i = 0; i < a.count && same; i++) {
		struct assumed_row x = c->rows.items[a.first + i], y = c->rows.items[b.first + i];
		same = x.op == y.op && x.value == y.value;
	}
	return same;
}

/* Can txn have found this value, by its own reads of the key? Any transaction may have
 * written it. */
static bool can_find(const struct changing *c, const struct target *r, uint32_t value)
{
	const struct history *h = c->h;
	for (uint32_t op = h->txns[r->txn].first_op; op < txn_op_end(h, r->txn); op++) {
		const struct query *q = query_at(h, op);
		if (h->txns[r->txn].status != ALIBI_COMMIT || (q && q->opaque) ||
		    (op_key(h->ops[op]) == r->key && op_writes(h->ops[op])))
			break;
		if (op_key(h->ops[op]) == r->key && h->ops[op].value != value)
			return false;
	}
	return h->from.count ||
	       opaque_update_leaves(h, r->txn, r->key, ID_NONE, value) != OPAQUE_NEVER;
}

/* The outcome of finding this value, unless it is listed already. */
static void add_outcome(struct changing *c, struct target *r, uint32_t value)
{
	struct outcome outcome = {c->rows.count, 0};
	if (add_rows(c, r->txn, r->key, value) == OPAQUE_NEVER)
		return;
	outcome.count = c->rows.count - outcome.first;
	for (size_t i = 0; i < r->count; i++)
		if (same_outcome(c, outcome, c->outcomes.items[r->first + i]))
			return;
	vec_push(c->pool, &c->outcomes, outcome);
	r->count++;
}

/* Returns the number of combinations; 0: too many, or none. */
static uint32_t find_outcomes(struct changing *c)
{
	const struct history *h = c->h;
	uint32_t count = 1;
	for (uint32_t key = 0; key < atoms_count(&h->keys) && count; key++) {
		struct reach all = opaque_update_reachers(h, key);
		if (all.first < all.end && !find_versions(c, key, all))
			return 0;
		for (; all.first < all.end && count; all.first++) {
			struct target r = {h->queries->reach_txn.items[all.first], key,
			                   c->outcomes.count, 0, 0};
			for (size_t i = 0; i < c->versions.count; i++)
				if (can_find(c, &r, c->versions.items[i]))
					add_outcome(c, &r, c->versions.items[i]);
			bool none = !r.count;
			for (size_t i = 0; i < c->versions.count && none; i++)
				add_outcome(c, &r, c->versions.items[i]); /* none fits */
			vec_push(c->pool, &c->targets, r);
			count = r.count > CHANGES_MAX / count ? 0 : count * (uint32_t)r.count;
		}
	}
	return count;
}

static const char *sentence_of_outcomes(struct changing *c, const struct history *made)
{
	text_vec t = {0};
	for (size_t i = 0; i < c->targets.count; i++) {
		const struct target *r = &c->targets.items[i];
		struct outcome outcome = c->outcomes.items[r->first + r->chosen];
		if (r->count < 2)
			continue;
		text_addf(c->pool, &t, t.count ? " and " : "");
		text_add_txn(c->pool, &t, made, r->txn);
		text_addf(c->pool, &t, outcome.count ? " changed " : " left ");
		text_add_key(c->pool, &t, c->h, r->key);
		if (!outcome.count) {
			text_addf(c->pool, &t, " as it was");
			continue;
		}
		uint32_t value = c->rows.items[outcome.first + outcome.count - 1].value;
		text_addf(c->pool, &t, " to ");
		text_add_value(c->pool, &t, atoms_value(&c->h->values, value));
	}
	return t.count ? text_string(c->pool, &t) : NULL;
}

/* Advances to the next combination of outcomes. */
static void next_combination(struct changing *c)
{
	for (size_t i = 0; i < c->targets.count; i++) {
		if (++c->targets.items[i].chosen < c->targets.items[i].count)
			return;
		c->targets.items[i].chosen = 0;
	}
}

struct changes changes_of(struct pool *pool, const struct history *h)
{
	struct changing c = {.pool = pool, .h = h};
	struct changes made = {.count = find_outcomes(&c)};
	const struct history **all = pool_array(pool, (size_t)made.count + 1, sizeof(void *));
	const char **words = pool_array(pool, (size_t)made.count + 1, sizeof(void *));
	for (uint32_t i = 0; i < made.count; i++, next_combination(&c)) {
		c.chosen.count = 0;
		for (size_t j = 0; j < c.targets.count; j++) {
			const struct target *r = &c.targets.items[j];
			struct outcome outcome = c.outcomes.items[r->first + r->chosen];
			for (size_t k = 0; k < outcome.count; k++)
				vec_push(pool, &c.chosen, c.rows.items[outcome.first + k]);
		}
		all[i] = subset_with_rows(pool, h, c.chosen.items, c.chosen.count);
		words[i] = sentence_of_outcomes(&c, h);
	}
	made.h = all;
	made.assumption = words;
	return made;
}
