/*
 * exhaust: what synth finds, and what it says does not exist, against all histories.
 *
 * All histories of up to TXNS transactions, 2 keys and VALUES values a key are made,
 * one of each kind that differs by more than names, and each is judged at each level
 * by direct evaluation. Then for every pair of levels, and for random sets of them,
 * synth must find just as many as there are, the smallest first. With all symmetry left
 * in, it must find one just when there is one, and as small.
 *
 *     exhaust TXNS VALUES RANDOM_TASKS
 */
#include "../random.h"
#include "base/guard.h"
#include "engine.h"
#include "synth/evaluate.h"
#include "synth/synth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 2, LEVELS_MAX = 32 };

struct kind {
	struct skeleton skeleton;
	uint32_t allowed; /* a bit a level */
};

struct test {
	struct pool *pool;
	const struct definition *levels[LEVELS_MAX];
	uint32_t level_count, txns, values;
	bool ordered; /* in which order keys are read matters */
	VEC(struct kind) kinds;
	uint64_t passed, failed, none, histories;
	uint64_t random;
};

/* ---- all histories ---- */

static int compare(const struct test *x, const struct skeleton *a, const struct skeleton *b)
{
	int d = (int)a->keys - (int)b->keys;
	for (uint32_t t = 1; !d && t <= a->txns; t++) {
		d = memcmp(a->writes[t], b->writes[t], a->keys);
		d = d ? d : memcmp(a->from[t], b->from[t], a->keys);
		d = d ? d : (int)a->session[t] - (int)b->session[t];
		if (!d && x->ordered && a->from[t][0] != NOT_READ && a->from[t][1] != NOT_READ)
			d = (a->place[t][0] < a->place[t][1]) - (b->place[t][0] < b->place[t][1]);
	}
	return d;
}

/* Is there none that is smaller, and the same but for names? */
static bool is_first(const struct test *x, const struct skeleton *s, uint8_t *to, uint32_t placed)
{
	if (placed == s->txns) {
		struct skeleton other = skeleton_renamed(s, to);
		return compare(x, &other, s) >= 0;
	}
	for (uint32_t t = 1; t <= s->txns; t++) {
		bool ready = !to[t];
		for (uint32_t a = 1; a < t; a++)
			ready &= to[a] || !skeleton_so(s, a, t);
		if (!ready)
			continue;
		to[t] = (uint8_t)(placed + 1);
		bool first = is_first(x, s, to, placed + 1);
		to[t] = 0;
		if (!first)
			return false;
	}
	return true;
}

static bool well_formed(const struct test *x, const struct skeleton *s)
{
	for (uint32_t k = 0; k < s->keys; k++) {
		uint32_t writers = 0, users = 0;
		for (uint32_t t = 1; t <= s->txns; t++) {
			int8_t from = s->from[t][k];
			writers += s->writes[t][k];
			users += from != NOT_READ || s->writes[t][k];
			if (from == (int8_t)t || (from > 0 && !s->writes[from][k]))
				return false;
		}
		if (writers >= x->values || !users)
			return false;
	}
	for (uint32_t t = 1; t <= s->txns; t++) {
		uint32_t ops = 0;
		for (uint32_t k = 0; k < s->keys; k++)
			ops += (uint32_t)s->writes[t][k] + (s->from[t][k] != NOT_READ);
		if (!ops)
			return false;
	}
	return true;
}

/* Are its keys in the order in which synth has them? */
static bool is_sorted(const struct test *x, const struct skeleton *s)
{
	struct skeleton sorted = skeleton_sorted(s);
	return !compare(x, &sorted, s);
}

static void keep(struct test *x, const struct skeleton *s)
{
	uint8_t to[SKELETON_TXNS + 1] = {0};
	struct kind kind = {.skeleton = *s};
	struct witness w;
	if (!well_formed(x, s) || !is_sorted(x, s) || !is_first(x, s, to, 0))
		return;
	for (uint32_t i = 0; i < x->level_count; i++)
		if (evaluate_allows(x->pool, x->levels[i], s, &w)) {
			kind.allowed |= 1u << i;
			if (!evaluate_execution(x->pool, x->levels[i], s, &w)) {
				printf("FAILED: %s has a witness that is none:\n%s",
				       x->levels[i]->name, skeleton_text(x->pool, s));
				x->failed++;
			}
		}
	vec_push(x->pool, &x->kinds, kind);
}

/* One fact after the other: sessions, writes, reads, their order. */
static void fill(struct test *x, struct skeleton *s, uint32_t at)
{
	uint32_t cells = s->txns * s->keys;
	uint32_t cell = at < s->txns ? 0 : (at - s->txns) % cells;
	uint32_t t = at < s->txns ? at + 1 : cell / s->keys + 1, k = cell % s->keys;
	uint32_t what = at < s->txns ? 0 : 1 + (at - s->txns) / cells;
	if (what == 0) {
		uint8_t most = 0;
		for (uint32_t a = 1; a < t; a++)
			most = s->session[a] > most ? s->session[a] : most;
		for (uint8_t c = 1; c <= most + 1; c++) {
			s->session[t] = c;
			fill(x, s, at + 1);
		}
	} else if (what == 1) {
		for (int w = 0; w < 2; w++) {
			s->writes[t][k] = w;
			fill(x, s, at + 1);
		}
	} else if (what == 2) {
		for (int from = NOT_READ; from <= (int)s->txns; from++) {
			s->from[t][k] = (int8_t)from;
			fill(x, s, at + 1);
		}
	} else if (what == 3 && x->ordered && s->keys == 2 && !k && s->from[t][0] != NOT_READ &&
	           s->from[t][1] != NOT_READ) {
		for (uint8_t p = 0; p < 2; p++) {
			s->place[t][0] = p;
			s->place[t][1] = !p;
			fill(x, s, at + 1);
		}
	} else if (what == 3) {
		s->place[t][k] = (uint8_t)k;
		if (k && x->ordered && s->from[t][0] != NOT_READ && s->from[t][1] != NOT_READ)
			s->place[t][k] = !s->place[t][0];
		fill(x, s, at + 1);
	} else {
		keep(x, s);
	}
}

static void make_all(struct test *x)
{
	for (uint32_t n = 1; n <= x->txns; n++)
		for (uint32_t k = 1; k <= KEYS; k++) {
			struct skeleton s = {.txns = n, .keys = k};
			fill(x, &s, 0);
		}
}

/* ---- tasks ---- */

struct output {
	size_t count;
	struct skeleton first;
};

static void collect(void *data, const struct synth_found *found)
{
	struct output *output = data;
	if (!output->count++)
		output->first = found->skeleton;
}

static void complain(struct test *x, const char *what, uint32_t allow, uint32_t forbid,
                     size_t wanted, size_t found)
{
	x->failed++;
	printf("FAILED: %s: wanted %zu, found %zu; allowed by", what, wanted, found);
	for (uint32_t i = 0; i < x->level_count; i++)
		if (allow >> i & 1)
			printf(" %s", x->levels[i]->name);
	printf(", forbidden by");
	for (uint32_t i = 0; i < x->level_count; i++)
		if (forbid >> i & 1)
			printf(" %s", x->levels[i]->name);
	putchar('\n');
}

static struct output run(struct test *x, uint32_t allow, uint32_t forbid, size_t wanted, bool names)
{
	const struct definition *sets[2][LEVELS_MAX];
	size_t counts[2] = {0};
	struct synth_state state = {0};
	struct output output = {0};
	struct pool *pool = pool_child(x->pool);
	for (uint32_t i = 0; i < x->level_count; i++) {
		if (allow >> i & 1)
			sets[0][counts[0]++] = x->levels[i];
		if (forbid >> i & 1)
			sets[1][counts[1]++] = x->levels[i];
	}
	synth(pool,
	      &(struct synth_task){.allow = sets[0],
	                           .allow_count = counts[0],
	                           .forbid = sets[1],
	                           .forbid_count = counts[1],
	                           .txns = x->txns,
	                           .keys = KEYS,
	                           .values = x->values,
	                           .smallest = true,
	                           .no_symmetry_breaking = names,
	                           .wanted = wanted,
	                           .solver = &engine_cadical,
	                           .on_found = collect,
	                           .data = &output},
	      &state);
	pool_release(pool);
	return output;
}

/* A task's histories are counted, but for those of too many kinds. */
static void try_task(struct test *x, uint32_t allow, uint32_t forbid, bool count)
{
	size_t there = 0, many = count ? 300 : 1;
	const struct skeleton *least = NULL;
	for (size_t i = 0; i < x->kinds.count; i++) {
		const struct kind *k = &x->kinds.items[i];
		if ((k->allowed & allow) != allow || k->allowed & forbid)
			continue;
		there++;
		if (!least || k->skeleton.txns < least->txns ||
		    (k->skeleton.txns == least->txns &&
		     skeleton_op_count(&k->skeleton) < skeleton_op_count(least)))
			least = &k->skeleton;
	}
	size_t wanted = there < many ? there : many;
	for (int names = 0; names < 2 - count; names++) {
		struct output output =
		        run(x, allow, forbid, there < many ? wanted + 1 : wanted, names);
		x->histories += output.count;
		x->none += !there;
		if (output.count != wanted)
			complain(x, names ? "with names" : "how many", allow, forbid, wanted,
			         output.count);
		else if (there && (output.first.txns != least->txns ||
		                   skeleton_op_count(&output.first) != skeleton_op_count(least)))
			complain(x, "the smallest", allow, forbid, skeleton_op_count(least),
			         skeleton_op_count(&output.first));
		else
			x->passed++;
	}
}

static void try_all(struct test *x, uint32_t random_tasks)
{
	uint32_t rc = 0; /* the levels without order of reads are tried apart */
	for (uint32_t i = 0; i < x->level_count; i++)
		rc |= (uint32_t)x->levels[i]->ordered_reads << i;
	for (uint32_t a = 0; a < x->level_count; a++)
		for (uint32_t b = 0; b < x->level_count; b++) {
			uint32_t allow = 1u << a, forbid = 1u << b;
			if (a != b && !!((allow | forbid) & rc) == x->ordered)
				try_task(x, allow, forbid, false);
		}
	for (uint32_t i = 0; i < random_tasks;) {
		uint32_t allow = 0, forbid = 0;
		for (uint32_t n = random_below(&x->random, 3); n > 0; n--)
			allow |= 1u << random_below(&x->random, x->level_count);
		for (uint32_t n = 1 + random_below(&x->random, 2); n > 0; n--)
			forbid |= 1u << random_below(&x->random, x->level_count);
		if (x->ordered)
			*(random_below(&x->random, 2) ? &allow : &forbid) |= rc;
		else if ((allow | forbid) & rc)
			continue;
		if (!(allow & forbid)) {
			try_task(x, allow, forbid, true);
			i++;
		}
	}
}

int main(int argc, char **argv)
{
	struct guard guard;
	struct test x = {.random = 1};
	uint32_t tasks = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 100;
	x.txns = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 3;
	x.values = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 2;
	guard_init(&guard);
	x.pool = pool_root(&guard);
	if (guard_enter(&guard)) {
		for (size_t i = 0; i < library_level_count; i++)
			x.levels[x.level_count++] = definition_find(x.pool, library_levels[i].name);
		for (int ordered = 0; ordered < 2; ordered++) {
			x.ordered = ordered;
			x.kinds.count = 0;
			make_all(&x);
			printf("%zu histories%s\n", x.kinds.count,
			       ordered ? ", with the order of reads" : "");
			fflush(stdout);
			try_all(&x, tasks);
		}
	} else {
		printf("FAILED: %s\n", guard.error.text);
		x.failed++;
	}
	guard_leave(&guard);
	pool_release(x.pool);
	printf("%" PRIu64 " histories were found, and %" PRIu64 " times there was none\n",
	       x.histories, x.none);
	printf("%" PRIu64 " passed, %" PRIu64 " failed\n", x.passed, x.failed);
	return x.failed > 0;
}
