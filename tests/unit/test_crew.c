/* crew: parts are done once a round, by any thread, within the limits of one job. */
#include "support.h"

#include "base/crew.h"
#include "base/guard.h"

#include <string.h>

enum { MEMBERS = 4, ROUNDS = 300 };

struct work {
	uint32_t rounds;  /* to do */
	uint32_t failing; /* this member fails in the last round */
	size_t bytes;     /* that each member takes in each round */
	bool together;    /* the job takes memory meanwhile */
	uint32_t round;
	char *kept[MEMBERS]; /* from the round before */
	uint32_t done[MEMBERS];
	_Atomic bool lost; /* it was not there */
};

struct outcome {
	enum alibi_code code;
	char text[ERROR_TEXT_MAX];
	size_t peak;
};

static void part(void *data, uint32_t member, struct pool *pool)
{
	struct work *w = data;
	w->lost |= w->kept[member] && w->kept[member][0] != (char)(w->round - 1);
	pool_free(pool, w->kept[member]);
	w->kept[member] = NULL;
	w->kept[member] = pool_alloc(pool, w->bytes + 1);
	w->kept[member][0] = (char)w->round;
	for (int i = 0; i < 500; i++)
		guard_tick(pool_guard(pool));
	w->done[member]++;
	if (w->round + 1 == w->rounds && member >= w->failing)
		guard_fail(pool_guard(pool), ALIBI_INPUT, NULL, "member %d", (int)member);
}

static struct outcome run(size_t max_memory, struct work *w)
{
	struct outcome o = {0};
	struct guard g;
	guard_init(&g);
	g.max_memory = max_memory;
	struct pool *root = pool_root(&g);
	if (guard_enter(&g)) {
		struct crew *c = crew_new(root, MEMBERS);
		for (w->round = 0; w->round < w->rounds; w->round++) {
			crew_begin(c, part, w);
			for (int i = 0; i < 20 && w->together; i++)
				pool_free(root, pool_alloc(root, 1000));
			crew_end(c);
		}
		for (uint32_t i = 0; i < MEMBERS; i++)
			crew_one(c, i, part, w);
	}
	guard_leave(&g);
	o.code = g.error.code;
	memcpy(o.text, g.error_text, sizeof o.text);
	o.peak = g.peak;
	pool_release(root);
	assert_int_equal(g.used, 0);
	assert_false(w->lost);
	return o;
}

static void each_part_is_done_once_a_round(void **state)
{
	(void)state;
	struct work w = {.rounds = ROUNDS, .failing = MEMBERS, .together = true};
	assert_int_equal(run(0, &w).code, ALIBI_OK);
	for (int i = 0; i < MEMBERS; i++)
		assert_int_equal(w.done[i], ROUNDS + 1);
}

static void the_first_failure_is_the_jobs(void **state)
{
	(void)state;
	struct work w = {.rounds = ROUNDS, .failing = 2};
	struct outcome o = run(0, &w);
	assert_int_equal(o.code, ALIBI_INPUT);
	assert_string_equal(o.text, "member 2");
	assert_int_equal(w.done[MEMBERS - 1], ROUNDS);
}

static void the_limit_is_for_all_of_them(void **state)
{
	(void)state;
	enum { MAX_MEMORY = 50 << 20 };
	struct work w = {.rounds = 3, .failing = MEMBERS, .bytes = 10 << 20};
	struct outcome o = run(MAX_MEMORY, &w);
	assert_int_equal(o.code, ALIBI_OK);
	assert_in_range(o.peak, MEMBERS * (10 << 20), MAX_MEMORY);
	w = (struct work){.rounds = 3, .failing = MEMBERS, .bytes = 13 << 20};
	o = run(MAX_MEMORY, &w);
	assert_int_equal(o.code, ALIBI_MEMORY);
	assert_true(o.peak <= MAX_MEMORY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_part_is_done_once_a_round),
	        cmocka_unit_test(the_first_failure_is_the_jobs),
	        cmocka_unit_test(the_limit_is_for_all_of_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
