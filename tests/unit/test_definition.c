/*
 * definition, evaluate: the language of levels, its refusals word by word, and what
 * formulas mean, on histories made by hand.
 */
#include "base/guard.h"
#include "support.h"
#include "synth/evaluate.h"

#include <stdio.h>
#include <string.h>

static struct guard guard;
static struct pool *pool;

static int start(void **state)
{
	(void)state;
	guard_init(&guard);
	pool = pool_root(&guard);
	return pool ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	pool_release(pool);
	return 0;
}

/* A definition, or NULL with guard.error. */
static const struct definition *parse(const char *text)
{
	const struct definition *volatile d = NULL;
	if (guard_enter(&guard))
		d = definition_parse(pool, "a.level", text, strlen(text));
	guard_leave(&guard);
	return d;
}

static void test_refusals(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
	        {"", "a.level:1:1: expected level, found the end"},
	        {"title", "a.level:1:1: expected level, found title"},
	        {"level all", "a.level:1:7: expected a name for the level, found all"},
	        {"level a", "a.level:1:8: expected over, found the end"},
	        {"level a title b", "a.level:1:15: expected the title in quotes, found b"},
	        {"level a title \"b\nc\"",
	         "a.level:1:15: the text that begins here has no closing \" in its line"},
	        {"level a\nover so", "a.level:2:6: expected 'co' or 'vis, ar', found so"},
	        {"level a over vis", "a.level:1:17: expected ,, found the end"},
	        {"level a over co same as sser",
	         "a.level:1:25: sser is not a level that definitions can be compared with; "
	         "these are rc, ra, cc, pc, si, ser"},
	        {"level a over co\n\n  axiom", "a.level:3:8: expected a name for the axiom, found "
	                                       "the end"},
	        {"level a over co axiom b true", "a.level:1:25: expected :, found true"},
	        {"level a over co # so\nhello",
	         "a.level:2:1: expected 'let', 'axiom' or the end, found hello"},
	        {"level a over co axiom b: $", "a.level:1:26: this is not part of the language; "
	                                       "see the grammar in docs/synth.md"},
	        {"level a over co axiom b: all t so(t, t)", "a.level:1:32: expected :, found so"},
	        {"level a over co axiom b: all t: so(t, u)",
	         "a.level:1:39: u is not bound; introduce it with 'all u:' or 'some u:'"},
	        {"level a over co axiom b: all t: some t: true",
	         "a.level:1:38: t is already bound; use another name"},
	        {"level a over co axiom b: all t, x: so(t, x)",
	         "a.level:1:42: so takes a transaction here, but x is a key: names of keys begin "
	         "with x, y or z"},
	        {"level a over co axiom b: all t, u: writes(t, u)",
	         "a.level:1:46: writes takes a key here, but u is a transaction: names of keys "
	         "begin "
	         "with x, y or z"},
	        {"level a over co axiom b: all t, u: vis(t, u)",
	         "a.level:1:36: there is no vis; there are writes, reads, before, so, "
	         "wr, "
	         "co"},
	        {"level a over co axiom b: all t, x: t != x",
	         "a.level:1:41: != takes a transaction here, but x is a key: names of keys begin "
	         "with x, y or z"},
	        {"level a over co axiom b: (true", "a.level:1:31: expected ), found the end"},
	        {"level a over co let so = wr",
	         "a.level:1:21: so is already defined; use another name"},
	        {"level a over co let b(s, x) = true",
	         "a.level:1:26: a relation is between two transactions, but x is a key"},
	        {"level a over co let b = so | c",
	         "a.level:1:30: there is no c; there are writes, reads, before, so, wr, "
	         "co"},
	        {"level a over co let b = b",
	         "a.level:1:25: there is no b; there are writes, reads, before, so, wr, "
	         "co"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_null(parse(cases[i].text));
		assert_string_equal(guard.error.text, cases[i].message);
		assert_int_equal(guard.error.code, ALIBI_INPUT);
	}
}

static void test_limits(void **state)
{
	char text[1024] = "level a over co axiom b: ";
	(void)state;
	size_t n = strlen(text);
	memset(text + n, '(', 200);
	text[n + 200] = 0;
	assert_null(parse(text));
	assert_non_null(strstr(guard.error.text, "levels of parentheses"));
	snprintf(text + n, sizeof text - n, "all a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q: true");
	assert_null(parse(text));
	assert_non_null(strstr(guard.error.text, "more than 16 variables"));
	memset(text + n, 'a', 100);
	text[n + 100] = 0;
	assert_null(parse(text));
	assert_non_null(strstr(guard.error.text, "longer than 63 letters"));
}

static void test_library(void **state)
{
	(void)state;
	for (size_t i = 0; i < library_level_count; i++) {
		const struct definition *d = parse(library_levels[i].text);
		assert_non_null(d);
		assert_string_equal(d->name, library_levels[i].name);
		assert_non_null(d->title);
	}
}

/* T1 writes x and y; T2, after it in their session, reads x from T1, then y's initial value. */
static const struct skeleton fractured = {
        .txns = 2,
        .keys = 2,
        .writes = {[1] = {true, true}},
        .from = {[1] = {NOT_READ, NOT_READ}, [2] = {1, 0}},
        .place = {[2] = {0, 1}},
        .session = {[1] = 1, [2] = 1},
};

static bool allows(const struct definition *d, const struct skeleton *s)
{
	struct witness w;
	bool volatile yes = false;
	if (guard_enter(&guard))
		yes = evaluate_allows(pool, d, s, &w);
	guard_leave(&guard);
	assert_int_equal(guard.error.code, ALIBI_OK);
	return yes;
}

static bool holds(const char *formula)
{
	char text[512];
	snprintf(text, sizeof text,
	         "level a over co let twice = co ; co let steps = so+ let upto = "
	         "co* let both = co & wr let either = so | wr axiom a: %s",
	         formula);
	const struct definition *d = parse(text);
	if (!d)
		print_message("%s\n", guard.error.text);
	assert_non_null(d);
	return allows(d, &fractured);
}

static void test_formulas(void **state)
{
	static const char *const right[] = {
	        "true",
	        "some s, t, x: s != t and wr(s, t, x) and writes(s, x)",
	        "all t, x: reads(t, x) => some s: wr(s, t, x)",
	        "all x: some t: writes(t, x) and not some s: so(s, t)",
	        "some t: all s: not co(s, t)",
	        "some t, x, y: x != y and before(t, x, y)",
	        "not some t, x, y: before(t, x, y) and before(t, y, x)",
	        "some s, t: twice(s, t) and steps(s, t) and not both(t, s)",
	        "all s, t: upto(s, t) => s = t or co(s, t)",
	        "all s, t: either(s, t) => co(s, t)",
	        "some s, t: both(s, t)",
	        "not true => not true",
	        "true or not true and not true",
	        "some t: (all s: s = t or co(t, s)) and all x: writes(t, x)",
	};
	static const char *const wrong[] = {
	        "not true",
	        "all t: some x: writes(t, x)",
	        "some s, t: so(s, t) and co(t, s)",
	        "some s, t, x: wr(s, t, x) and wr(t, s, x)",
	        "true => not true",
	        "some t: both(t, t) or steps(t, t)",
	        "all t: some s: co(s, t)",
	};
	(void)state;
	for (size_t i = 0; i < sizeof right / sizeof *right; i++)
		if (!holds(right[i]))
			fail_msg("%s", right[i]);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (holds(wrong[i]))
			fail_msg("%s", wrong[i]);
}

/* A fractured read within a session: at rc it depends on which key was read first. */
static void test_levels(void **state)
{
	(void)state;
	struct skeleton other = fractured;
	other.place[2][0] = 1;
	other.place[2][1] = 0;
	for (size_t i = 0; i < library_level_count; i++) {
		const struct definition *d = parse(library_levels[i].text);
		bool us = !strcmp(d->name, "us");
		assert_int_equal(allows(d, &fractured), us);
		assert_int_equal(allows(d, &other), us || !strcmp(d->name, "rc"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_refusals, start, end),
	        cmocka_unit_test_setup_teardown(test_limits, start, end),
	        cmocka_unit_test_setup_teardown(test_library, start, end),
	        cmocka_unit_test_setup_teardown(test_formulas, start, end),
	        cmocka_unit_test_setup_teardown(test_levels, start, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
