/*
 * mutant: what a library with a mistake in it says, against brute force (brute.c).
 *
 * tests/mutate.py links this with one file of the search changed. Tiny histories are checked at
 * each level, alone and two at a time; then the histories of LIST, which are files with queries
 * and the right verdict at some level ("path level verdict" a line).
 *
 *     mutant HISTORIES SEED [LIST]
 *
 * The last line counts the answers: right, wrong (a verdict, but not the right one), refused (the
 * verifier did not accept what the search found), unknown, and failed (no answer at all). A wrong
 * verdict is printed when it is found, since what comes next may be a crash.
 */
#include "tiny.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS_MAX = 2, TOGETHER = 2, EVERY = 4, PATH_LENGTH = 500 };

static struct {
	uint64_t right, wrong, refused, unknown, failed;
} tally;

static alibi *start(void)
{
	alibi *a = alibi_new();
	if (!a)
		exit(2);
	alibi_set_timeout(a, SECONDS_MAX);
	return a;
}

static void ask(alibi *a, const alibi_history *h, alibi_check_options options,
                enum alibi_verdict right, const char *what, uint64_t number)
{
	const alibi_result *r = h ? alibi_check(a, h, &options) : NULL;
	if (!r) {
		tally.failed++;
	} else if (alibi_result_verdict(r) == right) {
		tally.right++;
	} else if (alibi_result_verdict(r) != ALIBI_UNKNOWN) {
		tally.wrong++;
		printf("WRONG: %s %" PRIu64 " at %s: %s\n", what, number, options.level,
		       alibi_verdict_name(alibi_result_verdict(r)));
		fflush(stdout);
	} else if (alibi_result_reason(r) && strstr(alibi_result_reason(r), "verifier")) {
		tally.refused++;
	} else {
		tally.unknown++;
	}
}

static bool has_times(const struct tiny *h)
{
	for (int t = 0; t < h->txn_count; t++)
		if (h->txns[t].has)
			return true;
	return false;
}

/* Histories that share nothing hold together if each of them does. */
static enum alibi_verdict verdict_of(const struct tiny *h, int count, int level)
{
	enum alibi_verdict all = brute(h, level);
	for (int i = 1; i < count; i++) {
		enum alibi_verdict one = brute(&h[i], level);
		if (one == ALIBI_VIOLATES || all == ALIBI_UNKNOWN)
			all = one;
	}
	return all;
}

static void compare(uint64_t seed, uint64_t number, int count)
{
	struct tiny h[TOGETHER];
	bool times = false;
	for (int i = 0; i < count; i++) {
		tiny_generate(&h[i], seed, number + (uint64_t)i);
		h[i].no_sessions = h[0].no_sessions;
		times |= has_times(&h[i]);
	}
	alibi *a = start();
	const alibi_history *built = tiny_build(a, h, count);
	for (int level = 0; level < TINY_LEVELS; level++)
		if (count == 1 || !times || strcmp(brute_level(level), "sser") != 0)
			ask(a, built,
			    (alibi_check_options){ALIBI_INIT(alibi_check_options),
			                          .level = brute_level(level),
			                          .ignore_sessions = h->no_sessions},
			    verdict_of(h, count, level), "history", number);
	alibi_free(a);
}

static void compare_files(const char *list)
{
	FILE *f = fopen(list, "r");
	char path[PATH_LENGTH + 1], level[16], verdict[16];
	if (!f)
		exit(2);
	for (uint64_t line = 1; fscanf(f, "%500s %15s %15s", path, level, verdict) == 3; line++) {
		enum alibi_verdict right = !strcmp(verdict, "valid")      ? ALIBI_VALID
		                           : !strcmp(verdict, "violates") ? ALIBI_VIOLATES
		                                                          : ALIBI_UNKNOWN;
		alibi *a = start();
		ask(a, alibi_load(a, path, NULL),
		    (alibi_check_options){ALIBI_INIT(alibi_check_options), .level = level}, right,
		    path, line);
		alibi_free(a);
	}
	fclose(f);
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	for (uint64_t i = 0; i < count; i++) {
		compare(seed, i, 1);
		if (i % EVERY == 0)
			compare(seed, i, TOGETHER);
	}
	if (argc > 3)
		compare_files(argv[3]);
	printf("right %" PRIu64 " wrong %" PRIu64 " refused %" PRIu64 " unknown %" PRIu64
	       " failed %" PRIu64 "\n",
	       tally.right, tally.wrong, tally.refused, tally.unknown, tally.failed);
	return tally.wrong > 0;
}
