/* Tests of report/words: whatever users named stays text, and fits. */
#include "samples.h"

#include "base/guard.h"
#include "base/utf8.h"
#include "report/words.h"

#include <string.h>

struct words_test {
	struct guard guard;
	struct pool *pool;
};

static struct words_test start(void)
{
	static struct words_test t;
	guard_init(&t.guard);
	t.pool = pool_root(&t.guard);
	assert_non_null(t.pool);
	return t;
}

static const char *written(struct pool *pool, void (*write)(struct sink *, const char *),
                           const char *text)
{
	struct sink *s = sink_in_memory(pool);
	write(s, text);
	return text_string(pool, &s->buffer);
}

static void escapes_what_has_a_meaning(void **state)
{
	(void)state;
	static const struct {
		void (*write)(struct sink *, const char *);
		const char *text, *expected;
	} rows[] = {
	        {words_markup, "", ""},
	        {words_markup, "a<b>&\"'</script>", "a&lt;b&gt;&amp;&quot;&#39;&lt;/script&gt;"},
	        {words_markup, "\x01\t\n\x7f\xc2\x9b", "\\u0001\\t\\n\\u007f\\u009b"},
	        {words_markup,
	         "\xe2\x80\xae"
	         "abc",
	         "\\u202eabc"},
	        {words_markup, "\xef\xbf\xbe\xef\xbf\xbf", "\\ufffe\\uffff"},
	        {words_markup, "日本語 😀", "日本語 😀"},
	        {words_json, "a\"b\\c\n\x1b", "\"a\\\"b\\\\c\\n\\u001b\""},
	        {words_json, "\xff\xc0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
	        {words_raw_json, "{\"a\":\n\"\xc2\x9b\"}", "{\"a\": \"\\u009b\"}"},
	        {words_plain, "\033[31mred\033[m", "\\u001b[31mred\\u001b[m"},
	        {words_plain, "\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\xa8\xe2\x80\xa9",
	         "\\u061c\\u200e\\u200f\\u2028\\u2029"},
	        {words_plain, "\xe2\x81\xa6\xe2\x81\xa9", "\\u2066\\u2069"},
	        {words_plain, "<&\"\\", "<&\"\\"},
	        {words_dot, "a\"\\N\n", "a\\\"\\\\N\\\\n"},
	        {words_dot, "\xf0\x9f\x98", "\\\\xf0\\\\x9f\\\\x98"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct words_test t = start();
		assert_string_equal(written(t.pool, rows[i].write, rows[i].text), rows[i].expected);
		pool_release(t.pool);
	}
}

static void reads_utf8_as_it_is_defined(void **state)
{
	(void)state;
	for (uint32_t c = 1; c < 0x110000; c++) {
		char text[5] = "";
		size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
		for (size_t i = n; i-- > 1;)
			text[i] = (char)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
		static const unsigned lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
		text[0] = (char)(lead[n] | c >> 6 * (n - 1));
		const char *at = text;
		bool surrogate = c >= 0xd800 && c <= 0xdfff;
		assert_int_equal(utf8_next(&at, text + n), surrogate ? UTF8_INVALID : c);
		assert_int_equal(at - text, surrogate ? 1 : n);
	}
	const char overlong[] = "\xc0\xaf", *at = overlong;
	assert_int_equal(utf8_next(&at, overlong + 2), UTF8_INVALID);
	assert_int_equal(at - overlong, 1);
}

static void elides_the_middle(void **state)
{
	(void)state;
	struct words_test t = start();
	assert_string_equal(words_elided(t.pool, "abcdef", 6), "abcdef");
	assert_string_equal(words_elided(t.pool, "abcdefg", 6), "abc…fg");
	assert_string_equal(words_elided(t.pool, "日本語日本語", 6), "日…語");
	assert_string_equal(words_elided(t.pool, "abc", 1), "…");
	assert_int_equal(words_width("日本a"), 5);
	char text[100] = "";
	for (size_t length = 0; length < sizeof text - 1; length++) {
		for (size_t columns = 1; columns < 30; columns++)
			assert_true(words_width(words_elided(t.pool, text, columns)) <= columns);
		text[length] = 'x';
	}
	pool_release(t.pool);
}

static void takes_quotes_off_where_nothing_is_escaped(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
	        {"\"kill n2\"", "kill n2"}, {"\"\"", "\"\""}, {"7", "7"},
	        {"\"a\\nb\"", "\"a\\nb\""}, {"null", "null"}, {"{\"a\":1}", "{\"a\":1}"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct words_test t = start();
		assert_string_equal(words_bare(t.pool, rows[i][0]), rows[i][1]);
		pool_release(t.pool);
	}
}

static void breaks_lines_at_spaces(void **state)
{
	(void)state;
	struct words_test t = start();
	const char *text = "one two three-and-more four";
	assert_string_equal(words_line(t.pool, &text, 8), "one two");
	assert_string_equal(words_line(t.pool, &text, 8), "three-and-more");
	assert_string_equal(words_line(t.pool, &text, 8), "four");
	assert_null(words_line(t.pool, &text, 8));
	text = "one two";
	assert_string_equal(words_line(t.pool, &text, 0), "one two");
	pool_release(t.pool);
}

static void groups_digits(void **state)
{
	(void)state;
	struct words_test t = start();
	static const struct {
		uint64_t n;
		const char *expected;
	} rows[] = {{0, "0"},
	            {999, "999"},
	            {1000, "1,000"},
	            {UINT64_MAX, "18,446,744,073,709,551,615"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sink *s = sink_in_memory(t.pool);
		words_count(s, rows[i].n);
		assert_string_equal(text_string(t.pool, &s->buffer), rows[i].expected);
	}
	pool_release(t.pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(escapes_what_has_a_meaning),
	        cmocka_unit_test(reads_utf8_as_it_is_defined),
	        cmocka_unit_test(elides_the_middle),
	        cmocka_unit_test(takes_quotes_off_where_nothing_is_escaped),
	        cmocka_unit_test(breaks_lines_at_spaces),
	        cmocka_unit_test(groups_digits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
