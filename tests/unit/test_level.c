/*
 * Levels by other names: the table keeps its promises, and look-ups find what they
 * should.
 */
#include "choices.h"
#include "level_names.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

static bool is_level(const char *name)
{
	for (size_t i = 0; i < alibi_level_count(); i++)
		if (!strcmp(level_info(i).name, name))
			return true;
	return false;
}

static void keeps_its_promises(void **state)
{
	(void)state;
	for (size_t i = 0; i < level_name_count; i++) {
		struct level_name a = level_name_table[i], first;
		assert_true(is_level(a.level));
		assert_non_null(a.whose);
		if (a.difference)
			assert_int_not_equal(a.difference[strlen(a.difference) - 1], '.');
		for (size_t j = i + 2; j < level_name_count; j++) /* names stand together */
			if (!strcmp(level_name_table[j].name, a.name))
				assert_string_equal(level_name_table[j - 1].name, a.name);
		char full[128];
		snprintf(full, sizeof full, "%s:%s", a.whose, a.name);
		assert_true(level_name_find(full, &first));
		assert_string_equal(first.whose, a.whose);
		assert_string_equal(first.level, a.level);
	}
}

static const struct {
	const char *typed, *level;
	bool ignore_sessions;
} same[] = {
        {"ser", "ser", false},
        {"SI", "si", false},
        {"PL-3", "ser", true},
        {"pl-si", "si", true},
        {"PL-SS", "sser", false},
        {"SERIALIZABLE", "ser", true},
        {"serializable", "ser", true},
        {":serializable", "ser", true},
        {"dbcop:serializable", "ser", false},
        {"snapshot isolation", "si", true},
        {"Elle:Snapshot_Isolation", "si", true},
        {"strong-session-snapshot-isolation", "si", false},
        {"strong-session-serializable", "ser", false},
        {"strict-serializable", "sser", false},
        {"strong-serializable", "sser", false},
        {"read-atomic", "ra", true},
        {"awdit:read-atomic", "ra", false},
        {"AWDIT:read-committed", "rc", false},
        {"causal-cerone", "cc", true},
        {"AWDIT:causal", "cc", false},
        {"TCC", "cc", false},
        {"prefix", "pc", true},
        {"dbcop:prefix", "pc", false},
        {"atomic-read", "ra", false},
};

static void finds_what_is_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		struct level_name a;
		assert_true(level_name_find(same[i].typed, &a));
		assert_string_equal(a.level, same[i].level);
		assert_null(a.difference);
		assert_int_equal(a.ignore_sessions, same[i].ignore_sessions);
	}
}

static const struct {
	const char *typed, *nearest, *difference; /* a part of it */
} different[] = {
        {"PL-2", "rc", "rc is stronger"},
        {"read committed", "rc", "rc is stronger"},
        {"READ UNCOMMITTED", "rc", "dirty writes"},
        {"PL-2+", "cc", "forbids lost updates, which cc allows"},
        {"parallel-snapshot-isolation", "cc", "allows long forks"},
        {"REPEATABLE READ", "ser", "it is not si"},
        {"PL-2.99", "ser", "it is not si"},
        {"Elle:repeatable-read", "ser", "phantoms"},
        {"strong-snapshot-isolation", "si", "client times do not count"},
        {"causal", "cc", "out of scope"},
        {"linearizable", "sser", "out of scope"},
        {"committed-read", "rc", "one key"},
        {"Plume:RA", "ra", "single key"},
        {"cursor-stability", "rc", "cursor"},
        {"update-serializable", "ser", "only read"},
        {"forward-consistent-view", "si", "after its start"},
        {"monotonic-atomic-view", "rc", "not known"},
};

static void tells_what_is_different(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof different / sizeof *different; i++) {
		struct level_name a;
		assert_true(level_name_find(different[i].typed, &a));
		assert_string_equal(a.level, different[i].nearest);
		assert_non_null(a.difference);
		assert_non_null(strstr(a.difference, different[i].difference));
	}
}

static void finds_nothing_else(void **state)
{
	static const char *const names[] = {
	        "", ":", "s", "serial", "Elle:", "Adya:ser", "SQL:PL-3", "ser:", "seri-alizable"};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct level_name a;
		assert_false(level_name_find(names[i], &a));
	}
}

int main(void)
{
	choices_fill();
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(keeps_its_promises),
	        cmocka_unit_test(finds_what_is_the_same),
	        cmocka_unit_test(tells_what_is_different),
	        cmocka_unit_test(finds_nothing_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
