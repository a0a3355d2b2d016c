/* atoms: equal things have equal numbers, different ones different numbers. */
#include "support.h"

#include "base/guard.h"
#include "base/pool.h"
#include "history/arithmetic.h"
#include "history/decimal.h"
#include "replay/numeral.h"

#include <stdio.h>
#include <string.h>

struct fixture {
	struct guard guard;
	struct pool *pool;
	struct atoms atoms;
};

static void start(struct fixture *f, bool with_null)
{
	guard_init(&f->guard);
	f->pool = pool_root(&f->guard);
	guard_begin(&f->guard);
	atoms_init(&f->atoms, f->pool, with_null);
}

static void end(struct fixture *f)
{
	guard_leave(&f->guard);
	pool_release(f->pool);
}

/* A sequence that has small, negative, huge, clustered and repeated integers. */
static int64_t integer(uint64_t i)
{
	uint64_t x = i * 0x9e3779b97f4a7c15u;
	switch (x >> 61) {
	case 0:
		return (int64_t)(x % 1000);
	case 1:
		return -(int64_t)(x % 100000);
	case 2:
		return (int64_t)x;
	case 3:
		return (int64_t)((x % 5000) << 32);
	case 4:
		return INT64_MAX - (int64_t)(x % 100);
	default:
		return (int64_t)(i / 2);
	}
}

static void integers_keep_their_numbers(void **state)
{
	(void)state;
	enum { N = 300000 };
	static uint32_t number[N];
	struct fixture f;
	start(&f, true);
	for (uint64_t i = 0; i < N; i++)
		number[i] = atoms_integer(&f.atoms, integer(i));
	size_t count = atoms_count(&f.atoms);
	for (uint64_t i = 0; i < N; i++) {
		assert_int_equal(atoms_integer(&f.atoms, integer(i)), number[i]);
		assert_int_equal(atoms_value(&f.atoms, number[i]).kind, ALIBI_INT);
		assert_true(atoms_value(&f.atoms, number[i]).integer == integer(i));
	}
	assert_int_equal(atoms_count(&f.atoms), count);
	end(&f);
}

static void texts_of_all_lengths(void **state)
{
	(void)state;
	struct fixture f;
	uint32_t number[3][64];
	char text[128];
	start(&f, false);
	for (int again = 0; again < 2; again++)
		for (size_t length = 0; length < 64; length++) {
			for (int letter = 0; letter < 3; letter++) {
				memset(text, "a\0z"[letter], sizeof text);
				if (length)
					text[length - 1] = 'q';
				uint32_t n = atoms_string(&f.atoms, text, length);
				alibi_value v = atoms_value(&f.atoms, n);
				assert_int_equal(v.kind, ALIBI_STRING);
				assert_int_equal(v.length, length);
				assert_memory_equal(v.text, text, length);
				if (again)
					assert_int_equal(n, number[letter][length]);
				number[letter][length] = n;
			}
		}
	/* the empty string, and "q" alone, are the same for all three letters */
	assert_int_equal(atoms_count(&f.atoms), 3 * 64 - 2 * 2);
	end(&f);
}

static void kinds_do_not_mix(void **state)
{
	(void)state;
	struct fixture f;
	start(&f, true);
	uint32_t list[] = {1, 2};
	uint32_t all[] = {
	        ATOM_NULL,
	        atoms_integer(&f.atoms, 0),
	        atoms_integer(&f.atoms, 1),
	        atoms_bool(&f.atoms, false),
	        atoms_bool(&f.atoms, true),
	        atoms_string(&f.atoms, "", 0),
	        atoms_string(&f.atoms, "1", 1),
	        atoms_string(&f.atoms, "{\"a\":1}", 7),
	        atoms_row(&f.atoms, "{\"a\":1}", 7),
	        atoms_string(&f.atoms, "{\"a\":12}", 8),
	        atoms_row(&f.atoms, "{\"a\":12}", 8),
	        atoms_list(&f.atoms, list, 0),
	        atoms_list(&f.atoms, list, 1),
	        atoms_list(&f.atoms, list, 2),
	        atoms_string(&f.atoms, (const char *)list, 8),
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_int_equal(all[i], i); /* dense, in order, all different */
	assert_int_equal(atoms_list(&f.atoms, list, 2), 13);
	assert_int_equal(atoms_bool(&f.atoms, true), 4);
	end(&f);
}

static const char *const spellings[] = {
        "0",
        "-0.0",
        "1",
        "-1",
        "0.5",
        "-0.5",
        "0.05",
        "0.50",
        "9.5",
        "10",
        "99.95",
        "-99.95",
        "1e3",
        "1e-3",
        "1e30",
        "-1e30",
        "0.30000000000000004",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "18446744073709551615",
        "99999999999999999999.99",
};
enum { SPELLINGS = sizeof spellings / sizeof *spellings };

/* Order and sums of all pairs: the search's and the kernel's agree, and follow the rules. */
static void numbers_are_exact(void **state)
{
	(void)state;
	struct fixture f;
	start(&f, true);
	alibi_value v[SPELLINGS], sum;
	text_vec text[SPELLINGS] = {{0}}, made = {0};
	numeral_text again = {0};
	for (size_t i = 0; i < SPELLINGS; i++)
		assert_true(decimal_read(f.pool, &text[i], spellings[i], strlen(spellings[i]),
		                         &v[i], DECIMAL_MAX));
	assert_int_equal(v[1].kind, ALIBI_INT);
	assert_int_equal(v[19].kind, ALIBI_DECIMAL);
	for (size_t i = 0; i < SPELLINGS; i++) {
		for (size_t j = 0; j < SPELLINGS; j++) {
			int order = arithmetic_order(v[i], v[j]),
			    kernel = numeral_order(v[i], v[j]);
			bool same = atoms_add(&f.atoms, v[i]) == atoms_add(&f.atoms, v[j]);
			assert_int_equal((order > 0) - (order < 0), kernel);
			assert_int_equal(!order, same);
			sum = arithmetic_sum(f.pool, &made, v[i], v[j]);
			numeral_sum(f.pool, &again, v[i], v[j]);
			assert_string_equal(render_value(f.pool, sum), again.items);
			assert_true(arithmetic_is_sum(sum, v[i], v[j]));
			assert_int_equal(arithmetic_is_sum(sum, v[i], v[2]),
			                 !arithmetic_order(v[j], v[2]));
			int grown = arithmetic_order(sum, v[i]),
			    sign = arithmetic_order(v[j], v[0]);
			assert_int_equal((grown > 0) - (grown < 0), (sign > 0) - (sign < 0));
		}
	}
	numeral_sum(f.pool, &again, v[16], v[8]);
	assert_string_equal(again.items, "9.80000000000000004");
	numeral_sum(f.pool, &again, v[11], v[10]);
	assert_string_equal(again.items, "0");
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(integers_keep_their_numbers),
	        cmocka_unit_test(texts_of_all_lengths),
	        cmocka_unit_test(kinds_do_not_mix),
	        cmocka_unit_test(numbers_are_exact),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
