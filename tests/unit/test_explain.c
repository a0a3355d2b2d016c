/*
 * Explanations as data: a hand-made history for each name, and what is said of it.
 */
#include "support.h"

#include "base/guard.h"
#include "explain/shortcut.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 4096 };

static const alibi_explanation *explained_with(struct test *t, const char *text,
                                               alibi_check_options options)
{
	const alibi_history *h = (const alibi_history *)load_text(t, "alibi", text);
	const alibi_result *r = alibi_check(t->job, h, &options);
	if (!r)
		fail_msg("%s", alibi_last_error(t->job)->text);
	assert_int_equal(r->verdict, ALIBI_VIOLATES);
	const alibi_explanation *e = alibi_explain(t->job, h, &options, r);
	if (!e)
		fail_msg("%s", alibi_last_error(t->job)->text);
	assert_true(e->count > 0);
	for (size_t i = 0; i < e->count; i++) {
		const alibi_result *again = alibi_check(t->job, e->anomalies[i].reduced, &options);
		assert_non_null(again);
		assert_int_equal(again->verdict, ALIBI_VIOLATES);
	}
	return e;
}

static const alibi_explanation *explained(struct test *t, const char *text, const char *level,
                                          enum alibi_order order)
{
	return explained_with(t, text,
	                      (alibi_check_options){ALIBI_INIT(alibi_check_options), .level = level,
	                                            .order = order});
}

/* "name adya: ids; rw ww | …", the cases apart. */
static const char *outline(const alibi_anomaly *a, char text[TEXT_MAX])
{
	size_t at = 0;
#define ADD(...) at += (size_t)snprintf(text + at, TEXT_MAX - at, __VA_ARGS__)
	ADD("%s %s:", a->name, a->adya ? a->adya : "-");
	for (size_t i = 0; i < a->txn_count; i++)
		ADD(" %s", a->txns[i]);
	for (size_t i = 0; i < a->case_count; i++) {
		ADD("%s", i ? " |" : ";");
		for (size_t j = 0; j < a->cases[i].edge_count; j++)
			ADD(" %s", a->cases[i].edges[j].kind);
	}
#undef ADD
	assert_true(at < TEXT_MAX);
	return text;
}

#define S(session, ...) "{\"session\":" #session ",\"ops\":[" __VA_ARGS__ "]}\n"
#define ABORTED(...) "{\"status\":\"abort\",\"ops\":[" __VA_ARGS__ "]}\n"
#define T(...) "{\"ops\":[" __VA_ARGS__ "]}\n"
#define AT(begin, end, ...) "{\"begin\":" #begin ",\"end\":" #end ",\"ops\":[" __VA_ARGS__ "]}\n"
#define R(key, value) "[\"r\",\"" #key "\"," #value "]"
#define L(key, ...) "[\"r\",\"" #key "\",[" #__VA_ARGS__ "]]"
#define EMPTY(key) "[\"r\",\"" #key "\",[]]"
#define W(key, value) "[\"w\",\"" #key "\"," #value "]"
#define A(key, value) "[\"append\",\"" #key "\"," #value "]"
#define C ","

static const struct example {
	const char *level, *text, *outline, *summary;
} examples[] = {
        {"rc", T(W(x, 1)) T(R(x, 2)) T(R(x, 1)), "unwritten-read -: 2;",
         "T2 read x = 2, which no transaction wrote"},
        {"rc", ABORTED(W(x, 1)) T(R(x, 1)), "G1a G1a: 1 2;",
         "T2 read x = 1, which T1 wrote, but T1 aborted"},
        {"rc", T(W(x, 1) C W(x, 2)) T(R(x, 1)), "G1b G1b: 1 2;",
         "T2 read x = 1, which T1 wrote, but overwrote before it committed"},
        {"rc", T(A(x, 1) C A(x, 2)) T(L(x, 1)), "G1b G1b: 1 2;",
         "T2 read x = [1], which has only some of the elements that T1 appended"},
        {"rc", T(W(x, 1) C R(x, 2)) T(W(x, 2)), "internal -: 1;",
         "T1 read x = 2, though it had itself written x = 1"},
        {"ra", T(R(x, 1) C R(x, 2)) T(W(x, 1)) T(W(x, 2)), "non-repeatable-read -: 1 2 3;",
         "T1 read x = 2, though it had read x = 1 before"},
        {"rc", T(R(x, 1) C W(x, 1)), "future-read -: 1;",
         "T1 read x = 1, which it wrote only later"},
        {"ra", T(W(x, 0)) T(R(x, 0) C R(x, 1) C W(x, 1)) T(W(x, 1)),
         "non-repeatable-read -: 1 2 3;", "T2 read x = 1, though it had read x = 0 before"},
        {"rc", T(L(x, 1) C A(x, 1)), "future-read -: 1;",
         "T1 read x = [1] with 1 in it, which it appended only later"},
        {"rc", ABORTED(A(x, 1)) T(A(x, 2)) T(L(x, 1, 2)), "dirty-update G1a: 1 2 3;",
         "T3 read x = [1,2], in which others appended after 1, which T1 had appended, but T1 "
         "aborted"},
        {"rc", T(A(x, 1)) T(A(x, 2)) T(L(x, 1, 2, 1)), "duplicate-elements -: 1 2 3;",
         "T3 read x = [1,2,1], which has 1 more often than it was appended"},
        {"rc", T(A(x, 1)) T(A(x, 2)) T(L(x, 1, 2)) T(L(x, 2, 1)),
         "incompatible-order -: 1 2 3 4; ww ww", "T1 wrote before T2, and T2 before T1"},
        {"rc", T(A(x, 1) C A(x, 2)) T(A(x, 3)) T(L(x, 1, 3, 2)), "G0 G0: 1 2 3;",
         "T3 read x = [1,3,2], in which other elements separate those that T1 appended"},
        {"rc", T(A(x, 1) C A(x, 2)) T(L(x, 2, 1)), "incompatible-order -: 1 2;",
         "T2 read x = [2,1], in which the elements that T1 appended are in another order"},
        {"rc", T(A(x, 1) C A(y, 1)) T(A(x, 2) C A(y, 2)) T(L(x, 1, 2) C L(y, 2, 1)),
         "G0 G0: 1 2 3; ww ww", "T1 wrote before T2, and T2 before T1"},
        {"rc", T(W(x, 1) C R(y, 1)) T(W(y, 1) C R(x, 1)), "G1c G1c: 1 2; wr wr",
         "T1 read what T2 wrote, though T1 came before T2"},
        {"rc", S(1, R(x, 1) C W(y, 1)) S(2, R(y, 1)) S(2, W(x, 1)),
         "G1c-process G1c-process: 1 2 3; wr wr so",
         "T1 read what T3 wrote, though T1 came before T3"},
        {"ra", T(W(x, 1) C W(y, 1)) T(R(x, 1) C R(y, null)), "fractured-read G-single: 1 2; rw wr",
         "T2 read x = 1, which T1 wrote, but did not see what T1 wrote to y"},
        {"ra", S(1, W(x, 1)) S(1, R(x, null)), "G-single-process G-single-process: 1 2; rw so",
         "T2 did not see what T1 wrote to x, though T1 came before T2 in session 1"},
        {"cc", T(W(x, 1)) T(R(x, 1) C W(y, 1)) T(R(y, 1) C R(x, null)),
         "causality-violation G-single: 1 2 3; rw wr wr",
         "T3 saw an effect of T1, but not what T1 wrote to x"},
        {"pc", T(W(x, 1)) T(W(y, 1)) T(R(x, 1) C R(y, null)) T(R(y, 1) C R(x, null)),
         "long-fork G-nonadjacent: 1 2 3 4; rw wr rw wr",
         "T3 did not see what T2 wrote to y, and T4 did not see what T1 wrote to x: they saw these "
         "writes in opposite orders"},
        {"si", T(R(x, null) C W(x, 1)) T(R(x, null) C W(x, 2)),
         "lost-update G-single: 1 2; rw ww | rw ww",
         "T2 and T1 both replaced x = null; the update of one of them is lost"},
        {"si", T(W(x, 0)) T(R(x, 0) C W(x, 1)) T(R(x, 0) C W(x, 2)) T(R(x, 2)),
         "lost-update G-single: 1 2 3; rw ww | rw ww",
         "T3 and T2 both replaced x = 0; the update of one of them is lost"},
        {"si", T(A(x, 1) C A(y, 1)) T(A(x, 2) C EMPTY(y)) T(L(x, 1, 2)),
         "G-single G-single: 1 2 3; rw ww",
         "T2 did not see what T1 wrote to y, though T1 came before it"},
        {"si", T(R(x, null) C R(z, 1)) S(1, W(x, 1)) S(1, R(z, null)) T(W(z, 1)),
         "G-nonadjacent-process G-nonadjacent-process: 1 2 3 4; rw so rw wr",
         "T1 did not see what T2 wrote to x, and T3 did not see what T4 wrote to z: none of them "
         "can "
         "have come first"},
        {"ser", T(R(x, null) C W(y, 1)) T(R(y, null) C W(x, 1)), "write-skew G2-item: 1 2; rw rw",
         "T1 did not see what T2 wrote to x, and T2 did not see what T1 wrote to y: neither can "
         "have "
         "come first"},
        {"ser", T(R(x, null) C W(y, 1)) T(R(y, null) C W(z, 1)) T(R(z, null) C W(x, 1)),
         "G2-item G2-item: 1 2 3; rw rw rw",
         "T1 did not see what T3 wrote to x, and T3 did not see what T2 wrote to z, and T2 did not "
         "see what T1 "
         "wrote to y: none of them can have come first"},
        {"sser", AT(1, 2, W(x, 1)) AT(3, 4, R(x, null)),
         "G-single-realtime G-single-realtime: 1 2; rw rt",
         "T2 did not see what T1 wrote to x, though T1 ended at 2, before T2 began at 3"},
        {"sser", AT(1, 2, R(x, 1)) AT(3, 4, W(x, 1)), "G1c-realtime G1c-realtime: 1 2; wr rt",
         "T1 read what T2 wrote, though T1 came before T2"},
        {"sser",
         "{\"session\":1,\"begin\":5,\"end\":6,\"ops\":[" W(
                 x, 1) "]}\n"
                       "{\"session\":1,\"begin\":1,\"end\":2,\"ops\":[" W(y, 1) "]}\n",
         "clock-order -: 1 2; rt so",
         "T2 ended at 2, before T1 began at 5, but comes after it in session order"},
        {"rc", T(W(x, 1)) T(W(y, 1)) "{\"ops\":[[\"r\",\"x\",1,{\"from\":2}]]}\n",
         "wrong-writer -: 1 2 3;",
         "T3 read x = 1, which the database says T2 wrote last, but it did not"},
};

static void each_has_its_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		const struct example *x = &examples[i];
		struct test t = test_start();
		char text[TEXT_MAX];
		const alibi_explanation *e = explained(&t, x->text, x->level, ALIBI_ORDER_NONE);
		assert_string_equal(outline(&e->anomalies[0], text), x->outline);
		assert_string_equal(e->anomalies[0].summary, x->summary);
		assert_string_equal(e->level, x->level);
		assert_true(e->counted_all);
		assert_int_equal(e->count, 1);
		test_release(&t);
	}
}

/* Whatever its transactions do: with each of their operations it would be the same. */
static void clocks_are_reported_once(void **state)
{
	(void)state;
	static const char text[] =
	        "{\"session\":1,\"begin\":100,\"end\":110,\"ops\":[[\"w\",\"x\",1],[\"w\",\"y\",1]]"
	        "}\n"
	        "{\"session\":1,\"begin\":10,\"end\":20,\"ops\":[[\"w\",\"p\",1],[\"w\",\"q\",1],"
	        "[\"r\",\"x\",1],[\"r\",\"g\",7]]}\n"
	        "{\"session\":2,\"begin\":50,\"end\":60,\"ops\":[[\"w\",\"u\",1],[\"w\",\"v\",1]]}"
	        "\n"
	        "{\"session\":2,\"begin\":30,\"end\":40,\"ops\":[[\"w\",\"s\",1],[\"w\",\"t\",1]]}"
	        "\n";
	static const char *const outlines[] = {"unwritten-read -: 2;", "clock-order -: 1 2; rt so",
	                                       "clock-order -: 3 4; rt so"};
	struct test t = test_start();
	char outlined[TEXT_MAX];
	const alibi_explanation *e = explained(&t, text, "sser", ALIBI_ORDER_NONE);
	assert_int_equal(e->count, 3);
	assert_true(e->counted_all);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(outline(&e->anomalies[i], outlined), outlines[i]);
	test_release(&t);
}

static void edges_are_described(void **state)
{
	(void)state;
	static const char text[] =
	        "{\"alibi\":1,\"initial\":[[\"x\",0]]}\n"
	        "{\"id\":\"a\",\"session\":\"s\",\"ops\":[" W(
	                x, 1) "]}\n"
	                      "{\"id\":\"b\",\"session\":\"s\",\"ops\":[" W(x, 2)
	                              C W(y, 1) "]}\n"
	                                        "{\"id\":\"c\",\"ops\":[" R(y, 1)
	                                                C R(x, 1) "]}\n"
	                                                          "{\"id\":\"d e\",\"ops\":[" R(
	                                                                  y, 1) "]}\n";
	struct test t = test_start();
	const alibi_explanation *e = explained(&t, text, "ra", ALIBI_ORDER_NONE);
	const alibi_anomaly *a = &e->anomalies[0];
	assert_int_equal(a->case_count, 1);
	assert_null(a->cases[0].assumption);
	assert_int_equal(a->cases[0].edge_count, 2);
	assert_string_equal(
	        a->cases[0].edges[0].text,
	        "c read x = 1, which a wrote and b replaced (a came before b in session "
	        "s), so c came before b");
	assert_string_equal(a->cases[0].edges[1].text,
	                    "c read y = 1, which b wrote, so b came before c");
	assert_string_equal(a->cases[0].edges[1].key, "\"y\"");
	assert_string_equal(a->txns[a->cases[0].edges[1].from], "\"b\"");
	assert_string_equal(a->cases[0].text, "c came before b, and b before c: a contradiction");
	assert_saved(&t, (const struct history *)a->reduced, "alibi",
	             "{\"alibi\":1,\"initial\":[[\"x\",0]]}\n"
	             "{\"id\":\"a\",\"session\":\"s\",\"ops\":[" W(
	                     x, 1) "]}\n"
	                           "{\"id\":\"b\",\"session\":\"s\",\"ops\":[" W(x, 2)
	                                   C W(y, 1) "]}\n"
	                                             "{\"id\":\"c\",\"ops\":[" R(y, 1)
	                                                     C R(x, 1) "]}\n");
	test_release(&t);
}

/* The version order is not known, nor the writer of a value that was read. */
static void cases_leave_no_way_out(void **state)
{
	(void)state;
	struct test t = test_start();
	const alibi_explanation *e =
	        explained(&t, T(R(x, null) C W(x, 1)) T(R(x, null) C W(x, 2)), "ser", 0);
	assert_int_equal(e->anomalies[0].case_count, 2);
	assert_string_equal(e->anomalies[0].cases[0].assumption, "T1 wrote x before T2");
	assert_string_equal(e->anomalies[0].cases[1].assumption, "T2 wrote x before T1");
	assert_string_equal(e->anomalies[0].cases[1].edges[1].text,
	                    "T2 wrote x before T1, as assumed");
	test_release(&t);

	t = test_start();
	e = explained(&t, S(1, R(x, 1) C W(y, 1)) S(1, W(x, 1)) S(2, R(y, 1) C W(x, 1)), "rc", 0);
	assert_int_equal(e->anomalies[0].case_count, 2);
	assert_string_equal(e->anomalies[0].cases[0].assumption, "T1 read x = 1 from T2");
	assert_string_equal(e->anomalies[0].cases[1].assumption, "T1 read x = 1 from T3");
	test_release(&t);
}

/* They rest on other reads; the simplest comes first. */
static void violations_are_listed_apart(void **state)
{
	(void)state;
	static const char text[] = T(R(x, null) C W(y, 1)) T(R(y, null) C W(x, 1)) T(W(a, 1))
	        T(W(b, 1)) T(R(a, 1) C R(b, null)) T(R(b, 1) C R(a, null)) T(R(z, 9));
	struct test t = test_start();
	const alibi_explanation *e = explained(&t, text, "ser", ALIBI_ORDER_NONE);
	assert_int_equal(e->count, 3);
	assert_true(e->counted_all);
	assert_string_equal(e->anomalies[0].name, "unwritten-read");
	assert_string_equal(e->anomalies[1].name, "write-skew");
	assert_string_equal(e->anomalies[2].name, "long-fork");
	test_release(&t);
}

static void long_lists_are_cut(void **state)
{
	(void)state;
	enum { LENGTH = 40 };
	char text[LENGTH * 64 + 1024], list[LENGTH * 8];
	size_t at = 0, of_list = 0;
	for (int i = 0; i < LENGTH; i++) {
		at += (size_t)snprintf(text + at, sizeof text - at,
		                       "{\"ops\":[[\"append\",\"x\",%d]]}\n", i);
		of_list += (size_t)snprintf(list + of_list, sizeof list - of_list, "%d,", i);
	}
	snprintf(text + at, sizeof text - at,
	         "{\"id\":\"w\",\"ops\":[[\"append\",\"x\",100],[\"append\",\"y\",100]]}\n"
	         "{\"id\":\"r\",\"ops\":[[\"r\",\"x\",[%s100]],[\"r\",\"y\",[]]]}\n",
	         list);
	struct test t = test_start();
	const alibi_explanation *e = explained(&t, text, "ser", ALIBI_ORDER_NONE);
	assert_true(e->anomalies[0].lists_cut);
	assert_saved(&t, (const struct history *)e->anomalies[0].reduced, "alibi",
	             "{\"id\":\"w\",\"ops\":[" A(x, 100)
	                     C A(y, 100) "]}\n"
	                                 "{\"id\":\"r\",\"ops\":[" L(x, 100) C EMPTY(y) "]}\n");
	test_release(&t);
}

static void timestamps_are_explained_too(void **state)
{
	(void)state;
#define STAMPED(start, commit, ops)                                                                \
	"{\"start_ts\":" #start ",\"commit_ts\":" #commit ",\"ops\":[" ops "]}\n"
	static const struct {
		const char *text, *outline;
	} cases[] = {
	        {STAMPED(1, 4, W(x, 1)) STAMPED(2, 5, W(x, 2)), "write-conflict -: 1 2;"},
	        {STAMPED(1, 2, W(x, 1)) STAMPED(3, 4, R(x, null)), "wrong-snapshot -: 1 2;"},
	        {STAMPED(1, 2, R(x, 7)) STAMPED(3, 4, R(x, null)), "garbage-read -: 1;"},
	        {"{\"session\":1,\"start_ts\":5,\"commit_ts\":6,\"ops\":[" R(
	                 x, null) "]}\n"
	                          "{\"session\":1,\"start_ts\":1,\"commit_ts\":2,\"ops\":[" R(
	                                  x, null) "]}\n",
	         "session-order -: 1 2;"},
	};
#undef STAMPED
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct test t = test_start();
		char text[TEXT_MAX];
		const alibi_explanation *e =
		        explained(&t, cases[i].text, "si", ALIBI_ORDER_TIMESTAMPS);
		assert_string_equal(outline(&e->anomalies[0], text), cases[i].outline);
		assert_true(e->counted_all);
		test_release(&t);
	}
}

/* Clocks that count at another level, and sessions that do not. */
static void only_what_counts_is_used(void **state)
{
	(void)state;
	struct test t = test_start();
	char text[TEXT_MAX];
	const alibi_explanation *e =
	        explained_with(&t, AT(1, 2, W(x, 1)) AT(9, 9, R(x, null)),
	                       (alibi_check_options){ALIBI_INIT(alibi_check_options), .level = "pc",
	                                             .assume_time_order = true});
	assert_string_equal(outline(&e->anomalies[0], text),
	                    "G-single-realtime G-single-realtime: 1 2; rw rt");
	test_release(&t);

	static const char skewed[] =
	        S(1, R(x, null) C W(y, 1)) S(1, W(z, 1)) S(2, R(y, null) C W(x, 1)) S(2, R(z, 1));
	t = test_start();
	e = explained_with(&t, skewed,
	                   (alibi_check_options){ALIBI_INIT(alibi_check_options), .level = "ser",
	                                         .ignore_sessions = true});
	assert_string_equal(outline(&e->anomalies[0], text), "write-skew G2-item: 1 3; rw rw");
	assert_int_equal(e->count, 1);
	test_release(&t);
}

/* T4 knows of T1 through T2 and T3, and by itself; the first way is given. */
static void shorter_ways_are_taken(void **state)
{
	(void)state;
	static const char text[] = T(W(x, 1) C W(a, 1) C W(z, 1)) T(R(a, 1) C W(b, 1))
	        T(R(b, 1) C W(c, 1)) T(R(c, 1) C R(z, 1) C R(x, null));
	static const bool given[] = {true, true, false, true, true, true, true, true, false, true};
	struct test t = test_start();
	const struct history *h = load_text(&t, "alibi", text);
	struct check_options options = {.level = level_named("cc"), .session_order = true};
	struct guard *g = pool_guard(h->pool);
	struct subset part = {0};
	if (guard_enter(g)) {
		part = subset_of(h->pool, h, given);
		assert_int_equal(part.h->txn_count, 4);
		shortcut(h->pool, h, &options, 2, &part);
	}
	guard_leave(g);
	assert_int_equal(g->error.code, ALIBI_OK);
	assert_saved(&t, part.h, "alibi",
	             "{\"id\":1,\"ops\":[" W(x, 1) C W(z, 1) "]}\n"
	                                                     "{\"id\":4,\"ops\":[" R(z, 1)
	                                                             C R(x, null) "]}\n");
	assert_int_equal(part.origin[1], 2);
	test_release(&t);
}

static void what_holds_is_not_explained(void **state)
{
	(void)state;
	struct test t = test_start();
	const alibi_history *h = (const alibi_history *)load_text(&t, "alibi", T(W(x, 1)));
	alibi_check_options options = {ALIBI_INIT(alibi_check_options), .level = "si"};
	const alibi_result *r = alibi_check(t.job, h, &options);
	assert_non_null(r);
	assert_null(alibi_explain(t.job, h, &options, r));
	assert_string_equal(alibi_last_error(t.job)->text,
	                    "the history does not violate si, so there is nothing to explain");
	test_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_has_its_name),
	        cmocka_unit_test(clocks_are_reported_once),
	        cmocka_unit_test(edges_are_described),
	        cmocka_unit_test(cases_leave_no_way_out),
	        cmocka_unit_test(violations_are_listed_apart),
	        cmocka_unit_test(long_lists_are_cut),
	        cmocka_unit_test(timestamps_are_explained_too),
	        cmocka_unit_test(only_what_counts_is_used),
	        cmocka_unit_test(shorter_ways_are_taken),
	        cmocka_unit_test(what_holds_is_not_explained),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
