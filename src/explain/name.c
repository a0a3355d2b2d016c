/* name: see name.h. */
#include "explain/name.h"

#include "history/render.h"

#include <assert.h>
#include <string.h>

static const struct name names[ANOMALIES] = {
#define ROW(id, name, title, many, adya) [ANOMALY_##id] = {ANOMALY_##id, name, title, many, adya}
        ROW(G0, "G0", "Dirty write", "dirty writes", "G0"),
        ROW(G1A, "G1a", "Aborted read", "aborted reads", "G1a"),
        ROW(G1B, "G1b", "Intermediate read", "intermediate reads", "G1b"),
        ROW(G1C, "G1c", "Circular information flow", "circular information flows", "G1c"),
        ROW(G_SINGLE, "G-single", "Read skew", "read skews", "G-single"),
        ROW(G_NONADJACENT, "G-nonadjacent", "Contradicting snapshots", "contradicting snapshots",
            "G-nonadjacent"),
        ROW(G2_ITEM, "G2-item", "Cycle of missed writes", "cycles of missed writes", "G2-item"),
        ROW(PHANTOM, "phantom", "Phantom", "phantoms", "G2"),
        ROW(PHANTOM_READ, "phantom-read", "Phantom read", "phantom reads", "G2"),
        ROW(MISSED_ROW, "missed-row", "Row not found", "rows not found", NULL),
        ROW(LOST_UPDATE, "lost-update", "Lost update", "lost updates", "G-single"),
        ROW(WRITE_SKEW, "write-skew", "Write skew", "write skews", "G2-item"),
        ROW(LONG_FORK, "long-fork", "Long fork", "long forks", "G-nonadjacent"),
        ROW(FRACTURED_READ, "fractured-read", "Fractured read", "fractured reads", "G-single"),
        ROW(CAUSALITY, "causality-violation", "Causality violation", "causality violations",
            "G-single"),
        ROW(UNREPEATABLE, "non-repeatable-read", "Non-repeatable read", "non-repeatable reads",
            NULL),
        ROW(INTERNAL, "internal", "Internal inconsistency", "internal inconsistencies", NULL),
        ROW(FUTURE_READ, "future-read", "Future read", "future reads", NULL),
        ROW(DIRTY_UPDATE, "dirty-update", "Dirty update", "dirty updates", "G1a"),
        ROW(INCOMPATIBLE_ORDER, "incompatible-order", "Incompatible order", "incompatible orders",
            NULL),
        ROW(DUPLICATE_ELEMENTS, "duplicate-elements", "Duplicate elements",
            "lists with duplicate elements", NULL),
        ROW(GARBAGE_READ, "garbage-read", "Garbage read", "garbage reads", NULL),
        ROW(UNWRITTEN_READ, "unwritten-read", "Read of an unwritten value",
            "reads of unwritten values", NULL),
        ROW(WRONG_WRITER, "wrong-writer", "Not from the named writer",
            "reads not from the named writer", NULL),
        ROW(CLOCK, "clock-order", "Clocks against session order", "clocks against session order",
            NULL),
        ROW(WRITE_CONFLICT, "write-conflict", "Concurrent writes of one key",
            "concurrent writes of one key", NULL),
        ROW(WRONG_SNAPSHOT, "wrong-snapshot", "Read outside its snapshot",
            "reads outside their snapshots", NULL),
        ROW(SESSION_ORDER, "session-order", "Timestamps against session order",
            "timestamps against session order", NULL),
        ROW(UNNAMED, "no-order", "No order explains it", "violations that no order explains", NULL),
#undef ROW
};

struct name name_of(enum anomaly anomaly)
{
	return names[anomaly];
}

struct name name_of_fault(enum fault fault)
{
	static const enum anomaly of[] = {
	        [NO_FAULT] = ANOMALY_UNNAMED,
	        [FAULT_INTERNAL] = ANOMALY_INTERNAL,
	        [FAULT_UNREPEATABLE] = ANOMALY_UNREPEATABLE,
	        [FAULT_FUTURE] = ANOMALY_FUTURE_READ,
	        [FAULT_GARBAGE] = ANOMALY_GARBAGE_READ,
	        [FAULT_ABORTED] = ANOMALY_G1A,
	        [FAULT_DIRTY_UPDATE] = ANOMALY_DIRTY_UPDATE,
	        [FAULT_INTERMEDIATE] = ANOMALY_G1B,
	        [FAULT_DUPLICATE] = ANOMALY_DUPLICATE_ELEMENTS,
	        [FAULT_MIXED] = ANOMALY_G0,
	        [FAULT_REORDERED] = ANOMALY_INCOMPATIBLE_ORDER,
	        [FAULT_NAMED] = ANOMALY_WRONG_WRITER,
	        [FAULT_NO_MATCH] = ANOMALY_INTERNAL,
	        [FAULT_OWN_ROW] = ANOMALY_INTERNAL,
	        [FAULT_MISSED] = ANOMALY_MISSED_ROW,
	        [FAULT_MISSED_ABORTED] = ANOMALY_G1A,
	};
	return names[of[fault]];
}

struct name name_of_mismatch(const char *kind)
{
	if (!strcmp(kind, "NOCONFLICT"))
		return names[ANOMALY_WRITE_CONFLICT];
	if (!strcmp(kind, "SESSION"))
		return names[ANOMALY_SESSION_ORDER];
	return names[!strcmp(kind, "EXT") ? ANOMALY_WRONG_SNAPSHOT : ANOMALY_UNNAMED];
}

/* ---- cycles ---- */

/* A query that missed a row which another transaction wrote. */
static bool is_phantom(const struct reads *r, const struct dependency *a)
{
	if (a->kind != DEP_RW)
		return false;
	const struct query *q = external_query(r, a->read);
	return q && query_row(r->h, q, a->key) == ID_NONE;
}

static bool has_phantom(const struct reads *r, const struct cases *c, const struct leaf *leaf)
{
	for (uint32_t i = 0; i < leaf->length; i++)
		if (is_phantom(r, &leaf_cycle(c, leaf)[i]))
			return true;
	return false;
}

static const struct leaf *mildest_of(const struct reads *r, const struct cases *c, bool phantoms)
{
	const struct leaf *mildest = NULL;
	for (size_t i = 0; i < c->leaves.count; i++) {
		const struct leaf *leaf = &c->leaves.items[i];
		if ((!mildest || leaf->class > mildest->class) &&
		    (!phantoms || has_phantom(r, c, leaf)))
			mildest = leaf;
	}
	return mildest;
}

const struct leaf *mildest_case(const struct reads *r, const struct cases *c)
{
	return mildest_of(r, c, false);
}

const struct leaf *headline_case(const struct reads *r, const struct cases *c)
{
	const struct leaf *phantom = mildest_of(r, c, true);
	return phantom ? phantom : mildest_of(r, c, false);
}

/* Two reads of one list, neither of which is a prefix of the other. */
static bool lists_differ(const struct history *h, const struct read_candidates *a,
                         const struct read_candidates *b)
{
	size_t n, m;
	if (a->key != b->key || !h->key_is_list[a->key])
		return false;
	const uint32_t *x = atoms_items(&h->values, h->ops[a->op].value, &n);
	const uint32_t *y = atoms_items(&h->values, h->ops[b->op].value, &m);
	for (size_t i = 0; i < n && i < m; i++)
		if (x[i] != y[i])
			return true;
	return false;
}

static bool has_incompatible_lists(const struct reads *r)
{
	for (size_t i = 0; i < r->external.count; i++)
		for (size_t j = i + 1; j < r->external.count; j++)
			if (lists_differ(r->h, &r->external.items[i], &r->external.items[j]))
				return true;
	return false;
}

static enum anomaly anomaly_of_pair(const struct dependency *a, const struct dependency *b,
                                    bool one_rw)
{
	if (!one_rw)
		return ANOMALY_WRITE_SKEW;
	const struct dependency *other = a->kind == DEP_RW ? b : a;
	bool same_key = a->key == b->key;
	if (other->kind == DEP_WW && same_key)
		return ANOMALY_LOST_UPDATE;
	if (other->kind == DEP_WR)
		return same_key ? ANOMALY_UNREPEATABLE : ANOMALY_FRACTURED_READ;
	return ANOMALY_G_SINGLE;
}

static enum anomaly anomaly_of_cycle(const struct reads *r, const struct leaf *leaf,
                                     const struct dependency *cycle, const uint32_t *count)
{
	uint32_t n = leaf->length, rw = count[DEP_RW];
	if (leaf->class == CYCLE_TIME)
		return ANOMALY_CLOCK;
	if (leaf->class == CYCLE_G0)
		return has_incompatible_lists(r) ? ANOMALY_INCOMPATIBLE_ORDER : ANOMALY_G0;
	if (leaf->class == CYCLE_G1C)
		return ANOMALY_G1C;
	if (n == 2)
		return anomaly_of_pair(&cycle[0], &cycle[1], rw == 1);
	if (rw == 1)
		return leaf->class <= CYCLE_CAUSAL && !count[DEP_RT] ? ANOMALY_CAUSALITY
		                                                     : ANOMALY_G_SINGLE;
	if (leaf->class == CYCLE_ANY)
		return ANOMALY_G2_ITEM;
	return n == 4 && rw == 2 && count[DEP_WR] == 2 ? ANOMALY_LONG_FORK : ANOMALY_G_NONADJACENT;
}

struct name name_of_cases(struct pool *pool, const struct reads *r, const struct cases *c)
{
	assert(c->found && c->leaves.count);
	const struct leaf *leaf = mildest_case(r, c);
	const struct dependency *cycle = leaf_cycle(c, leaf);
	uint32_t count[DEP_RW + 1] = {0};
	for (uint32_t i = 0; i < leaf->length; i++)
		count[cycle[i].kind]++;
	struct name found = names[anomaly_of_cycle(r, leaf, cycle, count)];
	if (leaf->class > CYCLE_G1C && mildest_of(r, c, true))
		found = names[leaf->class == CYCLE_ANY ? ANOMALY_PHANTOM : ANOMALY_PHANTOM_READ];
	const char *variant = c->needs_time ? "-realtime" : c->needs_session ? "-process" : NULL;
	if (!found.adya || !variant || (c->needs_time && r->h->only_past))
		return found;
	bool plain = !strcmp(found.name, found.adya);
	found.adya = text_format(pool, "%s%s", found.adya, variant);
	if (plain) {
		found.name = found.adya;
		const char *where = c->needs_time ? "real time" : "a session";
		found.title = text_format(pool, "%s in %s", found.title, where);
		found.many = text_format(pool, "%s in %s", found.many, where);
	}
	return found;
}
