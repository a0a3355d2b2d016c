/* beam: see beam.h. */
#include "check/beam.h"

#include "base/guard.h"
#include "base/map.h"
#include "base/numbers.h"
#include "base/radix.h"
#include "order/first_order.h"

#include <string.h>

enum {
	WINDOW = 4096, /* ranks: an event so far behind the first that is not done has to wait */
	WORDS = WINDOW / 64,
	MOST_MOVES = 64,      /* tried from one walker, about */
	MOST_BYTES = 1 << 26, /* of all walkers */
	NOISE = 64,           /* ranks, from the second turn on */

	NARROW = 8,   /* walkers, where all goes well */
	BACK = 32,    /* events to go back where they are stuck, … */
	WIDER = 4,    /* … with so many times as many walkers, … */
	FURTHER = 2,  /* … and so many times as far, each time that they are stuck again; */
	FORGIVE = 512 /* with so many, in the first turn, reads are forgiven, … */
};

static const uint64_t forgiven_read = 1 << 12; /* … and weigh as so many ranks */

/* An unfinished order. Bits are by rank, modulo WINDOW. */
struct walker {
	uint64_t score; /* less is better */
	uint64_t hash;  /* of what is done, and of what can be read */
	uint32_t base;  /* ranks below it are done */
	uint64_t done[WORDS], ready[WORDS];
	uint32_t last[]; /* by key: its last write + 1; 0: none yet. Then, by key: is it locked? */
};

/* From a walker to one event more. */
struct move {
	uint64_t score, hash;
	uint32_t parent, rank;
};

struct step {
	uint32_t parent, rank;
};

/* Where values are read, or written: ranks, rising. */
struct places {
	uint32_t *first; /* by value, one more at the end */
	uint32_t *ranks;
};

struct beam {
	struct pool *pool;
	struct guard *guard;
	const struct problem *p;
	unsigned turn;
	uint64_t steps;   /* still to make */
	uint32_t *rank;   /* by node */
	node_id *node_at; /* by rank */

	uint32_t values;                          /* different values that are read */
	uint32_t *value_of_read, *value_of_write; /* ID_NONE: it is not read */
	uint32_t *value_at_first;                 /* by key, likewise */
	bool *has_named;                          /* by key: a read of it has a named writer */
	struct places reads, writes;
	bool forgiving; /* a read may find something else, now, … */
	bool forgave;   /* … or could before */

	size_t bytes;              /* of a walker */
	size_t width, room, count; /* of walkers: at most, allocated, and now */
	char *walkers, *next;
	VEC(struct step) taken;
	VEC(size_t) first; /* by the number of events before it: in taken, those to the next */
	VEC(struct move) moves;
	VEC(struct keyed) ranking; /* moves by score */
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
	memset(b->value_at_first, 0xff, ((size_t)p->keys + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < p->reads.count; i++, guard_tick(b->guard)) {
		const struct external_read *w = &p->reads.items[i];
		uint64_t name = radix_pair(w->key + 1, w->value);
		uint32_t value = *map_put(b->pool, &numbers, name, b->values);
		if (value == b->values)
			b->values++;
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

/* Of pairs of a value and a rank. */
static struct places make_places(struct beam *b, struct keyed *sorted, size_t count)
{
	struct places all = {.first = pool_zarray(b->pool, (size_t)b->values + 2, sizeof(uint32_t)),
	                     .ranks = pool_array(b->pool, count + 1, sizeof(uint32_t))};
	radix_sort(b->pool, sorted, count);
	for (size_t i = 0; i < count; i++, guard_tick(b->guard)) {
		all.first[(sorted[i].key >> 32) + 1]++;
		all.ranks[i] = (uint32_t)sorted[i].key;
	}
	for (uint32_t v = 0; v < b->values; v++)
		all.first[v + 1] += all.first[v];
	pool_free(b->pool, sorted);
	return all;
}

/* Where each value is read and written. */
static void find_places(struct beam *b)
{
	const struct problem *p = b->p;
	struct keyed *reads = pool_array(b->pool, p->reads.count + 1, sizeof *reads);
	struct keyed *writes = pool_array(b->pool, p->writes.count + 1, sizeof *writes);
	size_t count = 0;
	for (uint32_t slot = 0; slot < p->slots; slot++) {
		uint32_t read = b->rank[read_node(p, slot).index],
		         write = b->rank[write_node(p, slot).index];
		for (uint32_t i = p->read_first[slot]; i < p->read_first[slot + 1]; i++)
			reads[i] = (struct keyed){radix_pair(b->value_of_read[i], read), i};
		for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++)
			if (b->value_of_write[i] != ID_NONE)
				writes[count++] =
				        (struct keyed){radix_pair(b->value_of_write[i], write), i};
	}
	b->reads = make_places(b, reads, p->reads.count);
	b->writes = make_places(b, writes, count);
}

/* ---- done and ready ---- */

static bool bit(const uint64_t *bits, uint32_t rank)
{
	return bits[rank / 64 % WORDS] >> rank % 64 & 1;
}

static void flip(uint64_t *bits, uint32_t rank)
{
	bits[rank / 64 % WORDS] ^= (uint64_t)1 << rank % 64;
}

static bool is_done(const struct walker *w, uint32_t rank)
{
	return rank < w->base || (rank - w->base < WINDOW && bit(w->done, rank));
}

/* Makes it ready if it is. */
static void look_at(const struct beam *b, struct walker *w, uint32_t rank)
{
	const struct problem *p = b->p;
	uint32_t node = b->node_at[rank].index;
	for (uint32_t e = p->before_first[node]; e < p->before_first[node + 1]; e++)
		if (!is_done(w, b->rank[p->before[e].index]))
			return;
	w->ready[rank / 64 % WORDS] |= (uint64_t)1 << rank % 64;
}

static void count_out(const struct beam *b, struct walker *w, uint32_t rank)
{
	const struct problem *p = b->p;
	uint32_t node = b->node_at[rank].index, end = w->base + WINDOW;
	flip(w->ready, rank);
	flip(w->done, rank);
	for (; bit(w->done, w->base); guard_tick(b->guard)) {
		flip(w->done, w->base++);
		if (w->base + WINDOW <= p->nodes)
			look_at(b, w, w->base + WINDOW - 1);
	}
	for (uint32_t e = p->after_first[node]; e < p->after_first[node + 1]; e++)
		if (b->rank[p->after[e].index] < end)
			look_at(b, w, b->rank[p->after[e].index]);
}

/* ---- moves ---- */

static uint32_t value_held(const struct beam *b, const struct walker *w, uint32_t key)
{
	return w->last[key] ? b->value_of_write[w->last[key] - 1] : b->value_at_first[key];
}

static uint64_t hash_of_value(const struct beam *b, uint32_t value)
{
	return value == ID_NONE ? 0 : spread((uint64_t)b->p->nodes + value);
}

/* last: as a walker has it. The hash of 0 is in none of the sums, or in all. */
static uint64_t hash_of_write(const struct beam *b, uint32_t last)
{
	return spread((uint64_t)b->p->nodes + b->values + last);
}

/* Does the read find its value, by the writer that the database named, its only candidate? */
static bool finds(const struct beam *b, const struct walker *w, const struct external_read *r)
{
	const struct problem *p = b->p;
	uint32_t last = w->last[r->key];
	if (!last)
		return r->initial;
	if (!r->named)
		return p->writes.items[last - 1].value == r->value;
	if (!r->count)
		return false;
	uint32_t named = p->candidates[r->first];
	return p->write_first[named] < last && last <= p->write_first[named + 1];
}

/* How many of its reads do not find what they read. */
static uint32_t missed_reads(const struct beam *b, const struct walker *w, uint32_t slot)
{
	const struct problem *p = b->p;
	uint32_t missed = 0;
	for (uint32_t i = p->read_first[slot]; i < p->read_first[slot + 1]; i++) {
		missed += !finds(b, w, &p->reads.items[i]);
		if (missed && !b->forgiving)
			break;
	}
	return missed;
}

static bool may_lock(const struct beam *b, const struct walker *w, uint32_t slot)
{
	const struct problem *p = b->p;
	for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++)
		if (w->last[p->keys + p->writes.items[i].key])
			return false;
	return true;
}

static bool has_writes(const struct problem *p, uint32_t slot)
{
	return p->write_first[slot] < p->write_first[slot + 1];
}

enum verdict { CANNOT, CAN, HARMLESS };

/* In rising ranks: the first of those in the range that is not done, or its end. */
static uint32_t first_undone(const struct places *all, const struct walker *w, uint32_t first,
                             uint32_t end)
{
	uint32_t at = first + (uint32_t)numbers_find(all->ranks + first, end - first, w->base);
	while (at < end && is_done(w, all->ranks[at]))
		at++;
	return at;
}

/* How long those that are to read a value have to wait for its next write, all together;
 * UINT64_MAX: there is none. The event at `but` does not count. */
static uint64_t wait_for(const struct beam *b, const struct walker *w, uint32_t value, uint32_t but)
{
	const uint32_t *reads = b->reads.ranks, *writes = b->writes.ranks;
	uint32_t end = b->reads.first[value + 1];
	uint32_t read = first_undone(&b->reads, w, b->reads.first[value], end);
	while (read < end && (reads[read] == but || is_done(w, reads[read])))
		read++;
	if (read == end)
		return 0;
	uint32_t write_end = b->writes.first[value + 1];
	uint32_t write = first_undone(&b->writes, w, b->writes.first[value], write_end);
	while (write < write_end && (writes[write] == but || is_done(w, writes[write])))
		write++;
	if (write == write_end)
		return UINT64_MAX;
	uint64_t sum = 0;
	for (; read < end && reads[read] < writes[write]; read++)
		if (reads[read] != but && !is_done(w, reads[read]))
			sum += writes[write] - reads[read];
	return sum;
}

/* Writes one value over another. */
static enum verdict rate_write(const struct beam *b, const struct walker *w, uint32_t before,
                               uint32_t value, struct move *m)
{
	uint64_t wait = before == ID_NONE || before == value ? 0 : wait_for(b, w, before, m->rank);
	if (wait == UINT64_MAX && !b->forgiving)
		return CANNOT;
	wait = wait == UINT64_MAX ? forgiven_read : wait;
	m->score += wait;
	if (value != ID_NONE && value != before)
		m->score -= wait_for(b, w, value, ID_NONE);
	m->hash += hash_of_value(b, value) - hash_of_value(b, before);
	return before == ID_NONE && value == ID_NONE ? HARMLESS : CAN;
}

static enum verdict rate_writes(const struct beam *b, const struct walker *w, uint32_t slot,
                                struct move *m)
{
	const struct problem *p = b->p;
	enum verdict all = HARMLESS;
	for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1] && all != CANNOT;
	     i++) {
		uint32_t key = p->writes.items[i].key;
		if (b->has_named[key])
			m->hash += hash_of_write(b, i + 1) - hash_of_write(b, w->last[key]);
		enum verdict one = rate_write(b, w, value_held(b, w, key), b->value_of_write[i], m);
		all = one < all ? one : all;
	}
	return all;
}

static enum verdict try_move(const struct beam *b, const struct walker *w, struct move *m)
{
	const struct problem *p = b->p;
	node_id node = b->node_at[m->rank];
	m->score = w->score + m->rank;
	m->hash = w->hash + spread(m->rank);
	if (!is_event(p, node))
		return HARMLESS;
	uint32_t slot = slot_of_node(p, node);
	bool waits = false;
	if (reads_at(p, node)) {
		bool holds = p->rules.noconflict && has_writes(p, slot);
		uint32_t missed = missed_reads(b, w, slot);
		if ((missed && !b->forgiving) || (holds && !may_lock(b, w, slot)))
			return CANNOT;
		m->score += missed * forgiven_read;
		waits = holds || missed;
	}
	enum verdict verdict = writes_at(p, node) ? rate_writes(b, w, slot, m) : HARMLESS;
	return verdict == HARMLESS && waits ? CAN : verdict;
}

/* The ready ones of a word of ranks from `first` on. False: a harmless one is the only move. */
static bool collect_word(struct beam *b, uint32_t parent, uint32_t first, uint64_t bits,
                         size_t before)
{
	const struct walker *w = walker_at(b, b->walkers, parent);
	for (; bits; bits &= bits - 1) {
		struct move m = {.parent = parent, .rank = first + (uint32_t)__builtin_ctzll(bits)};
		guard_tick(b->guard);
		enum verdict verdict = try_move(b, w, &m);
		if (verdict == HARMLESS)
			b->moves.count = before;
		if (verdict != CANNOT)
			vec_push(b->pool, &b->moves, m);
		if (verdict == HARMLESS)
			return false;
	}
	return true;
}

/* By rank, from the base on. The word with the base has the ends of the window, too. */
static void collect_moves(struct beam *b, uint32_t parent)
{
	const struct walker *w = walker_at(b, b->walkers, parent);
	size_t before = b->moves.count;
	uint64_t from_base = ~(uint64_t)0 << w->base % 64;
	for (uint32_t i = 0; i <= WORDS && b->moves.count - before < MOST_MOVES; i++) {
		uint32_t word = w->base / 64 + i;
		uint64_t which = i == 0 ? from_base : i == WORDS ? ~from_base : ~(uint64_t)0;
		if (!collect_word(b, parent, word * 64, w->ready[word % WORDS] & which, before))
			return;
	}
}

/* ---- steps ---- */

static void carry_out(const struct beam *b, struct walker *w, uint32_t rank)
{
	const struct problem *p = b->p;
	node_id node = b->node_at[rank];
	count_out(b, w, rank);
	if (!is_event(p, node))
		return;
	uint32_t slot = slot_of_node(p, node);
	bool writes = writes_at(p, node);
	for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++) {
		uint32_t key = p->writes.items[i].key;
		if (p->rules.noconflict)
			w->last[p->keys + key] = !writes;
		if (writes)
			w->last[key] = i + 1;
	}
}

static void make_walker(struct beam *b, const struct move *m)
{
	struct walker *w = walker_at(b, b->next, b->count++);
	memcpy(w, walker_at(b, b->walkers, m->parent), b->bytes);
	w->score = m->score;
	w->hash = m->hash;
	carry_out(b, w, m->rank);
	vec_push(b->pool, &b->taken, ((struct step){m->parent, m->rank}));
}

/* The best moves, each to another place, make the next walkers. */
static void advance(struct beam *b)
{
	struct pool *own = pool_child(b->pool);
	struct map reached = {0};
	b->ranking.count = b->count = 0;
	for (uint32_t i = 0; i < b->moves.count; i++) {
		const struct move *m = &b->moves.items[i];
		uint64_t noise = b->turn ? spread(m->hash ^ b->turn) % NOISE : 0;
		vec_push(b->pool, &b->ranking, ((struct keyed){m->score + noise, i}));
	}
	radix_sort(own, b->ranking.items, b->ranking.count);
	vec_push(b->pool, &b->first, b->taken.count);
	for (size_t i = 0; i < b->ranking.count && b->count < b->width; i++) {
		const struct move *m = &b->moves.items[b->ranking.items[i].item];
		uint32_t *there = map_put(own, &reached, m->hash | 1, 0);
		guard_tick(b->guard);
		if (!(*there)++)
			make_walker(b, m);
	}
	pool_release(own);
	char *walkers = b->walkers;
	b->walkers = b->next;
	b->next = walkers;
}

static void first_walker(struct beam *b)
{
	struct walker *w = walker_at(b, b->walkers, 0);
	memset(w, 0, b->bytes);
	w->score = (uint64_t)1 << 62; /* it may fall */
	for (uint32_t rank = 0; rank < b->p->nodes && rank < WINDOW; rank++)
		look_at(b, w, rank);
	b->count = 1;
	b->taken.count = b->first.count = 0;
}

/* The ranks on the way to the best walker. */
static void trace(const struct beam *b, uint32_t *ranks)
{
	uint32_t at = 0;
	for (size_t i = b->first.count; i-- > 0;) {
		const struct step *s = &b->taken.items[b->first.items[i] + at];
		ranks[i] = s->rank;
		at = s->parent;
	}
}

static void set_width(struct beam *b, size_t width)
{
	b->width = width;
	if (width <= b->room)
		return;
	pool_free(b->pool, b->walkers);
	pool_free(b->pool, b->next);
	b->room = width;
	b->walkers = pool_array(b->pool, width, b->bytes);
	b->next = pool_array(b->pool, width, b->bytes);
}

/* To so many events of the best walker, and on from there with so many. */
static void go_back(struct beam *b, size_t events, size_t width, uint32_t *ranks)
{
	trace(b, ranks);
	set_width(b, width);
	first_walker(b);
	struct walker *w = walker_at(b, b->walkers, 0);
	bool forgiving = b->forgiving;
	b->forgiving = true; /* as it was at some of them */
	for (size_t i = 0; i < events; i++) {
		struct move m = {.rank = ranks[i]};
		try_move(b, w, &m);
		w->score = m.score;
		w->hash = m.hash;
		carry_out(b, w, m.rank);
		vec_push(b->pool, &b->first, b->taken.count);
		vec_push(b->pool, &b->taken, ((struct step){0, m.rank}));
	}
	b->forgiving = forgiving;
}

static bool walk(struct beam *b, uint32_t *ranks)
{
	size_t wide_until = 0, back = 0;
	set_width(b, NARROW);
	first_walker(b);
	while (b->first.count < b->p->nodes) {
		size_t now = b->first.count;
		if (b->steps < b->count)
			return false;
		b->steps -= b->count;
		if (now == wide_until) {
			b->width = NARROW;
			b->forgiving = false;
			back = BACK;
		}
		b->moves.count = 0;
		for (uint32_t parent = 0; parent < b->count; parent++)
			collect_moves(b, parent);
		if (b->moves.count) {
			advance(b);
			continue;
		}
		b->forgiving = !b->turn && b->width >= FORGIVE;
		b->forgave |= b->forgiving;
		size_t width = WIDER * (b->forgiving ? NARROW : b->width);
		if (2 * width * b->bytes > MOST_BYTES)
			return false;
		go_back(b, now > back ? now - back : 0, width, ranks);
		wide_until = now + back > wide_until ? now + back : wide_until;
		back *= FURTHER;
	}
	trace(b, ranks);
	return true;
}

enum beam_result beam_find(struct pool *pool, const struct problem *p, const uint64_t *hint,
                           unsigned turn, uint64_t steps, node_id *node_at)
{
	struct beam b = {.pool = pool_child(pool),
	                 .guard = pool_guard(pool),
	                 .p = p,
	                 .turn = turn,
	                 .steps = steps};
	size_t nodes = (size_t)p->nodes + 1;
	b.rank = pool_array(b.pool, nodes, sizeof *b.rank);
	b.node_at = pool_array(b.pool, nodes, sizeof *b.node_at);
	uint32_t *ranks = pool_array(b.pool, nodes, sizeof *ranks);
	b.bytes = sizeof(struct walker) + 2 * ((size_t)p->keys + 1) * sizeof(uint32_t);
	bool found = !p->h->queries && p->h->empty_list == ID_NONE &&
	             first_order(b.pool, p, hint, b.rank, b.node_at);
	if (found) {
		number_values(&b);
		find_places(&b);
		found = walk(&b, ranks);
	}
	for (uint32_t i = 0; found && i < p->nodes; i++)
		node_at[i] = b.node_at[ranks[i]];
	pool_release(b.pool);
	return !found ? BEAM_NOTHING : b.forgave ? BEAM_NEAR : BEAM_ORDER;
}
