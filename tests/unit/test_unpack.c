/* Packed files that ask for more memory than they could ever need: few bytes can
 * claim a window of gigabytes. */
#include "support.h"

#include <stdio.h>

static const char too_much[] = "more memory than is allowed; decompress it first, or compress it "
                               "again with a smaller window";

/* {"ops":[["w","x",1]]}, three times, with a dictionary of 1.5 GiB. */
static const unsigned char xz_large[] = {
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00,
        0x21, 0x01, 0x25, 0x00, 0x00, 0x00, 0x3b, 0x78, 0x7b, 0x41, 0xe0, 0x00, 0x41, 0x00,
        0x1d, 0x5d, 0x00, 0x3d, 0x88, 0x89, 0xe7, 0x44, 0x29, 0x8b, 0x8f, 0xb9, 0x43, 0xb4,
        0x14, 0xf3, 0x3f, 0x48, 0xb9, 0xbc, 0x36, 0xc7, 0x2a, 0xb2, 0xbf, 0xbc, 0xf7, 0x45,
        0x4b, 0x17, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x86, 0x18, 0xd5, 0xd0, 0x28,
        0x08, 0x2b, 0x00, 0x01, 0x39, 0x42, 0x2d, 0x18, 0xd0, 0xb6, 0x1f, 0xb6, 0xf3, 0x7d,
        0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a};
/* Nothing, with windows of 128 MiB and 2 GiB. */
static const unsigned char zstd_window_27[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x88, 0x01, 0, 0};
static const unsigned char zstd_window_31[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0, 0};

static void refuses_windows_that_nobody_needs(void **state)
{
	(void)state;
	struct test t = test_start();
	char message[200];
	snprintf(message, sizeof message, "unpacking this xz data takes %s", too_much);
	assert_string_equal(load_error_bytes(&t, NULL, xz_large, sizeof xz_large), message);
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_MEMORY);
	snprintf(message, sizeof message, "unpacking this zstd data takes %s", too_much);
	assert_string_equal(load_error_bytes(&t, NULL, zstd_window_31, sizeof zstd_window_31),
	                    message);
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_MEMORY);
	test_release(&t);
}

/* zstd's own memory is counted late, so its window must fit the limit beforehand. */
static void a_window_fits_the_memory_limit_or_is_refused(void **state)
{
	(void)state;
	struct test t = test_start();
	const struct history *h = load_bytes(&t, NULL, zstd_window_27, sizeof zstd_window_27);
	assert_int_equal(h->txn_count, 0);
	test_release(&t);
	t.job = alibi_new();
	alibi_set_memory_limit(t.job, 64 << 20);
	t.text = NULL;
	load_error_bytes(&t, NULL, zstd_window_27, sizeof zstd_window_27);
	assert_int_equal(alibi_last_error(t.job)->code, ALIBI_MEMORY);
	test_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(refuses_windows_that_nobody_needs),
	        cmocka_unit_test(a_window_fits_the_memory_limit_or_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
