/*
 * workload_phantom: each round begins with an empty table, and all clients at once look for a row
 * and insert one. At serializable, at most one committed transaction may have found nothing.
 *
 * Emptying the table is not recorded: in the history each round has its own relation, and every row
 * its own key. Nothing else runs at the same time.
 *
 * PostgreSQL has several kinds of scans, whose predicate locks differ. They alternate, many rounds
 * each: a bitmap scan for one value, an index scan for all rows.
 */
#include "workload.h"

#include <stdio.h>

enum { LOOK_FOR_ONE, LOOK_FOR_ALL, INSERT, NAME_MAX = 32, PREDICATE_MAX = 96, ROUNDS_ALIKE = 50 };

static const char *const tables[] = {"alibi_phantom (k BIGINT NOT NULL, id BIGINT NOT NULL)", NULL};

static const struct statement statements[] = {
        [LOOK_FOR_ONE] = {.all = "SELECT k, id FROM alibi_phantom WHERE id = 1"},
        [LOOK_FOR_ALL] = {.all = "SELECT k, id FROM alibi_phantom ORDER BY id"},
        [INSERT] = {.all = "INSERT INTO alibi_phantom VALUES (?, 1)"},
};

static const char *const columns[] = {"id", NULL};

static bool looks_for_one(uint64_t round)
{
	return round / ROUNDS_ALIKE % 2 == 0;
}

static bool before_round(struct session *s, uint64_t round)
{
	static const char *const settings[] = {
	        "SET enable_seqscan = off; SET enable_indexscan = on; SET enable_bitmapscan = off",
	        "SET enable_seqscan = off; SET enable_indexscan = off; SET enable_bitmapscan = on",
	};
	bool one = looks_for_one(round);
	if (s->c->driver->dialect != POSTGRES || s->settings == one + 1u)
		return true;
	if (!session_execute(s, settings[one]))
		return false;
	s->settings = one + 1u;
	return true;
}

static bool prepare_round(struct session *s)
{
	return session_execute(s, s->c->driver->dialect == SQLITE ? "DELETE FROM alibi_phantom"
	                                                          : "TRUNCATE TABLE alibi_phantom");
}

static void transact(struct session *s)
{
	char relation[NAME_MAX], predicate[PREDICATE_MAX];
	bool one = looks_for_one(s->round);
	int64_t k = session_new_value(s), id = 1;
	snprintf(relation, sizeof relation, "round%llu", (unsigned long long)s->round);
	snprintf(predicate, sizeof predicate, "{\"from\":\"%s\"%s}", relation,
	         one ? ",\"where\":[[\"id\",\"=\",1]]" : "");
	if (session_query(s, relation, predicate, columns, one ? LOOK_FOR_ONE : LOOK_FOR_ALL, NULL,
	                  0))
		session_write_row(s, ROW(relation, k), columns, &id, INSERT, ARGS(k));
}

const struct workload workload_phantom = {
        .name = "phantom",
        .tables = tables,
        .index = "alibi_phantom_id ON alibi_phantom (id)",
        STATEMENTS_ARE(statements),
        .transact = transact,
        .before_round = before_round,
        .prepare_round = prepare_round,
        .keys = 1,
};
