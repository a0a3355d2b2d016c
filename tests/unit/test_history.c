/* Invariants of a finished history, and a validator that notices when they do not hold. */
#include "support.h"

#include "history/validate.h"

static const char sample[] =
        "{\"alibi\":1,\"initial\":[[\"a/1\",{\"v\":1}]]}\n"
        "{\"session\":1,\"ops\":[[\"w\",\"a/2\",{\"v\":2}],[\"append\",\"l\",1]]}\n"
        "{\"session\":2,\"ops\":[[\"q\",{\"from\":\"a\",\"where\":[[\"v\",\"=\",2]]},"
        "[[\"a/2\",{\"v\":2}]]],[\"r\",\"l\",[1]]]}\n"
        "{\"session\":1,\"ops\":[[\"u\",{\"from\":\"a\"},{\"set\":{\"v\":[\"+\",\"v\",1]}}]]}\n";

static void test_valid(void **state)
{
	(void)state;
	struct test t = test_start();
	assert_true(history_validate(load_text(&t, "alibi", sample)));
	assert_true(history_validate(load_text(&t, "alibi", "")));
	test_release(&t);
}

/* One word of a copy is wrong. */
static void test_invalid(void **state)
{
	(void)state;
	struct test t = test_start();
	struct history h = *load_text(&t, "alibi", sample);
	h.txns[1].first_op++;
	h.txns[2].first_op--;
	assert_false(history_validate(&h));
	h.txns[1].first_op--;
	h.txns[2].first_op++;
	assert_true(history_validate(&h));
	h.session_txns[0] = 1;
	assert_false(history_validate(&h));
	h.session_txns[0] = 0;
	h.ops[1].value = h.ops[4].value; /* a list is appended to a list */
	assert_false(history_validate(&h));
	h.ops[1].value = ATOM_NULL;
	assert_true(history_validate(&h));
	h.queries->list.items[0].rows++; /* takes the read of the list for a row */
	assert_true(history_validate(&h));
	h.queries->list.items[0].rows++; /* … and an operation of the next transaction */
	assert_false(history_validate(&h));
	test_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_valid),
	                                   cmocka_unit_test(test_invalid)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
