/*
 * What the search rests on: a problem, clocks and a topology whose invariants hold while edges
 * come and go, and validators that notice when they do not.
 */
#include "support.h"

#include "base/guard.h"
#include "order/clocks.h"
#include "order/first_order.h"
#include "order/saturate.h"
#include "order/topology.h"

static const char chain[] = "{\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n"
                            "{\"session\":2,\"ops\":[[\"r\",\"x\",1],[\"w\",\"y\",1]]}\n"
                            "{\"session\":3,\"ops\":[[\"r\",\"y\",1],[\"w\",\"x\",2]]}\n"
                            "{\"session\":4,\"ops\":[[\"w\",\"z\",1]]}\n";

struct made {
	struct test t;
	struct pool *pool;
	struct problem p;
	struct topology topology;
};

static void make(struct made *m, bool snapshot)
{
	m->t = test_start();
	const struct history *h = load_text(&m->t, "alibi", chain);
	struct guard *g = pool_guard(h->pool);
	m->pool = h->pool;
	if (guard_enter(g)) {
		uint64_t hint[16] = {0};
		problem_build(&m->p, m->pool, (struct component){components_whole(m->pool, h), 0},
		              (struct problem_rules){.snapshot = snapshot, .session = true});
		assert_true(topology_init(&m->topology, m->pool, &m->p, hint));
	}
	guard_leave(g);
	assert_int_equal(g->error.code, ALIBI_OK);
}

static void a_topology_follows_its_edges(void **state)
{
	(void)state;
	for (int snapshot = 0; snapshot < 2; snapshot++) {
		struct made m = {0};
		make(&m, snapshot);
		struct topology *t = &m.topology;
		node_id first = read_node(&m.p, 0), second = write_node(&m.p, 2);
		node_id free = write_node(&m.p, 3);
		assert_true(topology_insert(t, free, first, 0));
		assert_true(t->place[free.index] < t->place[first.index]);
		assert_true(topology_validate(t));
		/* 0 is before 1 is before 2, by reads; the free one is before all of them */
		assert_false(topology_insert(t, second, free, 2));
		assert_true(t->cycle.count >= 4);
		assert_true(topology_validate(t));
		topology_remove(t, free, first);
		assert_true(topology_insert(t, second, free, 4));
		assert_true(t->place[free.index] > t->place[second.index]);
		assert_true(topology_validate(t));
		t->place[first.index] = t->place[free.index];
		assert_false(topology_validate(t));
		test_release(&m.t);
	}
}

static size_t nothing(void *data, struct saturation *s)
{
	(void)data;
	(void)s;
	return 0;
}

static void clocks_say_what_comes_before(void **state)
{
	struct made m = {0};
	struct saturate_more more = {nothing, NULL};
	uint64_t derived = 0;
	(void)state;
	make(&m, true);
	struct guard *g = pool_guard(m.pool);
	if (guard_enter(g)) {
		uint64_t *hint = first_order_hint(m.pool, &m.p);
		struct saturation *s = saturate(&m.p, hint, &derived, &more);
		assert_non_null(s);
		assert_true(saturation_before(s, 0, read_node(&m.p, 2)));
		assert_true(saturation_after(s, 2, write_node(&m.p, 0)));
		assert_false(saturation_before(s, 3, read_node(&m.p, 2)));
		assert_true(saturation_validate(s));
		struct clocks c;
		clocks_init(&c, m.pool, &m.p);
		assert_true(clocks_sort(&c));
		clocks_make_chains(&c, UINT32_MAX);
		clocks_sweep_past(&c);
		clocks_sweep_future(&c);
		assert_true(clocks_validate(&c));
		c.past[write_node(&m.p, 2).index * c.chains + c.chain_of[0]] = 0;
		assert_false(clocks_validate(&c));
	}
	guard_leave(g);
	assert_int_equal(g->error.code, ALIBI_OK);
	test_release(&m.t);
}

static void a_problem_notices_a_wrong_candidate(void **state)
{
	struct made m = {0};
	(void)state;
	make(&m, false);
	assert_true(problem_validate(&m.p));
	assert_int_equal(m.p.reads.count, 2);
	m.p.candidates[m.p.reads.items[0].first] = 3; /* does not write x */
	assert_false(problem_validate(&m.p));
	test_release(&m.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_topology_follows_its_edges),
	        cmocka_unit_test(clocks_say_what_comes_before),
	        cmocka_unit_test(a_problem_notices_a_wrong_candidate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
