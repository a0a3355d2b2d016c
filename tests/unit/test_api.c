/* The public header: building histories, misusing values, and limits of all sizes. */
#include "support.h"

#include <stdio.h>
#include <string.h>

static alibi_value text(const char *s)
{
	return (alibi_value){.kind = ALIBI_STRING, .text = s, .length = strlen(s)};
}

static alibi_value number(int64_t n)
{
	return (alibi_value){.kind = ALIBI_INT, .integer = n};
}

static const alibi_value null = {.kind = ALIBI_NULL};

static void builds_what_a_file_says(void **state)
{
	(void)state;
	struct test t = test_start();
	alibi_builder *b = alibi_builder_new(t.job);
	alibi_value row = {
	        .kind = ALIBI_ROW, .text = "{\"c\":null, \"b\":2, \"a\":1}", .length = 24};
	alibi_value half = {.kind = ALIBI_DECIMAL, .text = "50e-2", .length = 5},
	            cut = {.kind = ALIBI_DECIMAL, .text = "50e-2", .length = 3};
	alibi_value items[] = {number(1), text("e"), half};
	alibi_value list = {.kind = ALIBI_LIST, .items = items, .length = 3};
	assert_false(alibi_builder_initial(b, NULL, &cut));
	assert_string_equal(alibi_last_error(t.job)->text,
	                    "a number:1:1: expected a number, found a number that JSON does not "
	                    "allow");
	assert_true(alibi_builder_initial(b, NULL, &(alibi_value){.kind = ALIBI_BOOL}));
	assert_true(alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = ALIBI_WRITE,
	                                            .key = text("x"), .value = row}));
	assert_true(alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = ALIBI_WRITE,
	                                            .key = text("y"), .value = null}));
	assert_true(alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn), .id = text("t"),
	                                              .session = number(4), .info = "[1]",
	                                              .info_length = 3}));
	assert_true(alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = ALIBI_READ,
	                                            .key = text("x"), .value = row,
	                                            .has_from = true, .from = text("t")}));
	assert_true(alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = ALIBI_READ,
	                                            .key = text("l"), .value = list}));
	assert_true(alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn), .status = ALIBI_ABORT,
	                                              .has = ALIBI_HAS_BEGIN | ALIBI_HAS_COMMIT_TS,
	                                              .begin = 3, .commit_ts = {5, 0}}));
	const alibi_history *h = alibi_builder_finish(b);
	assert_non_null(h);
	assert_saved(
	        &t, (const struct history *)h, "alibi",
	        "{\"alibi\":1,\"initial_default\":false}\n"
	        "{\"id\":\"t\",\"session\":4,\"ops\":[[\"w\",\"x\",{\"a\":1,\"b\":2}],[\"d\",\"y\"]"
	        "],"
	        "\"info\":[1]}\n"
	        "{\"id\":2,\"ops\":[[\"r\",\"x\",{\"a\":1,\"b\":2},{\"from\":\"t\"}],"
	        "[\"r\",\"l\",[1,\"e\",0.5]]],\"status\":\"abort\",\"begin\":3,\"commit_ts\":5}\n");
	test_release(&t);
}

static bool query(alibi_builder *b, const char *json)
{
	return alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = ALIBI_QUERY,
	                                       .json = json, .json_length = strlen(json)});
}

/* One that is refused in its midst leaves no rows behind. */
static void builds_queries(void **state)
{
	(void)state;
	struct test t = test_start();
	alibi_builder *b = alibi_builder_new(t.job);
	static const char good[] =
	        "[\"q\",{\"from\":\"a\",\"where\":[[\"v\",\"=\",1]]},[[\"a/1\",{\"v\":1}]]]";
	static const char open[] = "[\"u\",{\"from\":\"a\"},{\"delete\":true}]";
	assert_false(query(b, "[\"q\",{\"from\":\"a\"},[[\"a/1\",{\"v\":1}],[\"a/2\",["));
	assert_non_null(strstr(alibi_last_error(t.job)->text, "a query:1:"));
	assert_false(query(b, "[\"r\",1,2]"));
	assert_true(query(b, good));
	assert_false(query(b, "[\"u\",{},{\"set\":{\"v\":1}},[[\"a/1\",{\"v\":1}],[]]]"));
	assert_true(query(b, open));
	assert_true(alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn)}));
	const alibi_history *h = alibi_builder_finish(b);
	assert_non_null(h);
	char expected[200];
	snprintf(expected, sizeof expected, "{\"ops\":[%s,%s]}\n", good, open);
	assert_saved(&t, (const struct history *)h, "alibi", expected);
	test_release(&t);
}

/* Keys that only refused operations name are not of the relation: here they would hold 1. */
static void a_refused_key_is_not_asked_for(void **state)
{
	(void)state;
	struct test t = test_start();
	alibi_builder *b = alibi_builder_new(t.job);
	alibi_value one = number(1), row = {.kind = ALIBI_ROW, .text = "{\"a\":[]}", .length = 8};
	assert_true(alibi_builder_initial(b, NULL, &one));
	assert_false(alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = ALIBI_WRITE,
	                                             .key = text("a/2"), .value = row}));
	assert_false(query(b, "[\"q\",{\"from\":\"a\"},[[\"a/3\",1],[]]]"));
	assert_false(query(b, "[\"q\",{\"from\":\"a\",\"except\":[\"a/4\"]},[[]]]"));
	assert_true(query(b, "[\"q\",{\"from\":\"a\"},[[\"a/1\",1]]]"));
	assert_true(query(b, "[\"q\",{},[[\"a/1\",1]]]"));
	assert_true(alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn)}));
	const alibi_history *h = alibi_builder_finish(b);
	const alibi_result *r = alibi_check(
	        t.job, h, &(alibi_check_options){ALIBI_INIT(alibi_check_options), .level = "ser"});
	assert_int_equal(alibi_result_verdict(r), ALIBI_VALID);
	assert_null(
	        alibi_check(t.job, h,
	                    &(alibi_check_options){ALIBI_INIT(alibi_check_options), .level = "ser",
	                                           .order = ALIBI_ORDER_TIMESTAMPS + 1}));
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_USAGE);
	assert_false(alibi_save(t.job, h, "-", NULL, NULL));
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_USAGE);
	test_release(&t);
}

/* b read before the commit of a, which is before its own: no serial order of commits. */
static void timestamps_mean_what_is_said(void **state)
{
	(void)state;
	static const struct {
		const char *header, *option;
		enum alibi_verdict verdict;
	} cases[] = {{NULL, NULL, ALIBI_UNKNOWN},
	             {"snapshot", NULL, ALIBI_UNKNOWN},
	             {"serial", NULL, ALIBI_VIOLATES},
	             {"serial", "snapshot", ALIBI_UNKNOWN},
	             {NULL, "serial", ALIBI_VIOLATES}};
	struct test t = test_start();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		alibi_builder *b = alibi_builder_new(t.job);
		for (int64_t at = 1; at <= 2; at++) {
			assert_true(alibi_builder_op(
			        b, &(alibi_op){ALIBI_INIT(alibi_op),
			                       .kind = at == 1 ? ALIBI_WRITE : ALIBI_READ,
			                       .key = text("x"),
			                       .value = at == 1 ? number(1) : (alibi_value){0}}));
			assert_true(alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn),
			                                              .has = ALIBI_HAS_COMMIT_TS,
			                                              .commit_ts = {at, 0}}));
		}
		assert_true(alibi_builder_timestamps(b, cases[i].header));
		assert_false(alibi_builder_timestamps(b, "commit"));
		const alibi_history *h = alibi_builder_finish(b);
		alibi_stats stats = {ALIBI_INIT(alibi_stats)};
		alibi_history_stats(h, &stats);
		assert_true(stats.timestamps == cases[i].header ||
		            !strcmp(stats.timestamps, cases[i].header));
		const alibi_result *r = alibi_check(
		        t.job, h,
		        &(alibi_check_options){ALIBI_INIT(alibi_check_options), .level = "ser",
		                               .order = ALIBI_ORDER_TIMESTAMPS,
		                               .timestamps = cases[i].option});
		assert_int_equal(alibi_result_verdict(r), cases[i].verdict);
	}
	test_release(&t);
}

/* The call that meets the limit adds nothing. */
static void an_end_in_vain_adds_no_transaction(void **state)
{
	(void)state;
	struct test t = test_start();
	alibi_builder *b = alibi_builder_new(t.job);
	size_t ended = 0;
	alibi_set_timeout(t.job, 1e-9);
	while (alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn)}))
		ended++;
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_TIMEOUT);
	alibi_set_timeout(t.job, 0);
	const alibi_history *h = alibi_builder_finish(b);
	assert_int_equal(alibi_history_txn_count(h), ended);
	test_release(&t);
}

static void refuses_what_makes_no_sense(void **state)
{
	(void)state;
	struct test t = test_start();
	alibi_builder *b = alibi_builder_new(t.job);
	alibi_value row = {.kind = ALIBI_ROW, .text = "{\"a\":[]}", .length = 8};
	assert_false(alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = ALIBI_READ,
	                                             .key = null, .value = null}));
	assert_string_equal(alibi_last_error(t.job)->text,
	                    "transaction 1: null or a list where a key or a value must be");
	assert_false(alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = ALIBI_APPEND,
	                                             .key = text("x"), .value = null}));
	assert_false(alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = ALIBI_WRITE,
	                                             .key = text("x"), .value = row}));
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_INPUT);
	assert_false(alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = ALIBI_QUERY + 1,
	                                             .key = text("x"), .value = number(1)}));
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_USAGE);
	assert_false(alibi_builder_end(
	        b, &(alibi_txn){ALIBI_INIT(alibi_txn), .status = ALIBI_UNKNOWN_STATUS + 1}));
	assert_false(alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn), .has = 64}));
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_USAGE);
	assert_false(alibi_builder_end(
	        b, &(alibi_txn){ALIBI_INIT(alibi_txn), .id = {.kind = ALIBI_BOOL}}));
	assert_string_equal(alibi_last_error(t.job)->text,
	                    "transaction 1: ids and sessions are integers or strings");
	assert_false(alibi_builder_end(
	        b, &(alibi_txn){ALIBI_INIT(alibi_txn), .info = "no JSON", .info_length = 7}));
	assert_non_null(strstr(alibi_last_error(t.job)->text, "the info:1:1: expected"));
	assert_false(alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn), .id = text("\xff")}));
	assert_string_equal(alibi_last_error(t.job)->text, "transaction 1: a string is not UTF-8");
	assert_false(alibi_builder_source(b, "si", "\xc3"));
	assert_true(alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn), .id = number(2),
	                                              .info = "{\"a\":1}", .info_length = 7}));
	assert_true(alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn)}));
	assert_null(alibi_builder_finish(b)); /* 2 is the second one's number */
	assert_non_null(strstr(alibi_last_error(t.job)->text, "id 2 is also the number"));
	test_release(&t);
}

/* Refused operations and ends leave nothing behind: neither an operation nor a number. */
static void goes_on_after_a_refusal(void **state)
{
	(void)state;
	struct test t = test_start();
	alibi_builder *b = alibi_builder_new(t.job);
	alibi_value yes = {.kind = ALIBI_BOOL, .integer = 1};
	alibi_value list = {.kind = ALIBI_LIST};
	assert_false(alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = ALIBI_READ,
	                                             .key = text("x"), .value = list,
	                                             .has_from = true, .from = yes}));
	assert_true(alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = ALIBI_WRITE,
	                                            .key = text("x"), .value = yes}));
	assert_false(alibi_builder_end(
	        b, &(alibi_txn){ALIBI_INIT(alibi_txn), .session = number(1), .id = yes}));
	assert_true(
	        alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn), .session = number(1)}));
	assert_true(alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = ALIBI_READ,
	                                            .key = text("x"), .value = yes,
	                                            .has_from = true, .from = number(1)}));
	assert_true(
	        alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn), .session = number(2)}));
	const alibi_history *h = alibi_builder_finish(b);
	assert_non_null(h);
	assert_saved(&t, (const struct history *)h, "alibi",
	             "{\"id\":1,\"session\":1,\"ops\":[[\"w\",\"x\",true]]}\n"
	             "{\"id\":2,\"session\":2,\"ops\":[[\"r\",\"x\",true,{\"from\":1}]]}\n");
	test_release(&t);
}

/* A history with everything in it, loaded with every limit from nothing to
 * enough: it fails as out of memory, or succeeds; never otherwise. */
static void every_memory_limit_is_honest(void **state)
{
	(void)state;
	static char file[1 << 16];
	size_t length = 0;
	for (int i = 0; i < 300; i++)
		length += (size_t)snprintf(file + length, sizeof file - length,
		                           "{\"id\":\"id-%d\",\"session\":\"s%d\",\"start_ts\":[%d,"
		                           "1],\"commit_ts\":[%d,2],"
		                           "\"ops\":[[\"w\",\"key-%d\",{\"n\":%d}],[\"append\","
		                           "\"l\",%d]],\"info\":{}}\n",
		                           i, i % 7, i, i + 1, i % 50, i, i);
	size_t enough = 0;
	int refused = 0, loaded = 0;
	for (size_t limit = 1; loaded < 3; limit += limit / 8 + 1000) {
		alibi *a = alibi_new();
		alibi_set_memory_limit(a, limit);
		FILE *f = fopen("test_api.tmp", "w");
		assert_non_null(f);
		fwrite(file, 1, length, f);
		fclose(f);
		const alibi_history *h = alibi_load(a, "test_api.tmp", NULL);
		const alibi_result *r =
		        h ? alibi_check(a, h,
		                        &(alibi_check_options){ALIBI_INIT(alibi_check_options),
		                                               .level = "si",
		                                               .order = ALIBI_ORDER_TIMESTAMPS})
		          : NULL;
		if (r) {
			assert_int_equal(alibi_result_verdict(r), ALIBI_VIOLATES);
			loaded++;
			enough = alibi_peak_bytes(a);
		} else {
			assert_int_equal(alibi_last_error(a)->code, ALIBI_MEMORY);
			refused++;
		}
		assert_true(alibi_peak_bytes(a) <= limit);
		alibi_free(a);
	}
	remove("test_api.tmp");
	assert_true(refused > 20 && enough > 0);
}

/* A chain of reads and writes, given to a search with more and more memory: as soon
 * as it is loaded, a limit that is reached is a verdict with a reason. */
static void a_limited_search_is_unknown(void **state)
{
	(void)state;
	enum { TXNS = 500 };
	int unknown = 0, valid = 0;
	for (size_t limit = 10000; valid < 3; limit += limit / 32) {
		alibi *a = alibi_new();
		alibi_set_memory_limit(a, limit);
		alibi_builder *b = alibi_builder_new(a);
		bool ok = b;
		for (int64_t i = 0; ok && i < TXNS; i++)
			ok = alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op),
			                                     .kind = ALIBI_READ, .key = text("x"),
			                                     .value = i ? number(i) : null}) &&
			     alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op),
			                                     .kind = ALIBI_WRITE, .key = text("x"),
			                                     .value = number(i + 1)}) &&
			     alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn),
			                                       .session = number(i % 5)});
		const alibi_history *h = ok ? alibi_builder_finish(b) : NULL;
		const alibi_result *r =
		        h ? alibi_check(a, h,
		                        &(alibi_check_options){ALIBI_INIT(alibi_check_options),
		                                               .level = "ser"})
		          : NULL;
		if (r && alibi_result_verdict(r) == ALIBI_UNKNOWN) {
			assert_non_null(strstr(alibi_result_reason(r), "the memory limit of"));
			assert_non_null(strchr(alibi_result_reason(r), ';'));
			unknown++;
		} else if (r) {
			assert_int_equal(alibi_result_verdict(r), ALIBI_VALID);
			assert_int_equal(alibi_last_error(a)->code, ALIBI_OK);
			valid++;
		}
		assert_int_equal(alibi_last_error(a)->code == ALIBI_MEMORY,
		                 !r || alibi_result_verdict(r) == ALIBI_UNKNOWN);
		assert_true(alibi_peak_bytes(a) <= limit);
		alibi_free(a);
	}
	assert_true(unknown > 5);
}

/* Every one of 1000 transactions is in conflict with one whose id is long: the
 * violations are all counted, but only as many described as fit. */
static void describes_no_more_than_fits(void **state)
{
	(void)state;
	enum { TXNS = 1000, ID_BYTES = 100000, PEAK_MAX = 100 << 20 };
	struct test t = test_start();
	alibi_builder *b = alibi_builder_new(t.job);
	static char id[ID_BYTES + 1];
	memset(id, 'i', ID_BYTES);
	for (int64_t i = 0; i <= TXNS; i++) {
		alibi_txn txn = {
		        ALIBI_INIT(alibi_txn),  .id = i ? number(i) : text(id),
		        .session = number(i),   .has = ALIBI_HAS_START_TS | ALIBI_HAS_COMMIT_TS,
		        .start_ts = {2 * i, 0}, .commit_ts = {i ? 2 * i + 1 : INT64_MAX, 0}};
		assert_true(
		        alibi_builder_op(b, &(alibi_op){ALIBI_INIT(alibi_op), .kind = ALIBI_WRITE,
		                                        .key = text("x"), .value = number(i)}));
		assert_true(alibi_builder_end(b, &txn));
	}
	const alibi_result *r =
	        alibi_check(t.job, alibi_builder_finish(b),
	                    &(alibi_check_options){ALIBI_INIT(alibi_check_options), .level = "si",
	                                           .order = ALIBI_ORDER_TIMESTAMPS});
	assert_non_null(r);
	assert_int_equal(alibi_result_violation_count(r), TXNS);
	assert_in_range(alibi_result_described(r), 1, TXNS - 1);
	assert_in_range(alibi_peak_bytes(t.job), 1, PEAK_MAX);
	test_release(&t);
}

/* A struct of an older caller is read as far as it goes; one of a newer caller is refused if it
 * says more than this version knows. */
static void structs_may_be_older_or_newer(void **state)
{
	(void)state;
	struct test t = test_start();
	const alibi_history *h = (const alibi_history *)load_text(&t, "alibi", "{\"ops\":[]}\n");
	struct {
		alibi_check_options o;
		uint64_t later;
	} newer = {.o = {.size = sizeof newer, .level = "ser"}};
	alibi_check_options older = {.size = offsetof(alibi_check_options, require_txns),
	                             .level = "ser",
	                             .require_txns = 9};
	assert_int_equal(alibi_result_verdict(alibi_check(t.job, h, &newer.o)), ALIBI_VALID);
	assert_int_equal(alibi_result_verdict(alibi_check(t.job, h, &older)), ALIBI_VALID);
	newer.later = 1;
	assert_null(alibi_check(t.job, h, &newer.o));
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_USAGE);
	assert_null(alibi_check(t.job, h, &(alibi_check_options){.level = "ser"}));
	struct {
		alibi_stats s;
		uint64_t later;
	} stats = {.s = {.size = sizeof stats}, .later = 7};
	alibi_history_stats(h, &stats.s);
	assert_true(stats.s.txns == 1 && stats.s.size == sizeof stats && !stats.later);
	test_release(&t);
}

static void a_cancelled_check_is_unknown(void **state)
{
	(void)state;
	struct test t = test_start();
	const alibi_history *h = (const alibi_history *)load_text(&t, "alibi", "{\"ops\":[]}\n");
	alibi_cancel(t.job);
	const alibi_result *r = alibi_check(
	        t.job, h, &(alibi_check_options){ALIBI_INIT(alibi_check_options), .level = "ser"});
	assert_non_null(r);
	assert_int_equal(alibi_result_verdict(r), ALIBI_UNKNOWN);
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_CANCELLED);
	assert_non_null(strstr(alibi_result_reason(r), "cancelled"));
	test_release(&t);
}

/* Whatever ended them, there is a result for each level. */
static void cancelled_levels_are_unknown(void **state)
{
	(void)state;
	struct test t = test_start();
	const alibi_history *h = (const alibi_history *)load_text(&t, "alibi", "{\"ops\":[]}\n");
	alibi_cancel(t.job);
	const alibi_levels *all =
	        alibi_check_all(t.job, h, &(alibi_check_options){ALIBI_INIT(alibi_check_options)});
	assert_non_null(all);
	assert_int_equal(alibi_levels_count(all), alibi_level_count());
	assert_null(alibi_levels_strongest(all));
	for (size_t i = 0; i < alibi_levels_count(all); i++) {
		const alibi_result *r = alibi_levels_at(all, i);
		assert_int_equal(alibi_result_verdict(r), ALIBI_UNKNOWN);
		assert_non_null(strstr(alibi_result_reason(r), "cancelled"));
	}
	test_release(&t);
}

static bool keep(void *data, const void *bytes, size_t length)
{
	char *text = data;
	size_t at = strlen(text);
	memcpy(text + at, bytes, length);
	text[at + length] = 0;
	return true;
}

static bool refuse(void *data, const void *bytes, size_t length)
{
	(void)data, (void)bytes, (void)length;
	return false;
}

/* What is read from memory, transaction by transaction, is what a callback gets. */
static void reads_what_memory_says(void **state)
{
	(void)state;
	static const char text[] =
	        "{\"id\":\"a\",\"session\":1,\"ops\":[[\"append\",\"l\",1]]}\n"
	        "{\"id\":\"b\",\"session\":2,\"ops\":[[\"r\",\"l\",[1,2],{\"from\":\"a\"}],"
	        "[\"q\",{\"from\":\"t\"},[[\"t/1\",{\"v\":1}]]],[\"d\",\"x\"]],\"info\":{}}\n";
	char out[1024] = "";
	struct test t = test_start();
	const alibi_history *h = alibi_load_memory(t.job, "memory", text, strlen(text), NULL);
	assert_non_null(h);
	assert_true(alibi_save_to(t.job, h, keep, out, "alibi", NULL));
	assert_string_equal(out, text);
	assert_false(alibi_save_to(t.job, h, refuse, NULL, "alibi", NULL));
	alibi_txn txn = {ALIBI_INIT(alibi_txn)};
	alibi_op op = {ALIBI_INIT(alibi_op)};
	assert_int_equal(alibi_history_txn_count(h), 2);
	assert_true(alibi_history_txn_at(h, 1, &txn) && !alibi_history_txn_at(h, 2, &txn));
	assert_true(txn.op_count == 3 && txn.info_length == 2 && txn.session.integer == 2);
	assert_true(alibi_history_op_at(t.job, h, 1, 0, &op));
	assert_true(op.value.kind == ALIBI_LIST && op.value.items[1].integer == 2 && op.has_from);
	assert_true(alibi_history_op_at(t.job, h, 1, 1, &op) && op.kind == ALIBI_QUERY);
	assert_true(alibi_history_op_at(t.job, h, 1, 2, &op) && op.value.kind == ALIBI_NULL);
	assert_false(alibi_history_op_at(t.job, h, 1, 3, &op));
	test_release(&t);
}

static const alibi_history *loaded(struct test *t, const char *lines)
{
	const alibi_history *h = alibi_load_memory(t->job, "h", lines, strlen(lines), NULL);
	assert_non_null(h);
	return h;
}

/* What an explanation refers to must be in the history. */
static void explains_only_the_history_that_was_checked(void **state)
{
	(void)state;
	struct test t = test_start();
	alibi_check_options si = {ALIBI_INIT(alibi_check_options), .level = "si"};
	const alibi_history *lost = loaded(&t, "{\"ops\":[[\"r\",\"x\",null],[\"w\",\"x\",1]]}\n"
	                                       "{\"ops\":[[\"r\",\"x\",null],[\"w\",\"x\",2]]}\n");
	const alibi_history *other = loaded(&t, "{\"ops\":[]}\n");
	const alibi_result *r = alibi_check(t.job, lost, &si);
	assert_int_equal(alibi_result_verdict(r), ALIBI_VIOLATES);
	assert_null(alibi_explain(t.job, other, &si, r));
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_USAGE);
	assert_string_equal(alibi_last_error(t.job)->text,
	                    "the result is of another history; pass the one that was checked");
	assert_non_null(alibi_explain(t.job, lost, &si, r));
	test_release(&t);
}

/* Not the error of the call before. */
static void an_index_out_of_range_is_an_error_of_its_own(void **state)
{
	(void)state;
	struct test t = test_start();
	const alibi_history *h = loaded(&t, "{\"ops\":[[\"w\",\"x\",1]]}\n");
	alibi_op op = {ALIBI_INIT(alibi_op)};
	assert_true(alibi_history_op_at(t.job, h, 0, 0, &op));
	assert_false(alibi_history_op_at(t.job, h, 0, 1, &op));
	assert_string_equal(alibi_last_error(t.job)->text,
	                    "transaction 0 has no operation 1, counted from 0");
	assert_null(alibi_load(t.job, "/nowhere", NULL));
	assert_false(alibi_history_op_at(t.job, h, 7, 0, &op));
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_USAGE);
	assert_null(alibi_definition_at(t.job, alibi_definition_count()));
	assert_non_null(strstr(alibi_last_error(t.job)->text, "there is no definition"));
	test_release(&t);
}

/* As snprintf() does: at most as much as fits, whole characters, and the length of it all. */
static void escapes_as_much_as_fits(void **state)
{
	(void)state;
	char to[16];
	static const char red[] = "a\033[31m";
	assert_int_equal(alibi_escape(ALIBI_ESCAPE_TEXT, red, strlen(red), to, sizeof to), 11);
	assert_string_equal(to, "a\\u001b[31m");
	assert_int_equal(alibi_escape(ALIBI_ESCAPE_TEXT, red, strlen(red), to, 7), 11);
	assert_string_equal(to, "a");
	assert_int_equal(alibi_escape(ALIBI_ESCAPE_TEXT, "aé", 3, to, 3), 3);
	assert_string_equal(to, "a");
	assert_int_equal(alibi_escape(ALIBI_ESCAPE_LABEL, "\"\n\xff", 3, to, sizeof to), 10);
	assert_string_equal(to, "\\\"\\\\n\\\\xff");
	assert_int_equal(alibi_escape(ALIBI_ESCAPE_MARKUP, "<", 1, NULL, 0), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(builds_what_a_file_says),
	        cmocka_unit_test(builds_queries),
	        cmocka_unit_test(a_refused_key_is_not_asked_for),
	        cmocka_unit_test(an_end_in_vain_adds_no_transaction),
	        cmocka_unit_test(timestamps_mean_what_is_said),
	        cmocka_unit_test(refuses_what_makes_no_sense),
	        cmocka_unit_test(goes_on_after_a_refusal),
	        cmocka_unit_test(every_memory_limit_is_honest),
	        cmocka_unit_test(a_limited_search_is_unknown),
	        cmocka_unit_test(describes_no_more_than_fits),
	        cmocka_unit_test(structs_may_be_older_or_newer),
	        cmocka_unit_test(a_cancelled_check_is_unknown),
	        cmocka_unit_test(cancelled_levels_are_unknown),
	        cmocka_unit_test(reads_what_memory_says),
	        cmocka_unit_test(explains_only_the_history_that_was_checked),
	        cmocka_unit_test(an_index_out_of_range_is_an_error_of_its_own),
	        cmocka_unit_test(escapes_as_much_as_fits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
