/* Viper's JSON logs: what they mean, and what they cannot say. */
#include "directory.h"

#include <stdlib.h>
#include <string.h>

static void assert_file(const struct directory *d, const char *name, const char *text)
{
	char *found = directory_get(d, name, NULL);
	assert_string_equal(found, text);
	free(found);
}

static void reads_operations(void **state)
{
	(void)state;
	struct test t = test_start();
	struct directory d = directory_make();
	directory_put_text(
	        &d, "J10.log",
	        "{\"value\": [[\"w\", 1, -6, true], [\"r\", \"k\", 9, true]]}\n\n"
	        "{\"preBeginTS\": 1, \"postBeginTS\": 2, \"preCommitTS\": 3, \"postCommitTS\": 4, "
	        "\"value\": [[\"i\", 2, 20, \"nil\", false, true], [\"d\", 1, 60, -6, false, true, "
	        "1, {}]]}\n"
	        "{\"value\": [[\"w\", 3, 30, false], [\"r\", 2, null, false]]}\n");
	directory_put_text(&d, "J9.log",
	                   "{\"value\": [[\"w\", \"k\", 9, true], [\"w\", 3, 7, true]], "
	                   "\"isInitial\": true, \"isFinal\": false}\n"
	                   "{\"value\": []}");
	assert_saved(
	        &t, directory_load(&t, &d, NULL), "alibi",
	        "{\"alibi\":1,\"initial\":[[\"k\",9],[3,7]]}\n"
	        "{\"session\":9,\"ops\":[]}\n"
	        "{\"session\":10,\"ops\":[[\"w\",1,-6],[\"r\",\"k\",9]]}\n"
	        "{\"session\":10,\"ops\":[[\"r\",2,null],[\"w\",2,20],[\"r\",1,-6],[\"w\",1,60]],"
	        "\"begin\":1,\"end\":4}\n"
	        "{\"session\":10,\"ops\":[[\"w\",3,30],[\"r\",2,null]],\"status\":\"abort\"}\n");
	directory_remove(&d);
	test_release(&t);
}

static void a_value_nobody_wrote_was_there_before(void **state)
{
	(void)state;
	struct test t = test_start();
	struct directory d = directory_make();
	directory_put_text(&d, "J1.log",
	                   "{\"value\": [[\"r\", 1, 11, false], [\"r\", 2, 22, false], "
	                   "[\"r\", 3, null, false], [\"r\", 3, 33, false]]}\n"
	                   "{\"value\": [[\"r\", 2, 23, false], [\"r\", 2, 22, false]]}\n");
	directory_put_text(&d, "J2.log",
	                   "{\"value\": [[\"w\", 1, 11, true], [\"r\", 1, 5, false]]}\n");
	const struct history *h = directory_load(&t, &d, NULL);
	assert_int_equal(h->initial.count, 2);
	for (size_t i = 0; i < 2; i++) {
		struct initial_value v = h->initial.items[i];
		int64_t key = atoms_value(&h->keys, v.key).integer;
		assert_int_equal(atoms_value(&h->values, v.value).integer, key == 1 ? 5 : 22);
		assert_true(key == 1 || key == 2);
	}
	directory_remove(&d);
	test_release(&t);
}

static void writes_what_it_reads(void **state)
{
	(void)state;
	struct test t = test_start();
	struct directory d = directory_make();
	const struct history *h =
	        load_text(&t, NULL,
	                  "{\"alibi\":1,\"initial_default\":0,\"initial\":[[1,null]]}\n"
	                  "{\"id\":1,\"session\":3,\"ops\":[[\"w\",1,5],[\"r\",\"k\",0,{\"from\":"
	                  "null}]],\"begin\":1,\"end\":2}\n"
	                  "{\"id\":2,\"session\":\"s\",\"ops\":[[\"r\",1,5,{\"from\":1}],[\"r\",1,"
	                  "null]],\"start_ts\":1}\n"
	                  "{\"id\":3,\"ops\":[[\"w\",1,6]],\"status\":\"abort\",\"info\":1}\n"
	                  "{\"id\":4,\"ops\":[[\"r\",1,6]],\"status\":\"abort\"}\n");
	assert_string_equal(
	        directory_save(&t, &d, h, "viper"),
	        "database timestamps, info, transaction ids, session names that are not integers, "
	        "the writers that reads name (their values say the same), aborted transactions "
	        "that wrote nothing");
	assert_int_equal(directory_count(&d), 4);
	assert_file(&d, "Jinitial.log",
	            "{\"value\": [[\"w\", \"k\", 0, true]], \"isInitial\": true}\n");
	assert_file(&d, "J3.log",
	            "{\"preBeginTS\": 1, \"postCommitTS\": 2, \"value\": [[\"w\", 1, 5, true], "
	            "[\"r\", \"k\", 0, false]]}\n");
	assert_file(&d, "J4.log", "{\"value\": [[\"r\", 1, 5, false], [\"r\", 1, null, false]]}\n");
	assert_file(&d, "J5.log", "{\"value\": [[\"w\", 1, 6, false]]}\n");
	assert_saved(&t, directory_load(&t, &d, NULL), "alibi",
	             "{\"alibi\":1,\"initial\":[[\"k\",0]]}\n"
	             "{\"session\":3,\"ops\":[[\"w\",1,5],[\"r\",\"k\",0]],\"begin\":1,\"end\":2}\n"
	             "{\"session\":4,\"ops\":[[\"r\",1,5],[\"r\",1,null]]}\n"
	             "{\"session\":5,\"ops\":[[\"w\",1,6]],\"status\":\"abort\"}\n");
	directory_remove(&d);
	test_release(&t);
}

/* A garbage read must not come back as a read of the initial value. */
static void says_that_there_are_no_initial_values(void **state)
{
	(void)state;
	struct test t = test_start();
	struct directory d = directory_make();
	const struct history *h =
	        load_text(&t, NULL, "{\"session\":1,\"ops\":[[\"r\",1,99],[\"r\",2,98]]}");
	assert_string_equal(directory_save(&t, &d, h, "viper"), "");
	assert_file(&d, "Jinitial.log",
	            "{\"value\": [[\"w\", 2, null, true]], \"isInitial\": true}\n");
	h = directory_load(&t, &d, NULL);
	for (uint32_t key = 0; key < 2; key++)
		assert_int_equal(history_initial(h, key), ATOM_NULL);
	directory_remove(&d);
	test_release(&t);
}

static void refuses_what_is_no_log(void **state)
{
	(void)state;
	static const struct refusal cases[] = {
	        {"{\"value\": [[\"w\", 1, 2]]}",
	         "1:22: expected ',' and whether the write was done, found ']]}'"},
	        {"{\"value\": [[\"w\", 1, 2, 3]]}", "1:24: expected true or false, found a number"},
	        {"{\"value\": [[\"w\", 1.5, 2, true]]}",
	         "1:18: expected a key (integer or string), found a fraction; it must be "
	         "an integer"},
	        {"\n{\"value\": [[\"x\", 1, 2, true]]}",
	         "2:16: expected \"r\", \"w\", \"i\" or \"d\" before this, found \"x\""},
	        {"{\"value\": [[\"r\", 1, \"a\", true]]}",
	         "1:24: expected a value (an integer, or null) before this, found a string"},
	        {"{\"value\": [[\"w\", 1, null, true]]}",
	         "1:34: this transaction writes null; expected an integer (a delete writes one "
	         "too)"},
	        {"{\"value\": [[\"d\", 1, 2, true]]}",
	         "1:24: expected a value (an integer, or null), found 'true]]}'"},
	        {"{\"value\": [[\"range\", 1, 2, [], []]]}",
	         "1:20: range queries are predicate reads, which are not supported yet"},
	        {"{\"value\": [[\"w\", 1, 2, true], [\"w\", 1, 3, false]]}",
	         "1:51: some writes of this transaction were done and some were not (false); "
	         "remove "
	         "the latter"},
	        {"{\"value\": [[\"r\", 1, 2, true]], \"isInitial\": true}",
	         "1:50: the initial transaction may only write"},
	        {"{\"value\": [], \"isFinal\": true}",
	         "1:30: a final transaction reads all keys after all others, a predicate, which is "
	         "not supported yet; leave it out"},
	        {"{\"value\": [], \"ops\": 1}", "1:21: unknown member \"ops\""},
	        {"{\"value\": [], \"value\": []}", "1:23: the member \"value\" appears twice"},
	        {"{\"isInitial\": true}", "1:20: expected \"value\", the operations, in this line"},
	        {"{\"value\": []} 1", "1:15: expected nothing more, found a number"},
	        {"{\"value\": [[\"w\", 1, 2, true], [\"w\", 1, 3, true]], \"isInitial\": true}",
	         "key 1 has two initial values"},
	};
	assert_loads_refused("viper", cases);
}

static void refuses_what_logs_cannot_say(void **state)
{
	(void)state;
	static const struct {
		const char *history, *message;
	} cases[] = {
	        {"{\"ops\":[],\"status\":\"unknown\"}",
	         "whether transaction 1 committed is not known, and this format cannot say so; "
	         "settle "
	         "its status first"},
	        {"{\"ops\":[[\"append\",1,1]]}",
	         "key 1 is a list, and this format has only single values; formats with lists are "
	         "alibi, chronos and the Jepsen ones"},
	        {"{\"ops\":[[\"w\",true,1]]}", "key true is not an integer or a string, and this "
	                                       "format has no other keys; number "
	                                       "the keys first"},
	        {"{\"ops\":[[\"w\",1,\"a\"]]}", "the value \"a\" of key 1 is not an integer, and "
	                                        "this format has no other values; number "
	                                        "the values first"},
	        {"{\"ops\":[[\"d\",1]]}",
	         "transaction 1 deletes key 1, and this format has no deletes"},
	        {"{\"id\":1,\"ops\":[[\"w\",1,5]]}\n{\"id\":2,\"ops\":[[\"w\",1,5]]}\n"
	         "{\"id\":3,\"ops\":[[\"r\",1,5,{\"from\":2}]]}",
	         "transaction 3: a read of key 1 names its writer, which its value does not "
	         "(others "
	         "wrote the same, or that one did not write it); this format has only values"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct test t = test_start();
		const struct history *h = load_text(&t, "alibi", cases[i].history);
		const char *message = directory_save_error(&t, h, "viper");
		const char *file = strstr(message, ".log: ");
		assert_string_equal(file ? file + 6 : message, cases[i].message);
		test_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reads_operations),
	        cmocka_unit_test(a_value_nobody_wrote_was_there_before),
	        cmocka_unit_test(writes_what_it_reads),
	        cmocka_unit_test(says_that_there_are_no_initial_values),
	        cmocka_unit_test(refuses_what_is_no_log),
	        cmocka_unit_test(refuses_what_logs_cannot_say),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
