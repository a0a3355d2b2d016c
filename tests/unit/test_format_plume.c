/* The text of PolySI, Plume, AWDIT and IsoVista: lines into transactions and back. */
#include "support.h"

#include <string.h>

static void gathers_the_lines_of_a_transaction(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h = load_text(&t, NULL,
	                                    "w(1,10,7,3)\n"
	                                    "r(1,0,8,2)\n"
	                                    "w(2,11,7,5)\r\n"
	                                    "\n"
	                                    "w(1,0,7,3)\n"
	                                    "r(2,11,8,2)");
	assert_string_equal(h->format, "plume");
	assert_saved(&t, h, "alibi",
	             "{\"alibi\":1,\"initial_default\":0}\n"
	             "{\"id\":3,\"session\":7,\"ops\":[[\"w\",1,10],[\"w\",1,0]]}\n"
	             "{\"id\":2,\"session\":8,\"ops\":[[\"r\",1,0],[\"r\",2,11]]}\n"
	             "{\"id\":5,\"session\":7,\"ops\":[[\"w\",2,11]]}\n");
	assert_saved(&t, h, "plume",
	             "w(1,10,7,3)\nw(1,0,7,3)\nr(1,0,8,2)\nr(2,11,8,2)\nw(2,11,7,5)\n");
	assert_string_equal(save_drops(&t, h, "plume"), "");
	test_release(&t);
}

static void takes_a_run_of_aborted_lines_for_a_transaction(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h = load_text(&t, NULL,
	                                    "w(1,1,0,-1)\n"
	                                    "r(5,5,0,-1)\n"
	                                    "w(2,1,0,-1)\n"
	                                    "r(1,1,1,1)\n"
	                                    "w(3,1,0,-1)\n"
	                                    "w(4,1,1,-1)\n"
	                                    "r(4,1,2,-1)\n"
	                                    "w(5,1,1,-1)\n");
	static const char in_alibi[] =
	        "{\"alibi\":1,\"initial_default\":0}\n"
	        "{\"id\":\"aborted@1\",\"session\":0,\"ops\":[[\"w\",1,1],[\"w\",2,1]],"
	        "\"status\":\"abort\"}\n"
	        "{\"id\":1,\"session\":1,\"ops\":[[\"r\",1,1]]}\n"
	        "{\"id\":\"aborted@5\",\"session\":0,\"ops\":[[\"w\",3,1]],\"status\":\"abort\"}\n"
	        "{\"id\":\"aborted@6\",\"session\":1,\"ops\":[[\"w\",4,1]],\"status\":\"abort\"}\n"
	        "{\"id\":\"aborted@8\",\"session\":1,\"ops\":[[\"w\",5,1]],\"status\":\"abort\"}\n";
	assert_saved(&t, h, "alibi", in_alibi);
	assert_string_equal(
	        save_drops(&t, h, "plume"),
	        "ids of aborted transactions, the borders between aborted transactions");
	assert_saved(&t, load_text(&t, "alibi", in_alibi), "plume",
	             "w(1,1,0,-1)\nw(2,1,0,-1)\nr(1,1,1,1)\nw(3,1,0,-1)\nw(4,1,1,-1)\n"
	             "w(5,1,1,-1)\n");
	test_release(&t);
}

static void writes_what_other_formats_say(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h = load_text(
	        &t, "alibi",
	        "{\"alibi\":1,\"source\":\"here\",\"level\":\"si\",\"skew\":1}\n"
	        "{\"id\":\"a\",\"session\":\"s\",\"ops\":[[\"r\",1,null],[\"w\",1,5]],\"begin\":1}"
	        "\n"
	        "{\"session\":4,\"ops\":[[\"r\",1,5,{\"from\":\"a\"}]],\"info\":1,\"start_ts\":3}\n"
	        "{\"ops\":[]}\n"
	        "{\"ops\":[[\"r\",1,5],[\"w\",1,6]],\"status\":\"abort\"}\n"
	        "{\"event\":\"boom\"}\n");
	assert_saved(&t, h, "plume", "r(1,0,1,1)\nw(1,5,1,1)\nr(1,5,2,2)\nw(1,6,4,-1)\n");
	assert_string_equal(
	        save_drops(&t, h, "plume"),
	        "client times, database timestamps, transactions without operations, the level "
	        "that was claimed, the source, the bound on clock skew, annotations, info, the "
	        "writers that reads name (their values say the same), transaction "
	        "ids, session names, what aborted transactions read");
	test_release(&t);
}

static void keeps_the_names_that_are_numbers(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h =
	        load_text(&t, "alibi",
	                  "{\"alibi\":1,\"initial\":[[1,0],[9,5]]}\n"
	                  "{\"id\":30,\"session\":0,\"ops\":[[\"r\",1,0],[\"w\",1,0]]}\n"
	                  "{\"id\":20,\"session\":12,\"ops\":[[\"w\",9223372036854775807,0]]}\n");
	assert_saved(&t, h, "plume", "r(1,0,0,30)\nw(1,0,0,30)\nw(9223372036854775807,0,12,20)\n");
	test_release(&t);
}

static void refuses_to_read(void **state)
{
	(void)state;
	static const struct refusal cases[] = {
	        {"w(1,2,3,4)\nx(1,2,3,4)", "2:1: expected r(key,value,session,txn) or "
	                                   "w(key,value,session,txn), found 'x(1,2,3,4)'"},
	        {"r[1,2,3,4]", "1:1: expected r(key,value,session,txn) or "
	                       "w(key,value,session,txn), found 'r[1,2,3,4]'"},
	        {"w(a,2,3,4)", "1:3: expected a key (a non-negative integer), found 'a,2,3,4)'"},
	        {"w(1 ,2,3,4)", "1:4: expected ',' and a value, found ' ,2,3,4)'"},
	        {"w(1,-2,3,4)", "1:5: expected a value (a non-negative integer), found '-2,3,4)'"},
	        {"w(1,2,,4)", "1:7: expected a session (a non-negative integer), found ',4)'"},
	        {"w(1,2,3,-2)",
	         "1:9: expected a transaction (a non-negative integer, or -1 for aborted), "
	         "found '-2)'"},
	        {"w(1,2,3,-12)", "1:11: expected ')' after the transaction, found '2)'"},
	        {"w(1,2,3)", "1:8: expected ',' and a transaction, found ')'"},
	        {"w(1,2,3,4",
	         "1:10: expected ')' after the transaction, found the end of the line"},
	        {"w(1,2,3,4) ;", "1:11: expected nothing more, found ' ;'"},
	        {"w(9223372036854775807,9223372036854775808,3,4)",
	         "1:23: expected a value (a non-negative integer), found a number above "
	         "9223372036854775807"},
	        {"w(1,2,3,4)\nw(1,3,3,5)\nw(2,2,9,4)",
	         "3: transaction 4 is of session 9 here, but of session 3 at line 1; a transaction "
	         "has one session"},
	};
	assert_loads_refused("plume", cases);
}

/* The rules are those of all formats with plain registers (lossy.h). */
static void refuses_to_write(void **state)
{
	(void)state;
	static const struct refusal cases[] = {
	        {"{\"ops\":[[\"append\",1,1]]}",
	         "key 1 is a list, and this format has only single values; formats with lists are "
	         "alibi, chronos and the Jepsen ones"},
	        {"{\"ops\":[[\"w\",\"x\",1]]}",
	         "key \"x\" is not a non-negative integer, and this format has no other keys; "
	         "number the keys first"},
	        {"{\"ops\":[[\"w\",-1,1]]}", "key -1 is not a non-negative integer, and this "
	                                     "format has no other keys; number "
	                                     "the keys first"},
	        {"{\"id\":\"t\",\"ops\":[[\"r\",1,\"v\"]]}",
	         "the value \"v\" of key 1 is not a non-negative integer, and "
	         "this format has no other values; number the values first"},
	        {"{\"ops\":[[\"d\",1]]}",
	         "transaction 1 deletes key 1, and this format has no deletes"},
	        {"{\"ops\":[],\"status\":\"unknown\"}",
	         "whether transaction 1 committed is not known, and this format cannot say so; "
	         "settle "
	         "its status first"},
	        {"{\"ops\":[[\"r\",1,0]]}",
	         "in this format 0 is the initial value of every key; that of key 1 is null, and 0 "
	         "is another value of it; use other values than 0"},
	        {"{\"ops\":[[\"r\",1,null],[\"w\",1,0]]}",
	         "in this format 0 is the initial value of every key; that of key 1 is null, and 0 "
	         "is another value of it; use other values than 0"},
	        {"{\"alibi\":1,\"initial_default\":0}\n{\"ops\":[[\"r\",1,null]]}",
	         "key 1 was read as null, though its initial value is 0; this format cannot tell "
	         "the two apart"},
	        {"{\"alibi\":1,\"initial\":[[1,100]]}\n{\"ops\":[[\"r\",1,100]]}",
	         "key 1 has the initial value 100, and this format has no other than 0; write it "
	         "in "
	         "a first transaction instead"},
	        {"{\"id\":1,\"ops\":[[\"w\",1,5]]}\n{\"id\":2,\"ops\":[[\"w\",1,5]]}\n"
	         "{\"id\":3,\"ops\":[[\"r\",1,5,{\"from\":2}]]}",
	         "transaction 3: a read of key 1 names its writer, which its value does not "
	         "(others "
	         "wrote the same, or that one did not write it); this format has only values"},
	};
	assert_saves_refused("plume", cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(gathers_the_lines_of_a_transaction),
	        cmocka_unit_test(takes_a_run_of_aborted_lines_for_a_transaction),
	        cmocka_unit_test(writes_what_other_formats_say),
	        cmocka_unit_test(keeps_the_names_that_are_numbers),
	        cmocka_unit_test(refuses_to_read),
	        cmocka_unit_test(refuses_to_write),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
