/*
 * The kernel by itself, with orders that timestamps never make: wrong ones, and
 * ones that place transactions whose outcome is unknown.
 */
#include "support.h"

#include "base/guard.h"
#include "replay/replay.h"

#include <string.h>

struct seen {
	char kinds[64];
	uint32_t count;
	struct mismatch last;
	uint32_t stop_after; /* 0: never */
};

static bool note(void *data, const struct mismatch *m)
{
	struct seen *s = data;
	assert_true(s->count < sizeof s->kinds - 1);
	s->kinds[s->count++] = "SIENRTO"[m->kind];
	s->last = *m;
	return s->count != s->stop_after;
}

enum { START = 0, COMMIT = 1 };
static const struct replay_rules si = {.snapshot = true, .noconflict = true}, ser = {0};

/* Replays events on the history; a kind's letter for each mismatch. */
static struct seen replayed(const char *text, struct replay_rules rules, const uint32_t *events,
                            size_t count, uint32_t stop_after)
{
	struct test t = test_start();
	const struct history *h = load_text(&t, "alibi", text);
	struct seen s = {.stop_after = stop_after};
	struct guard *g = pool_guard(h->pool);
	if (guard_enter(g))
		assert_int_equal(replay(h->pool, h, rules, events, count, note, &s), !stop_after);
	guard_leave(g);
	assert_int_equal(g->error.code, ALIBI_OK);
	test_release(&t);
	return s;
}

#define assert_replays(text, rules, expected, ...)                                                 \
	do {                                                                                       \
		const uint32_t events[] = {__VA_ARGS__};                                           \
		assert_string_equal(                                                               \
		        replayed(text, rules, events, sizeof events / sizeof *events, 0).kinds,    \
		        expected);                                                                 \
	} while (0)

#define AT(txn, which) event_of(txn, which, false)

static const char two[] = "{\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n"
                          "{\"session\":1,\"ops\":[[\"r\",\"x\",1]]}\n";

static void wrong_orders_are_no_orders(void **state)
{
	(void)state;
	assert_replays(two, ser, "", AT(0, COMMIT), AT(1, COMMIT));
	assert_replays(two, ser, "SE", AT(1, COMMIT), AT(0, COMMIT));
	assert_replays(two, ser, "O", AT(0, COMMIT));
	assert_replays(two, ser, "O", AT(0, COMMIT), AT(1, COMMIT), AT(7, COMMIT));
	assert_replays(two, ser, "OO", AT(0, COMMIT), AT(1, COMMIT), AT(0, COMMIT));
	assert_replays(two, ser, "O", AT(0, COMMIT), AT(0, START), AT(1, COMMIT));
	assert_replays(two, si, "", AT(0, START), AT(0, COMMIT), AT(1, START), AT(1, COMMIT));
	assert_replays(two, si, "O", AT(0, START), AT(0, COMMIT), AT(1, START));
	assert_replays(two, si, "OO", AT(0, COMMIT), AT(0, START), AT(1, START), AT(1, COMMIT));
	assert_replays(two, si, "OO", AT(0, COMMIT), AT(1, START), AT(1, COMMIT), AT(0, START));
	assert_replays(two, si, "SE", AT(0, START), AT(1, START), AT(0, COMMIT), AT(1, COMMIT));
}

static void unknown_ones_may_take_part(void **state)
{
	(void)state;
	static const char text[] =
	        "{\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n"
	        "{\"session\":1,\"status\":\"unknown\",\"ops\":[[\"r\",\"x\",9],"
	        "[\"w\",\"x\",2]]}\n"
	        "{\"session\":1,\"ops\":[[\"r\",\"x\",1]]}\n"
	        "{\"session\":2,\"ops\":[[\"r\",\"x\",2]]}\n"
	        "{\"session\":3,\"status\":\"abort\",\"ops\":[[\"w\",\"x\",3]]}\n";
	assert_replays(text, ser, "", AT(0, 1), AT(2, 1), AT(1, 1), AT(3, 1));
	assert_replays(text, ser, "E", AT(0, 1), AT(2, 1), AT(3, 1)); /* 2 is not explained */
	assert_replays(text, ser, "E", AT(0, 1), AT(1, 1), AT(2, 1), AT(3, 1));
	assert_replays(text, ser, "SE", AT(1, 1), AT(0, 1), AT(2, 1), AT(3, 1));
	assert_replays(text, ser, "O", AT(0, 1), AT(2, 1), AT(1, 1), AT(3, 1), AT(4, 1));
}

static void conflicts_are_all_reported(void **state)
{
	(void)state;
	static const char text[] = "{\"ops\":[[\"w\",\"x\",1],[\"w\",\"x\",4],[\"w\",\"y\",1]]}\n"
	                           "{\"ops\":[[\"w\",\"x\",2]]}\n"
	                           "{\"ops\":[[\"w\",\"x\",3],[\"w\",\"y\",3]]}\n";
	assert_replays(text, si, "NNNN", AT(0, 0), AT(1, 0), AT(2, 0), AT(0, 1), AT(1, 1),
	               AT(2, 1));
	assert_replays(text, si, "", AT(0, 0), AT(0, 1), AT(1, 0), AT(1, 1), AT(2, 0), AT(2, 1));
	const uint32_t all[] = {AT(0, 0), AT(1, 0), AT(2, 0), AT(0, 1), AT(1, 1), AT(2, 1)};
	assert_string_equal(replayed(text, si, all, 6, 2).kinds, "NN"); /* its sink stops it */
	struct replay_rules pc = {.snapshot = true};
	assert_replays(text, pc, "", AT(0, 0), AT(1, 0), AT(2, 0), AT(0, 1), AT(1, 1), AT(2, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(wrong_orders_are_no_orders),
	        cmocka_unit_test(unknown_ones_may_take_part),
	        cmocka_unit_test(conflicts_are_all_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
