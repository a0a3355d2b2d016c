/*
 * beam: orders built from their beginning (check/beam.h) against brute force.
 *
 * On tiny histories all unfinished orders fit side by side, so the beam is complete:
 * it finds an order exactly if there is one, and every order it finds must replay. So
 * what it drops, merges or takes at once without asking is tried here, too.
 *
 *     beam HISTORIES [SEED]
 */
#include "check/beam.h"
#include "base/guard.h"
#include "base/pool.h"
#include "level/level.h"
#include "order/first_order.h"
#include "tiny.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN_MAX = 5, TURNS = 3, STEPS = 1 << 16 };

static bool has_lists(const struct tiny *h)
{
	for (int key = 0; key < TINY_KEYS; key++)
		if (h->is_list[key])
			return true;
	return false;
}

static bool note_mismatch(void *data, const struct mismatch *m)
{
	*(bool *)data = true;
	return m == NULL;
}

static bool replays(struct pool *pool, const struct problem *p, struct replay_rules rules,
                    const node_id *node_at)
{
	replay_event *events = pool_array(pool, (size_t)p->nodes + 1, sizeof *events);
	size_t count = 0;
	bool mismatch = false;
	for (uint32_t i = 0; i < p->nodes; i++) {
		node_id node = node_at[i];
		if (is_event(p, node))
			events[count++] = event_of(p->txn_of[slot_of_node(p, node)],
			                           writes_at(p, node), false);
	}
	return replay(pool, p->h, rules, events, count, note_mismatch, &mismatch) && !mismatch;
}

enum found { FOUND_NONE, FOUND_ORDER, FOUND_NO_ORDER };

/* FOUND_NO_ORDER: what it found is none. */
static enum found look(struct pool *pool, const struct history *h, struct replay_rules rules,
                       unsigned turn)
{
	struct problem p = {0};
	problem_build(&p, pool, (struct component){components_whole(pool, h), 0},
	              (struct problem_rules){.snapshot = rules.snapshot,
	                                     .noconflict = rules.noconflict,
	                                     .realtime = rules.realtime,
	                                     .session = !rules.no_session});
	if (p.impossible != POSSIBLE)
		return FOUND_NONE;
	node_id *node_at = pool_array(pool, (size_t)p.nodes + 1, sizeof *node_at);
	if (beam_find(pool, &p, first_order_hint(pool, &p), turn, STEPS, node_at) != BEAM_ORDER)
		return FOUND_NONE;
	return replays(pool, &p, rules, node_at) ? FOUND_ORDER : FOUND_NO_ORDER;
}

/* FOUND_NO_ORDER also if it ended in an error. */
static enum found look_guarded(const struct history *h, struct replay_rules rules, unsigned turn)
{
	struct guard guard;
	volatile enum found found = FOUND_NO_ORDER;
	guard_init(&guard);
	struct pool *root = pool_root(&guard);
	if (guard_enter(&guard))
		found = look(pool_child(root), h, rules, turn);
	guard_leave(&guard);
	pool_release(root);
	return found;
}

struct tally {
	uint64_t passed, failed, valid, violating;
};

static void compare(struct tally *tally, const struct tiny *h, uint64_t index)
{
	alibi *a = alibi_new();
	const alibi_history *built = tiny_build(a, h, 1);
	for (int level = 0; built && level < TINY_LEVELS; level++) {
		struct replay_rules rules = level_named(brute_level(level))->rules;
		enum alibi_verdict right = brute(h, level);
		if (rules.visible != VISIBLE_STATE || right == ALIBI_UNKNOWN)
			continue;
		rules.no_session = h->no_sessions;
		enum found found = look_guarded((const struct history *)(const void *)built, rules,
		                                (unsigned)(index % TURNS));
		bool ok = found == (right == ALIBI_VALID ? FOUND_ORDER : FOUND_NONE);
		tally->passed += ok;
		tally->failed += !ok;
		tally->valid += right == ALIBI_VALID;
		tally->violating += right == ALIBI_VIOLATES;
		if (!ok && tally->failed <= SHOWN_MAX)
			printf("history %" PRIu64
			       " at %s: brute force says %s, the beam finds %s\n",
			       index, brute_level(level),
			       right == ALIBI_VALID ? "valid" : "violates",
			       found == FOUND_NONE ? "nothing" : "an order");
	}
	tally->failed += !built;
	alibi_free(a);
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct tally tally = {0};
	for (uint64_t i = 0; i < count; i++) {
		struct tiny h;
		tiny_generate(&h, seed, i);
		if (!has_lists(&h))
			compare(&tally, &h, i);
	}
	bool enough = tally.valid > count / 10 && tally.violating > count / 10;
	tally.passed += enough;
	tally.failed += !enough;
	printf("%" PRIu64 " valid, %" PRIu64 " violate\n", tally.valid, tally.violating);
	printf("%" PRIu64 " passed, %" PRIu64 " failed\n", tally.passed, tally.failed);
	return tally.failed > 0;
}
