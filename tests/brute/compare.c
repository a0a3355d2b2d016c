/*
 * compare: the library's search against brute force (brute.c), on tiny histories.
 *
 * Every history is built through the public header, checked at each level, and the
 * verdict compared. A verdict of a search has passed the library's verifier already.
 * A history on which the two differ is made smaller as long as they differ, and
 * printed.
 *
 * Several histories are also checked as one, as tenants of a database that share
 * nothing: that holds if each of them does. On several threads the verdict and its
 * certificate are the same, byte by byte.
 *
 *     compare HISTORIES [SEED [FIRST]]
 *     compare --print HISTORIES [SEED [FIRST]]
 *
 * With --print the histories are printed, each followed by the verdicts of brute
 * force, for another judge (tests/brute.py); FIRST is the first history's number.
 */
#include "tiny.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_MAX = 5, SECONDS_MAX = 20, TENANTS_MAX = 4, THREADS_MAX = 3 };

static const char *const words[] = {"valid", "violates", "unknown"};

static alibi *start(void)
{
	alibi *a = alibi_new();
	if (!a) {
		fputs("compare: no memory\n", stderr);
		exit(2);
	}
	alibi_set_timeout(a, SECONDS_MAX);
	return a;
}

/* ---- the comparison ---- */

struct answer {
	bool failed; /* no verdict at all */
	enum alibi_verdict verdict;
};

/* What the library says at one level; why, if asked, says more on standard output. */
static struct answer ask_level(alibi *a, const struct tiny *h, const alibi_history *built,
                               int level, bool why)
{
	alibi_check_options options = {ALIBI_INIT(alibi_check_options), .level = brute_level(level),
	                               .order = ALIBI_ORDER_NONE,
	                               .ignore_sessions = h->no_sessions};
	const alibi_result *r = built ? alibi_check(a, built, &options) : NULL;
	if (why && !r)
		printf("the library failed: %s\n", alibi_last_error(a)->text);
	else if (why && alibi_result_reason(r))
		printf("the library's reason: %s\n", alibi_result_reason(r));
	if (!r)
		return (struct answer){.failed = true};
	return (struct answer){.verdict = alibi_result_verdict(r)};
}

static struct answer ask(const struct tiny *h, int level, bool why)
{
	alibi *a = start();
	struct answer answer = ask_level(a, h, tiny_build(a, h, 1), level, why);
	alibi_free(a);
	return answer;
}

static bool differs(const struct tiny *h, int level)
{
	struct answer answer = ask(h, level, false);
	return answer.failed || answer.verdict != brute(h, level);
}

static void print_history(const struct tiny *h)
{
	alibi *a = start();
	const alibi_history *built = tiny_build(a, h, 1);
	fflush(stdout);
	if (!built || !alibi_save(a, built, "-", "alibi", NULL))
		printf("it cannot be written: %s\n", alibi_last_error(a)->text);
	alibi_free(a);
}

/* ---- shrinking ---- */

static void remove_txn(struct tiny *h, int t)
{
	int id = h->txns[t].id;
	h->txn_count--;
	for (int i = t; i < h->txn_count; i++)
		h->txns[i] = h->txns[i + 1];
	for (t = 0; t < h->txn_count; t++)
		for (int i = 0; i < h->txns[t].op_count; i++)
			if (h->txns[t].ops[i].from == id)
				h->txns[t].ops[i].has_from = false;
}

static void remove_op(struct tiny_txn *t, int op)
{
	t->op_count--;
	for (int i = op; i < t->op_count; i++)
		t->ops[i] = t->ops[i + 1];
}

enum { WITHOUT_TXN, WITHOUT_TIMES, WITHOUT_OP, WITHOUT_FROM = WITHOUT_OP + TINY_OPS };
enum { WAYS = WITHOUT_FROM + TINY_OPS };

/* One of the ways to make transaction t less. */
static bool reduce(struct tiny *h, int t, int way)
{
	struct tiny_txn *txn = &h->txns[t];
	int op = (way - WITHOUT_OP) % TINY_OPS;
	if (way == WITHOUT_TXN) {
		remove_txn(h, t);
		return true;
	}
	if (way == WITHOUT_TIMES) {
		bool had = txn->has;
		txn->has = 0;
		return had;
	}
	if (op >= txn->op_count)
		return false;
	if (way < WITHOUT_FROM) {
		remove_op(txn, op);
		return true;
	}
	bool had = txn->ops[op].has_from;
	txn->ops[op].has_from = false;
	return had;
}

static void shrink(struct tiny *h, int level)
{
	for (bool smaller = true; smaller;) {
		smaller = false;
		for (int t = 0; t < h->txn_count; t++)
			for (int way = 0; way < WAYS && t < h->txn_count; way++) {
				struct tiny less = *h;
				if (!reduce(&less, t, way) || !differs(&less, level))
					continue;
				*h = less;
				smaller = true;
			}
	}
}

static void show_difference(const struct tiny *h, uint64_t index, int level)
{
	struct tiny small = *h;
	printf("history %" PRIu64 " at %s, ", index, brute_level(level));
	shrink(&small, level);
	printf("made smaller: brute force says %s, the library %s\n", words[brute(&small, level)],
	       words[ask(&small, level, false).verdict]);
	ask(&small, level, true);
	if (small.no_sessions)
		printf("session order does not count in:\n");
	print_history(&small);
}

/* ---- tenants ---- */

static bool has_times(const struct tiny *h)
{
	for (int t = 0; t < h->txn_count; t++)
		if (h->txns[t].has)
			return true;
	return false;
}

/* Valid if each is, and one of them says something. */
static enum alibi_verdict brute_tenants(const struct tiny *h, int tenants, int level)
{
	enum alibi_verdict all = ALIBI_UNKNOWN;
	for (int i = 0; i < tenants; i++) {
		enum alibi_verdict one = brute(&h[i], level);
		if (one == ALIBI_VIOLATES)
			return one;
		all = one == ALIBI_VALID ? one : all;
	}
	return all;
}

static bool same_proof(const alibi_result *a, const alibi_result *b)
{
	alibi_violation x = {ALIBI_INIT(alibi_violation)}, y = {ALIBI_INIT(alibi_violation)};
	size_t n, m;
	const void *p = alibi_result_certificate(a, &n), *q = alibi_result_certificate(b, &m);
	bool any = alibi_result_violation_at(a, 0, &x);
	return alibi_result_verdict(a) == alibi_result_verdict(b) &&
	       alibi_result_described(a) == alibi_result_described(b) &&
	       any == alibi_result_violation_at(b, 0, &y) && (!any || !strcmp(x.text, y.text)) &&
	       n == m && (!p || !memcmp(p, q, n));
}

/* The right verdict on any number of threads, and the same proof. */
static bool same_on_threads(alibi *a, const alibi_history *built, alibi_check_options options,
                            enum alibi_verdict right)
{
	const alibi_result *first = NULL;
	for (options.threads = 1; built && options.threads <= THREADS_MAX; options.threads++) {
		const alibi_result *r = alibi_check(a, built, &options);
		if (!r || alibi_result_verdict(r) != right || (first && !same_proof(r, first)))
			return false;
		first = first ? first : r;
	}
	return first;
}

/* Where clocks count, tenants that have them are not independent. */
static bool decidable(const struct tiny *h, int tenants, int level)
{
	bool times = false;
	for (int i = 0; i < tenants; i++)
		times |= has_times(&h[i]);
	return !times || strcmp(brute_level(level), "sser") != 0;
}

static void compare_tenants(uint64_t seed, uint64_t index, uint64_t *passed, uint64_t *failed)
{
	struct tiny h[TENANTS_MAX];
	int tenants = 2 + (int)(index % (TENANTS_MAX - 1));
	for (int i = 0; i < tenants; i++) {
		tiny_generate(&h[i], seed, index + (uint64_t)i);
		h[i].no_sessions = h[0].no_sessions;
	}
	alibi *a = start();
	const alibi_history *built = tiny_build(a, h, tenants);
	for (int level = 0; level < TINY_LEVELS; level++) {
		if (!decidable(h, tenants, level))
			continue;
		alibi_check_options options = {ALIBI_INIT(alibi_check_options),
		                               .level = brute_level(level),
		                               .ignore_sessions = h->no_sessions};
		bool ok = same_on_threads(a, built, options, brute_tenants(h, tenants, level));
		*passed += ok;
		*failed += !ok;
		if (!ok && *failed <= SHOWN_MAX)
			printf("%d histories from %" PRIu64 " on, as one, differ at %s\n", tenants,
			       index, brute_level(level));
	}
	alibi_free(a);
}

/* ---- the two modes ---- */

static int compare(uint64_t count, uint64_t seed, uint64_t first)
{
	uint64_t passed = 0, failed = 0, verdicts[TINY_LEVELS][3] = {{0}}, only[TINY_LEVELS] = {0};
	for (uint64_t i = first; i < first + count; i++) {
		struct tiny h;
		tiny_generate(&h, seed, i);
		alibi *a = start();
		const alibi_history *built = tiny_build(a, &h, 1);
		enum alibi_verdict right = ALIBI_VIOLATES, weaker;
		for (int level = 0; level < TINY_LEVELS; level++) {
			struct answer answer = ask_level(a, &h, built, level, false);
			weaker = right;
			right = brute(&h, level);
			bool ok = !answer.failed && answer.verdict == right;
			verdicts[level][right]++;
			only[level] += weaker == ALIBI_VALID && right == ALIBI_VIOLATES;
			passed += ok;
			failed += !ok;
			if (!ok && failed <= SHOWN_MAX)
				show_difference(&h, i, level);
		}
		alibi_free(a);
		if (i % TENANTS_MAX == 0)
			compare_tenants(seed, i, &passed, &failed);
	}
	for (int level = 0; level < TINY_LEVELS; level++)
		printf("%s: %" PRIu64 " valid, %" PRIu64 " violate (%" PRIu64
		       " hold at the level before), %" PRIu64 " unknown\n",
		       brute_level(level), verdicts[level][ALIBI_VALID],
		       verdicts[level][ALIBI_VIOLATES], only[level],
		       verdicts[level][ALIBI_UNKNOWN]);
	printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
	return failed > 0;
}

/* Without named writers, of which the other judge knows nothing; where session order does
 * not count, each transaction has a session of its own. */
static int print(uint64_t count, uint64_t seed, uint64_t first)
{
	for (uint64_t i = first; i < first + count; i++) {
		struct tiny h;
		tiny_generate(&h, seed, i);
		for (int t = 0; t < h.txn_count; t++) {
			h.txns[t].alone |= h.no_sessions;
			for (int op = 0; op < h.txns[t].op_count; op++)
				h.txns[t].ops[op].has_from = false;
		}
		print_history(&h);
		printf("verdicts");
		for (int level = 0; level < TINY_LEVELS; level++)
			printf(" %s %s", brute_level(level), words[brute(&h, level)]);
		printf("\n");
	}
	return 0;
}

int main(int argc, char **argv)
{
	bool printing = argc > 1 && !strcmp(argv[1], "--print");
	uint64_t numbers[3] = {20000, 1, 0};
	int given = argc - 1 - printing;
	char *end = "";
	for (int i = 0; i < given && i < 3 && !*end; i++)
		numbers[i] = strtoull(argv[1 + printing + i], &end, 10);
	if (given > 3 || *end) {
		fputs("usage: compare [--print] [HISTORIES [SEED [FIRST]]]\n", stderr);
		return 2;
	}
	return (printing ? print : compare)(numbers[0], numbers[1], numbers[2]);
}
