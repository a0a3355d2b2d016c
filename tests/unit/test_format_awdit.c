/* AWDIT's test text: operations between dashes and equals signs. */
#include "support.h"

static void reads_sessions_and_transactions(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h = load_text(&t, NULL,
	                                    "w 0 1\n"
	                                    "w 1  0\r\n"
	                                    "-----\n"
	                                    "\n"
	                                    "  r 0 1\n"
	                                    "=====\n"
	                                    "-----\n"
	                                    "==\n"
	                                    "r\t9223372036854775807 1\n"
	                                    "-\n"
	                                    "--------\n"
	                                    "r 1 0");
	static const char in_alibi[] = "{\"session\":1,\"ops\":[[\"w\",0,1],[\"w\",1,0]]}\n"
	                               "{\"session\":1,\"ops\":[[\"r\",0,1]]}\n"
	                               "{\"session\":2,\"ops\":[[\"r\",9223372036854775807,1]]}\n"
	                               "{\"session\":2,\"ops\":[[\"r\",1,0]]}\n";
	assert_string_equal(h->format, "awdit");
	assert_saved(&t, h, "alibi", in_alibi);
	assert_saved(&t, load_text(&t, "alibi", in_alibi), "awdit",
	             "w 0 1\nw 1 0\n-----\nr 0 1\n=====\nr 9223372036854775807 1\n-----\nr 1 0\n");
	assert_string_equal(save_drops(&t, h, "awdit"), "");
	assert_int_equal(h->txns[2].number, 9);
	test_release(&t);
}

static void writes_what_committed(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h =
	        load_text(&t, "alibi",
	                  "{\"session\":\"a\",\"ops\":[[\"w\",1,1]],\"status\":\"abort\"}\n"
	                  "{\"session\":\"b\",\"ops\":[]}\n"
	                  "{\"session\":\"c\",\"ops\":[[\"w\",1,2]]}\n"
	                  "{\"session\":\"a\",\"ops\":[[\"w\",1,3]]}\n"
	                  "{\"session\":\"a\",\"ops\":[[\"w\",1,4]],\"status\":\"abort\"}\n");
	assert_saved(&t, h, "awdit", "w 1 3\n=====\nw 1 2\n");
	assert_string_equal(save_drops(&t, h, "awdit"),
	                    "aborted transactions, transactions without operations, session names");
	test_release(&t);
}

static void refuses_to_read(void **state)
{
	(void)state;
	static const struct refusal cases[] = {
	        {"w 0 1\nx 0 1", "2:1: expected 'r key value', 'w key value', '-----' or '=====', "
	                         "found 'x 0 1'"},
	        {"w0 1", "1:2: expected a space and a key (a non-negative integer), found '0 1'"},
	        {"w x 1", "1:3: expected a key (a non-negative integer), found 'x 1'"},
	        {"w 0",
	         "1:4: expected a space and a value (a non-negative integer), found the end of the "
	         "line"},
	        {"w 0 -1", "1:5: expected a value (a non-negative integer), found '-1'"},
	        {"w 0 1 2", "1:6: expected nothing more, found ' 2'"},
	        {"---=", "1:4: expected nothing but '-' in this line, found '='"},
	        {"w 0 99999999999999999999",
	         "1:5: expected a value (a non-negative integer), found a number above "
	         "9223372036854775807"},
	};
	assert_loads_refused("awdit", cases);
}

static void refuses_reads_of_what_nobody_wrote(void **state)
{
	(void)state;
	static const struct refusal cases[] = {
	        {"{\"ops\":[[\"r\",1,null]]}",
	         "key 1 was read as null before it was written, and in this format every value "
	         "read was written; begin the history with writes"},
	        {"{\"alibi\":1,\"initial_default\":0}\n{\"ops\":[[\"w\",1,0],[\"r\",1,0]]}",
	         "key 1 was read as 0, its initial value, and in this format every value read was "
	         "written; begin the history with writes"},
	};
	assert_saves_refused("awdit", cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reads_sessions_and_transactions),
	        cmocka_unit_test(writes_what_committed),
	        cmocka_unit_test(refuses_to_read),
	        cmocka_unit_test(refuses_reads_of_what_nobody_wrote),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
