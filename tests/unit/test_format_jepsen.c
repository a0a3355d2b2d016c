/* Jepsen's histories, in EDN and in JSON: what is read, written and refused. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

static void pairs_invocations_with_completions(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h = load_text(
	        &t, NULL,
	        "{:index 0, :type :invoke, :process 0, :f :txn, :value [[:r :x nil] [:append :x "
	        "1]]}\n"
	        "{:index 1, :type :invoke, :process 7, :f :txn, :value [[:r \"k\" nil] [:append "
	        "\"k\" 5]]}\n"
	        "{:index 2, :type :ok, :process 0, :f :txn, :value [[:r :x []] [:append :x 1]]}\n"
	        "{:index 3, :type :invoke, :process 0, :f :txn, :value [[:append :x 2] [:r :x]]}\n"
	        "{:index 4, :type :fail, :process 0, :f :txn, :value nil}\n"
	        "{:index 5, :type :info, :process 7, :f :txn, :value [[:r \"k\" nil] [:append "
	        "\"k\" 5]]}\n"
	        "{:index 6, :type :invoke, :process 8, :f :txn, :value [[:append :x true]]}\n");
	assert_saved(
	        &t, h, "alibi",
	        "{\"alibi\":1,\"skew\":0}\n"
	        "{\"id\":2,\"session\":0,\"ops\":[[\"r\",\":x\",[]],[\"append\",\":x\",1]],"
	        "\"begin\":0,\"end\":2}\n"
	        "{\"id\":1,\"session\":7,\"ops\":[[\"append\",\"k\",5]],\"status\":\"unknown\","
	        "\"begin\":1}\n"
	        "{\"id\":4,\"session\":0,\"ops\":[[\"append\",\":x\",2]],\"status\":\"abort\","
	        "\"begin\":3,\"end\":4}\n"
	        "{\"id\":6,\"session\":8,\"ops\":[[\"append\",\":x\",true]],\"status\":\"unknown\","
	        "\"begin\":6}\n");
	assert_int_equal(h->txns[2].number, 4); /* the line of its invocation */
	test_release(&t);
}

static void one_clock_is_taken(void **state)
{
	(void)state;
	static const struct {
		const char *text, *expected;
	} cases[] = {
	        {"[{:type :invoke, :time 5, :index 1, :value []} {:type :ok, :time 9, :index 2, "
	         ":value []}]",
	         "{\"alibi\":1,\"skew\":0}\n"
	         "{\"id\":2,\"ops\":[],\"begin\":1,\"end\":2,\"info\":{\"time\":[5,9]}}\n"},
	        /* indexes that do not rise are no ids */
	        {"{:type :invoke, :index 2, :value []} {:type :ok, :index 1, :value []}",
	         "{\"alibi\":1,\"skew\":0}\n"
	         "{\"ops\":[],\"begin\":2,\"end\":1}\n"},
	        /* nor where a transaction has none */
	        {"{:type :invoke, :index 1, :process 0, :value []} {:type :ok, :index 2, :process "
	         "0, "
	         ":value []} {:type :info, :process 1, :value []}",
	         "{\"alibi\":1,\"skew\":0}\n"
	         "{\"session\":0,\"ops\":[],\"begin\":1,\"end\":2}\n"
	         "{\"session\":1,\"ops\":[],\"status\":\"unknown\"}\n"},
	        {"{:type :invoke, :time 5, :value []}{:type :ok, :time 9, :index 2, :value []}",
	         "{\"alibi\":1,\"skew\":0}\n"
	         "{\"ops\":[],\"begin\":5,\"end\":9,\"info\":{\"index\":[null,2]}}\n"},
	        {"{:type :invoke, :time 5, :value []} {:type :ok, :index 2, :value []}",
	         "{\"ops\":[],\"info\":{\"time\":[5,null],\"index\":[null,2]}}\n"},
	        {"{:type :ok, :value [[:w 1 2]]}\n{:type :ok, :value [[:r 1 2]]}",
	         "{\"ops\":[[\"w\",1,2]]}\n{\"ops\":[[\"r\",1,2]]}\n"},
	        {"{:type :ok, :index 4, :value []} {:type :ok, :value []}",
	         "{\"alibi\":1,\"skew\":0}\n"
	         "{\"ops\":[],\"end\":4}\n{\"ops\":[]}\n"},
	        {"{:type :ok, :time 4, :value []} {:type :ok, :value []}",
	         "{\"alibi\":1,\"skew\":0}\n"
	         "{\"ops\":[],\"end\":4}\n{\"ops\":[]}\n"},
	        {"{:type :ok, :index 4, :index -1, :value []} {:type :ok, :value []}",
	         "{\"ops\":[]}\n{\"ops\":[]}\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct test t = test_start();
		assert_saved(&t, load_text(&t, "jepsen-edn", cases[i].text), "alibi",
		             cases[i].expected);
		test_release(&t);
	}
}

static const char *const odd =
        "; all that EDN has\n"
        "(#jepsen.history.Op{:index 0, :type :invoke, :process 0, :value ([:r [1 2] nil])}\n"
        "#_ {:ignored #_ [1 #_ 2] 3} ^{:meta 1}\n"
        "{:type :ok, :process 0 :index 1 :value [[:r (1 2) (:a -7 +8 99999999999999999999 1.5)]]\n"
        " :error [:x #{1 2} \"\\u00e9\\n\" 1/2 2N \\c 1.5E3 #inst \"1970\" nil sym], :node nil,\n"
        " :exception {:trace [[a b \"c\" 1]]}}\n"
        "{:process :nemesis :type :info :f :kill :index 2 :value {:n1 true [1 2] nil}, :time 3}\n"
        "{:process :nemesis :type :info :index 3 :value \"just this\"})";

static const char *const odd_as_alibi =
        "{\"alibi\":1,\"skew\":0}\n"
        "{\"id\":1,\"session\":0,\"ops\":[[\"r\",\"[1,2]\",[\":a\",-7,8,99999999999999999999,"
        "1.5]]],\"begin\":0,\"end\":1,\"info\":{\"error\":[\":x\",[1,2],\"é\\n\",\"1/"
        "2\",\"2N\",\"\\\\c\","
        "1.5E3,{\"#inst\":\"1970\"},null,\"sym\"]}}\n"
        "{\"event\":{\"f\":\":kill\",\"value\":{\":n1\":true,\"[1 "
        "2]\":null},\"time\":3},\"at\":2}\n"
        "{\"event\":\"just this\",\"at\":3}\n";

static void reads_any_edn(void **state)
{
	(void)state;
	struct test t = test_start();
	assert_saved(&t, load_text(&t, NULL, odd), "alibi", odd_as_alibi);
	test_release(&t);
}

static void writes_what_it_reads(void **state)
{
	(void)state;
	static const char *const formats[] = {"jepsen-edn", "jepsen-json"};
	for (size_t i = 0; i < 2; i++) {
		struct test t = test_start();
		const char *text = saved(&t, load_text(&t, NULL, odd), formats[i], NULL);
		char *copy = strdup(text);
		assert_saved(&t, load_text(&t, NULL, copy), "alibi", odd_as_alibi);
		free(copy);
		test_release(&t);
	}
}

static void writes_edn(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h = load_text(
	        &t, NULL,
	        "{\"session\":3,\"ops\":[[\"r\",\":x\",null],[\"w\",\":x\",\"a b\"]],\"begin\":2,"
	        "\"end\":9,\"info\":{\"time\":[20,90],\"error\":\":e\"}}\n"
	        "{\"session\":4,\"ops\":[[\"append\",1,true],[\"r\",1,[false,\": \"]]],"
	        "\"begin\":4,\"status\":\"unknown\",\"info\":[1,null]}\n"
	        "{\"event\":\"kill\",\"at\":5}\n"
	        "{\"session\":4,\"ops\":[],\"begin\":6,\"end\":7,\"status\":\"abort\","
	        "\"info\":{\"type\":1}}\n");
	assert_saved(&t, h, "jepsen-edn",
	             "{:index 2, :time 20, :type :invoke, :process 3, :f :txn, :value [[:r :x nil] "
	             "[:w :x \"a b\"]]}\n"
	             "{:index 4, :type :invoke, :process 4, :f :txn, :value [[:append 1 true] [:r "
	             "1 nil]]}\n"
	             "{:type :info, :process 4, :f :txn, :value [[:append 1 true] [:r 1 [false \": "
	             "\"]]], :info [1 nil]}\n"
	             "{:index 5, :type :info, :process :nemesis, :value \"kill\"}\n"
	             "{:index 6, :type :invoke, :process 4, :f :txn, :value []}\n"
	             "{:index 7, :type :fail, :process 4, :f :txn, :value [], :info {\"type\" 1}}\n"
	             "{:index 9, :time 90, :type :ok, :process 3, :f :txn, :value [[:r :x nil] [:w "
	             ":x \"a b\"]], :error :e}\n");
	test_release(&t);
}

/* Equal times are concurrent, so begins come first; but sessions keep their
 * order, and without times nothing may look as if it had one. */
static void file_order_is_real_time(void **state)
{
	(void)state;
	static const struct {
		const char *text, *expected;
	} cases[] = {
	        {"{\"session\":1,\"ops\":[],\"begin\":1,\"end\":5}\n"
	         "{\"session\":1,\"ops\":[],\"begin\":5,\"end\":6}\n"
	         "{\"session\":\"s\",\"ops\":[],\"begin\":5,\"end\":5}\n",
	         "[{\"time\":1,\"type\":\"invoke\",\"process\":1,\"f\":\"txn\",\"value\":[]},\n"
	         "{\"time\":5,\"type\":\"invoke\",\"process\":2,\"f\":\"txn\",\"value\":[]},\n"
	         "{\"time\":5,\"type\":\"ok\",\"process\":1,\"f\":\"txn\",\"value\":[]},\n"
	         "{\"time\":5,\"type\":\"ok\",\"process\":2,\"f\":\"txn\",\"value\":[]},\n"
	         "{\"time\":5,\"type\":\"invoke\",\"process\":1,\"f\":\"txn\",\"value\":[]},\n"
	         "{\"time\":6,\"type\":\"ok\",\"process\":1,\"f\":\"txn\",\"value\":[]}]\n"},
	        {"{\"ops\":[]}\n{\"event\":1}\n{\"ops\":[],\"status\":\"abort\"}\n",
	         "[{\"type\":\"invoke\",\"f\":\"txn\",\"value\":[]},\n"
	         "{\"type\":\"ok\",\"f\":\"txn\",\"value\":[]},\n"
	         "{\"type\":\"info\",\"process\":\"nemesis\",\"value\":1},\n"
	         "{\"type\":\"invoke\",\"f\":\"txn\",\"value\":[]},\n"
	         "{\"type\":\"fail\",\"f\":\"txn\",\"value\":[]}]\n"},
	        {"{\"ops\":[],\"begin\":1,\"end\":3}\n{\"ops\":[],\"begin\":2,\"end\":4}\n",
	         "[{\"index\":1,\"type\":\"invoke\",\"process\":0,\"f\":\"txn\",\"value\":[]},\n"
	         "{\"index\":2,\"type\":\"invoke\",\"process\":1,\"f\":\"txn\",\"value\":[]},\n"
	         "{\"index\":3,\"type\":\"ok\",\"process\":0,\"f\":\"txn\",\"value\":[]},\n"
	         "{\"index\":4,\"type\":\"ok\",\"process\":1,\"f\":\"txn\",\"value\":[]}]\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct test t = test_start();
		assert_saved(&t, load_text(&t, "alibi", cases[i].text), "jepsen-json",
		             cases[i].expected);
		test_release(&t);
	}
}

static void refusals_say_where_and_why(void **state)
{
	(void)state;
	static const struct {
		const char *format, *text, *message;
	} cases[] = {
	        {"jepsen-edn", "{:type :ok, :f :read, :value {0 10}}",
	         "1:30: Alibi reads list-append and rw-register histories, whose :value is a list "
	         "of "
	         "operations :append, :r and :w, each with a key and a value; found {0 10} in an "
	         "operation whose :f is :read"},
	        {"jepsen-edn", "{:type :ok, :f :txn, :value [[:r 1 1] [:inc 1 2]]}",
	         "1:39: Alibi reads list-append and rw-register histories, whose :value is a list "
	         "of "
	         "operations :append, :r and :w, each with a key and a value; found [:inc 1 2]"},
	        {"jepsen-json", "[{\"type\":\"ok\",\"f\":\"acquire\"}]",
	         "1:2: Alibi reads list-append and rw-register histories, whose \"value\" is a "
	         "list "
	         "of operations \"append\", \"r\" and \"w\", each with a key and a value; found "
	         "nothing in an operation whose \"f\" is \"acquire\""},
	        {"jepsen-edn", "{:type :ok, :value [[:w 1 [2]]]}",
	         "1:27: expected a single value to write, found a list; lists are made by "
	         "appending"},
	        {"jepsen-edn", "{:type :ok, :value [[:w 1 nil]]}",
	         "1:27: expected a value, found 'nil]]}'"},
	        {"jepsen-edn", "{:type :ok, :value [[:w #{1} 2]]}",
	         "1:25: expected a key, found '#{1} 2]]}'"},
	        {"jepsen-edn", "{:type :done, :process 1}",
	         "1:1: expected in this operation the :type :invoke, :ok, :fail or :info"},
	        {"jepsen-edn",
	         "{:type :invoke, :process 1, :value []}\n{:type :invoke, :process 1, :value []}",
	         "2:1: process 1 invokes this before its operation of line 1 is completed; "
	         "expected "
	         ":ok, :fail or :info for that one first"},
	        {"jepsen-edn", "{:type :invoke, :value []}\n{:type :invoke, :value []}",
	         "2:1: this operation is invoked before the one of line 1 is completed, and "
	         "neither "
	         "has a :process to match completions with invocations"},
	        {"jepsen-edn", "{:type :ok, :index 1.5, :value []}",
	         "1:20: expected an index, an integer, found the number 1.5; it must be an "
	         "integer of at most 64 bits"},
	        {"jepsen-edn", "{:type :ok, :value [[:append 1 2]}",
	         "1:34: expected a form or ']', found '}'"},
	        {"jepsen-edn", "{:type :ok, :value}",
	         "1:19: expected the value of the key before, found '}'"},
	        {"jepsen-edn", "[{:type :ok, :value []}",
	         "1:24: expected a form or ']', found the end of the input"},
	        {"jepsen-edn", "{:type :ok, :value [[:w \"a 1]]}",
	         "1:32: the string has no closing quote"},
	        {"jepsen-edn", "{:type :ok, :value [[:w \"\xff\" 1]]}",
	         "1:26: the byte 0xff is not UTF-8"},
	        {"jepsen-edn", "{:type :ok, :value [], [;\xff\n1] 2}",
	         "2:3: a comment in the key before is not UTF-8"},
	        {"jepsen-edn", "{:type :ok, :error {1 2 3}, :value []}",
	         "1:26: the last key of this map has no value"},
	        {"jepsen-edn",
	         "{:type :ok, :value [[:w :x 1]]}\n{:type :ok, :value [[:append :x 1]]}",
	         "1: key \":x\" is a list (it is appended to, or read as one), so it cannot be "
	         "written "
	         "or deleted; expected only appends and reads"},
	        {"jepsen-json", "[{\"type\":\"ok\",\"value\":[[\"w\",01,1]]}]",
	         "1:29: a number that JSON does not allow"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct test t = test_start();
		assert_string_equal(load_error(&t, cases[i].format, cases[i].text),
		                    cases[i].message);
		test_release(&t);
	}
}

/* Brackets and prefixes without end must not cost a stack. */
static void depth_is_limited(void **state)
{
	(void)state;
	static const char *const parts[] = {"[", "#_ ", "{:a ", "#a ", "^"};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		struct test t = test_start();
		size_t length = strlen(parts[i]), count = 100000;
		char *text = malloc(length * count + 20);
		assert_non_null(text);
		memcpy(text, "{:error ", 8);
		for (size_t k = 0; k < count; k++)
			memcpy(text + 8 + k * length, parts[i], length + 1);
		assert_non_null(strstr(load_error(&t, "jepsen-edn", text),
		                       "more than 1022 forms inside each other"));
		free(text);
		test_release(&t);
	}
}

static void what_cannot_be_said_is_refused(void **state)
{
	(void)state;
	static const struct refusal cases[] = {
	        {"{\"alibi\":1,\"initial\":[[1,0]]}",
	         "there are initial values (such as 0), but in a Jepsen history all keys begin "
	         "with "
	         "none; write them in a first transaction instead"},
	        {"{\"alibi\":1,\"skew\":5}\n{\"ops\":[],\"begin\":1,\"end\":2}",
	         "a clock skew of 5 is allowed, but a Jepsen history cannot say so, and its times "
	         "would be taken as exact"},
	        {"{\"ops\":[],\"begin\":1}", "transaction 1 has a begin but no end; in a Jepsen "
	                                     "history what completed has both"},
	        {"{\"id\":\"t\",\"ops\":[[\"d\",1]]}",
	         "transaction \"t\" deletes key 1, and this format has no deletes"},
	        {"{\"ops\":[[\"w\",{\"a\":1},1]]}",
	         "the row {\"a\":1} is a key or value; Alibi reads no rows from EDN, so write this "
	         "history as alibi or jepsen-json"},
	};
	assert_saves_refused("jepsen-edn", cases);
}

static void what_is_left_out_is_reported(void **state)
{
	(void)state;
	struct test t = test_start();
	const char *dropped = NULL;
	const struct history *h = load_text(
	        &t, "alibi",
	        "{\"alibi\":1,\"level\":\"si\",\"source\":\"by hand\"}\n"
	        "{\"id\":1,\"session\":\"a\",\"ops\":[[\"w\",1,2]],\"commit_ts\":4}\n"
	        "{\"id\":2,\"session\":\"b\",\"ops\":[[\"r\",1,2,{\"from\":1}],[\"r\",5,null]],"
	        "\"status\":\"abort\"}\n");
	assert_true(
	        alibi_save(t.job, (const alibi_history *)h, "/dev/null", "jepsen-edn", &dropped));
	assert_string_equal(dropped, "database timestamps, the level that was claimed, the source, "
	                             "the writers that reads name (their values say the same), "
	                             "transaction ids, session names that are not integers, "
	                             "absent values read by transactions that did not commit");
	test_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pairs_invocations_with_completions),
	        cmocka_unit_test(one_clock_is_taken),
	        cmocka_unit_test(reads_any_edn),
	        cmocka_unit_test(writes_what_it_reads),
	        cmocka_unit_test(writes_edn),
	        cmocka_unit_test(file_order_is_real_time),
	        cmocka_unit_test(refusals_say_where_and_why),
	        cmocka_unit_test(depth_is_limited),
	        cmocka_unit_test(what_cannot_be_said_is_refused),
	        cmocka_unit_test(what_is_left_out_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
