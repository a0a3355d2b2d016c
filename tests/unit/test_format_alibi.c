/* Alibi's own format: what it reads, what it refuses and how it says so. */
#include "support.h"

#include <string.h>

static void reads_all_that_it_writes(void **state)
{
	(void)state;
	static const char text[] =
	        "{\"alibi\":1,\"level\":\"si\",\"skew\":5,\"source\":\"by hand\","
	        "\"initial_default\":0,\"initial\":[[\"x\",7],[\"y\",null]]}\n"
	        "{\"id\":\"t1\",\"session\":3,\"ops\":[[\"r\",\"x\",7,{\"from\":null}],[\"w\","
	        "\"x\",\"a\\n\"],"
	        "[\"d\",{\"a\":1,\"b\":2}]],\"begin\":-5,\"end\":9,\"info\":{\"node\": [1.5e3, "
	        "{}]}}\n"
	        "{\"event\":\"kill node 2\",\"at\":8}\n"
	        "{\"id\":2,\"session\":\"s\",\"ops\":[[\"r\",\"x\",\"a\\n\",{\"from\":\"t1\"}],"
	        "[\"append\",9223372036854775807,-9223372036854775808],[\"r\",9223372036854775807,["
	        "1,true]]],"
	        "\"status\":\"unknown\",\"start_ts\":4,\"commit_ts\":[5,1]}\n"
	        "{\"id\":5,\"ops\":[],\"status\":\"abort\"}\n";
	struct test t = test_start();
	assert_saved(&t, load_text(&t, NULL, text), "alibi", text);
	test_release(&t);
}

static void queries_stay(void **state)
{
	(void)state;
	static const char text[] =
	        "{\"ops\":[[\"q\",{},[[\"a/1\",{\"v\":1}],[\"b\",7]]],[\"q\",{\"from\":\"a\","
	        "\"where\":[[\"v\",\"in\",[]],[\"v\",\"in\",[1,\"x\",null]],[\"v\",\"between\",0,9]"
	        ","
	        "[\"w\",\"is-null\"],[\"v\",\"is-not-null\"],[\"v\",\"!=\",true]],"
	        "\"except\":[\"a/2\"]},[]]]}\n"
	        "{\"ops\":[[\"u\",{\"from\":\"a\"},{\"set\":{\"v\":[\"+\",\"w\",-1],\"w\":null}},"
	        "[[\"a/1\",{\"v\":2}]]],[\"u\",{\"where\":[[\"value\",\"<\",9]]},{\"delete\":true},"
	        "[[\"b\",null]]],[\"u\",{},{\"delete\":true}]]}\n"
	        "{\"ops\":[[\"q\",{\"where\":[[\"or\",[\"v\",\"=\",1],[\"not\",[\"and\",[\"w\","
	        "\"like\","
	        "\"a\\\\_b%\"],[\"or\",\"<\",2]]]],[\"v\",\"like\",\"%\"]]},[]]]}\n";
	struct test t = test_start();
	assert_saved(&t, load_text(&t, NULL, text), "alibi", text);
	assert_string_equal(save_error(&t, load_text(&t, NULL, text), "dbcop-json"),
	                    "the history has queries (\"q\", \"u\"), which 'dbcop-json' has not");
	test_release(&t);
}

static void equal_json_is_one_value(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h = load_text(&t, NULL,
	                                    "{\"ops\":[[\"w\",\"k\",{\"a\":1,\"b\":\"\\u0041\"}],["
	                                    "\"w\",\"k\",{ \"b\":\"A\", \"a\": 1}],"
	                                    "[\"w\",\"k\",\"1\"],[\"w\",\"k\",1],[\"w\",\"k\",true]"
	                                    ",[\"w\",\"k\",-0],[\"w\",\"k\",0]]}");
	assert_int_equal(h->ops[0].value, h->ops[1].value);
	assert_int_not_equal(h->ops[2].value, h->ops[3].value);
	assert_int_not_equal(h->ops[3].value, h->ops[4].value);
	assert_int_equal(h->ops[5].value, h->ops[6].value);
	assert_int_equal(atoms_count(&h->keys), 1);
	test_release(&t);
}

static void numbers_have_one_notation(void **state)
{
	(void)state;
	struct test t = test_start();
	assert_saved(
	        &t,
	        load_text(&t, NULL,
	                  "{\"ops\":[[\"w\",\"k\",1.50],[\"w\",\"k\",15e-1],[\"w\",\"k\",1.0],["
	                  "\"w\",\"k\",-0.0],[\"w\",\"k\",1E2],[\"w\",\"k\","
	                  "18446744073709551615],[\"w\",\"k\",-9223372036854775808.0],[\"w\","
	                  "\"k\",{\"b\":0.10,\"a\":-0.001e1}],[\"u\",{\"where\":[[\"v\",\"<\","
	                  "2.50]]},{\"set\":{\"v\":[\"+\",\"v\",0.10]}}]]}"),
	        "alibi",
	        "{\"ops\":[[\"w\",\"k\",1.5],[\"w\",\"k\",1.5],[\"w\",\"k\",1],[\"w\",\"k\",0],["
	        "\"w\",\"k\",100],[\"w\",\"k\",18446744073709551615],[\"w\",\"k\","
	        "-9223372036854775808],[\"w\",\"k\",{\"a\":-0.01,\"b\":0.1}],[\"u\",{\"where\":[["
	        "\"v\",\"<\",2.5]]},{\"set\":{\"v\":[\"+\",\"v\",0.1]}}]]}\n");
	test_release(&t);
}

static void null_columns_are_none(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h =
	        load_text(&t, NULL,
	                  "{\"ops\":[[\"w\",\"k\",{\"a\":null,\"b\":1,\"c\":null}],"
	                  "[\"r\",\"k\",{\"b\":1}],[\"w\",\"k\",{\"a\":null}],"
	                  "[\"r\",\"k\",{}],[\"r\",\"k\",null]]}");
	assert_int_equal(h->ops[0].value, h->ops[1].value);
	assert_int_equal(h->ops[2].value, h->ops[3].value);
	assert_int_not_equal(h->ops[3].value, h->ops[4].value); /* {} is there */
	assert_saved(&t, h, "alibi",
	             "{\"ops\":[[\"w\",\"k\",{\"b\":1}],[\"r\",\"k\",{\"b\":1}],"
	             "[\"w\",\"k\",{}],[\"r\",\"k\",{}],[\"r\",\"k\",null]]}\n");
	assert_string_equal(load_error(&t, NULL, "{\"ops\":[[\"w\",\"k\",{\"a\":null,\"a\":1}]]}"),
	                    "1:34: a row has two members named \"a\"");
	test_release(&t);
}

static void refusals_say_where_and_why(void **state)
{
	(void)state;
	static const struct refusal cases[] = {
	        {"{\"ops\":[],\"status\":\"ok\"}",
	         "1:24: expected \"commit\", \"abort\" or \"unknown\" before this, found \"ok\""},
	        {"{\"alibi\":1,\"timestamps\":\"commit\"}",
	         "1:33: expected \"snapshot\" or \"serial\" before this, found \"commit\""},
	        {"{\"ops\":[[\"r\",\"x\"]]}", "1:17: expected ',' and a value, found ']]}'"},
	        {"\n{\"ops\":[[\"w\",\"x\",null]]}",
	         "2:18: expected a value (not a list; null is [\"d\", key]), found 'null]]}'"},
	        {"{\"ops\":[[\"append\",\"x\",[1]]]}",
	         "1:23: expected an element (not null or a list), found a list"},
	        {"{\"ops\":[],\"colour\":1}",
	         "1:20: unknown member \"colour\"; put your own data into \"info\""},
	        {"{\"begin\":1.5,\"ops\":[]}",
	         "1:10: expected a time, an integer, found a fraction; it must be an integer"},
	        {"{\"ops\":[[\"w\",\"x\",{\"v\":NaN}]]}",
	         "1:23: NaN and Infinity are not in JSON; write them as strings"},
	        {"{\"ops\":[[\"w\",\"x\",1.]]}", "1:18: expected a value (not a list; null is "
	                                         "[\"d\", key]), found a number that JSON does not "
	                                         "allow"},
	        {"{\"ops\":[[\"w\",\"x\",1e1000]]}", "1:18: expected a value (not a list; null is "
	                                             "[\"d\", key]), found a number that takes "
	                                             "more than 1000 digits; write it as a string"},
	        {"{\"alibi\":1,\"source\":\"a\\u0000\"}",
	         "1:30: the string before has a NUL character in it; leave that out"},
	        {"{\"session\":1}",
	         "1:14: expected \"ops\" in this line (or \"event\", or \"alibi\")"},
	        {"{\"ops\":[]}\n{\"alibi\":1}",
	         "2:12: a header ({\"alibi\":1, …}) must be the first line"},
	        {"{\"id\":1,\"ops\":[]}\n{\"id\":1,\"ops\":[]}",
	         "2: duplicate id 1, also used by the transaction at 1; ids must be unique"},
	        {"{\"ops\":[[\"append\",\"x\",1]]}\n{\"ops\":[[\"w\",\"x\",1]]}",
	         "2: key \"x\" is a list (it is appended to, or read as one), so it cannot be "
	         "written "
	         "or deleted; expected only appends and reads"},
	        {"{\"ops\":[[\"r\",\"x\",1,{\"from\":\"t9\"}]]}",
	         "1: \"from\" names transaction \"t9\", which is not in the history"},
	        {"{\"ops\":[[\"w\",\"\xff\",1]]}", "1:15: the byte 0xff is not UTF-8"},
	        {"{\"ops\":[]", "1:10: expected ',' or '}', found the end of the input"},
	};
	assert_loads_refused("alibi", cases);
}

static void refusals_of_queries(void **state)
{
	(void)state;
	static const struct refusal cases[] = {
	        {"{\"ops\":[[\"q\",{\"from\":\"a/1\"},[]]]}",
	         "1:27: \"from\" has a / in it, but a relation is the part of a key before the "
	         "first /; name the relation"},
	        {"{\"ops\":[[\"q\",{\"where\":[[\"v\",\"~\",1]]},[]]]}",
	         "1:32: expected =, !=, <, <=, >, >=, in, between, like, is-null or "
	         "is-not-null before this, found \"~\""},
	        {"{\"ops\":[[\"q\",{\"where\":[[\"v\",\"like\",\"a_%\"]]},[]]]}",
	         "1:41: like takes a prefix and a final %, with \\ before any other %, _ or \\; "
	         "the pattern before this has another at byte 2. Instead of such a query, record "
	         "reads of the rows that it returned"},
	        {"{\"ops\":[[\"q\",{\"where\":[[\"v\",\"like\",\"a\"]]},[]]]}",
	         "1:39: like takes a prefix and a final %, with \\ before any other %, _ or \\; "
	         "compare with = if there is no %"},
	        {"{\"ops\":[[\"q\",{\"where\":[[\"not\",[\"v\",\"=\",1],[\"w\",\"=\",1]]]},[]]]}",
	         "1:42: expected ']': not has one condition, found ',[\"w\",\"=\",1]'"},
	        {"{\"ops\":[[\"q\",{\"from\":\"a\"},{\"count\":3}]]}",
	         "1:27: expected the rows, [[key, row], …]; a count or a sum says too little about "
	         "them, so record the rows that were counted or added, and [] for a count of 0"},
	        {"{\"ops\":[[\"q\",{\"of\":1},[]]]}",
	         "1:20: unknown member \"of\"; a predicate has \"from\", \"where\" and "
	         "\"except\""},
	        {"{\"ops\":[[\"q\",{\"from\":\"a\"},[[\"b/1\",1]]]]}",
	         "1: key \"b/1\" is not in the relation that the query names (the part of a key "
	         "before the first /)"},
	        {"{\"ops\":[[\"q\",{},[[\"b\",1],[\"b\",1]]]]}",
	         "1: key \"b\" appears twice among the rows of one query"},
	        {"{\"ops\":[[\"u\",{},{\"delete\":true},[[\"b\",1]]]]}",
	         "1:39: expected null: the row is deleted, found a number"},
	        {"{\"ops\":[[\"u\",{},{\"set\":{\"v\":1,\"v\":2}},[]]]}",
	         "1:36: a column is set twice"},
	};
	assert_loads_refused("alibi", cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reads_all_that_it_writes),
	        cmocka_unit_test(queries_stay),
	        cmocka_unit_test(equal_json_is_one_value),
	        cmocka_unit_test(numbers_have_one_notation),
	        cmocka_unit_test(null_columns_are_none),
	        cmocka_unit_test(refusals_say_where_and_why),
	        cmocka_unit_test(refusals_of_queries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
