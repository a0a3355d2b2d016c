/*
 * workload_registers: rows of a key and a value. rw reads and writes any of them,
 * rmw writes only what it has just read, and a transaction of blindw only reads
 * or only writes (the BlindW of Cobra's benchmarks).
 */
#include "workload.h"

const char *const register_tables[] = {"alibi_register (k BIGINT PRIMARY KEY, v BIGINT NOT NULL)",
                                       NULL};

const struct statement register_statements[] = {
        [REGISTER_READ] = {.all = "SELECT v FROM alibi_register WHERE k = ?"},
        [REGISTER_WRITE] = {.all = "UPDATE alibi_register SET v = ? WHERE k = ?"},
};

static void fill(struct fill *f, const struct shape *shape)
{
	for (int64_t k = 0; k < (int64_t)shape->keys; k++)
		fill_row(f, "alibi_register", &KEY(NULL, k), 0, "(%lld, 0)", (long long)k);
}

static bool read_register(struct session *s, int64_t k)
{
	return session_read(s, KEY(NULL, k), REGISTER_READ, ARGS(k));
}

static bool write_register(struct session *s, int64_t k)
{
	int64_t value = session_new_value(s);
	return session_write(s, KEY(NULL, k), value, REGISTER_WRITE, ARGS(value, k));
}

static void transact_rw(struct session *s)
{
	bool goes_on = true;
	for (uint64_t i = 0; i < s->shape->ops && goes_on; i++) {
		int64_t k = session_draw_key(s);
		goes_on = session_chance(s, s->shape->reads) ? read_register(s, k)
		                                             : write_register(s, k);
	}
}

static void transact_rmw(struct session *s)
{
	bool goes_on = true;
	for (uint64_t i = 0; i < s->shape->ops && goes_on; i++) {
		int64_t k = session_draw_key(s);
		bool only_reads = session_chance(s, s->shape->reads);
		goes_on = read_register(s, k) && (only_reads || write_register(s, k));
	}
}

static void transact_blindw(struct session *s)
{
	bool goes_on = true, reads = session_chance(s, s->shape->reads);
	for (uint64_t i = 0; i < s->shape->ops && goes_on; i++) {
		int64_t k = session_draw_key(s);
		goes_on = reads ? read_register(s, k) : write_register(s, k);
	}
}

#define REGISTERS                                                                                  \
	.tables = register_tables, .statements = register_statements,                              \
	.statement_count = REGISTER_STATEMENTS, .fill = fill, .keys = 100, .may_repeat = true

const struct workload workload_rw = {.name = "rw", .transact = transact_rw, REGISTERS};
const struct workload workload_rmw = {.name = "rmw", .transact = transact_rmw, REGISTERS};
const struct workload workload_blindw = {.name = "blindw", .transact = transact_blindw, REGISTERS};
