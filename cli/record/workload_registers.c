/*
 * workload_registers: rows of a key and a value. rw reads and writes any of them, rmw reads before
 * it writes, and a transaction of blindw only reads or only writes (Cobra's BlindW).
 */
#include "workload.h"

const char *const register_tables[] = {"alibi_register (k BIGINT PRIMARY KEY, v BIGINT NOT NULL)",
                                       NULL};

const struct statement register_statements[] = {
        [REGISTER_READ] = {.all = "SELECT v FROM alibi_register WHERE k = ?", .key_parts = 1},
        [REGISTER_WRITE] = {.all = "UPDATE alibi_register SET v = ? WHERE k = ?", .key_parts = 1},
};

static void fill(struct fill *f, const struct shape *shape)
{
	for (int64_t k = 0; k < (int64_t)shape->keys; k++)
		fill_row(f, "alibi_register", &KEY(NULL, k), 0, "(%lld, 0)", (long long)k);
}

static bool write_register(struct session *s, int64_t k)
{
	int64_t value = session_new_value(s);
	return DO(s, REGISTER_WRITE, value, k);
}

static bool read_or_write(struct session *s, int64_t k, bool reads)
{
	return reads ? DO(s, REGISTER_READ, k) : write_register(s, k);
}

static bool read_then_write(struct session *s, int64_t k, bool only_reads)
{
	return DO(s, REGISTER_READ, k) && (only_reads || write_register(s, k));
}

static void transact_rw(struct session *s)
{
	session_each_op(s, read_or_write);
}

static void transact_rmw(struct session *s)
{
	session_each_op(s, read_then_write);
}

static void transact_blindw(struct session *s)
{
	bool ok = true, reads = session_chance(s, s->shape->reads);
	for (uint64_t i = 0; i < s->shape->ops && ok; i++)
		ok = read_or_write(s, session_draw_key(s), reads);
}

#define REGISTERS                                                                                  \
	.tables = register_tables, .statements = register_statements,                              \
	.statement_count = REGISTER_STATEMENTS, .fill = fill, .keys = 100, .may_repeat = true

const struct workload workload_rw = {.name = "rw", .transact = transact_rw, REGISTERS};
const struct workload workload_rmw = {.name = "rmw", .transact = transact_rmw, REGISTERS};
const struct workload workload_blindw = {.name = "blindw", .transact = transact_blindw, REGISTERS};
