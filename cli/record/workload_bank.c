/*
 * workload_bank: money moves between accounts. A transfer reads two balances and
 * writes both; an audit reads all of them by one statement. The values are the
 * balances themselves, so that they repeat, as in real applications.
 */
#include "workload.h"

enum { AUDIT, READ, WRITE, OPENING_BALANCE = 100, AMOUNT_MAX = 10 };

static const char *const tables[] = {
        "alibi_account (id BIGINT PRIMARY KEY, balance BIGINT NOT NULL)", NULL};

static const struct statement statements[] = {
        [AUDIT] = {.all = "SELECT balance, id FROM alibi_account ORDER BY id"},
        [READ] = {.all = "SELECT balance FROM alibi_account WHERE id = ?", .key_parts = 1},
        [WRITE] = {.all = "UPDATE alibi_account SET balance = ? WHERE id = ?", .key_parts = 1},
};

static void fill(struct fill *f, const struct shape *shape)
{
	for (int64_t id = 0; id < (int64_t)shape->keys; id++)
		fill_row(f, "alibi_account", &KEY(NULL, id), OPENING_BALANCE, "(%lld, %d)",
		         (long long)id, OPENING_BALANCE);
}

static void audit(struct session *s)
{
	if (!session_request(s, AUDIT, NULL, 0))
		return;
	for (size_t row = 0; row < session_rows(s); row++)
		session_record_read(s, KEY(NULL, session_integer(s, row, 1)), row, 0);
}

static void transfer(struct session *s)
{
	int64_t from = session_draw_key(s);
	int64_t to = (from + 1 + session_below(s, (int64_t)s->shape->keys - 1)) %
	             (int64_t)s->shape->keys;
	int64_t amount = 1 + session_below(s, AMOUNT_MAX);
	if (!DO(s, READ, from))
		return;
	int64_t rest = session_integer(s, 0, 0) - amount;
	if (!DO(s, READ, to))
		return;
	int64_t sum = session_integer(s, 0, 0) + amount;
	if (rest >= 0 && DO(s, WRITE, rest, from))
		DO(s, WRITE, sum, to);
}

static void transact(struct session *s)
{
	if (s->shape->keys < 2 || session_chance(s, s->shape->reads))
		audit(s);
	else
		transfer(s);
}

const struct workload workload_bank = {
        .name = "bank",
        .tables = tables,
        STATEMENTS_ARE(statements),
        .fill = fill,
        .transact = transact,
        .keys = 10,
};
