/*
 * fuzz_verdict: histories into the search, certificates into the verifier.
 *
 * Whatever the history is: the verifier accepts what the search found; what holds at
 * a level holds at every weaker one; and what the database's timestamps explain, the
 * search does not call a violation.
 *
 * No forged certificate proves the contrary of what the search found: neither one with
 * bytes changed, cut out or moved, nor one whose first line claims the other verdict or
 * another level, nor one of the same history without its last line.
 *
 * Every violation is explained, by transactions that violate the level by themselves.
 */
#include "../random.h"
#include "findings/findings.h"
#include "format/unpack.h"
#include "loading.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const char *const levels[] = {"rc", "ra",  "cc",  "pc",
                                     "si", "ser", "sser"}; /* weaker ones first */
enum { LEVELS = 7, FORGERIES = 3, NUMBERS_MAX = 1 << 16 };

/* One input, and what was found about it. */
struct trial {
	alibi *a;
	const alibi_history *h;
	bool ignore_sessions;
	uint64_t random;
	const alibi_result *results[LEVELS];
	enum alibi_verdict verdicts[LEVELS];
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why ? why : "");
	abort();
}

/* Derived from the input, so that findings repeat. */
static size_t below(struct trial *t, size_t n)
{
	return random_below(&t->random, (uint32_t)n);
}

/* NULL: this level is not for this order. */
static const alibi_result *check(struct trial *t, const alibi_history *h, const char *level,
                                 enum alibi_order order)
{
	const alibi_result *r = alibi_check(
	        t->a, h,
	        &(alibi_check_options){ALIBI_INIT(alibi_check_options), .level = level,
	                               .order = order, .ignore_sessions = t->ignore_sessions});
	if (!r && alibi_last_error(t->a)->code != ALIBI_USAGE)
		fail("cannot be checked", alibi_last_error(t->a)->text);
	if (r && r->reason && !strncmp(r->reason, "a fault of Alibi", 16))
		fail(level, r->reason);
	return r;
}

/* ---- certificates ---- */

static const alibi_verification *verify(struct trial *t, const unsigned char *bytes, size_t size)
{
	char path[MEMORY_PATH];
	int fd = memory_file(bytes, size, path);
	const alibi_verification *v = alibi_verify(t->a, t->h, path);
	close(fd);
	return v;
}

static size_t first_line(const alibi_result *r)
{
	const unsigned char *end = memchr(r->certificate, '\n', r->certificate_length);
	assert(end);
	return (size_t)(end - r->certificate) + 1;
}

/* A few bytes changed, cut out, or moved to the end. */
static size_t damage(struct trial *t, unsigned char *numbers, size_t count)
{
	for (size_t times = below(t, 4); times && count > 1; times--) {
		size_t at = below(t, count), part = 1 + below(t, count - at);
		unsigned char kept[64];
		part = part > sizeof kept ? sizeof kept : part;
		switch (below(t, 4)) {
		case 0:
			numbers[at] = (unsigned char)below(t, 256);
			break;
		case 1:
			numbers[at] = (unsigned char)below(t, 8);
			break;
		default:
			memcpy(kept, numbers + at, part);
			memmove(numbers + at, numbers + at + part, count - at - part);
			memcpy(numbers + count - part, kept, part);
			count -= below(t, 2) ? part : 0;
		}
	}
	return count;
}

/* The numbers of this certificate, damaged or not, as a proof of this history at a level. */
static void forge(struct trial *t, const alibi_result *from, int level)
{
	static unsigned char bytes[256 + NUMBERS_MAX];
	static const char *const said[] = {"valid", "violates"};
	const alibi_result *own = t->results[level];
	size_t first = first_line(from), count = from->certificate_length - first;
	const char *digest = strstr((const char *)own->certificate, " history ");
	if (count > NUMBERS_MAX)
		return;
	int line = snprintf(
	        (char *)bytes, 256, "alibi certificate 3 level %s session-order %s%.41s %s\n",
	        levels[level], t->ignore_sessions ? "off" : "on", digest, said[below(t, 2)]);
	memcpy(bytes + line, from->certificate + first, count);
	count = damage(t, bytes + line, count);
	const alibi_verification *v = verify(t, bytes, (size_t)line + count);
	if (v && v->accepted && v->verdict != t->verdicts[level])
		fail("a forged certificate proves the contrary", levels[level]);
}

static void try_certificate(struct trial *t, int level)
{
	const alibi_result *r = t->results[level];
	const alibi_verification *v = verify(t, r->certificate, r->certificate_length);
	if (!v || !v->accepted || v->verdict != r->verdict)
		fail("its own certificate is refused", levels[level]);
	for (int i = 0; i < FORGERIES; i++) {
		size_t other = below(t, LEVELS);
		const alibi_result *from = i && t->results[other] ? t->results[other] : r;
		if (from->certificate)
			forge(t, from, level);
	}
}

/* What is proven of the history without its last line is not proven of it. */
static void try_shorter(struct trial *t, const unsigned char *data, size_t size)
{
	while (size && data[size - 1] == '\n')
		size--;
	while (size && data[size - 1] != '\n')
		size--;
	const alibi_history *less = size ? load_bytes(t->a, data, size) : NULL;
	for (int level = 0; less && level < LEVELS; level++) {
		const alibi_result *r = check(t, less, levels[level], ALIBI_ORDER_NONE);
		for (int i = 0; i < 2 && r && r->certificate; i++)
			if (t->results[level] && t->results[level]->certificate)
				forge(t, r, level);
	}
}

/* ---- explanations ---- */

static void try_case(const alibi_anomaly *a, const alibi_case *c)
{
	for (size_t i = 0; i < c->edge_count; i++) {
		const alibi_edge *e = &c->edges[i], *next = &c->edges[(i + 1) % c->edge_count];
		if (e->from >= a->txn_count || e->to != next->from)
			fail("is no cycle", c->text);
	}
}

static void try_explanation(struct trial *t, const char *level, enum alibi_order order,
                            const alibi_result *r)
{
	alibi_check_options options = {ALIBI_INIT(alibi_check_options), .level = level,
	                               .order = order, .ignore_sessions = t->ignore_sessions};
	const alibi_explanation *e = alibi_explain(t->a, t->h, &options, r);
	if (!e)
		fail("cannot be explained", alibi_last_error(t->a)->text);
	for (size_t i = 0; i < e->count; i++) {
		const alibi_anomaly *a = &e->anomalies[i];
		const alibi_result *again = check(t, a->reduced, level, order);
		if (!again || again->verdict != ALIBI_VIOLATES)
			fail("what is left does not violate", level);
		for (size_t j = 0; j < a->case_count; j++)
			try_case(a, &a->cases[j]);
	}
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct trial t = {.random = 1};
	if (!size || unpacker_for((const char *)data, size))
		return 0;
	for (size_t i = 0; i < size; i++)
		t.random = (t.random ^ data[i]) * 1099511628211u;
	t.ignore_sessions = below(&t, 5) == 0;
	t.a = alibi_new();
	t.h = load_bytes(t.a, data, size);
	for (int i = 0; t.h && i < LEVELS; i++) {
		const alibi_result *r = t.results[i] = check(&t, t.h, levels[i], ALIBI_ORDER_NONE);
		const alibi_result *by_time = check(&t, t.h, levels[i], ALIBI_ORDER_TIMESTAMPS);
		t.verdicts[i] = r ? r->verdict : ALIBI_UNKNOWN;
		if (t.verdicts[i] == ALIBI_VIOLATES)
			try_explanation(&t, levels[i], ALIBI_ORDER_NONE, r);
		if (by_time && by_time->verdict == ALIBI_VIOLATES)
			try_explanation(&t, levels[i], ALIBI_ORDER_TIMESTAMPS, by_time);
		if (by_time && by_time->verdict == ALIBI_VALID && t.verdicts[i] == ALIBI_VIOLATES)
			fail("timestamps explain what the search does not", levels[i]);
		if (i && t.verdicts[i] == ALIBI_VALID && t.verdicts[i - 1] == ALIBI_VIOLATES)
			fail("a stronger level holds, this one does not", levels[i - 1]);
	}
	for (int i = 0; t.h && i < LEVELS; i++)
		if (t.results[i] && t.results[i]->certificate)
			try_certificate(&t, i);
	if (t.h)
		try_shorter(&t, data, size);
	alibi_free(t.a);
	return 0;
}
