/*
 * The verifier by itself, with certificates that no search writes: at the weak levels
 * (rc, ra, cc) and of lists, refutations and orders made by hand, right ones and wrong ones.
 *
 * Transactions are numbered from 0 in the order of the history, operations from 0
 * through all of it.
 */
#include "support.h"

#include "base/guard.h"
#include "format/certificate.h"
#include "level/level.h"
#include "verify/claims.h"
#include "verify/steps.h"
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

#define INITIAL UINT32_MAX
enum { SESSION = CLAIM_SESSION, READ = CLAIM_READ, LIST = CLAIM_LIST, SEEN = CLAIM_SEEN };
enum { NUMBERS_MAX = 64 };

struct numbers {
	uint32_t count, items[NUMBERS_MAX];
};

/* The level is "ra" or, without session order, "-ra". */
static bool accepted(const char *text, const char *at, bool valid, const struct numbers *n)
{
	struct test t = test_start();
	const struct history *h = load_text(&t, "alibi", text);
	struct guard *g = pool_guard(h->pool);
	const bool no_session = *at == '-';
	const char *const level = at + no_session;
	volatile bool accepts = false;
	if (guard_enter(g)) {
		byte_vec bytes = {0};
		struct verify_rules rules = {level, level_named(level)->rules};
		rules.replay.no_session = no_session;
		struct certificate c = {
		        .session = !no_session, .valid = valid, .digest = history_digest(h)};
		snprintf(c.level, sizeof c.level, "%s", level);
		certificate_begin(h->pool, &bytes, &c);
		for (uint32_t i = 0; i < n->count; i++)
			certificate_put(h->pool, &bytes, n->items[i]);
		enum alibi_verdict verdict = ALIBI_UNKNOWN;
		accepts = !verify(h->pool, h, &rules, bytes.items, bytes.count, &verdict);
		if (accepts)
			assert_int_equal(verdict, valid ? ALIBI_VALID : ALIBI_VIOLATES);
	}
	guard_leave(g);
	assert_int_equal(g->error.code, ALIBI_OK);
	test_release(&t);
	return accepts;
}

static bool refutes(const char *text, const char *level, const struct numbers *n)
{
	return accepted(text, level, false, n);
}

static uint32_t difference(uint32_t from, uint32_t to)
{
	uint32_t delta = to - from;
	return delta >> 31 ? ~delta << 1 | 1 : delta << 1;
}

/* Transactions in their order, and pairs: a read, and its writer. */
static bool explains(const char *text, const char *level, const struct numbers *order,
                     const struct numbers *choices)
{
	struct numbers n = {.items = {order->count}, .count = 1};
	uint32_t event = 0, op = 0, writer = 0;
	for (uint32_t i = 0; i < order->count; i++) {
		n.items[n.count++] = difference(event, 2 * order->items[i] + 1);
		event = 2 * order->items[i] + 1;
	}
	for (uint32_t i = 0; i < choices->count; i += 2) {
		n.items[n.count++] = difference(op, choices->items[i]);
		n.items[n.count++] = difference(writer, choices->items[i + 1]);
		op = choices->items[i];
		writer = choices->items[i + 1];
	}
	return accepted(text, level, true, &n);
}

#define NUMBERS(...)                                                                               \
	(&(struct numbers){.count = sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),          \
	                   .items = {__VA_ARGS__}})
#define NONE (&(struct numbers){0})
/* One step that derives a cycle; the count of its words, and these. */
#define CYCLE(words, ...) STEP_SEEN_CYCLE, words, __VA_ARGS__
#define CHOICES(op) STEP_CHOICES, 1, op

static enum alibi_verdict checked(const char *text, const char *level)
{
	struct test t = test_start();
	const alibi_history *h = (const alibi_history *)load_text(&t, "alibi", text);
	const alibi_result *r = alibi_check(
	        t.job, h, &(alibi_check_options){ALIBI_INIT(alibi_check_options), .level = level});
	assert_non_null(r);
	enum alibi_verdict verdict = r->verdict;
	test_release(&t);
	return verdict;
}

/* ---- who is seen ---- */

static const char fractured[] = "{\"session\":1,\"ops\":[[\"w\",\"x\",1],[\"w\",\"y\",1]]}\n"
                                "{\"session\":2,\"ops\":[[\"r\",\"x\",1],[\"r\",\"y\",null]]}\n";
/* The same, the other one read first. */
static const char fractured_back[] =
        "{\"session\":1,\"ops\":[[\"w\",\"x\",1],[\"w\",\"y\",1]]}\n"
        "{\"session\":2,\"ops\":[[\"r\",\"y\",null],[\"r\",\"x\",1]]}\n";

static void who_was_read_from_is_seen(void **state)
{
	(void)state;
	const struct numbers *proof = NUMBERS(CYCLE(9, 0, SEEN, 3, 0, 1, 0, READ, 2, 0));
	assert_true(refutes(fractured, "rc", proof));
	assert_true(refutes(fractured, "ra", proof));
	assert_true(refutes(fractured, "cc", proof));
	const struct numbers *back = NUMBERS(CYCLE(9, 0, SEEN, 2, 0, 1, 0, READ, 3, 0));
	assert_false(refutes(fractured_back, "rc", back)); /* it was read only later */
	assert_true(refutes(fractured_back, "ra", back));
	assert_true(refutes(fractured_back, "cc", back));
	assert_true(explains(fractured_back, "rc", NUMBERS(0, 1), NONE));
	assert_false(explains(fractured_back, "ra", NUMBERS(0, 1), NONE));
	assert_false(explains(fractured, "rc", NUMBERS(0, 1), NONE));
	/* by itself: an operation is not before itself */
	assert_false(refutes(fractured, "rc", NUMBERS(CYCLE(9, 0, SEEN, 2, 0, 1, 0, READ, 2, 0))));
}

static void cycles_are_whole(void **state)
{
	(void)state;
	assert_false(refutes(fractured, "ra", NUMBERS(STEP_SEEN_CYCLE, 0)));
	assert_false(refutes(fractured, "ra", NONE));
	/* no path, a path that is cut off, one too long */
	assert_false(refutes(fractured, "ra", NUMBERS(CYCLE(5, 0, SEEN, 3, 0, 0))));
	assert_false(refutes(fractured, "ra", NUMBERS(CYCLE(5, 0, SEEN, 3, 0, 1))));
	assert_false(refutes(fractured, "ra", NUMBERS(CYCLE(7, 0, SEEN, 3, 0, 1, 0, READ))));
	assert_false(refutes(fractured, "cc", NUMBERS(CYCLE(9, 0, SEEN, 3, 0, 2, 0, READ, 2, 0))));
	assert_false(
	        refutes(fractured, "ra", NUMBERS(CYCLE(9, 0, SEEN, 3, 0, INITIAL, 0, READ, 2, 0))));
	/* choices, operations, transactions and claims that do not exist */
	assert_false(refutes(fractured, "ra", NUMBERS(CYCLE(9, 0, SEEN, 3, 1, 1, 0, READ, 2, 0))));
	assert_false(refutes(fractured, "ra", NUMBERS(CYCLE(9, 0, SEEN, 3, 0, 1, 0, READ, 2, 1))));
	assert_false(refutes(fractured, "ra", NUMBERS(CYCLE(9, 0, SEEN, 4, 0, 1, 0, READ, 2, 0))));
	assert_false(refutes(fractured, "ra", NUMBERS(CYCLE(9, 0, SEEN, 3, 0, 1, 0, READ, 9, 0))));
	assert_false(refutes(fractured, "ra", NUMBERS(CYCLE(9, 7, SEEN, 3, 0, 1, 7, READ, 2, 0))));
	assert_false(refutes(fractured, "ra", NUMBERS(CYCLE(9, 0, 4, 3, 0, 1, 0, READ, 2, 0))));
	assert_false(refutes(fractured, "ra", NUMBERS(CYCLE(2, INITIAL, SESSION))));
	/* a write is no read; the path begins with another transaction, or ends there */
	assert_false(refutes(fractured, "ra", NUMBERS(CYCLE(9, 0, SEEN, 1, 0, 1, 0, READ, 2, 0))));
	assert_false(refutes(fractured, "ra", NUMBERS(CYCLE(9, 0, SEEN, 3, 0, 1, 1, READ, 2, 0))));
	/* edges that lead nowhere, before the one that closes */
	assert_false(refutes(fractured, "ra",
	                     NUMBERS(CYCLE(13, 0, READ, 2, 0, 0, SEEN, 3, 0, 1, 0, READ, 2, 0))));
	/* and behind it */
	assert_false(refutes(fractured, "ra",
	                     NUMBERS(CYCLE(13, 0, SEEN, 3, 0, 1, 0, READ, 2, 0, 0, READ, 2, 0))));
}

static void unwritten_is_before_themselves(void **state)
{
	(void)state;
	static const char text[] = "{\"session\":1,\"ops\":[[\"r\",\"x\",null],[\"w\",\"x\",1],"
	                           "[\"r\",\"x\",1]]}\n"
	                           "{\"session\":1,\"ops\":[[\"r\",\"x\",1],[\"w\",\"x\",2]]}\n";
	assert_false(refutes(text, "cc", NUMBERS(CYCLE(2, 0, SESSION))));
	assert_false(refutes(text, "cc", NUMBERS(CYCLE(2, 1, SESSION))));
	assert_false(refutes(text, "cc", NUMBERS(CYCLE(4, 0, SESSION, 1, SESSION))));
	assert_false(refutes(text, "cc", NUMBERS(CYCLE(4, 1, READ, 3, 0))));
	/* the reader's own write is not seen by its own read */
	assert_false(refutes(text, "cc", NUMBERS(CYCLE(7, 0, SEEN, 0, 0, 1, 0, SESSION))));
	assert_false(refutes(text, "cc", NUMBERS(CYCLE(7, 1, SEEN, 3, 0, 1, 1, SESSION))));
	/* who was read from is not before itself */
	assert_false(refutes(text, "cc", NUMBERS(CYCLE(7, 0, SEEN, 3, 0, 1, 0, SESSION))));
	/* a read of an own write has no choices */
	assert_false(refutes(text, "cc", NUMBERS(CHOICES(2))));
	assert_false(refutes(text, "rc", NUMBERS(CYCLE(4, 0, READ, 2, 0))));
	assert_false(refutes(text, "rc", NUMBERS(STEP_INT, 1, 2)));
	assert_true(explains(text, "cc", NUMBERS(0, 1), NONE));
	assert_false(explains(text, "cc", NUMBERS(1, 0), NONE));
	assert_false(explains(text, "-rc", NUMBERS(1, 0), NONE)); /* 1 reads from 0 */
}

static void a_read_again_is_one_read(void **state)
{
	(void)state;
	/* at rc the second read of x is the first again, so that y makes no difference */
	static const char text[] =
	        "{\"session\":1,\"ops\":[[\"w\",\"x\",1],[\"w\",\"y\",1]]}\n"
	        "{\"session\":2,\"ops\":[[\"r\",\"x\",null],[\"r\",\"y\",1],[\"r\",\"x\",null]]}\n";
	assert_false(refutes(text, "rc", NUMBERS(CYCLE(9, 0, SEEN, 4, 0, 1, 0, READ, 3, 0))));
	assert_false(refutes(text, "rc", NUMBERS(CHOICES(4))));
	assert_true(explains(text, "rc", NUMBERS(0, 1), NONE));
	assert_true(refutes(text, "ra", NUMBERS(CYCLE(9, 0, SEEN, 2, 0, 1, 0, READ, 3, 0))));
	assert_false(explains(text, "ra", NUMBERS(0, 1), NONE));
	/* with another value between it is another read */
	static const char changed[] =
	        "{\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n"
	        "{\"session\":2,\"ops\":[[\"r\",\"x\",null],[\"r\",\"x\",1],[\"r\",\"x\",null]]}\n";
	assert_true(refutes(changed, "rc", NUMBERS(CYCLE(9, 0, SEEN, 3, 0, 1, 0, READ, 2, 0))));
	assert_false(refutes(changed, "rc", NUMBERS(STEP_INT, 1, 2)));
	assert_true(refutes(changed, "ra", NUMBERS(STEP_INT, 1, 2)));
	assert_false(explains(changed, "rc", NUMBERS(0, 1), NONE));
}

/* ---- paths ---- */

static const char causal[] = "{\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n"
                             "{\"session\":1,\"ops\":[[\"w\",\"y\",1]]}\n"
                             "{\"session\":2,\"ops\":[[\"r\",\"y\",1],[\"r\",\"x\",null]]}\n";

static void paths_are_as_long_as_the_level_says(void **state)
{
	(void)state;
	const struct numbers *proof =
	        NUMBERS(CYCLE(11, 0, SEEN, 3, 0, 2, 0, SESSION, 1, READ, 2, 0));
	assert_true(refutes(causal, "cc", proof));
	assert_false(refutes(causal, "ra", proof));
	assert_false(refutes(causal, "rc", proof));
	assert_false(refutes(causal, "-cc", proof));
	/* by session order at once: they are of two sessions */
	assert_false(refutes(causal, "cc", NUMBERS(CYCLE(7, 0, SEEN, 3, 0, 1, 0, SESSION))));
	/* the path leads to a transaction that did not write the key */
	assert_false(refutes(causal, "cc", NUMBERS(CYCLE(9, 1, SEEN, 3, 0, 1, 1, READ, 2, 0))));
	/* claims that are not of visibility */
	assert_false(refutes(causal, "cc",
	                     NUMBERS(CYCLE(13, 0, SEEN, 3, 0, 2, 0, LIST, 2, 0, 1, READ, 2, 0))));
	assert_true(explains(causal, "ra", NUMBERS(0, 1, 2), NONE));
	assert_false(explains(causal, "cc", NUMBERS(0, 1, 2), NONE));
	assert_true(explains(causal, "-cc", NUMBERS(0, 1, 2), NONE));
	assert_true(explains(causal, "-cc", NUMBERS(1, 2, 0), NONE));
	assert_false(explains(causal, "ra", NUMBERS(1, 2, 0), NONE));
}

static void unknown_and_aborted_ones(void **state)
{
	(void)state;
	static const char text[] =
	        "{\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n"
	        "{\"session\":1,\"status\":\"unknown\",\"ops\":[[\"r\",\"x\",7],[\"w\",\"y\",1]]}\n"
	        "{\"session\":1,\"ops\":[[\"r\",\"y\",null]]}\n"
	        "{\"session\":1,\"status\":\"abort\",\"ops\":[[\"w\",\"z\",1]]}\n"
	        "{\"session\":1,\"ops\":[[\"r\",\"z\",null]]}\n"
	        "{\"session\":2,\"ops\":[[\"r\",\"y\",1],[\"r\",\"x\",null]]}\n";
	/* reads of an unknown transaction are no evidence */
	assert_false(refutes(text, "cc", NUMBERS(CHOICES(1))));
	assert_false(refutes(text, "cc", NUMBERS(STEP_INT, 1, 1)));
	/* no session order after an unknown or an aborted transaction */
	assert_false(refutes(text, "cc", NUMBERS(CYCLE(7, 1, SEEN, 3, 0, 1, 1, SESSION))));
	assert_false(refutes(text, "cc", NUMBERS(CYCLE(7, 3, SEEN, 5, 0, 1, 3, SESSION))));
	/* but an unknown one comes after others, and who reads from it sees them */
	assert_true(refutes(text, "cc",
	                    NUMBERS(CYCLE(11, 0, SEEN, 7, 0, 2, 0, SESSION, 1, READ, 6, 0))));
	assert_true(explains(text, "ra", NUMBERS(0, 2, 4, 1, 5), NONE));
	assert_false(explains(text, "cc", NUMBERS(0, 2, 4, 1, 5), NONE));
	assert_false(explains(text, "ra", NUMBERS(0, 2, 4, 5), NONE));    /* 5 reads from 1 */
	assert_false(explains(text, "ra", NUMBERS(1, 0, 2, 4, 5), NONE)); /* 1 comes after 0 */
	assert_false(explains(text, "ra", NUMBERS(0, 2, 3, 4, 1, 5), NONE));
	static const char dirty[] = "{\"status\":\"abort\",\"ops\":[[\"w\",\"x\",1]]}\n"
	                            "{\"ops\":[[\"r\",\"x\",1]]}\n";
	assert_true(refutes(dirty, "rc", NUMBERS(CHOICES(1))));
	assert_false(refutes(dirty, "rc", NUMBERS(STEP_WRITER, 1, 1))); /* of other levels */
	assert_false(explains(dirty, "rc", NUMBERS(0, 1), NONE));
	assert_false(explains(dirty, "rc", NUMBERS(1), NONE));
	assert_false(explains(dirty, "rc", NUMBERS(1), NUMBERS(1, 0)));
	assert_false(explains(dirty, "rc", NUMBERS(1), NUMBERS(1, INITIAL)));
}

/* ---- choices ---- */

/* x = 1 was written by 0, who wrote y, and by 1, who comes after 0. */
static const char twice[] = "{\"session\":1,\"ops\":[[\"w\",\"x\",1],[\"w\",\"y\",1]]}\n"
                            "{\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n"
                            "{\"session\":2,\"ops\":[[\"r\",\"x\",1],[\"r\",\"y\",null]]}\n";

static void every_choice_is_refuted(void **state)
{
	(void)state;
#define NOT_0 CYCLE(9, 0, SEEN, 4, 0, 1, 0, READ, 3, 0)
#define NOT_1 CYCLE(11, 0, SEEN, 4, 0, 2, 0, SESSION, 1, READ, 3, 1)
#define ALL CHOICES(3), NOT_0, NOT_1
	assert_true(refutes(twice, "cc", NUMBERS(ALL, STEP_LEARNT, 4, 0, 1, 2, 0)));
	/* none of them alone, nor a hint that leaves two literals, nor one to nothing */
	assert_false(refutes(twice, "cc", NUMBERS(NOT_0)));
	assert_false(refutes(twice, "cc", NUMBERS(CHOICES(3), NOT_0, STEP_LEARNT, 3, 0, 1, 0)));
	assert_false(refutes(twice, "cc", NUMBERS(NOT_0, NOT_1, STEP_LEARNT, 3, 0, 0, 1)));
	assert_false(refutes(twice, "cc", NUMBERS(ALL, STEP_LEARNT, 4, 0, 0, 1, 2)));
	assert_false(refutes(twice, "cc", NUMBERS(ALL, STEP_LEARNT, 4, 0, 1, 2, 3)));
	assert_false(refutes(twice, "cc", NUMBERS(ALL, STEP_LEARNT, 1, 0)));
	assert_false(refutes(twice, "cc", NUMBERS(ALL, STEP_LEARNT, 0)));
	/* at ra 1 hides what 0 wrote */
	assert_false(refutes(twice, "ra", NUMBERS(ALL, STEP_LEARNT, 4, 0, 1, 2, 0)));
	/* "choice 0" follows from "not choice 1", not from "not choice 0" */
	assert_true(refutes(twice, "cc",
	                    NUMBERS(CHOICES(3), NOT_1, STEP_LEARNT, 5, 1, 3, CHOICE, 1, 0, NOT_0,
	                            STEP_LEARNT, 3, 0, 2, 3)));
	assert_false(refutes(twice, "cc",
	                     NUMBERS(CHOICES(3), NOT_0, STEP_LEARNT, 5, 1, 3, CHOICE, 1, 0, NOT_0,
	                             STEP_LEARNT, 3, 0, 2, 3)));
#undef ALL
#undef NOT_0
#undef NOT_1
	assert_true(explains(twice, "ra", NUMBERS(0, 1, 2), NUMBERS(3, 1)));
	assert_false(explains(twice, "ra", NUMBERS(0, 1, 2), NUMBERS(3, 0)));
	assert_false(explains(twice, "cc", NUMBERS(0, 1, 2), NUMBERS(3, 1)));
	assert_true(explains(twice, "-cc", NUMBERS(0, 1, 2), NUMBERS(3, 1)));
	assert_false(explains(twice, "ra", NUMBERS(0, 1, 2), NONE)); /* the choice is missing */
	assert_false(explains(twice, "ra", NUMBERS(0, 1, 2), NUMBERS(3, 2)));
	assert_false(explains(twice, "ra", NUMBERS(0, 1, 2), NUMBERS(3, INITIAL)));
	assert_false(explains(twice, "ra", NUMBERS(0, 1, 2), NUMBERS(3, 1, 3, 1)));
	assert_false(explains(twice, "ra", NUMBERS(0, 1, 2),
	                      NUMBERS(4, 0))); /* y: the initial version */
	assert_false(explains(twice, "-ra", NUMBERS(0, 2, 1), NUMBERS(3, 1)));
}

static void named_writers_are_no_choice(void **state)
{
	(void)state;
	static const char text[] =
	        "{\"id\":\"a\",\"session\":1,\"ops\":[[\"w\",\"x\",1],[\"w\",\"y\",1]]}\n"
	        "{\"id\":\"b\",\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n"
	        "{\"session\":2,\"ops\":[[\"r\",\"x\",1,{\"from\":\"a\"}],[\"r\",\"y\",null]]}\n";
	assert_true(refutes(text, "ra", NUMBERS(CYCLE(9, 0, SEEN, 4, 0, 1, 0, READ, 3, 0))));
	assert_false(refutes(text, "ra", NUMBERS(CYCLE(9, 1, SEEN, 4, 0, 1, 1, READ, 3, 1))));
	assert_false(explains(text, "ra", NUMBERS(0, 1, 2), NUMBERS(3, 1)));
	assert_false(explains(text, "ra", NUMBERS(0, 1, 2), NONE));
	/* named twice, and not the same: b comes after a, and a after b */
	static const char both[] =
	        "{\"id\":\"a\",\"ops\":[[\"w\",\"x\",1]]}\n"
	        "{\"id\":\"b\",\"ops\":[[\"w\",\"x\",1]]}\n"
	        "{\"ops\":[[\"r\",\"x\",1,{\"from\":\"a\"}],[\"r\",\"x\",1,{\"from\":\"b\"}]]}\n";
	const struct numbers *proof = NUMBERS(
	        CYCLE(18, 0, SEEN, 3, 0, 1, 0, READ, 2, 0, 1, SEEN, 2, 0, 1, 1, READ, 3, 0));
	assert_true(refutes(both, "ra", proof));
	assert_false(refutes(both, "rc", proof));
	assert_true(explains(both, "rc", NUMBERS(0, 1, 2), NONE));
	assert_false(explains(both, "rc", NUMBERS(1, 0, 2), NONE));
	assert_false(explains(both, "ra", NUMBERS(0, 1, 2), NONE));
	static const char unwritten[] = "{\"id\":\"a\",\"ops\":[[\"w\",\"x\",1]]}\n"
	                                "{\"id\":\"b\",\"ops\":[[\"r\",\"x\",1,{\"from\":null}]]}\n"
	                                "{\"id\":\"c\",\"ops\":[[\"r\",\"x\",1]]}\n";
	assert_true(refutes(unwritten, "rc", NUMBERS(CHOICES(1))));
	assert_false(refutes(unwritten, "rc", NUMBERS(CHOICES(2))));
}

/* ---- lists ---- */

static const char lists[] = "{\"session\":1,\"ops\":[[\"append\",\"x\",1],[\"append\",\"x\",2]]}\n"
                            "{\"session\":2,\"ops\":[[\"append\",\"x\",3]]}\n"
                            "{\"session\":3,\"ops\":[[\"append\",\"x\",4]]}\n"
                            "{\"session\":4,\"ops\":[[\"r\",\"x\",[1,2,3]]]}\n"
                            "{\"session\":5,\"ops\":[[\"r\",\"x\",[3,4]]]}\n";

static void lists_show_their_appenders(void **state)
{
	(void)state;
	/* 0 before 1, by the first; 1 before 2 and 2 before 0 by the second */
	assert_true(refutes(lists, "rc",
	                    NUMBERS(CYCLE(12, 0, LIST, 4, 0, 1, LIST, 5, 0, 2, LIST, 5, 0))));
	/* not consecutive, the wrong way round, not the last, not of this list */
	assert_false(refutes(lists, "rc", NUMBERS(CYCLE(8, 0, LIST, 4, 0, 1, LIST, 5, 0))));
	assert_false(refutes(lists, "rc", NUMBERS(CYCLE(8, 0, LIST, 4, 0, 1, LIST, 4, 0))));
	assert_false(refutes(lists, "rc", NUMBERS(CYCLE(4, 1, LIST, 4, 0))));
	assert_false(refutes(lists, "rc", NUMBERS(CYCLE(4, 2, LIST, 4, 0))));
	assert_false(refutes(lists, "rc", NUMBERS(CYCLE(8, 1, LIST, 4, 0, 3, LIST, 4, 0))));
	assert_false(refutes(lists, "rc", NUMBERS(CHOICES(4), STEP_LEARNT, 2, 0, 0)));
	for (uint32_t first = 0; first < 3; first++)
		for (uint32_t then = 0; then < 3; then++)
			assert_false(explains(lists, "rc",
			                      NUMBERS(first, then, 3 - first - then, 3, 4), NONE));
	/* LIST says nothing about registers and empty lists */
	assert_false(refutes(fractured, "ra", NUMBERS(CYCLE(4, 0, LIST, 2, 0))));
	static const char empty[] =
	        "{\"ops\":[[\"append\",\"x\",1]]}\n{\"ops\":[[\"r\",\"x\",[]]]}\n";
	assert_false(refutes(empty, "ra", NUMBERS(CYCLE(4, 0, LIST, 1, 0))));
	assert_true(explains(empty, "ra", NUMBERS(0, 1), NONE));
	assert_true(explains(empty, "ra", NUMBERS(1, 0), NONE));
}

static void an_element_shown_twice(void **state)
{
	(void)state;
	static const char text[] = "{\"session\":1,\"ops\":[[\"append\",\"x\",0]]}\n"
	                           "{\"session\":2,\"ops\":[[\"append\",\"x\",1],"
	                           "[\"r\",\"x\",[0,0,1]]]}\n";
	assert_true(refutes(text, "rc", NUMBERS(CHOICES(2))));
	assert_false(refutes(text, "rc", NUMBERS(CYCLE(4, 0, LIST, 2, 0))));
	assert_false(explains(text, "rc", NUMBERS(0, 1), NONE));
	assert_int_equal(checked(text, "rc"), ALIBI_VIOLATES);
	assert_int_equal(checked(text, "ra"), ALIBI_VIOLATES);
	assert_int_equal(checked(text, "cc"), ALIBI_VIOLATES);
}

static void lists_are_read_in_the_order(void **state)
{
	(void)state;
	static const char text[] =
	        "{\"session\":1,\"ops\":[[\"append\",\"x\",1],[\"append\",\"x\",2]]}\n"
	        "{\"session\":2,\"ops\":[[\"append\",\"x\",3]]}\n"
	        "{\"session\":3,\"ops\":[[\"append\",\"x\",4],[\"r\",\"x\",[1,2,4]]]}\n";
	assert_true(explains(text, "cc", NUMBERS(0, 2, 1), NONE));
	assert_true(explains(text, "rc", NUMBERS(0, 1, 2), NONE)); /* 1 is not seen */
	assert_false(explains(text, "rc", NUMBERS(1, 0, 2), NONE));
	assert_false(explains(text, "rc", NUMBERS(2, 0, 1), NONE));
	static const char half[] = "{\"ops\":[[\"append\",\"x\",1],[\"append\",\"x\",2]]}\n"
	                           "{\"ops\":[[\"r\",\"x\",[1]]]}\n";
	assert_true(refutes(half, "rc", NUMBERS(CHOICES(2))));
	assert_false(explains(half, "rc", NUMBERS(0, 1), NONE));
}

/* ---- orders ---- */

static void orders_are_whole(void **state)
{
	(void)state;
	assert_true(explains(fractured_back, "rc", NUMBERS(0, 1), NONE));
	assert_false(explains(fractured_back, "rc", NUMBERS(1, 0), NONE));
	assert_false(explains(fractured_back, "rc", NUMBERS(0), NONE));
	assert_false(explains(fractured_back, "rc", NUMBERS(0, 1, 1), NONE));
	assert_false(explains(fractured_back, "rc", NUMBERS(0, 1, 0), NONE));
	assert_false(explains(fractured_back, "rc", NUMBERS(0, 1, 2), NONE));
	assert_false(explains(fractured_back, "rc", NONE, NONE));
	assert_true(accepted(fractured_back, "rc", true, NUMBERS(2, 2, 4)));
	assert_false(accepted(fractured_back, "rc", true, NUMBERS(2, 2, 2))); /* a start */
	assert_false(accepted(fractured_back, "rc", true, NUMBERS(4, 0, 2, 2, 2)));
	assert_false(accepted(fractured_back, "rc", true, NUMBERS(2, 2, 4, 4))); /* half a choice */
	assert_false(accepted(fractured_back, "rc", true, NUMBERS(3, 2, 4)));
	assert_false(accepted(fractured_back, "rc", true, NONE));
}

/* Who wrote much is looked up in another way than who wrote little. */
static void many_writes_are_seen(void **state)
{
	(void)state;
	static const char text[] =
	        "{\"session\":1,\"ops\":[[\"w\",\"a\",1],[\"w\",\"b\",1],[\"w\",\"c\",1],[\"w\","
	        "\"d\",1],"
	        "[\"w\",\"e\",1],[\"w\",\"f\",1],[\"w\",\"g\",1],[\"w\",\"h\",1],[\"w\",\"i\",1],"
	        "[\"w\",\"j\",1],[\"w\",\"k\",1],[\"w\",\"l\",1]]}\n"
	        "{\"session\":2,\"ops\":[[\"r\",\"l\",null],[\"r\",\"a\",1]]}\n"
	        "{\"session\":3,\"ops\":[[\"r\",\"k\",1],[\"r\",\"m\",null]]}\n";
	assert_true(explains(text, "rc", NUMBERS(0, 1, 2), NONE));
	assert_false(explains(text, "ra", NUMBERS(0, 1, 2), NONE));
	assert_false(explains(text, "cc", NUMBERS(0, 1, 2), NONE));
	const struct numbers *proof = NUMBERS(CYCLE(9, 0, SEEN, 12, 0, 1, 0, READ, 13, 0));
	assert_true(refutes(text, "ra", proof));
	assert_false(refutes(text, "rc", proof));
}

static void steps_of_other_levels(void **state)
{
	(void)state;
	static const char lost[] = "{\"ops\":[[\"r\",\"x\",null],[\"w\",\"x\",1]]}\n"
	                           "{\"ops\":[[\"r\",\"x\",null],[\"w\",\"x\",2]]}\n";
	/* at ser each of the two would come before the other */
	const struct numbers *steps =
	        NUMBERS(STEP_READ, 2, 0, 1, STEP_READ, 2, 2, 0, STEP_LEARNT, 3, 0, 0, 1);
	assert_true(refutes(lost, "ser", steps));
	assert_false(refutes(lost, "cc", steps));
	assert_false(refutes(lost, "ra", NUMBERS(STEP_CONFLICT, 3, 0, 1, 0)));
	assert_false(refutes(lost, "ra", NUMBERS(STEP_CYCLE, 4, 1, 0, 3, 0)));
	assert_false(refutes(fractured, "ser", NUMBERS(CYCLE(9, 0, SEEN, 3, 0, 1, 0, READ, 2, 0))));
	assert_false(refutes(fractured, "si", NUMBERS(CHOICES(2))));
	assert_true(explains(lost, "cc", NUMBERS(0, 1), NONE));
}

/* ---- what the search once got wrong ---- */

/* One contradiction needs no choice, another one does. */
static void a_contradiction_beside_choices(void **state)
{
	(void)state;
	static const char text[] =
	        "{\"session\":0,\"ops\":[[\"w\",\"x\",2]]}\n"
	        "{\"session\":0,\"ops\":[[\"r\",\"x\",null]]}\n"
	        "{\"session\":0,\"ops\":[[\"w\",\"y\",13]]}\n"
	        "{\"session\":0,\"ops\":[[\"r\",\"y\",null]]}\n"
	        "{\"session\":0,\"ops\":[[\"d\",\"y\"]]}\n"
	        "{\"session\":0,\"status\":\"unknown\",\"ops\":[[\"d\",\"y\"]]}\n";
	assert_int_equal(checked(text, "rc"), ALIBI_VALID);
	assert_int_equal(checked(text, "ra"), ALIBI_VIOLATES);
	assert_int_equal(checked(text, "cc"), ALIBI_VIOLATES);
}

/* All ways to begin the list are alike, and none goes on with 3. */
static void lists_that_lead_nowhere(void **state)
{
	(void)state;
	for (int equal = 8; equal <= 12; equal += 4) {
		char text[2048];
		int n = 0;
		for (int i = 0; i < equal; i++)
			n += snprintf(text + n, sizeof text - (size_t)n,
			              "{\"ops\":[[\"append\",\"x\",1]]}\n");
		n += snprintf(text + n, sizeof text - (size_t)n,
		              "{\"ops\":[[\"append\",\"x\",2],[\"append\",\"x\",3]]}\n"
		              "{\"ops\":[[\"r\",\"x\",[");
		for (int i = 0; i < equal; i++)
			n += snprintf(text + n, sizeof text - (size_t)n, "1,");
		snprintf(text + n, sizeof text - (size_t)n, "3]]]}\n");
		assert_int_equal(checked(text, "ra"), equal == 8 ? ALIBI_VIOLATES : ALIBI_UNKNOWN);
	}
}

/* ---- equal elements ---- */

/* 1 is appended four times, by three transactions, and operation 4 finds it three times. */
static const char ones[] = "{\"session\":1,\"ops\":[[\"append\",\"x\",1]]}\n"
                           "{\"session\":1,\"ops\":[[\"append\",\"x\",1]]}\n"
                           "{\"session\":2,\"ops\":[[\"append\",\"x\",1],[\"append\",\"x\",1]]}\n"
                           "{\"session\":1,\"ops\":[[\"r\",\"x\",[1,1,1]]]}\n";

/* At ser; `one` is the atom of 1, as the number of the value in the history. */
static void elements_are_counted(void **state)
{
	(void)state;
	enum { op = 4, reader = 7, one = 1 };
	/* Transactions 0 and 1 are before the read, so 2 is behind it, but then there is one
	 * element too few. */
	const struct numbers *proof = NUMBERS(
	        STEP_LIST_MORE, 5, op, one, 0, 1, 2, STEP_LIST_FEWER, 3, op, one, 2, STEP_CYCLE, 4,
	        1, 0, reader, 1, STEP_CYCLE, 4, 3, 0, reader, 1, STEP_LEARNT, 5, 0, 2, 3, 1, 0);
	assert_true(refutes(ones, "ser", proof));
	/* not more than were read, not fewer */
	assert_false(refutes(ones, "ser", NUMBERS(STEP_LIST_MORE, 4, op, one, 0, 2)));
	assert_false(refutes(ones, "ser", NUMBERS(STEP_LIST_FEWER, 2, op, one)));
	/* an order in which unwritten is asked twice, and only who appended */
	for (uint32_t wrong = 0; wrong < 2; wrong++)
		assert_false(refutes(ones, "ser",
		                     NUMBERS(STEP_LIST_MORE, 5, op, one, 0, wrong ? 0 : 3, 2,
		                             STEP_LIST_FEWER, 3, op, one, 2, STEP_CYCLE, 4, 1, 0,
		                             reader, 1, STEP_CYCLE, 4, 3, 0, reader, 1, STEP_LEARNT,
		                             5, 0, 2, 3, 1, 0)));
	assert_int_equal(checked(ones, "ser"), ALIBI_VIOLATES);
	assert_int_equal(checked(ones, "pc"), ALIBI_VIOLATES);
}

static const char shrinks[] = "{\"session\":1,\"ops\":[[\"append\",\"x\",1]]}\n"
                              "{\"session\":2,\"ops\":[[\"append\",\"x\",1]]}\n"
                              "{\"session\":3,\"ops\":[[\"r\",\"x\",[1,1]]]}\n"
                              "{\"session\":3,\"ops\":[[\"r\",\"x\",[1]]]}\n";

static void lists_do_not_shrink(void **state)
{
	(void)state;
	assert_true(refutes(shrinks, "ser",
	                    NUMBERS(STEP_LIST_PAIR, 2, 2, 3, STEP_CYCLE, 4, 5, 0, 7, 1, STEP_LEARNT,
	                            3, 0, 1, 0)));
	/* A shorter list before a longer one proves nothing, nor does one with itself. */
	assert_false(refutes(shrinks, "ser",
	                     NUMBERS(STEP_LIST_PAIR, 2, 3, 2, STEP_CYCLE, 4, 5, 0, 7, 1,
	                             STEP_LEARNT, 3, 0, 1, 0)));
	assert_false(refutes(shrinks, "ser", NUMBERS(STEP_LIST_PAIR, 2, 2, 2)));
	assert_false(refutes(shrinks, "ser", NUMBERS(STEP_LIST_PAIR, 2, 2, 0)));
	assert_int_equal(checked(shrinks, "si"), ALIBI_VIOLATES);
	assert_int_equal(checked(shrinks, "rc"), ALIBI_VALID);
}

/* More than can be tried one after another, and more than others appended. */
static void many_equal_elements(void **state)
{
	(void)state;
	static const char *const levels[] = {"rc", "cc", "pc", "si", "ser", "sser"};
	for (int read = 11; read <= 13; read++) {
		char text[2048];
		int n = 0;
		for (int i = 0; i < 12; i++)
			n += snprintf(text + n, sizeof text - (size_t)n,
			              "{\"ops\":[[\"append\",\"x\",1]]}\n");
		n += snprintf(text + n, sizeof text - (size_t)n, "{\"ops\":[[\"r\",\"x\",[1");
		for (int i = 1; i < read; i++)
			n += snprintf(text + n, sizeof text - (size_t)n, ",1");
		snprintf(text + n, sizeof text - (size_t)n, "]]]}\n");
		for (size_t i = read == 13 ? 0 : 2; i < sizeof levels / sizeof *levels; i++)
			assert_int_equal(checked(text, levels[i]),
			                 read == 13 ? ALIBI_VIOLATES : ALIBI_VALID);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(who_was_read_from_is_seen),
	        cmocka_unit_test(cycles_are_whole),
	        cmocka_unit_test(unwritten_is_before_themselves),
	        cmocka_unit_test(a_read_again_is_one_read),
	        cmocka_unit_test(paths_are_as_long_as_the_level_says),
	        cmocka_unit_test(unknown_and_aborted_ones),
	        cmocka_unit_test(every_choice_is_refuted),
	        cmocka_unit_test(named_writers_are_no_choice),
	        cmocka_unit_test(lists_show_their_appenders),
	        cmocka_unit_test(an_element_shown_twice),
	        cmocka_unit_test(lists_are_read_in_the_order),
	        cmocka_unit_test(orders_are_whole),
	        cmocka_unit_test(many_writes_are_seen),
	        cmocka_unit_test(steps_of_other_levels),
	        cmocka_unit_test(a_contradiction_beside_choices),
	        cmocka_unit_test(lists_that_lead_nowhere),
	        cmocka_unit_test(elements_are_counted),
	        cmocka_unit_test(lists_do_not_shrink),
	        cmocka_unit_test(many_equal_elements),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
