/*
 * parts_of: leaving operations out of a history makes up no violation.
 *
 * Explanations rest on that (src/explain/reduce.h). Of each file, random operations are
 * left out, with what must go along; if the whole holds at a level, so must what is left.
 *
 *     parts_of FILE…
 */
#include "check/check.h"
#include "explain/reduce.h"
#include "format/format.h"
#include "history/query.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 12 };

static const char *const levels[] = {"pc", "si", "ser", "sser"};

struct trial {
	struct guard guard;
	struct pool *pool;
	const struct history *h;
	uint64_t random;
	unsigned passed, failed;
};

static enum alibi_verdict verdict(struct trial *t, const struct history *h, const char *level)
{
	struct check_options options = {.level = level_named(level),
	                                .session_order = true,
	                                .max_violations = 1,
	                                .threads = 1};
	return check(t->pool, h, &options)->verdict;
}

/* Sometimes whole transactions go, sometimes single operations. */
static bool *some_operations(struct trial *t)
{
	const struct history *h = t->h;
	bool *keep = pool_array(t->pool, (size_t)h->op_count + 1, sizeof *keep);
	bool by_txn = random_below(&t->random, 2);
	for (uint32_t txn = 0; txn < h->txn_count; txn++) {
		bool stays = random_below(&t->random, 4) > 0;
		for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++)
			keep[op] = by_txn ? stays : random_below(&t->random, 5) > 0;
	}
	reduce_close(t->pool, h, keep);
	return keep;
}

static void try_parts(struct trial *t, const char *name, const char *level)
{
	if (verdict(t, t->h, level) != ALIBI_VALID)
		return;
	for (int i = 0; i < PARTS; i++) {
		const struct history *part = subset_of(t->pool, t->h, some_operations(t)).h;
		bool holds = verdict(t, part, level) != ALIBI_VIOLATES;
		t->passed += holds;
		t->failed += !holds;
		if (!holds)
			printf("%s holds at %s, but a part of it does not\n", name, level);
	}
}

static struct trial *new_trial(int number)
{
	struct trial *t = calloc(1, sizeof *t);
	if (!t)
		abort();
	t->random = (uint64_t)number;
	guard_init(&t->guard);
	t->pool = pool_root(&t->guard);
	return t;
}

static void try_file(struct trial *t, const char *path)
{
	if (guard_enter(&t->guard)) {
		t->h = format_load(t->pool, path, &(struct format_options){.name = "alibi"});
		for (size_t l = 0; l < sizeof levels / sizeof *levels; l++)
			try_parts(t, path, levels[l]);
	} else {
		fprintf(stderr, "%s\n", t->guard.error.text);
		t->failed++;
	}
	guard_leave(&t->guard);
}

int main(int argc, char **argv)
{
	unsigned passed = 0, failed = 0;
	for (int i = 1; i < argc; i++) {
		struct trial *t = new_trial(i);
		try_file(t, argv[i]);
		passed += t->passed;
		failed += t->failed;
		pool_release(t->pool);
		free(t);
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed > 0;
}
