/* team: tasks on several threads keep to the limits of one job. */
#include "support.h"

#include "base/guard.h"
#include "base/team.h"

#include <string.h>

enum { TASKS = 200, THREADS = 4, NEVER = TASKS };

struct work {
	uint32_t enough;  /* the tasks from this number on that are odd say so */
	uint32_t failing; /* this one fails */
	size_t bytes;     /* that each takes */
	bool endless;     /* the last one goes on until it is not needed any more */
	uint32_t *done;   /* by task */
};

static bool task(void *data, uint32_t number, struct pool *pool)
{
	struct work *w = data;
	char *memory = pool_alloc(pool, w->bytes + 20);
	memset(memory, (int)number, w->bytes);
	for (int i = 0; i < 20000; i++)
		guard_tick(pool_guard(pool));
	while (w->endless && number == TASKS - 1)
		guard_tick(pool_guard(pool));
	if (number == w->failing)
		guard_fail(pool_guard(pool), ALIBI_INPUT, NULL, "task %d", (int)number);
	w->done[number]++;
	return number < w->enough || number % 2 == 0;
}

struct outcome {
	uint32_t first;
	enum alibi_code code;
	char text[ERROR_TEXT_MAX];
	size_t peak;
	uint32_t done[TASKS];
};

static struct outcome run(unsigned threads, size_t max_memory, bool late, struct work w)
{
	struct outcome o = {.first = NEVER};
	struct guard g;
	uint32_t volatile first = NEVER;
	guard_init(&g);
	g.max_memory = max_memory;
	g.deadline_ns = late;
	struct pool *root = pool_root(&g);
	w.done = o.done;
	if (guard_enter(&g))
		first = team_run(root, threads, TASKS, task, &w);
	guard_leave(&g);
	o.first = first;
	o.code = g.error.code;
	memcpy(o.text, g.error_text, sizeof o.text);
	o.peak = g.peak;
	pool_release(root);
	assert_int_equal(g.used, 0);
	return o;
}

static void runs_each_task_once(void **state)
{
	(void)state;
	for (unsigned threads = 0; threads <= THREADS; threads++) {
		struct outcome o =
		        run(threads, 0, false, (struct work){.enough = NEVER, .failing = NEVER});
		assert_int_equal(o.first, TASKS);
		for (int i = 0; i < TASKS; i++)
			assert_int_equal(o.done[i], 1);
	}
}

static void the_first_that_says_enough_counts(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads <= THREADS; threads++)
		for (uint32_t enough = 0; enough < TASKS; enough += 50) {
			struct work w = {.enough = enough, .failing = NEVER, .endless = true};
			struct outcome o = run(threads, 0, false, w);
			assert_int_equal(o.first, enough + 1);
			for (uint32_t i = 0; i <= enough; i++)
				assert_int_equal(o.done[i], 1);
			assert_int_equal(o.done[TASKS - 1], 0);
		}
}

static void a_failure_is_the_jobs(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads <= THREADS; threads++) {
		struct work w = {.enough = NEVER, .failing = 70, .endless = true};
		struct outcome o = run(threads, 0, false, w);
		assert_int_equal(o.code, ALIBI_INPUT);
		assert_string_equal(o.text, "task 70");
		assert_int_equal(o.done[TASKS - 1], 0);
	}
}

/* What fits one at a time is no failure on one thread; what never fits is one. On
 * several threads it depends on who is first, but the limit holds. */
static void the_limit_is_for_all_of_them(void **state)
{
	(void)state;
	enum { MAX_MEMORY = 50 << 20 };
	struct work w = {.enough = NEVER, .failing = NEVER, .bytes = 20 << 20};
	struct outcome o = run(1, MAX_MEMORY, false, w);
	assert_int_equal(o.code, ALIBI_OK);
	assert_in_range(o.peak, 20 << 20, 21 << 20);
	w.bytes = 51 << 20;
	o = run(THREADS, MAX_MEMORY, false, w);
	assert_int_equal(o.code, ALIBI_MEMORY);
	assert_string_equal(o.text, "the memory limit of 50 MiB was reached while starting");
	assert_true(o.peak <= MAX_MEMORY);
	w.bytes = 49 << 20;
	o = run(THREADS, MAX_MEMORY, false, w);
	assert_true(o.peak >= w.bytes && o.peak <= MAX_MEMORY);
}

static void time_ends_them_all(void **state)
{
	(void)state;
	struct outcome o = run(THREADS, 0, true, (struct work){.enough = NEVER, .failing = NEVER});
	assert_int_equal(o.code, ALIBI_TIMEOUT);
	assert_int_equal(o.done[TASKS - 1], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(runs_each_task_once),
	        cmocka_unit_test(the_first_that_says_enough_counts),
	        cmocka_unit_test(a_failure_is_the_jobs),
	        cmocka_unit_test(the_limit_is_for_all_of_them),
	        cmocka_unit_test(time_ends_them_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
