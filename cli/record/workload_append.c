/*
 * workload_append: lists, each the text of a row: ",1,2,3". Lists of even keys exist from the start
 * and grow by UPDATE. Those of odd keys are created by their first append, an INSERT … ON CONFLICT
 * DO UPDATE, which takes another path in databases.
 */
#include "workload.h"

enum { READ, UPDATE, INSERT };

static const char *const tables[] = {"alibi_list (k BIGINT PRIMARY KEY, v TEXT NOT NULL)", NULL};

static const struct statement statements[] = {
        [READ] = {.all = "SELECT v FROM alibi_list WHERE k = ?"},
        [UPDATE] = {.all = "UPDATE alibi_list SET v = v || ',' || ? WHERE k = ?",
                    .own[MARIADB] = "UPDATE alibi_list SET v = CONCAT(v, ',', ?) WHERE k = ?"},
        [INSERT] = {.all = "INSERT INTO alibi_list VALUES (?, ',' || ?) "
                           "ON CONFLICT (k) DO UPDATE SET v = alibi_list.v || excluded.v",
                    .own[MARIADB] = "INSERT INTO alibi_list VALUES (?, CONCAT(',', ?)) "
                                    "ON DUPLICATE KEY UPDATE v = CONCAT(v, VALUES(v))"},
};

static void fill(struct fill *f, const struct shape *shape)
{
	for (int64_t k = 0; k < (int64_t)shape->keys; k += 2)
		fill_row(f, "alibi_list", NULL, 0, "(%lld, '')", (long long)k);
}

static bool read_or_append(struct session *s, int64_t k, bool reads)
{
	if (reads)
		return session_read_list(s, KEY(NULL, k), READ, ARGS(k));
	int64_t element = session_new_value(s);
	if (k % 2)
		return session_append(s, KEY(NULL, k), element, INSERT, ARGS(k, element));
	return session_append(s, KEY(NULL, k), element, UPDATE, ARGS(element, k));
}

static void transact(struct session *s)
{
	session_each_op(s, read_or_append);
}

const struct workload workload_append = {
        .name = "append",
        .tables = tables,
        STATEMENTS_ARE(statements),
        .fill = fill,
        .transact = transact,
        .keys = 100,
        .may_repeat = true,
};
