/* The JSON of Chronos and Aion: in, out, and what it cannot say. */
#include "support.h"

#include <string.h>

#define TXN "{\"tid\":1,\"sid\":1,\"sts\":{\"p\":1,\"l\":0},\"cts\":{\"p\":2,\"l\":0},\"ops\":["
#define STAMPS ",\"start_ts\":1,\"commit_ts\":2}"

static void reads_all_spellings(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h =
	        load_text(&t, NULL,
	                  " [\n{\"cts\": {\"l\": 3, \"p\": \"-9\"}, \"ops\": ["
	                  "{\"k\": 1, \"v\": 5, \"t\": \"W\"}, {\"t\": \"Read\", \"k\": -2}, "
	                  "{\"t\": \"R\", \"k\": 1, \"v\": null}, "
	                  "{\"v\": 8, \"t\": \"append\", \"k\": 3}, {\"t\": \"r\", \"k\": 3, "
	                  "\"v\": [8, 9]}, {\"t\": \"r\", \"k\": 3}, "
	                  "{\"t\": \"write\", \"k\": 4}], \"sid\": \"s\", \"sts\": {\"p\": -10, "
	                  "\"l\": 0}, \"tid\": \"x\", "
	                  "\"rtts\": "
	                  "77}\n,{\"tid\":2,\"sid\":1,\"sts\":{\"p\":\"0\",\"l\":0},\"cts\":{\"p\":"
	                  "0,\"l\":1},"
	                  "\"ops\":[]}]\n");
	assert_saved(
	        &t, h, "alibi",
	        "{\"alibi\":1,\"timestamps\":\"snapshot\"}\n"
	        "{\"id\":\"x\",\"session\":\"s\",\"ops\":[[\"w\",1,5],[\"r\",-2,null],[\"r\",1,"
	        "null],"
	        "[\"append\",3,8],[\"r\",3,[8,9]],[\"r\",3,[]],[\"d\",4]],\"start_ts\":[-10,0],"
	        "\"commit_ts\":[-9,3],\"info\":{\"rtts\":77}}\n"
	        "{\"id\":2,\"session\":1,\"ops\":[],\"start_ts\":[0,0],\"commit_ts\":[0,1]}\n");
	test_release(&t);
}

static void writes_what_it_reads(void **state)
{
	(void)state;
	static const char text[] = "[\n{\"tid\":\"x\",\"sid\":\"s\",\"sts\":{\"p\":-10,\"l\":0},"
	                           "\"cts\":{\"p\":-9,\"l\":3},"
	                           "\"rtts\":-77,\"ops\":[{\"t\":\"w\",\"k\":1,\"v\":5},{\"t\":"
	                           "\"r\",\"k\":-2,\"v\":null},"
	                           "{\"t\":\"a\",\"k\":3,\"v\":8},{\"t\":\"r\",\"k\":3,\"v\":[8,9]}"
	                           ",{\"t\":\"w\",\"k\":4,\"v\":null}]},\n"
	                           "{\"tid\":2,\"sid\":1,\"sts\":{\"p\":0,\"l\":0},\"cts\":{\"p\":"
	                           "0,\"l\":1},\"ops\":[]}\n]\n";
	struct test t = test_start();
	const struct history *h = load_text(&t, NULL, text);
	assert_saved(&t, h, "chronos", text);
	assert_string_equal(save_drops(&t, h, "chronos"), "");
	test_release(&t);
}

static void leaves_out_what_no_verdict_needs(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h =
	        load_text(&t, NULL,
	                  "{\"alibi\":1,\"initial_default\":0,\"initial\":[[1,0]],\"level\":\"si\","
	                  "\"timestamps\":\"serial\"}\n"
	                  "{\"ops\":[[\"w\",1,5]],\"begin\":1,\"info\":{\"rtts\":\"1\"}" STAMPS "\n"
	                  "{\"session\":7,\"ops\":[[\"r\",1,5,{\"from\":2}]]" STAMPS "\n"
	                  "{\"ops\":[[\"w\",1,6]],\"status\":\"abort\"}\n"
	                  "{\"event\":\"x\"}\n");
	assert_saved(&t, h, "chronos",
	             "[\n{\"tid\":2,\"sid\":8,\"sts\":{\"p\":1,\"l\":0},\"cts\":{\"p\":2,\"l\":0},"
	             "\"ops\":[{\"t\":\"w\",\"k\":1,\"v\":5}]},\n"
	             "{\"tid\":3,\"sid\":7,\"sts\":{\"p\":1,\"l\":0},\"cts\":{\"p\":2,\"l\":0},"
	             "\"ops\":[{\"t\":\"r\",\"k\":1,\"v\":5}]}\n]\n");
	assert_string_equal(save_drops(&t, h, "chronos"),
	                    "client times, aborted transactions, the level that was claimed, that "
	                    "the order of commit timestamps is serial, annotations, the writers "
	                    "that reads name (their values say the "
	                    "same), the initial value of all keys (give it again when loading), "
	                    "info");
	test_release(&t);
}

static void refusals_say_where_and_why(void **state)
{
	(void)state;
	static const struct refusal cases[] = {
	        {"{}", "1:1: expected a list of transactions, found an object"},
	        {"[" TXN "]}", "1:68: expected ',' or ']', found the end of the input"},
	        {"[" TXN "]}] 1", "1:70: expected nothing more, found a number"},
	        {"[\n{\"tid\":1,\"ops\":[]}]",
	         "2:19: the member \"sid\" is missing in a transaction"},
	        {"[{\"sno\":1}]", "1:9: unknown member \"sno\""},
	        {"[{\"tid\":1,\"tid\":1}]", "1:17: the member \"tid\" appears twice"},
	        {"[{\"sts\":5}]",
	         "1:9: expected a timestamp such as {\"p\":1,\"l\":0}, found a number"},
	        {"[{\"sts\":{\"p\":5}}]", "1:16: the member \"l\" is missing in a timestamp"},
	        {"[{\"sts\":{\"p\":\"05\"}}]", "1:18: the string before is no 64-bit integer"},
	        {"[" TXN "{\"t\":\"cas\",\"k\":1}]}]",
	         "1:76: expected \"r\", \"w\" or \"a\" before this, found \"cas\""},
	        {"[" TXN "{\"t\":\"r\"}]}]", "1:75: the member \"k\" is missing in an operation"},
	        {"[" TXN "{\"t\":\"r\",\"k\":\"x\"}]}]",
	         "1:79: expected a key, an integer, found a string"},
	        {"[" TXN "{\"t\":\"r\",\"k\":1,\"v\":\"x\"}]}]",
	         "1:85: expected an integer, a list of them, or null, found a string"},
	        {"[" TXN "{\"t\":\"w\",\"k\":1,\"v\":[1]}]}]",
	         "1:89: the operation before writes a list; expected an integer"},
	        {"[" TXN "{\"t\":\"a\",\"k\":1}]}]",
	         "1:81: the operation before appends nothing; expected an integer \"v\""},
	        {"[" TXN "]}," TXN "]}]", "transaction 2: duplicate id 1, also used by the "
	                                  "transaction at 1; ids must be unique"},
	};
	assert_loads_refused("chronos", cases);
}

static void refuses_what_it_cannot_say(void **state)
{
	(void)state;
	static const struct refusal cases[] = {
	        {"{\"ops\":[],\"status\":\"unknown\"}",
	         "whether transaction 1 committed is not known, and this format cannot say so; "
	         "settle "
	         "its status first"},
	        {"{\"ops\":[],\"start_ts\":1}",
	         "transaction 1 has no commit timestamp, and this format requires it"},
	        {"{\"ops\":[[\"r\",\"x\",1]]" STAMPS,
	         "key \"x\" is not an integer, and this format has no other keys; number the keys "
	         "first"},
	        {"{\"ops\":[[\"r\",1,\"x\"]]" STAMPS, "the value \"x\" of key 1 is not an integer, "
	                                              "and this format has no other values; number "
	                                              "the values first"},
	        {"{\"ops\":[[\"r\",1,[1,\"x\"]]]" STAMPS,
	         "the value \"x\" of key 1 is not an integer, and this format has no other values; "
	         "number "
	         "the values first"},
	        {"{\"alibi\":1,\"initial\":[[1,5]]}",
	         "key 1 has an initial value of its own; this format has one for all keys"},
	        {"{\"alibi\":1,\"initial_default\":0}\n{\"id\":1,\"ops\":[[\"w\",1,0]],\"status\":"
	         "\"abort\"}\n"
	         "{\"id\":2,\"ops\":[[\"r\",1,0,{\"from\":1}]]" STAMPS,
	         "transaction 2: a read of key 1 names its writer, which its value does not "
	         "(others "
	         "wrote the same, or that one did not write it); this format has only values"},
	};
	assert_saves_refused("chronos", cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reads_all_spellings),
	        cmocka_unit_test(writes_what_it_reads),
	        cmocka_unit_test(leaves_out_what_no_verdict_needs),
	        cmocka_unit_test(refusals_say_where_and_why),
	        cmocka_unit_test(refuses_what_it_cannot_say),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
