/* session: see session.h. */
#include "session.h"

#include "workload.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_PER_TURN = 1024 }; /* one for each of --ops */

/* ---- what is recorded ---- */

void key_print(struct text *to, struct key key)
{
	if (!key.table) {
		text_integer(to, key.part[0]);
		return;
	}
	text_word(to, "\"");
	text_word(to, key.table);
	for (size_t i = 0; i < key.count; i++) {
		text_word(to, key.in_relation && !i ? "/" : ":");
		text_integer(to, key.part[i]);
	}
	text_word(to, "\"");
}

/* An integer in the database's notation; anything else is a string. */
static void print_value(struct text *to, const char *value)
{
	char *end;
	if (!value) {
		text_word(to, "null");
		return;
	}
	int64_t n = strtoll(value, &end, 10);
	if (*value && !*end)
		text_integer(to, n);
	else
		text_json(to, value);
}

/* ",1,2,3": a list, as the workloads store it. */
static void print_list(struct text *to, const char *list)
{
	text_word(to, "[");
	for (const char *p = list; p && *p;) {
		char *end;
		int64_t n = strtoll(p + 1, &end, 10);
		if (*p != ',' || end == p + 1) { /* not a list; record it as a string */
			text_word(to, p == list ? "" : ",");
			text_json(to, p);
			break;
		}
		text_word(to, p == list ? "" : ",");
		text_integer(to, n);
		p = end;
	}
	text_word(to, "]");
}

static void start_op(struct session *s, const char *kind, struct key key)
{
	text_word(&s->ops, s->ops.length ? ",[\"" : "[\"");
	text_word(&s->ops, kind);
	text_word(&s->ops, "\",");
	key_print(&s->ops, key);
}

static void end_op(struct session *s)
{
	text_word(&s->ops, "]");
}

void session_record_read(struct session *s, struct key key, size_t row, size_t column)
{
	if (!s->recording)
		return;
	start_op(s, "r", key);
	text_word(&s->ops, ",");
	print_value(&s->ops, s->c->driver->cell(s->c, row, column));
	end_op(s);
}

/* ---- requests ---- */

bool session_request(struct session *s, size_t statement, const int64_t *args, size_t count)
{
	s->answer = connection_run(s->c, statement, args, count);
	return s->answer == ANSWER_DONE;
}

size_t session_rows(const struct session *s)
{
	return s->c->rows;
}

int64_t session_integer(struct session *s, size_t row, size_t column)
{
	const char *text = s->c->driver->cell(s->c, row, column);
	return text ? strtoll(text, NULL, 10) : 0;
}

bool session_read(struct session *s, struct key key, size_t statement, const int64_t *args,
                  size_t count)
{
	if (!session_request(s, statement, args, count))
		return false;
	session_record_read(s, key, 0, 0);
	return true;
}

bool session_read_list(struct session *s, struct key key, size_t statement, const int64_t *args,
                       size_t count)
{
	if (!session_request(s, statement, args, count))
		return false;
	if (!s->recording)
		return true;
	start_op(s, "r", key);
	text_word(&s->ops, ",");
	print_list(&s->ops, s->c->driver->cell(s->c, 0, 0));
	end_op(s);
	return true;
}

/* {"id":1,"v":2} */
void row_print(struct text *to, const char *const *columns, const int64_t *values)
{
	for (size_t i = 0; columns[i]; i++) {
		text_word(to, i ? ",\"" : "{\"");
		text_word(to, columns[i]);
		text_word(to, "\":");
		text_integer(to, values[i]);
	}
	text_word(to, "}");
}

/* The rows of the last answer: [["rows/7",{"id":1}],…]; columns NULL: they were deleted. */
static void print_rows(struct session *s, const char *relation, const char *const *columns)
{
	text_word(&s->ops, ",[");
	for (size_t row = 0; row < s->c->rows; row++) {
		text_word(&s->ops, row ? ",[" : "[");
		key_print(&s->ops, ROW(relation, session_integer(s, row, 0)));
		for (size_t i = 0; columns && columns[i]; i++) {
			text_word(&s->ops, i ? ",\"" : ",{\"");
			text_word(&s->ops, columns[i]);
			text_word(&s->ops, "\":");
			print_value(&s->ops, s->c->driver->cell(s->c, row, i + 1));
		}
		text_word(&s->ops, columns ? "}]" : ",null]");
	}
	text_word(&s->ops, "]");
}

static void start_query(struct session *s, const char *kind, const char *predicate)
{
	text_word(&s->ops, s->ops.length ? ",[\"" : "[\"");
	text_word(&s->ops, kind);
	text_word(&s->ops, "\",");
	text_word(&s->ops, predicate);
}

bool session_query(struct session *s, const char *relation, const char *predicate,
                   const char *const *columns, size_t statement, const int64_t *args, size_t count)
{
	if (!session_request(s, statement, args, count))
		return false;
	if (!s->recording)
		return true;
	start_query(s, "q", predicate);
	print_rows(s, relation, columns);
	end_op(s);
	return true;
}

/* Until the rows are known it is recorded without them. If it fails, it had no effect and is
 * removed, unless that is uncertain. */
bool session_change_rows(struct session *s, const struct rows_change *c, const int64_t *args,
                         size_t count)
{
	size_t before = s->ops.length;
	if (s->recording) {
		start_query(s, "u", c->predicate);
		text_word(&s->ops, ",");
		text_word(&s->ops, c->change);
		end_op(s);
	}
	bool done = session_request(s, c->statement, args, count) &&
	            (c->returns_rows || session_request(s, c->statement_after, &c->arg_after, 1));
	if (s->recording && s->answer != ANSWER_UNSURE)
		text_cut(&s->ops, done ? s->ops.length - 1 : before);
	if (!done)
		return false;
	s->c->wrote |= s->c->rows > 0;
	if (s->recording) {
		print_rows(s, c->relation, c->columns);
		end_op(s);
	}
	return true;
}

/* values: of these columns or, without columns, one value; NULL: a delete. */
static bool change(struct session *s, const char *kind, struct key key, const char *const *columns,
                   const int64_t *values, size_t statement, const int64_t *args, size_t count)
{
	size_t before = s->ops.length;
	if (s->recording) {
		start_op(s, kind, key);
		text_word(&s->ops, values ? "," : "");
		if (columns && values)
			row_print(&s->ops, columns, values);
		else if (values)
			text_integer(&s->ops, *values);
		end_op(s);
	}
	if (!session_request(s, statement, args, count))
		return false;
	s->c->wrote |= s->c->affected > 0;
	if (!s->c->affected && s->recording) {
		text_cut(&s->ops, before);
		start_op(s, "r", key);
		text_word(&s->ops, ",null");
		end_op(s);
	}
	return true;
}

bool session_write(struct session *s, struct key key, int64_t value, size_t statement,
                   const int64_t *args, size_t count)
{
	return change(s, "w", key, NULL, &value, statement, args, count);
}

bool session_append(struct session *s, struct key key, int64_t element, size_t statement,
                    const int64_t *args, size_t count)
{
	return change(s, "append", key, NULL, &element, statement, args, count);
}

bool session_delete(struct session *s, struct key key, size_t statement, const int64_t *args,
                    size_t count)
{
	return change(s, "d", key, NULL, NULL, statement, args, count);
}

bool session_write_row(struct session *s, struct key key, const char *const *columns,
                       const int64_t *values, size_t statement, const int64_t *args, size_t count)
{
	return change(s, "w", key, columns, values, statement, args, count);
}

bool session_do(struct session *s, size_t statement, const int64_t *args, size_t count)
{
	const struct statement *what = &s->workload->statements[statement];
	struct key key = {.table = what->table, .count = what->key_parts};
	bool updates = *what->all == 'U', inserts = *what->all == 'I';
	const int64_t *parts = updates ? args + count - key.count : args;
	assert(key.count && key.count + (updates || inserts) <= count);
	memcpy(key.part, parts, key.count * sizeof *parts);
	if (updates || inserts)
		return session_write(s, key, updates ? parts[-1] : args[count - 1], statement, args,
		                     count);
	return (*what->all == 'D' ? session_delete : session_read)(s, key, statement, args, count);
}

static void disconnect(struct session *s)
{
	s->c->driver->close(s->c);
	s->c = NULL;
	s->settings = 0;
}

bool session_execute(struct session *s, const char *sql)
{
	if (s->c->driver->execute(s->c, sql) == ANSWER_DONE)
		return true;
	disconnect(s);
	return false;
}

void session_roll_back(struct session *s)
{
	s->rolls_back = true;
}

int64_t session_new_value(struct session *s)
{
	if (s->shape->values)
		return (int64_t)draw_below(&s->draw, (uint32_t)s->shape->values);
	assert(s->written < VALUES_PER_TURN); /* or the next turn would write it, too */
	uint64_t n = s->turn * VALUES_PER_TURN + s->written++;
	return (int64_t)(n * s->shape->sessions + s->slot + 1);
}

int64_t session_draw_key(struct session *s)
{
	return (int64_t)skew_draw(&s->shape->skew, &s->draw);
}

bool session_chance(struct session *s, double share)
{
	return draw_chance(&s->draw, share);
}

int64_t session_below(struct session *s, int64_t n)
{
	return (int64_t)draw_below(&s->draw, (uint32_t)n);
}

void session_each_op(struct session *s, key_op *op)
{
	bool ok = true;
	for (uint64_t i = 0; i < s->shape->ops && ok; i++) {
		int64_t k = session_draw_key(s);
		ok = op(s, k, session_chance(s, s->shape->reads));
	}
}

/* ---- transactions ---- */

/* From the first request to the last answer. */
static enum outcome run_transaction(struct session *s)
{
	const struct driver *d = s->c->driver;
	s->rolls_back = session_chance(s, s->shape->aborts);
	s->answer = connection_begin(s->c);
	if (s->answer != ANSWER_DONE)
		return NOT_BEGUN;
	s->workload->transact(s);
	if (s->answer == ANSWER_UNSURE)
		return UNKNOWN;
	if (s->answer != ANSWER_DONE || s->rolls_back)
		return ABORTED; /* COMMIT was never sent */
	s->answer = d->commit(s->c);
	return s->answer == ANSWER_DONE      ? COMMITTED
	       : s->answer == ANSWER_REFUSED ? ABORTED
	                                     : UNKNOWN;
}

static void print_line(struct session *s, struct text *line, enum outcome outcome,
                       uint64_t begin_ns, uint64_t end_ns)
{
	static const char *const statuses[] = {"", "\"status\":\"abort\",",
	                                       "\"status\":\"unknown\","};
	text_print(line, "{\"id\":%llu,\"session\":%llu,%s\"begin\":%llu,",
	           (unsigned long long)s->c->txn, (unsigned long long)s->number, statuses[outcome],
	           (unsigned long long)begin_ns);
	if (outcome != UNKNOWN)
		text_print(line, "\"end\":%llu,", (unsigned long long)end_ns);
	text_word(line, "\"ops\":[");
	text_add(line, s->ops.data ? s->ops.data : "", s->ops.length);
	text_word(line, "]");
	if (s->answer != ANSWER_DONE) {
		text_word(line, ",\"info\":{\"code\":");
		text_json(line, s->c->code);
		text_word(line, ",\"problem\":");
		text_json(line, s->c->problem);
		text_word(line, outcome == UNKNOWN && s->c->logged ? ",\"logged\":true}" : "}");
	} else if (outcome == COMMITTED && s->c->snapshot.length) {
		text_print(line, ",\"info\":{\"snapshot\":\"%s\"", s->c->snapshot.data);
		if (s->c->xid.length)
			text_print(line, ",\"xid\":%s", s->c->xid.data);
		text_word(line, "}");
	} else if (outcome == COMMITTED && s->c->position.length) {
		text_print(line, ",\"info\":{\"gtid\":\"%s\"}", s->c->position.data);
	}
	text_word(line, "}\n");
}

/* The same random numbers for the same seed, client and turn. */
static void seed_draws(struct session *s)
{
	s->draw = (struct draw){s->seed};
	s->draw.state = draw_bits(&s->draw) + s->slot;
	s->draw.state = draw_bits(&s->draw) + s->turn;
	s->written = 0;
}

enum outcome session_transact(struct session *s, uint64_t origin_ns, struct text *line)
{
	seed_draws(s);
	text_cut(&s->ops, 0);
	text_cut(line, 0);
	s->c->txn = s->turn * s->shape->sessions + s->slot + 1;
	s->c->wrote = s->c->logged = false;
	uint64_t begin = clock_ns();
	enum outcome outcome = run_transaction(s);
	uint64_t end = clock_ns();
	if (outcome != NOT_BEGUN && s->recording)
		print_line(s, line, outcome, begin - origin_ns, end - origin_ns);
	if (s->workload->ended)
		s->workload->ended(s, outcome);
	s->turn += outcome != NOT_BEGUN;
	snprintf(s->code, sizeof s->code, "%s", s->answer == ANSWER_DONE ? "" : s->c->code);
	snprintf(s->problem, sizeof s->problem, "%.*s", (int)strcspn(s->c->problem, "\n"),
	         s->c->problem);
	bool usable = s->answer == ANSWER_DONE || s->answer == ANSWER_REFUSED;
	if (usable && outcome != COMMITTED)
		usable = s->c->driver->rollback(s->c) == ANSWER_DONE;
	if (!usable)
		disconnect(s);
	return outcome;
}
