/* Cobra's logs: records in, records out, and what they cannot say. Logs are
 * written here as text: "S7 R0xbebeebee,0xbebeebee,1,5 C7". */
#include "directory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INIT "0xbebeebee,0xbebeebee"
#define ABSENT "0xdeadbeef,0xdeadbeef"
#define BY_VALUE "0xabddefee,0xabddefee"

enum { LOG_MAX = 1024 };

static size_t log_of(const char *text, char log[LOG_MAX])
{
	size_t at = 0;
	while (*text) {
		assert_true(at + 64 < LOG_MAX);
		log[at++] = *text++;
		while (isdigit((unsigned char)*text) || *text == '-') {
			char *end;
			uint64_t n = *text == '-' ? (uint64_t)strtoll(text, &end, 0)
			                          : strtoull(text, &end, 0);
			for (int i = 56; i >= 0; i -= 8)
				log[at++] = (char)(n >> i);
			text = end + (*end == ',');
		}
		text += *text == ' ';
	}
	return at;
}

static void put_log(const struct directory *d, const char *name, const char *text)
{
	char log[LOG_MAX];
	directory_put(d, name, log, log_of(text, log));
}

static void assert_log(const struct directory *d, const char *name, const char *text)
{
	char log[LOG_MAX];
	size_t length;
	char *found = directory_get(d, name, &length);
	assert_int_equal(length, log_of(text, log));
	assert_memory_equal(found, log, length);
	free(found);
}

static void reads_versions(void **state)
{
	(void)state;
	struct test t = test_start();
	struct directory d = directory_make();
	put_log(&d, "T10.log", "S7 R" INIT ",1,-5 W100,1,6 C7 S8 R7,100,1,6 C8");
	put_log(&d, "T2.log", "S9 R" INIT ",1,-5 R" ABSENT ",2,0 R" INIT ",1,4 C9");
	put_log(&d, "T02.log", "S-1 C-1");
	put_log(&d, "b.log.log", "S11 C11");
	put_log(&d, "T1.debug", "nothing");
	assert_saved(
	        &t, directory_load(&t, &d, NULL), "alibi",
	        "{\"alibi\":1,\"initial\":[[1,-5]]}\n"
	        "{\"id\":-1,\"session\":\"T02\",\"ops\":[]}\n"
	        "{\"id\":9,\"session\":2,\"ops\":[[\"r\",1,-5,{\"from\":null}],"
	        "[\"r\",2,null,{\"from\":null}],[\"r\",1,4,{\"from\":null}]]}\n"
	        "{\"id\":7,\"session\":10,\"ops\":[[\"r\",1,-5,{\"from\":null}],[\"w\",1,6]]}\n"
	        "{\"id\":8,\"session\":10,\"ops\":[[\"r\",1,6,{\"from\":7}]]}\n"
	        "{\"id\":11,\"session\":\"b.log\",\"ops\":[]}\n");
	directory_remove(&d);
	test_release(&t);
}

static void a_writer_in_no_log_aborted(void **state)
{
	(void)state;
	static const char info[] = "\"status\":\"abort\",\"info\":\"in no log file; a read names "
	                           "it as its writer\"}\n";
	char expected[1024];
	struct test t = test_start();
	struct directory d = directory_make(), again = directory_make();
	put_log(&d, "T1.log", "S1 R50,1,7,70 R50,1,7,70 R50,2,8,80 C1 S2 R40,9,7,70 C2");
	snprintf(expected, sizeof expected,
	         "{\"id\":1,\"session\":1,\"ops\":[[\"r\",7,70,{\"from\":50}],"
	         "[\"r\",7,70,{\"from\":50}],[\"r\",8,80,{\"from\":50}]]}\n"
	         "{\"id\":2,\"session\":1,\"ops\":[[\"r\",7,70,{\"from\":40}]]}\n"
	         "{\"id\":50,\"ops\":[[\"w\",7,70],[\"w\",8,80]],%s"
	         "{\"id\":40,\"ops\":[[\"w\",7,70]],%s",
	         info, info);
	const struct history *h = directory_load(&t, &d, NULL);
	assert_saved(&t, h, "alibi", expected);
	assert_string_equal(directory_save(&t, &again, h, "cobra"), "aborted transactions");
	assert_saved(&t, directory_load(&t, &again, NULL), "alibi", expected);
	directory_remove(&d);
	directory_remove(&again);
	test_release(&t);
}

static void goes_by_value_where_logs_do(void **state)
{
	(void)state;
	static const char log[] = "S1 R" INIT ",7,5 W0xabddefee,7,6 C1 S2 R" BY_VALUE
	                          ",7,6 R" ABSENT ",9,0 R" BY_VALUE ",7,99 C2";
	struct test t = test_start();
	struct directory d = directory_make(), again = directory_make();
	put_log(&d, "T1.log", log);
	const struct history *h = directory_load(&t, &d, NULL);
	assert_saved(&t, h, "alibi",
	             "{\"alibi\":1,\"initial\":[[7,5]]}\n"
	             "{\"id\":1,\"session\":1,\"ops\":[[\"r\",7,5,{\"from\":null}],[\"w\",7,6]]}\n"
	             "{\"id\":2,\"session\":1,\"ops\":[[\"r\",7,6],[\"r\",9,null,{\"from\":null}],"
	             "[\"r\",7,99]]}\n");
	assert_string_equal(directory_save(&t, &again, h, "cobra"), "");
	assert_log(&again, "T1.log", log);
	directory_remove(&d);
	directory_remove(&again);
	test_release(&t);
}

static void finds_times_by_reading_on(void **state)
{
	(void)state;
	static const char log[] = "S1,1000 W0x100000000,7,5 C1,1005 S2,1010 C2,1020";
	struct test t = test_start();
	struct directory d = directory_make(), again = directory_make();
	put_log(&d, "T1.log", log);
	const struct history *h = directory_load(&t, &d, NULL);
	assert_saved(&t, h, "alibi",
	             "{\"id\":1,\"session\":1,\"ops\":[[\"w\",7,5]],\"begin\":1000,\"end\":1005}\n"
	             "{\"id\":2,\"session\":1,\"ops\":[],\"begin\":1010,\"end\":1020}\n");
	assert_string_equal(directory_save(&t, &again, h, "cobra"), "");
	assert_log(&again, "T1.log", "S1,1000 W0xabddefee,7,5 C1,1005 S2,1010 C2,1020");
	directory_remove(&d);
	directory_remove(&again);
	test_release(&t);
}

/* One transaction wrote 5 twice: the read names the later write of it. */
static void writes_named_versions(void **state)
{
	(void)state;
	struct test t = test_start();
	struct directory d = directory_make();
	const struct history *h = load_text(
	        &t, NULL,
	        "{\"alibi\":1,\"source\":\"x\",\"initial_default\":0,\"initial\":[[1,4],[2,3]]}\n"
	        "{\"id\":\"a\",\"session\":\"s\",\"ops\":[[\"w\",1,5],[\"w\",1,6],[\"w\",1,5]],"
	        "\"begin\":1}\n"
	        "{\"id\":\"gone\",\"session\":\"s\",\"ops\":[[\"w\",2,8]],\"status\":\"abort\"}\n"
	        "{\"id\":3735928559,\"session\":4,\"ops\":[[\"r\",1,5,{\"from\":\"a\"}],"
	        "[\"r\",1,4,{\"from\":null}],[\"r\",2,8,{\"from\":\"gone\"}]]}\n"
	        "{\"id\":9,\"ops\":[[\"r\",1,7,{\"from\":\"a\"}]]}\n");
	assert_string_equal(
	        directory_save(&t, &d, h, "cobra"),
	        "transaction ids that are not integers, aborted transactions, the source, session "
	        "names that are not integers, client times (some transactions have none), initial "
	        "values that were never read");
	assert_int_equal(directory_count(&d), 3);
	assert_log(&d, "T5.log",
	           "S0x100000001 W0x100000000,1,5 W0x100000001,1,6 W0x100000002,1,5 C0x100000001");
	assert_log(&d, "T4.log",
	           "S0x100000003 R0x100000001,0x100000002,1,5 R" INIT
	           ",1,4 R0x100000002,0x100000003,2,8 C0x100000003");
	assert_log(&d, "T6.log", "S9 R0x100000001,0x100000007,1,7 C9");
	directory_remove(&d);
	test_release(&t);
}

static void refuses_what_is_no_log(void **state)
{
	(void)state;
	static const struct {
		const char *log, *message;
	} cases[] = {
	        {"x", "byte 0: expected a record ('S', 'R', 'W' or 'C'), found 'x'"},
	        {"S1 W2,3,4 \n", "byte 34: expected a record ('S', 'R', 'W' or 'C'), found 0x0a"},
	        {"C1", "byte 0: expected 'S' to start a transaction, found 'C'"},
	        {"S1 S2",
	         "byte 9: expected 'R', 'W', or 'C' to end the transaction before, found 'S'"},
	        {"S1 C2", "byte 9: expected the commit of transaction 1, found that of 2"},
	        {"S1 W2",
	         "byte 9: the log ends in the middle of a record: 'W' takes 25 bytes, there are 9"},
	        {"S1 C1 S2 W2,3,4",
	         "byte 52: the log ends, but transaction 2 has no commit record; to check what "
	         "came before it, cut the file at byte 18"},
	        {"S1 A1", "byte 9: an abort record ('A'); Cobra's logs have committed transactions "
	                  "only, so remove the aborted one"},
	        {"S1 R0xbebeebee,0x23332333,1,1 C1",
	         "byte 9: a mark of Cobra's garbage collection (write id 0x23332333); Alibi checks "
	         "whole histories: record with garbage collection switched off"},
	        {"S1 R2,0xdeadbeef,1,1 C1",
	         "byte 9: the read's writer (0x2) and write id (0xdeadbeef) do not fit: one is a "
	         "reserved number, the other is not"},
	        {"S1 R0xabddefee,2,1,1 C1",
	         "byte 9: the read's writer (0xabddefee) and write id (0x2) do not fit: one is a "
	         "reserved number, the other is not"},
	        {"S1 W0xbebeebee,1,1 C1",
	         "byte 9: the write id 0xbebeebee is reserved for reads of the initial version"},
	        {"S0xdeadbeef",
	         "byte 0: 0xdeadbeef is a reserved number and cannot be a transaction's id"},
	        {"S1,1 W1,2,3 C1,2 S2,3 C3,4",
	         "byte 76: expected the commit of transaction 2, found that of 3"},
	        {"S1 C1 S1 C1", "transaction 2: duplicate id 1, also used by the transaction at 1; "
	                        "ids must be unique"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct test t = test_start();
		char log[LOG_MAX];
		assert_string_equal(load_error_bytes(&t, "cobra", log, log_of(cases[i].log, log)),
		                    cases[i].message);
		test_release(&t);
	}
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
	        {"{\"ops\":[[\"w\",\"x\",1]]}", "key \"x\" is not an integer, and this format has "
	                                        "no other keys; number the keys first"},
	        {"{\"ops\":[[\"append\",1,1]]}",
	         "key 1 is a list, and this format has only single values; formats with lists are "
	         "alibi, chronos and the Jepsen ones"},
	        {"{\"ops\":[[\"w\",1,\"a\"]]}", "the value \"a\" of key 1 is not an integer, and "
	                                        "this format has no other values; number "
	                                        "the values first"},
	        {"{\"ops\":[[\"d\",1]]}",
	         "transaction 1 deletes key 1, and this format has no deletes"},
	        {"{\"alibi\":1,\"initial_default\":0}\n{\"ops\":[[\"r\",1,null]]}",
	         "transaction 2, key 1, value null: in Cobra's logs only a key's initial value can "
	         "be null"},
	        {"{\"ops\":[[\"w\",1,5],[\"r\",1,5,{\"from\":1}],[\"r\",1,5]]}",
	         "transaction 1, key 1, value 5: this read does not name its writer, but others "
	         "do; "
	         "Cobra's logs name all of them or none"},
	        {"{\"ops\":[[\"r\",1,5,{\"from\":null}]]}",
	         "transaction 1, key 1, value 5: this read names the initial version, which has "
	         "another value; Cobra's logs cannot say so"},
	        {"{\"alibi\":1,\"initial_default\":0}\n{\"ops\":[[\"w\",1,0],[\"r\",1,0]]}",
	         "transaction 2, key 1, value 0: the initial value was written too, and this read "
	         "does not say which of them it saw; give it a \"from\""},
	        {"{\"session\":9223372036854775807,\"ops\":[]}\n{\"ops\":[]}",
	         "sessions and transactions need numbers in this format, and none are left above "
	         "9223372036854775807; rename that one"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct test t = test_start();
		const struct history *h = load_text(&t, "alibi", cases[i].history);
		const char *message = directory_save_error(&t, h, "cobra");
		const char *file = strstr(message, ".log: "); /* of a file in the directory */
		assert_string_equal(file ? file + 6 : message, cases[i].message);
		test_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reads_versions),
	        cmocka_unit_test(a_writer_in_no_log_aborted),
	        cmocka_unit_test(goes_by_value_where_logs_do),
	        cmocka_unit_test(finds_times_by_reading_on),
	        cmocka_unit_test(writes_named_versions),
	        cmocka_unit_test(refuses_what_is_no_log),
	        cmocka_unit_test(refuses_what_logs_cannot_say),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
