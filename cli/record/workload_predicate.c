/*
 * workload_predicate: rows read and written by predicates on two columns (the BlindW-Pred of Vbox).
 * A transaction only reads, or only writes: rows by their key, new rows, and all rows in a range. A
 * range has about 1, 2, 4, … or 1,024 rows.
 *
 * Every write puts a unique number into the column m, so that each version of a row has one
 * candidate writer, and so that the rows of an UPDATE can be queried on MariaDB, which has no
 * RETURNING for it.
 */
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>

enum { LOOK, UPDATE, INSERT, DELETE, SHIFT, CLEAR, MARKED };
enum { DOMAIN = 1000, SIZES = 11, FEW_SIZES = 4, STEP = 50, JSON_MAX = 128 };

#define RANGES "WHERE a BETWEEN ? AND ? AND b BETWEEN ? AND ?"

static const char *const tables[] = {"alibi_row (k BIGINT PRIMARY KEY, a BIGINT NOT NULL, "
                                     "b BIGINT NOT NULL, m BIGINT NOT NULL)",
                                     NULL};

static const struct statement statements[] = {
        [LOOK] = {.all = "SELECT k, a, b, m FROM alibi_row " RANGES},
        [UPDATE] = {.all = "UPDATE alibi_row SET a = ?, b = ?, m = ? WHERE k = ?"},
        [INSERT] = {.all = "INSERT INTO alibi_row VALUES (?, ?, ?, ?)"},
        [DELETE] = {.all = "DELETE FROM alibi_row WHERE k = ?"},
        [SHIFT] = {.all = "UPDATE alibi_row SET a = a + ?, m = ? " RANGES " RETURNING k, a, b, m",
                   .own[MARIADB] = "UPDATE alibi_row SET a = a + ?, m = ? " RANGES},
        [CLEAR] = {.all = "DELETE FROM alibi_row " RANGES " RETURNING k"},
        [MARKED] = {.all = "SELECT k, a, b, m FROM alibi_row WHERE m = ?"},
};

static const char relation[] = "row";
static const char *const columns[] = {"a", "b", "m", NULL};

/* Keys below 0 are there from the beginning. */
static void fill(struct fill *f, const struct shape *shape)
{
	for (int64_t k = 0; k < (int64_t)shape->keys; k++) /* spread, as if random */
		fill_relation(f, "alibi_row", ROW(relation, -1 - k), columns,
		              (const int64_t[]){k * 7919 % DOMAIN, k * 104729 % DOMAIN, 0});
}

/* Of one column a part, of the other all. */
struct ranges {
	int64_t a, a_end, b, b_end;
	char predicate[JSON_MAX];
};

static struct ranges draw_ranges(struct session *s, int64_t sizes)
{
	int64_t rows = (int64_t)1 << session_below(s, sizes);
	int64_t from = session_below(s, DOMAIN),
	        end = from + rows * DOMAIN / (int64_t)s->shape->keys;
	struct ranges r = {INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX, ""};
	bool by_a = session_chance(s, 0.5);
	*(by_a ? &r.a : &r.b) = from;
	*(by_a ? &r.a_end : &r.b_end) = end;
	snprintf(r.predicate, sizeof r.predicate,
	         "{\"from\":\"row\",\"where\":[[\"%s\",\"between\",%" PRId64 ",%" PRId64 "]]}",
	         by_a ? "a" : "b", from, end);
	return r;
}

static bool look(struct session *s)
{
	struct ranges r = draw_ranges(s, SIZES);
	return session_query(s, relation, r.predicate, columns, LOOK,
	                     ARGS(r.a, r.a_end, r.b, r.b_end));
}

static bool shift(struct session *s, int64_t mark)
{
	struct ranges r = draw_ranges(s, FEW_SIZES);
	int64_t by = session_below(s, 2 * STEP) - STEP;
	char change[JSON_MAX];
	snprintf(change, sizeof change,
	         "{\"set\":{\"a\":[\"+\",\"a\",%" PRId64 "],\"m\":%" PRId64 "}}", by, mark);
	struct rows_change c = {
	        .relation = relation,
	        .predicate = r.predicate,
	        .change = change,
	        .columns = columns,
	        .statement = SHIFT,
	        .returns_rows = s->c->driver->dialect != MARIADB,
	        .statement_after = MARKED,
	        .arg_after = mark,
	};
	return session_change_rows(s, &c, ARGS(by, mark, r.a, r.a_end, r.b, r.b_end));
}

static bool clear(struct session *s)
{
	struct ranges r = draw_ranges(s, 1);
	struct rows_change c = {
	        .relation = relation,
	        .predicate = r.predicate,
	        .change = "{\"delete\":true}",
	        .statement = CLEAR,
	        .returns_rows = true,
	};
	return session_change_rows(s, &c, ARGS(r.a, r.a_end, r.b, r.b_end));
}

/* Most writes are of one row, and as many rows come as go. */
static bool write_some(struct session *s)
{
	int64_t k = -1 - session_draw_key(s), a = session_below(s, DOMAIN),
	        b = session_below(s, DOMAIN), m = session_new_value(s);
	const int64_t values[] = {a, b, m};
	switch (session_below(s, 8)) {
	case 0:
	case 1:
		return shift(s, m);
	case 2:
		return clear(s);
	case 3:
		return session_delete(s, ROW(relation, k), DELETE, ARGS(k));
	case 4:
	case 5:
		return session_write_row(s, ROW(relation, m), columns, values, INSERT,
		                         ARGS(m, a, b, m));
	default:
		return session_write_row(s, ROW(relation, k), columns, values, UPDATE,
		                         ARGS(a, b, m, k));
	}
}

static void transact(struct session *s)
{
	bool ok = true, looks = session_chance(s, s->shape->reads);
	for (uint64_t i = 0; i < s->shape->ops && ok; i++)
		ok = looks ? look(s) : write_some(s);
}

const struct workload workload_predicate = {
        .name = "predicate",
        .tables = tables,
        .index = "alibi_row_m ON alibi_row (m)",
        STATEMENTS_ARE(statements),
        .fill = fill,
        .transact = transact,
        .keys = 100,
};
