/*
 * Tests of the reports as functions of data. What other programs make of them
 * (browsers, Graphviz, schemas) is tested by report.py.
 */
#include "base/guard.h"
#include "report/view.h"
#include "samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* One or more samples as one report; to be freed. */
static char *report_of(enum alibi_report_kind kind, const alibi_report_options *options,
                       const char *const *names)
{
	struct test t = test_start();
	char path[64];
	int fd = memfd_create("report", 0);
	assert_true(fd >= 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	alibi_report *r = alibi_report_open(t.job, kind, path, options);
	assert_non_null(r);
	for (; *names; names++)
		assert_true(alibi_report_add(r, &sample_make(&t, *names)->reported));
	assert_true(alibi_report_close(r));
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = calloc(1, (size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(pread(fd, text, (size_t)size, 0), size);
	assert_int_equal(strlen(text), size);
	close(fd);
	test_release(&t);
	return text;
}

#define ONE(name) ((const char *const[]){name, NULL})

static void assert_report(enum alibi_report_kind kind, const alibi_report_options *options,
                          const char *name, const char *expected)
{
	char *text = report_of(kind, options, ONE(name));
	assert_string_equal(text, expected);
	free(text);
}

static size_t occurrences(const char *text, const char *word)
{
	size_t count = 0;
	for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
		count++;
	return count;
}

static void text_tells_the_story(void **state)
{
	(void)state;
	assert_report(
	        ALIBI_REPORT_TEXT, NULL, "lost-update",
	        "lost-update\tviolates\n"
	        "  Lost update (lost-update, G-single)\n"
	        "    deposit-20 and deposit-50 both read account = 100 and both wrote it. "
	        "One deposit is lost.\n"
	        "    deposit-20 (session ann): read account = 100, write account = 120\n"
	        "      {\"node\":\"n1\"}\n"
	        "    deposit-50 (session bob): read account = 100, write account = 150\n"
	        "      {\"node\":\"n2\"}\n"
	        "    balance (session ann): read account = 150\n"
	        "    1. rw  deposit-20 read account = 100, which deposit-50 overwrote, so "
	        "deposit-20 came before deposit-50\n"
	        "    2. rw  deposit-50 read account = 100, which deposit-20 overwrote, so "
	        "deposit-50 came before deposit-20\n"
	        "    3. wr  balance read account = 150, which deposit-50 wrote, so deposit-50 "
	        "came before balance\n"
	        "    Neither deposit can have come first.\n"
	        "  evidence: 3 of 4 reads are of keys with several writers; conflicts "
	        "between sessions: 5, at the same time: 1\n");
	assert_report(ALIBI_REPORT_TEXT,
	              &(alibi_report_options){ALIBI_INIT(alibi_report_options), .quiet = true},
	              "lost-update", "lost-update\tviolates\n");
	assert_report(ALIBI_REPORT_TEXT, NULL, "unexplained",
	              "unexplained.jsonl\tviolates\n"
	              "  at Adya SI (Adya), checked as si without session order\n"
	              "  warning: it says less than it seems\n"
	              "  wrong read: transaction \"t3\" read key \"x\" and found [1,2], but this "
	              "should be 1\n"
	              "  own reads and writes: transaction 7 does not see its own write\n"
	              "  … more than 12,345 violations in all; the first ones are shown\n"
	              "  judged by the database's own timestamps\n"
	              "  evidence: 0 of 0 reads are of keys with several writers; conflicts "
	              "between sessions: 0\n");
	assert_report(ALIBI_REPORT_TEXT, NULL, "garbage",
	              "garbage\tviolates\n"
	              "  Garbage read (garbage-read)\n"
	              "    T1 read x = 7, which no transaction wrote.\n"
	              "    T1: read x = 7\n"
	              "    No transaction wrote 7.\n"
	              "  evidence: 3 of 4 reads are of keys with several writers; conflicts "
	              "between sessions: 5, at the same time: 1\n");
}

static void text_has_figures_if_asked(void **state)
{
	(void)state;
	assert_report(ALIBI_REPORT_TEXT,
	              &(alibi_report_options){ALIBI_INIT(alibi_report_options), .figures = true},
	              "garbage",
	              "garbage\tviolates\n"
	              "  Garbage read (garbage-read)\n"
	              "    T1 read x = 7, which no transaction wrote.\n"
	              "    T1: read x = 7\n"
	              "    No transaction wrote 7.\n"
	              "  CPU seconds: load 0.062, prepare 1.500, saturate 2.250, solve 0.500, "
	              "verify 0.125\n"
	              "  search: unsure_reads 1, derived 2, choices 3, rounds 4, conflicts 5, "
	              "components 6 (the largest has 75 % of the transactions)\n"
	              "  evidence: 3 of 4 reads are of keys with several writers; conflicts "
	              "between sessions: 5, at the same time: 1\n");
}

static void text_lists_all_levels(void **state)
{
	(void)state;
	char *text = report_of(ALIBI_REPORT_TEXT, NULL, ONE("all-levels"));
	static const char start[] =
	        "all.jsonl\tholds up to pc\n"
	        "  sser  unknown  the time limit of 5 s was reached while searching\n"
	        "  ser   violates as si\n"
	        "  si    violates Lost update: deposit-20 and deposit-50 both read account";
	assert_memory_equal(text, start, strlen(start));
	assert_non_null(strstr(text, "\n  pc    valid\n  Lost update (lost-update, G-single)\n"));
	free(text);
}

/* Of rc, pc and si, with these verdicts: y valid, n violates, ? unknown. */
static void assert_headline(const char *claimed, const char *verdicts, const char *headline)
{
	struct guard guard;
	guard_init(&guard);
	struct pool *pool = pool_root(&guard);
	static const char *const levels[] = {"rc", "pc", "si"};
	alibi_result results[3];
	alibi_finding findings[3];
	alibi_reported what = {ALIBI_INIT(alibi_reported), .name = "h", .finding_count = 3,
	                       .findings = findings, .claimed = claimed};
	for (size_t i = 0; i < 3; i++) {
		enum alibi_verdict verdict = verdicts[i] == 'y'   ? ALIBI_VALID
		                             : verdicts[i] == 'n' ? ALIBI_VIOLATES
		                                                  : ALIBI_UNKNOWN;
		results[i] = (alibi_result){.level = levels[i], .verdict = verdict};
		findings[i] = (alibi_finding){ALIBI_INIT(alibi_finding), .level = levels[i],
		                              .result = &results[i]};
		if (verdict == ALIBI_VALID)
			what.strongest = levels[i];
	}
	assert_string_equal(view_strongest(pool, &what, false), headline);
	pool_release(pool);
}

static void a_headline_says_what_is_known_of_all_levels(void **state)
{
	(void)state;
	assert_headline(NULL, "yyn", "holds up to pc");
	assert_headline("pc", "yyn", "holds up to pc");
	assert_headline("si", "yyn", "holds up to pc; the claimed si does not hold");
	assert_headline(NULL, "nnn", "holds at no level");
	assert_headline(NULL, "?nn", "does not hold at pc or above; unknown at rc");
	assert_headline("si", "??n",
	                "does not hold at si or above; unknown at pc, rc; the claimed si does not "
	                "hold");
	assert_headline("si", "???", "unknown at every level; the claimed si is undecided");
}

/* Kinds of edges differ in length. */
static void text_leaves_room_for_the_kind(void **state)
{
	(void)state;
	struct test t = test_start();
	char path[64], text[512] = "";
	int fd = memfd_create("report", 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	const alibi_edge edge = {.kind = "predicate-rw", .text = "one two three four five six"};
	const alibi_case one = {.edges = &edge, .edge_count = 1};
	const alibi_anomaly anomaly = {
	        .name = "n", .title = "T", .summary = "S", .cases = &one, .case_count = 1};
	const alibi_explanation explanation = {.anomalies = &anomaly, .count = 1};
	const alibi_result result = {.level = "ser", .verdict = ALIBI_VIOLATES};
	const alibi_finding f = {ALIBI_INIT(alibi_finding), .level = "ser", .result = &result,
	                         .explanation = &explanation};
	alibi_report *r = alibi_report_open(
	        t.job, ALIBI_REPORT_TEXT, path,
	        &(alibi_report_options){ALIBI_INIT(alibi_report_options), .columns = 40});
	assert_true(alibi_report_add(r, &(alibi_reported){ALIBI_INIT(alibi_reported), .name = "h",
	                                                  .finding_count = 1, .findings = &f}));
	assert_true(alibi_report_close(r));
	assert_true(pread(fd, text, sizeof text - 1, 0) > 0);
	close(fd);
	assert_non_null(
	        strstr(text, "\n    1. predicate-rw one two three four\n           five six\n"));
	test_release(&t);
}

static void text_keeps_to_the_width(void **state)
{
	(void)state;
	for (size_t columns = 40; columns <= 120; columns += 60) {
		alibi_report_options options = {ALIBI_INIT(alibi_report_options),
		                                .columns = columns};
		for (const char *const *name = sample_names; *name; name++) {
			char *text = report_of(ALIBI_REPORT_TEXT, &options, ONE(*name));
			char *rest = text;
			for (char *line; (line = strsep(&rest, "\n"));) {
				size_t width =
				        0; /* of ASCII; others are no wider than their bytes */
				for (char *c = line; *c; c++)
					width += (*c & 0xc0) != 0x80;
				bool one_word = !strpbrk(line + strspn(line, " "), " ");
				assert_true(width <= columns || one_word ||
				            !strcmp(*name, "hostile") || !strcmp(*name, "several"));
			}
			free(text);
		}
	}
}

static void text_is_coloured_if_asked(void **state)
{
	(void)state;
	alibi_report_options options = {ALIBI_INIT(alibi_report_options), .colour = true};
	char *text = report_of(ALIBI_REPORT_TEXT, &options, ONE("lost-update"));
	assert_non_null(strstr(text, "\t\033[1;31mviolates\033[m\n"));
	assert_non_null(strstr(text, "\033[1mLost update (lost-update, G-single)\033[m"));
	free(text);
	text = report_of(ALIBI_REPORT_TEXT, NULL, ONE("hostile"));
	assert_null(strchr(text, '\033'));
	free(text);
}

static void json_has_it_all(void **state)
{
	(void)state;
	assert_report(
	        ALIBI_REPORT_JSON, NULL, "garbage",
	        "{\"file\":\"garbage\",\"format\":\"alibi\",\"level\":\"si\",\"session_order\":"
	        "\"on\",\"verdict\":\"violates\","
	        "\"txns\":1,\"committed\":1,\"aborted\":0,\"unknown\":0,\"sessions\":1,\"ops\":1,"
	        "\"violation_count\":1,\"violations\":[],\"search\":{\"unsure_reads\":1,"
	        "\"derived\":"
	        "2,\"choices\":3,\"rounds\":4,\"conflicts\":5,\"components\":6,"
	        "\"largest_component\":0.750000,\"cpu_seconds\":{\"prepare\":1.500000,"
	        "\"saturate\":2.250000,\"solve\":0.500000,\"verify\":0.125000}},"
	        "\"anomalies\":[{\"name\":\"garbage-read\","
	        "\"title\":\"Garbage read\",\"adya\":null,\"summary\":\"T1 read x = 7, which "
	        "no transaction wrote\","
	        "\"txns\":[1],\"lists_cut\":false,\"cases\":[{\"text\":\"No transaction wrote "
	        "7.\",\"edges\":[]}],"
	        "\"reduced\":[{\"ops\":[[\"r\",\"x\",7]]}]}],\"counted_all\":true,\"coverage\":{"
	        "\"reads\":4,\"contended_reads\":3,\"contended_keys\":2,\"conflicts\":5,"
	        "\"overlapping_conflicts\":1,\"conflicting_sessions\":2,\"could_violate\":true,"
	        "\"says_no_more_than\":\"pc\"},\"load_cpu_seconds\":0.062500,\"seconds\":0.250,"
	        "\"peak_bytes\":1048576}\n");
	char *text = report_of(ALIBI_REPORT_JSON, NULL,
	                       (const char *const[]){"valid", "unread", "long-fork", NULL});
	assert_int_equal(occurrences(text, "\n"), 3);
	assert_non_null(
	        strstr(text, "{\"from\":1,\"to\":3,\"kind\":\"wr\",\"key\":\"x\",\"text\":"));
	assert_non_null(strstr(text, "\"session_order\":\"on\",\"verdict\":\"error\",\"reason\":"));
	free(text);
}

static void junit_counts_suites_and_tests(void **state)
{
	(void)state;
	char *text = report_of(ALIBI_REPORT_JUNIT, NULL,
	                       (const char *const[]){"valid", "lost-update", "unexplained",
	                                             "unread", "all-levels", NULL});
	assert_int_equal(occurrences(text, "<testsuite "), 5);
	assert_int_equal(occurrences(text, "<testcase "), 9);
	assert_int_equal(occurrences(text, "<failure "), 2);
	assert_int_equal(occurrences(text, "<error "), 2);
	assert_int_equal(occurrences(text, "<skipped "), 3); /* no claim of what pc does not have */
	assert_non_null(strstr(text, "id=\"3\" tests=\"1\" failures=\"0\" errors=\"1\""));
	assert_non_null(strstr(text, "id=\"4\" tests=\"5\" failures=\"0\" errors=\"1\""));
	assert_non_null(strstr(text, "<failure type=\"lost-update\" message=\"deposit-20 and"));
	assert_non_null(strstr(text, "<failure type=\"EXT\" message=\"transaction &quot;t3&quot;"));
	assert_non_null(strstr(text, "<error type=\"unknown\" message=\"which level must hold"));
	free(text);
}

static void pictures_have_arrows_and_sentences(void **state)
{
	(void)state;
	char *text = report_of(ALIBI_REPORT_SVG, NULL, ONE("lost-update"));
	assert_int_equal(occurrences(text, "<g class=\"txn\""), 3);
	assert_int_equal(occurrences(text, "<g class=\"arrow "), 3);
	assert_int_equal(occurrences(text, "<g class=\"note\""), 2);
	assert_non_null(strstr(text, ">partition starts, at 1,690</text>"));
	free(text);
	text = report_of(ALIBI_REPORT_SVG, NULL, ONE("valid"));
	assert_non_null(strstr(text, "There is no anomaly to draw."));
	free(text);
	text = report_of(ALIBI_REPORT_SVG, NULL, ONE("huge"));
	assert_non_null(strstr(text, "more anomalies are not drawn."));
	free(text);
	text = report_of(ALIBI_REPORT_DOT, NULL, ONE("lost-update"));
	assert_int_equal(occurrences(text, " -> "), 3);
	assert_non_null(strstr(text, "[label=\"1: rw account\" tooltip=\"deposit-20 read"));
	free(text);
}

static void pages_stay_small(void **state)
{
	(void)state;
	enum { MEGABYTES_2 = 2000 * 1000 };
	for (const char *const *name = sample_names; *name; name++) {
		char *text = report_of(ALIBI_REPORT_HTML, NULL, ONE(*name));
		assert_true(strlen(text) <= MEGABYTES_2);
		assert_null(strstr(text, "slot:"));
		assert_int_equal(occurrences(text, "<script"), 1);
		free(text);
	}
	char *text = report_of(ALIBI_REPORT_HTML, NULL, ONE("huge"));
	assert_true(strlen(text) > MEGABYTES_2 / 2); /* it is filled, not cut at once */
	assert_non_null(strstr(text, "more anomalies did not fit on this page"));
	assert_non_null(strstr(text, "too long for this page"));
	assert_non_null(strstr(text, "There may be more anomalies"));
	free(text);
	text = report_of(ALIBI_REPORT_HTML, NULL, ONE("crowd"));
	assert_non_null(strstr(text, "too many transactions to draw"));
	free(text);
}

static void refuses_a_second_history(void **state)
{
	(void)state;
	struct test t = test_start();
	char path[] = "test_report.XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	alibi_report *r = alibi_report_open(t.job, ALIBI_REPORT_HTML, path, NULL);
	assert_true(alibi_report_add(r, &sample_make(&t, "valid")->reported));
	assert_false(alibi_report_add(r, &sample_make(&t, "garbage")->reported));
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_USAGE);
	remove(path);
	test_release(&t);
}

/* Sooner or later: some kinds open the file with the first history, or at the end. */
static void says_where_it_cannot_write(void **state)
{
	(void)state;
	struct test t = test_start();
	for (int kind = ALIBI_REPORT_JUNIT; kind <= ALIBI_REPORT_SVG; kind++) {
		alibi_report *r = alibi_report_open(t.job, kind, "/nowhere/at/all", NULL);
		bool added = r && alibi_report_add(r, &sample_make(&t, "valid")->reported);
		assert_false(added && alibi_report_close(r));
		assert_int_equal(alibi_last_error(t.job)->code, ALIBI_IO);
		assert_string_equal(alibi_last_error(t.job)->file, "/nowhere/at/all");
	}
	test_release(&t);
}

/* With every limit on memory from nothing to enough: a report, or out of memory. */
static void every_memory_limit_is_honest(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct sample *s = sample_make(&t, "several");
	for (int kind = ALIBI_REPORT_TEXT; kind <= ALIBI_REPORT_DOT; kind++) {
		int refused = 0, done = 0;
		for (size_t limit = 1; done < 2; limit += limit / 4 + 500) {
			alibi *a = alibi_new();
			alibi_set_memory_limit(a, limit);
			alibi_report *r = alibi_report_open(a, (enum alibi_report_kind)kind,
			                                    "/dev/null", NULL);
			if (r && alibi_report_add(r, &s->reported) && alibi_report_close(r)) {
				done++;
			} else {
				refused++;
				assert_int_equal(alibi_last_error(a)->code, ALIBI_MEMORY);
			}
			alibi_free(a);
		}
		assert_true(refused > 5);
	}
	test_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(text_tells_the_story),
	        cmocka_unit_test(text_has_figures_if_asked),
	        cmocka_unit_test(text_lists_all_levels),
	        cmocka_unit_test(a_headline_says_what_is_known_of_all_levels),
	        cmocka_unit_test(text_leaves_room_for_the_kind),
	        cmocka_unit_test(text_keeps_to_the_width),
	        cmocka_unit_test(text_is_coloured_if_asked),
	        cmocka_unit_test(json_has_it_all),
	        cmocka_unit_test(junit_counts_suites_and_tests),
	        cmocka_unit_test(pictures_have_arrows_and_sentences),
	        cmocka_unit_test(pages_stay_small),
	        cmocka_unit_test(refuses_a_second_history),
	        cmocka_unit_test(says_where_it_cannot_write),
	        cmocka_unit_test(every_memory_limit_is_honest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
