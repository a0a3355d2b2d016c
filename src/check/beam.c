/* beam: see beam.h. */
#include "check/beam.h"

#include "base/guard.h"
#include "base/map.h"
#include "base/radix.h"
#include "order/clocks.h"

#include <string.h>

enum {
	LEAST_WIDTH = 16,     /* fewer orders side by side are not worth the trouble */
	MOST_BYTES = 1 << 26, /* for all of them, were every node ready at once */
	ONE = 1 << 12,        /* scores are counted in fractions of this */
};

/* What the square of a chain's length weighs, by turn: what one misses, another may find. */
static const uint64_t chain_weights[] = {ONE / 4, ONE / 16, 4 * ONE};
enum { CHAIN_WEIGHTS = sizeof chain_weights / sizeof *chain_weights };

/* An unfinished order; what its numbers are says struct beam. */
struct walker {
	uint64_t score; /* less is better */
	uint64_t hash;  /* of what is done, and of what can be read */
	uint32_t numbers[];
};

/* From a walker to one event more. */
struct move {
	uint64_t score, hash;
	uint32_t parent;
	node_id node;
};

struct step {
	uint32_t parent;
	node_id node;
};

/* What a move changes for a value that is read. */
struct touch {
	uint32_t value;
	uint32_t reads, writes;
	bool held, holds; /* its key had it before, and has it afterwards */
};

struct beam {
	struct pool *pool;
	struct guard *guard;
	const struct problem *p;

	uint32_t values;                          /* different values that are read */
	uint32_t *value_of_read, *value_of_write; /* ID_NONE: it is not read */
	uint32_t *value_at_first;                 /* by key, likewise */
	uint32_t *key_of_value;
	bool *has_named;   /* by key: a read of it has a named writer */
	uint64_t *urgency; /* by node: grows with the chain of known edges behind it */

	/* Where a walker's numbers are: */
	size_t pending;        /* by node: known predecessors to come */
	size_t last;           /* by key: its last write + 1; 0: none yet */
	size_t supply, demand; /* by value: writes and reads of it still to come */
	size_t locked;         /* by key: does an open transaction hold it? */
	size_t ready;          /* nodes whose predecessors are done: how many, and which */
	size_t bytes;          /* of a walker */

	size_t width, count; /* of walkers: at most, and now */
	char *walkers, *next;
	VEC(struct move) moves;
	VEC(struct keyed) ranking; /* moves by score */
	VEC(struct touch) touches; /* of the move at hand */
};

/* Spreads numbers, so that sums of them differ. */
static uint64_t spread(uint64_t n)
{
	n = (n + 1) * 0x9e3779b97f4a7c15u;
	n = (n ^ n >> 31) * 0xbf58476d1ce4e5b9u;
	return n ^ n >> 29;
}

static struct walker *walker_at(const struct beam *b, char *walkers, size_t i)
{
	return (struct walker *)(void *)(walkers + i * b->bytes);
}

/* ---- what the problem is made of ---- */

static void number_values(struct beam *b)
{
	const struct problem *p = b->p;
	struct map numbers = {0};
	b->value_of_read = pool_array(b->pool, p->reads.count + 1, sizeof(uint32_t));
	b->value_of_write = pool_array(b->pool, p->writes.count + 1, sizeof(uint32_t));
	b->value_at_first = pool_array(b->pool, (size_t)p->keys + 1, sizeof(uint32_t));
	b->has_named = pool_zarray(b->pool, (size_t)p->keys + 1, sizeof *b->has_named);
	b->key_of_value = pool_array(b->pool, p->reads.count + 1, sizeof(uint32_t));
	memset(b->value_at_first, 0xff, ((size_t)p->keys + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < p->reads.count; i++, guard_tick(b->guard)) {
		const struct external_read *w = &p->reads.items[i];
		uint64_t name = radix_pair(w->key + 1, w->value);
		uint32_t value = *map_put(b->pool, &numbers, name, b->values);
		if (value == b->values)
			b->key_of_value[b->values++] = w->key;
		b->value_of_read[i] = value;
		b->has_named[w->key] |= w->named;
		if (w->initial)
			b->value_at_first[w->key] = value;
	}
	for (size_t i = 0; i < p->writes.count; i++, guard_tick(b->guard)) {
		const struct final_write *w = &p->writes.items[i];
		const uint32_t *value = map_find(&numbers, radix_pair(w->key + 1, w->value));
		b->value_of_write[i] = value ? *value : ID_NONE;
	}
}

/* Summed over a chain, odd numbers give the square of its length. */
static void weigh_chains(struct beam *b, uint64_t weight)
{
	const struct problem *p = b->p;
	struct clocks sorted;
	uint32_t *length = pool_zarray(b->pool, (size_t)p->nodes + 1, sizeof *length);
	b->urgency = pool_zarray(b->pool, (size_t)p->nodes + 1, sizeof *b->urgency);
	clocks_init(&sorted, b->pool, p);
	if (!clocks_sort(&sorted))
		return; /* no order follows the known edges */
	for (uint32_t i = p->nodes; i-- > 0; guard_tick(b->guard)) {
		uint32_t n = sorted.order[i].index;
		b->urgency[n] = weight * (2 * (uint64_t)length[n] + 1);
		for (uint32_t e = p->before_first[n]; e < p->before_first[n + 1]; e++) {
			uint32_t *before = &length[p->before[e].index];
			*before = *before > length[n] ? *before : length[n] + 1;
		}
	}
}

static void lay_out(struct beam *b)
{
	const struct problem *p = b->p;
	size_t end = 0;
	b->pending = end, end += p->nodes;
	b->last = end, end += p->keys;
	b->supply = end, end += b->values;
	b->demand = end, end += b->values;
	b->locked = end, end += p->rules.noconflict ? p->keys : 0;
	b->ready = end, end += (size_t)p->nodes + 1;
	b->bytes = sizeof(struct walker) + (end + end % 2) * sizeof(uint32_t);
}

/* ---- hashes: sums of what nodes done, values that can be read, and last writes add ---- */

static uint64_t hash_of_value(const struct beam *b, uint32_t value)
{
	return spread((uint64_t)b->p->nodes + value);
}

/* last: as a walker has it. The hash of 0 is in none of the sums, or in all. */
static uint64_t hash_of_write(const struct beam *b, uint32_t last)
{
	return spread((uint64_t)b->p->nodes + b->values + last);
}

/* ---- scores ---- */

/* What it weighs that so many are still to read a value. */
static uint64_t need(uint32_t demand, uint32_t supply, bool held)
{
	return demand ? (uint64_t)demand * 2 * ONE / (2 * (uint64_t)supply + held) : 0;
}

static uint32_t value_held(const struct beam *b, const struct walker *w, uint32_t key)
{
	uint32_t last = w->numbers[b->last + key];
	return last ? b->value_of_write[last - 1] : b->value_at_first[key];
}

static void first_walker(struct beam *b, struct walker *w)
{
	const struct problem *p = b->p;
	uint32_t *n = w->numbers, *ready = n + b->ready;
	memset(w, 0, b->bytes);
	for (uint32_t node = 0; node < p->nodes; node++) {
		n[b->pending + node] = p->before_first[node + 1] - p->before_first[node];
		if (!n[b->pending + node])
			ready[++*ready] = node;
		w->score += b->urgency[node];
	}
	for (size_t i = 0; i < p->reads.count; i++)
		n[b->demand + b->value_of_read[i]]++;
	for (size_t i = 0; i < p->writes.count; i++)
		if (b->value_of_write[i] != ID_NONE)
			n[b->supply + b->value_of_write[i]]++;
	for (uint32_t v = 0; v < b->values; v++) {
		bool held = value_held(b, w, b->key_of_value[v]) == v;
		w->score += need(n[b->demand + v], n[b->supply + v], held);
		w->hash += held ? hash_of_value(b, v) : 0;
	}
}

/* ---- moves ---- */

static struct touch *touch(struct beam *b, const struct walker *w, uint32_t value)
{
	for (size_t i = 0; i < b->touches.count; i++)
		if (b->touches.items[i].value == value)
			return &b->touches.items[i];
	bool held = value_held(b, w, b->key_of_value[value]) == value;
	vec_push(b->pool, &b->touches,
	         ((struct touch){.value = value, .held = held, .holds = held}));
	return &b->touches.items[b->touches.count - 1];
}

/* Does the read find its value, by the writer that the database named, its only candidate? */
static bool finds(const struct beam *b, const struct walker *w, const struct external_read *r)
{
	const struct problem *p = b->p;
	uint32_t last = w->numbers[b->last + r->key];
	if (!last)
		return r->initial;
	if (!r->named)
		return p->writes.items[last - 1].value == r->value;
	if (!r->count)
		return false;
	uint32_t named = p->candidates[r->first];
	return p->write_first[named] < last && last <= p->write_first[named + 1];
}

/* Does the slot find what it reads? */
static bool touch_reads(struct beam *b, const struct walker *w, uint32_t slot)
{
	const struct problem *p = b->p;
	for (uint32_t i = p->read_first[slot]; i < p->read_first[slot + 1]; i++) {
		if (!finds(b, w, &p->reads.items[i]))
			return false;
		touch(b, w, b->value_of_read[i])->reads++;
	}
	return true;
}

static void touch_writes(struct beam *b, const struct walker *w, uint32_t slot, struct move *m)
{
	const struct problem *p = b->p;
	for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++) {
		uint32_t key = p->writes.items[i].key, value = b->value_of_write[i];
		uint32_t before = value_held(b, w, key);
		if (b->has_named[key])
			m->hash += hash_of_write(b, i + 1) -
			           hash_of_write(b, w->numbers[b->last + key]);
		if (before != ID_NONE)
			touch(b, w, before)->holds = false;
		if (value != ID_NONE) {
			struct touch *t = touch(b, w, value);
			t->holds = true;
			t->writes++;
		}
	}
}

static bool may_lock(const struct beam *b, const struct walker *w, uint32_t slot)
{
	const struct problem *p = b->p;
	for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++)
		if (w->numbers[b->locked + p->writes.items[i].key])
			return false;
	return true;
}

static bool has_writes(const struct problem *p, uint32_t slot)
{
	return p->write_first[slot] < p->write_first[slot + 1];
}

enum verdict { CANNOT, CAN, HARMLESS };

/* What the touched values make of the move. */
static enum verdict rate_touches(const struct beam *b, const struct walker *w, struct move *m)
{
	enum verdict verdict = HARMLESS;
	for (size_t i = 0; i < b->touches.count; i++) {
		const struct touch *t = &b->touches.items[i];
		uint32_t supply = w->numbers[b->supply + t->value];
		uint32_t demand = w->numbers[b->demand + t->value], left = demand - t->reads;
		uint64_t hash = hash_of_value(b, t->value);
		if (left && !t->holds && supply == t->writes)
			return CANNOT;
		if (left && (t->writes || t->held != t->holds))
			verdict = CAN;
		m->score += need(left, supply - t->writes, t->holds);
		m->score -= need(demand, supply, t->held);
		m->hash += left && t->holds ? hash : 0;
		m->hash -= demand && t->held ? hash : 0;
	}
	return verdict;
}

static enum verdict try_move(struct beam *b, const struct walker *w, struct move *m)
{
	const struct problem *p = b->p;
	m->score = w->score - b->urgency[m->node.index];
	m->hash = w->hash + spread(m->node.index);
	if (!is_event(p, m->node))
		return HARMLESS;
	uint32_t slot = slot_of_node(p, m->node);
	bool holds = false;
	b->touches.count = 0;
	if (reads_at(p, m->node)) {
		holds = p->rules.noconflict && has_writes(p, slot);
		if (!touch_reads(b, w, slot) || (holds && !may_lock(b, w, slot)))
			return CANNOT;
	}
	if (writes_at(p, m->node))
		touch_writes(b, w, slot, m);
	enum verdict verdict = rate_touches(b, w, m);
	return verdict == HARMLESS && holds ? CAN : verdict;
}

static void collect_moves(struct beam *b, uint32_t parent)
{
	const struct walker *w = walker_at(b, b->walkers, parent);
	const uint32_t *ready = w->numbers + b->ready;
	size_t before = b->moves.count;
	for (uint32_t i = 1; i <= *ready; i++) {
		struct move m = {.parent = parent, .node = {ready[i]}};
		guard_tick(b->guard);
		enum verdict verdict = try_move(b, w, &m);
		if (verdict == HARMLESS)
			b->moves.count = before;
		if (verdict != CANNOT)
			vec_push(b->pool, &b->moves, m);
		if (verdict == HARMLESS)
			return;
	}
}

/* ---- steps ---- */

static void count_out(const struct beam *b, struct walker *w, uint32_t node)
{
	const struct problem *p = b->p;
	uint32_t *pending = w->numbers + b->pending, *ready = w->numbers + b->ready;
	uint32_t i = 1;
	while (ready[i] != node)
		i++;
	ready[i] = ready[(*ready)--];
	for (uint32_t e = p->after_first[node]; e < p->after_first[node + 1]; e++)
		if (!--pending[p->after[e].index])
			ready[++*ready] = p->after[e].index;
}

static void carry_out(const struct beam *b, struct walker *w, const struct move *m)
{
	const struct problem *p = b->p;
	uint32_t *n = w->numbers;
	w->score = m->score;
	w->hash = m->hash;
	count_out(b, w, m->node.index);
	if (!is_event(p, m->node))
		return;
	uint32_t slot = slot_of_node(p, m->node);
	bool reads = reads_at(p, m->node), writes = writes_at(p, m->node);
	for (uint32_t i = p->read_first[slot]; reads && i < p->read_first[slot + 1]; i++)
		n[b->demand + b->value_of_read[i]]--;
	for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++) {
		uint32_t key = p->writes.items[i].key;
		if (p->rules.noconflict)
			n[b->locked + key] = !writes;
		if (!writes)
			continue;
		n[b->last + key] = i + 1;
		if (b->value_of_write[i] != ID_NONE)
			n[b->supply + b->value_of_write[i]]--;
	}
}

/* The best moves, each to another place, make the next walkers. */
static void advance(struct beam *b, struct step *steps)
{
	struct pool *own = pool_child(b->pool);
	struct map reached = {0};
	b->ranking.count = b->count = 0;
	for (uint32_t i = 0; i < b->moves.count; i++)
		vec_push(b->pool, &b->ranking, ((struct keyed){b->moves.items[i].score, i}));
	radix_sort(own, b->ranking.items, b->ranking.count);
	for (size_t i = 0; i < b->ranking.count && b->count < b->width; i++) {
		const struct move *m = &b->moves.items[b->ranking.items[i].item];
		uint32_t *there = map_put(own, &reached, m->hash | 1, 0);
		guard_tick(b->guard);
		if (*there)
			continue;
		*there = 1;
		struct walker *w = walker_at(b, b->next, b->count);
		memcpy(w, walker_at(b, b->walkers, m->parent), b->bytes);
		carry_out(b, w, m);
		steps[b->count++] = (struct step){m->parent, m->node};
	}
	pool_release(own);
	char *walkers = b->walkers;
	b->walkers = b->next;
	b->next = walkers;
}

static bool walk(struct beam *b, struct step *steps)
{
	b->count = 1;
	for (uint32_t i = 0; i < b->p->nodes && b->count; i++) {
		b->moves.count = 0;
		for (uint32_t parent = 0; parent < b->count; parent++)
			collect_moves(b, parent);
		advance(b, steps + i * b->width);
	}
	return b->count;
}

/* How many orders there is room for, and steps. */
static size_t width_of(const struct beam *b, uint64_t steps)
{
	size_t each = 2 * b->bytes + b->p->nodes * (sizeof(struct step) + sizeof(struct move) +
	                                            sizeof(struct keyed));
	uint64_t width = steps / ((uint64_t)b->p->nodes + 1);
	return width < MOST_BYTES / each ? width : MOST_BYTES / each;
}

static bool find(struct beam *b, node_id *node_at)
{
	uint32_t nodes = b->p->nodes, at = 0;
	struct step *taken = pool_array(b->pool, b->width * nodes, sizeof *taken);
	b->walkers = pool_array(b->pool, b->width, b->bytes);
	b->next = pool_array(b->pool, b->width, b->bytes);
	first_walker(b, walker_at(b, b->walkers, 0));
	if (!walk(b, taken))
		return false;
	for (uint32_t i = nodes; i-- > 0;) {
		const struct step *s = &taken[i * b->width + at];
		node_at[i] = s->node;
		at = s->parent;
	}
	return true;
}

bool beam_find(struct pool *pool, const struct problem *p, unsigned turn, uint64_t steps,
               node_id *node_at)
{
	struct beam b = {.pool = pool_child(pool), .guard = pool_guard(pool), .p = p};
	bool found = false;
	bool registers = !p->h->queries && p->h->empty_list == ID_NONE;
	if (registers && steps / LEAST_WIDTH > p->nodes) {
		number_values(&b);
		weigh_chains(&b, chain_weights[turn % CHAIN_WEIGHTS]);
		lay_out(&b);
		b.width = width_of(&b, steps);
		found = b.width >= LEAST_WIDTH && find(&b, node_at);
	}
	pool_release(b.pool);
	return found;
}
