/* dbcop's JSON: both spellings of an event, with and without what is around them. */
#include "support.h"

#include <string.h>

static const char long_form[] =
        "{\"params\":{\"id\":7,\"n_node\":2,\"n_variable\":2,\"n_transaction\":2,\"n_event\":2},"
        "\"info\":\"a \\\"db\\\"\",\"start\":\"2019-04-02T11:31:12.46+02:00\","
        "\"end\":\"2019-04-02T11:31:16Z\",\"data\":[\n"
        "[{\"events\":[{\"Read\":{\"variable\":0,\"version\":null}},"
        "{\"Write\":{\"variable\":0,\"version\":1}}],\"committed\":true},\n"
        "{\"events\":[{\"Write\":{\"variable\":1,\"version\":0}}],\"committed\":false}],\n"
        "[{\"events\":[{\"Read\":{\"variable\":1,\"version\":0}}],\"committed\":true}]]}\n";

static const char in_alibi[] =
        "{\"alibi\":1,\"source\":\"a \\\"db\\\"\"}\n"
        "{\"session\":1,\"ops\":[[\"r\",0,null],[\"w\",0,1]]}\n"
        "{\"session\":1,\"ops\":[[\"w\",1,0]],\"status\":\"abort\"}\n"
        "{\"session\":2,\"ops\":[[\"r\",1,0]]}\n"
        "{\"event\":{\"dbcop\":{\"id\":7,\"start\":\"2019-04-02T11:31:12.46+02:00\","
        "\"end\":\"2019-04-02T11:31:16Z\"}}}\n";

static void goes_to_alibi_and_back(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h = load_text(&t, NULL, long_form);
	assert_string_equal(h->format, "dbcop-json");
	assert_saved(&t, h, "alibi", in_alibi);
	h = load_text(&t, NULL, in_alibi);
	assert_saved(&t, h, "dbcop-json", long_form);
	assert_string_equal(save_drops(&t, h, "dbcop-json"), "");
	test_release(&t);
}

static void reads_the_short_spelling(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h =
	        load_text(&t, NULL,
	                  " [ [] ,\n[ { \"committed\" : true, \"events\" : [[\"r\",3,null],"
	                  "[\"w\",3,4], {\"Read\":{\"version\":4,\"variable\":3}}]},"
	                  "{\"events\":[],\"committed\":false}]]");
	assert_saved(&t, h, "alibi",
	             "{\"session\":2,\"ops\":[[\"r\",3,null],[\"w\",3,4],[\"r\",3,4]]}\n"
	             "{\"session\":2,\"ops\":[],\"status\":\"abort\"}\n");
	assert_string_equal(save_drops(&t, h, "dbcop-json"), "session names");
	assert_saved(&t, h, "dbcop-json",
	             "{\"params\":{\"id\":0,\"n_node\":1,\"n_variable\":1,\"n_transaction\":2,"
	             "\"n_event\":3},\"info\":\"\",\"start\":\"1970-01-01T00:00:00+00:00\","
	             "\"end\":\"1970-01-01T00:00:00+00:00\",\"data\":[\n"
	             "[{\"events\":[{\"Read\":{\"variable\":3,\"version\":null}},"
	             "{\"Write\":{\"variable\":3,\"version\":4}},"
	             "{\"Read\":{\"variable\":3,\"version\":4}}],\"committed\":true},\n"
	             "{\"events\":[],\"committed\":false}]]}\n");
	test_release(&t);
}

static void takes_an_unwritten_zero_for_the_initial_version(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h =
	        load_text(&t, "dbcop-json",
	                  "[[{\"events\":[[\"r\",1,0],[\"r\",2,0]],\"committed\":true}],"
	                  "[{\"events\":[[\"w\",2,0]],\"committed\":true}]]");
	assert_saved(&t, h, "alibi",
	             "{\"session\":1,\"ops\":[[\"r\",1,null],[\"r\",2,0]]}\n"
	             "{\"session\":2,\"ops\":[[\"w\",2,0]]}\n");
	test_release(&t);
}

static void refuses_to_read(void **state)
{
	(void)state;
	static const struct refusal cases[] = {
	        {"7", "1:1: expected a list of sessions, found a number"},
	        {"{\"info\":\"a\\u0000\",\"data\":[]}",
	         "1:18: the string before has a NUL character in it; leave that out"},
	        {"[{}]", "1:2: expected a session (a list of transactions), found an object"},
	        {"[[[]]]", "1:3: expected a transaction {\"events\":…, \"committed\":…}, found a "
	                   "list"},
	        {"[[{\"events\":[]}]]",
	         "1:16: the member \"committed\" is missing in a transaction"},
	        {"[[{\"events\":[],\"events\":[]}]]", "1:25: the member \"events\" appears twice"},
	        {"[[{\"events\":[7]}]]", "1:14: expected an event such as {\"Read\":…} or [\"r\", "
	                                 "variable, version], found a number"},
	        {"[[{\"events\":[[\"x\",1,2]]}]]",
	         "1:18: expected \"r\" or \"w\" before this, found \"x\""},
	        {"[[{\"events\":[\n[\"w\",1,null]]}]]",
	         "2:8: expected a version (a non-negative integer), found 'null]]}]]'"},
	        {"[[{\"events\":[[\"r\",-1,2]]}]]",
	         "1:19: expected a variable (a non-negative integer), found -1"},
	        {"[[{\"events\":[[\"r\",1,9223372036854775808]]}]]",
	         "1:21: expected a version (a non-negative integer), or null, found a number "
	         "that "
	         "does not fit 64 bits"},
	        {"[[{\"events\":[{\"Append\":1}]}]]",
	         "1:23: expected \"Read\" or \"Write\" before this, found \"Append\""},
	        {"[[{\"events\":[{\"Read\":{\"variable\":1}}]}]]",
	         "1:36: the member \"version\" is missing in an event"},
	        {"[[{\"events\":[{\"Read\":{\"key\":1}}]}]]", "1:29: unknown member \"key\""},
	        {"[[]] 1", "1:6: expected nothing more, found a number"},
	        {"{\"info\":\"\"}", "1:12: expected \"data\", the sessions, in the object before"},
	        {"{\"data\":[],\"date\":1}", "1:19: unknown member \"date\"; known are "
	                                     "\"params\", \"info\", \"start\", "
	                                     "\"end\" and \"data\""},
	        {"{\"data\":[],\"data\":[]}", "1:19: the member \"data\" appears twice"},
	        {"[[{\"events\":[[\"w\",1,2]],\"committed\":tr",
	         "1:37: expected true or false, found 'tr'"},
	};
	assert_loads_refused("dbcop-json", cases);
}

static void refuses_a_zero_that_it_would_take_for_another(void **state)
{
	(void)state;
	static const struct refusal cases[] = {
	        {"{\"ops\":[[\"r\",1,0]]}",
	         "key 1 was read as 0, which no transaction wrote; this format would take it for "
	         "the "
	         "initial value, which is null here; use other values than 0"},
	        {"{\"alibi\":1,\"initial_default\":0}\n{\"ops\":[[\"w\",1,0],[\"r\",1,0]]}",
	         "0 is the initial value of key 1 and was written to it, too; this format cannot "
	         "say "
	         "that a read of 0 may be of either"},
	        {"{\"alibi\":1,\"initial_default\":5}\n{\"ops\":[[\"r\",1,5]]}",
	         "key 1 has the initial value 5, and this format has no other than null; write it "
	         "in a first transaction instead"},
	};
	assert_saves_refused("dbcop-json", cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(goes_to_alibi_and_back),
	        cmocka_unit_test(reads_the_short_spelling),
	        cmocka_unit_test(takes_an_unwritten_zero_for_the_initial_version),
	        cmocka_unit_test(refuses_to_read),
	        cmocka_unit_test(refuses_a_zero_that_it_would_take_for_another),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
