/* dbcop's bincode: bytes in, bytes out, and nothing believed that they say. */
#include "support.h"

#include <string.h>

/* Bytes put together piece by piece. */
struct bytes {
	char at[512];
	size_t count;
};

static void put_byte(struct bytes *b, unsigned n)
{
	assert_true(b->count < sizeof b->at);
	b->at[b->count++] = (char)n;
}

static void put_u64(struct bytes *b, uint64_t n)
{
	for (int i = 0; i < 8; i++)
		put_byte(b, (unsigned)(n >> 8 * i & 0xff));
}

static void put_text(struct bytes *b, const char *text)
{
	put_u64(b, strlen(text));
	for (; *text; text++)
		put_byte(b, (unsigned char)*text);
}

static void put_event(struct bytes *b, char kind, uint64_t key, uint64_t value, unsigned success)
{
	put_byte(b, kind == 'w');
	put_u64(b, key);
	put_u64(b, value);
	put_byte(b, success);
}

static struct bytes beginning(uint64_t id, const uint64_t params[4])
{
	struct bytes b = {0};
	put_u64(&b, id);
	for (int i = 0; i < 4; i++)
		put_u64(&b, params[i]);
	put_text(&b, "Galera");
	put_text(&b, "2019-04-02T11:31:12+02:00");
	put_text(&b, "2019-04-02T11:31:16+02:00");
	return b;
}

/* Two sessions, of two and of one transactions. */
static struct bytes example(const uint64_t params[4], bool with_a_failed_event)
{
	struct bytes b = beginning(UINT64_MAX, params);
	put_u64(&b, 2);
	put_u64(&b, 2);
	put_u64(&b, with_a_failed_event ? 3 : 2);
	put_event(&b, 'r', 5, 0, 1);
	put_event(&b, 'w', 5, INT64_MAX, 1);
	if (with_a_failed_event)
		put_event(&b, 'w', 6, 1, 0);
	put_byte(&b, 1);
	put_u64(&b, 1);
	put_event(&b, 'w', 5, 2, 1);
	put_byte(&b, 0);
	put_u64(&b, 1);
	put_u64(&b, 0);
	put_byte(&b, 1);
	return b;
}

static const char in_alibi[] =
        "{\"alibi\":1,\"source\":\"Galera\",\"initial_default\":0}\n"
        "{\"event\":{\"dbcop\":{\"id\":18446744073709551615,"
        "\"start\":\"2019-04-02T11:31:12+02:00\",\"end\":\"2019-04-02T11:31:16+02:00\"}}}\n"
        "{\"session\":1,\"ops\":[[\"r\",5,0],[\"w\",5,9223372036854775807]]}\n"
        "{\"session\":1,\"ops\":[[\"w\",5,2]],\"status\":\"abort\"}\n"
        "{\"session\":2,\"ops\":[]}\n";

static void goes_to_alibi_and_back(void **state)
{
	(void)state;
	struct test t = test_start();
	struct bytes given = example((const uint64_t[]){9, 9, 9, 9}, true);
	struct bytes counted = example((const uint64_t[]){2, 1, 2, 2}, false);
	const struct history *h = load_bytes(&t, NULL, given.at, given.count);
	assert_string_equal(h->format, "dbcop-bincode");
	assert_saved(&t, h, "alibi", in_alibi);
	size_t length;
	h = load_text(&t, NULL, in_alibi);
	const char *back = saved(&t, h, "dbcop-bincode", &length);
	assert_int_equal(length, counted.count);
	assert_memory_equal(back, counted.at, length);
	assert_string_equal(save_drops(&t, h, "dbcop-bincode"), "");
	test_release(&t);
}

static void writes_an_absent_key_as_zero(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h = load_text(&t, "alibi",
	                                    "{\"id\":4,\"session\":9,\"ops\":[[\"r\",1,null]]}\n"
	                                    "{\"event\":{\"dbcop\":{\"id\":1}}}\n");
	size_t length;
	const char *bytes = saved(&t, h, "dbcop-bincode", &length);
	char copy[512];
	assert_true(length < sizeof copy);
	memcpy(copy, bytes, length);
	h = load_bytes(&t, NULL, copy, length);
	assert_saved(&t, h, "alibi",
	             "{\"alibi\":1,\"initial_default\":0}\n"
	             "{\"session\":1,\"ops\":[[\"r\",1,0]]}\n");
	test_release(&t);
}

static void says_what_it_drops(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h = load_text(&t, "alibi",
	                                    "{\"id\":4,\"session\":9,\"ops\":[[\"r\",1,null]]}\n"
	                                    "{\"event\":{\"dbcop\":{\"id\":1}}}\n");
	assert_string_equal(save_drops(&t, h, "dbcop-bincode"),
	                    "annotations, transaction ids, session names");
	test_release(&t);
}

/* Every prefix of a file is refused, at the byte where it ends. */
static void refuses_what_is_cut_off(void **state)
{
	(void)state;
	struct bytes whole = example((const uint64_t[]){2, 1, 2, 2}, false);
	for (size_t length = 0; length < whole.count; length++) {
		struct test t = test_start();
		const char *message = load_error_bytes(&t, "dbcop-bincode", whole.at, length);
		assert_memory_equal(message, "byte ", strlen("byte "));
		test_release(&t);
	}
}

static void refuses_to_read(void **state)
{
	(void)state;
	enum { SESSIONS = 120, EVENT = SESSIONS + 24, AFTER_EVENTS = EVENT + 36 };
	static const struct {
		size_t at;
		unsigned byte;
		const char *message;
	} cases[] = {
	        {40 + 7, 1,
	         "byte 40: expected the length of the info, found 72057594037927942, but the file "
	         "has room for at most 177"},
	        {48, 0xff, "byte 48: expected a text in UTF-8, found something else"},
	        {SESSIONS + 1, 1,
	         "byte 120: expected the number of sessions, found 258, but the file has room for "
	         "at "
	         "most 12"},
	        {SESSIONS + 8, 30,
	         "byte 128: expected the number of transactions, found 30, but the file has room "
	         "for "
	         "at most 9"},
	        {SESSIONS + 16, 6,
	         "byte 136: expected the number of events, found 6, but the file has room for at "
	         "most 4"},
	        {EVENT, 2, "byte 144: expected whether an event is a write (0 or 1), found 2"},
	        {EVENT + 8, 0x80,
	         "byte 145: expected a key that fits 63 bits, found 9223372036854775813; values "
	         "above 9223372036854775807 cannot be kept"},
	        {EVENT + 16, 0x80,
	         "byte 153: expected a value that fits 63 bits, found 9223372036854775808; values "
	         "above 9223372036854775807 cannot be kept"},
	        {EVENT + 17, 3, "byte 161: expected whether an event succeeded (0 or 1), found 3"},
	        {AFTER_EVENTS, 9,
	         "byte 180: expected whether a transaction committed (0 or 1), found 9"},
	        {SESSIONS, 1, "byte 208: expected the end after the last session, found 17 bytes"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct test t = test_start();
		struct bytes b = example((const uint64_t[]){2, 1, 2, 2}, false);
		b.at[cases[i].at] = (char)cases[i].byte;
		assert_string_equal(load_error_bytes(&t, "dbcop-bincode", b.at, b.count),
		                    cases[i].message);
		test_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(goes_to_alibi_and_back),
	        cmocka_unit_test(writes_an_absent_key_as_zero),
	        cmocka_unit_test(says_what_it_drops),
	        cmocka_unit_test(refuses_what_is_cut_off),
	        cmocka_unit_test(refuses_to_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
