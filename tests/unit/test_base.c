/* base: the guard counts and ends jobs, pools own, radix sorts. */
#include "../random.h"
#include "support.h"

#include "base/guard.h"
#include "base/pool.h"
#include "base/radix.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static void counts_and_limits_memory(void **state)
{
	(void)state;
	struct guard g;
	bool volatile reached = false;
	guard_init(&g);
	g.max_memory = 1 << 20;
	struct pool *root = pool_root(&g);
	if (guard_enter(&g)) {
		struct pool *child = pool_child(root);
		char *a = pool_alloc(child, 1000);
		a = pool_resize(child, a, 500000);
		assert_true(g.used >= 500000 && g.used < 501000);
		pool_release(child);
		assert_int_equal(g.used, 0);
		assert_true(g.peak >= 500000);
		pool_alloc(pool_child(root), 600000);
		reached = true;
		pool_alloc(root, 600000);
		fail_msg("the limit was passed");
	}
	guard_leave(&g);
	assert_true(reached);
	assert_int_equal(g.error.code, ALIBI_MEMORY);
	assert_string_equal(g.error.text, "the memory limit of 1 MiB was reached while starting");
	pool_release(root);
	assert_int_equal(g.used, 0);
}

static int ended;

static void note_end(void *data)
{
	ended = ended * 10 + *(int *)data;
}

static void releases_what_is_deferred(void **state)
{
	(void)state;
	struct guard g;
	guard_init(&g);
	struct pool *root = pool_root(&g);
	ended = 0;
	if (guard_enter(&g)) {
		static int one = 1, two = 2, three = 3;
		struct pool *child = pool_child(root);
		pool_defer(root, note_end, &one);
		pool_defer(child, note_end, &two);
		pool_defer(child, note_end, &three);
		guard_fail(&g, ALIBI_INPUT, &(struct place){"f", 3, 4}, "because %d", 7);
	}
	guard_leave(&g);
	assert_string_equal(g.error.text, "f:3:4: because 7");
	pool_release(root);
	assert_int_equal(ended, 321);
}

static void vectors_grow_and_shrink(void **state)
{
	(void)state;
	struct guard g;
	guard_init(&g);
	struct pool *root = pool_root(&g);
	if (guard_enter(&g)) {
		VEC(uint32_t) v = {0};
		for (uint32_t i = 0; i < 1000000; i++)
			vec_push(root, &v, i * 7);
		for (uint32_t i = 0; i < 1000000; i++)
			assert_int_equal(v.items[i], i * 7);
		assert_true(v.capacity < 1300000);
		vec_trim(root, &v);
		assert_int_equal(v.capacity, 1000000);
		assert_int_equal(v.items[999999], 999999 * 7);
	}
	guard_leave(&g);
	assert_int_equal(g.error.code, ALIBI_OK);
	pool_release(root);
}

static void sorts_stably(void **state)
{
	(void)state;
	struct guard g;
	guard_init(&g);
	struct pool *root = pool_root(&g);
	if (guard_enter(&g)) {
		enum { N = 5000 };
		static struct keyed items[N], given[N];
		uint64_t random = 1;
		for (uint32_t round = 0; round < 20; round++) {
			for (uint32_t i = 0; i < N; i++) {
				int64_t n = random_below(&random, round < 10 ? 50 : 1 << 30);
				given[i] = items[i] =
				        (struct keyed){radix_key(round % 2 ? n << 32 : n - 20), i};
			}
			radix_sort(root, items, N);
			for (uint32_t i = 1; i < N; i++)
				assert_true(items[i - 1].key < items[i].key ||
				            (items[i - 1].key == items[i].key &&
				             items[i - 1].item < items[i].item));
			bool there[N] = {false};
			for (uint32_t i = 0; i < N; i++) {
				assert_true(items[i].item < N && !there[items[i].item]);
				there[items[i].item] = true;
				assert_true(items[i].key == given[items[i].item].key);
			}
		}
	}
	guard_leave(&g);
	assert_int_equal(g.error.code, ALIBI_OK);
	assert_true(radix_key(INT64_MIN) < radix_key(-1) && radix_key(-1) < radix_key(0) &&
	            radix_key(0) < radix_key(INT64_MAX));
	pool_release(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(counts_and_limits_memory),
	        cmocka_unit_test(releases_what_is_deferred),
	        cmocka_unit_test(vectors_grow_and_shrink),
	        cmocka_unit_test(sorts_stably),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
