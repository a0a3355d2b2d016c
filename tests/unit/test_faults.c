/* Tests of report/faults: annotations in words, and the faults that they tell of. */
#include "support.h"

#include "report/faults.h"

#include <string.h>

static struct faults found(struct test *t, const char *events, const struct history **h)
{
	*h = load_text(t, "alibi", events);
	return faults_of((*h)->pool, *h);
}

static void is_fault(const struct faults *f, size_t i, const char *text, int64_t begin, int64_t end)
{
	assert_true(i < f->faults.count);
	assert_string_equal(f->faults.items[i].text, text);
	assert_int_equal(f->faults.items[i].begin, begin);
	assert_int_equal(f->faults.items[i].ends, end >= 0);
	if (end >= 0)
		assert_int_equal(f->faults.items[i].end, end);
}

/* A nemesis says everything twice: when it begins to do it, and when it is done. */
static void pairs_what_a_nemesis_says(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h;
	struct faults f =
	        found(&t,
	              "{\"event\":{\"f\":\":stop-partition\",\"value\":\":healed\"},\"at\":9}\n"
	              "{\"event\":{\"f\":\":start-partition\",\"value\":\":majority\"},\"at\":2}\n"
	              "{\"event\":{\"f\":\":start-partition\",\"value\":[\":isolated\", "
	              "{\"n1\":[\"n2\"]}]},\"at\":3}\n"
	              "{\"event\":{\"f\":\":stop-partition\",\"value\":null},\"at\":8}\n"
	              "{\"event\":{\"f\":\":kill\",\"value\":\"n2\"},\"at\":20}\n"
	              "{\"event\":{\"f\":\":start\",\"value\":\"n2\"},\"at\":25}\n"
	              "{\"event\":{\"f\":\":start\",\"value\":\":one\"},\"at\":40}\n"
	              "{\"event\":{\"f\":\":stop\"},\"at\":50}\n"
	              "{\"event\":{\"f\":\":bump-clock\"},\"at\":30}\n"
	              "{\"event\":{\"f\":\":pause\"},\"at\":70}\n"
	              "{\"event\":\"no time\"}\n",
	              &h);
	assert_int_equal(f.faults.count, 4);
	is_fault(&f, 0, "partition [isolated, {n1: [n2]}]", 2, 9);
	is_fault(&f, 1, "kill n2", 20, 25);
	is_fault(&f, 2, "one", 40, 50);
	is_fault(&f, 3, "pause", 70, -1);
	assert_int_equal(f.moments.count, 1);
	assert_string_equal(f.moments.items[0].text, "bump-clock");
	test_release(&t);
}

static void pairs_plain_words(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h;
	struct faults f = found(&t,
	                        "{\"event\":\"partition starts\",\"at\":1}\n"
	                        "{\"event\":\"kill node 2\",\"at\":2}\n"
	                        "{\"event\":\"restart node 2\",\"at\":3}\n"
	                        "{\"event\":\"partition ends\",\"at\":4}\n"
	                        "{\"event\":\"killed time\",\"at\":5}\n"
	                        "{\"event\":[1,\"\\\"\\\\\"],\"at\":6}\n"
	                        "{\"event\":{\"f\":7,\"g\":1},\"at\":7}\n",
	                        &h);
	assert_int_equal(f.faults.count, 2);
	is_fault(&f, 0, "partition", 1, 4);
	is_fault(&f, 1, "kill node 2", 2, 3);
	assert_int_equal(f.moments.count, 3);
	assert_string_equal(f.moments.items[0].text, "killed time");
	assert_string_equal(f.moments.items[1].text, "[1, \\\"\\\\]");
	assert_string_equal(f.moments.items[2].text, "7");
	test_release(&t);
}

static void says_what_was_near(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h;
	struct faults f = found(&t,
	                        "{\"event\":\"partition starts\",\"at\":1000}\n"
	                        "{\"event\":\"partition ends\",\"at\":5000}\n"
	                        "{\"event\":\"pause\",\"at\":9000}\n",
	                        &h);
	assert_null(faults_near(h->pool, h, &f, 0, 999));
	assert_string_equal(faults_near(h->pool, h, &f, 2500, 3000),
	                    "During partition, which began 1,500 before the first of them and "
	                    "ended 2,000 after the last");
	assert_string_equal(faults_near(h->pool, h, &f, 6000, 7000),
	                    "After partition, which had ended 1,000 before");
	assert_string_equal(faults_near(h->pool, h, &f, 4000, 9500),
	                    "During partition, which began 3,000 before the first of them and "
	                    "ended 4,500 before the last ended; and pause, which began 5,000 after "
	                    "the first of them began");
	test_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pairs_what_a_nemesis_says),
	        cmocka_unit_test(pairs_plain_words),
	        cmocka_unit_test(says_what_was_near),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
