/*
 * build: alibi_builder_*() of alibi.h, values of its users into atoms.
 *
 * What is refused leaves nothing behind: neither an operation, nor a row, nor a number.
 * The builder of a watch is the same, but what is built goes to the stream, batch by batch.
 */
#include "api/job.h"
#include "api/sized.h"
#include "format/alibi_query.h"
#include "format/json.h"
#include "stream/shards.h"

#include <string.h>

void api_take_built(alibi_builder *b)
{
	uint32_t number = b->number;
	b->number = 0;
	if (number)
		b->b = shards_take(b->stream, number);
}

alibi_builder *alibi_builder_new(alibi *a)
{
	alibi_builder *volatile made = NULL;
	if (guard_enter(&a->guard)) {
		alibi_builder *b = pool_zalloc(a->pool, sizeof *b);
		b->job = a;
		b->b = builder_new(a->pool);
		made = b;
	}
	guard_leave(&a->guard);
	return made;
}

/* A row, or a number. */
static uint32_t json_text_atom(alibi_builder *b, struct atoms *atoms, const alibi_value *v)
{
	struct json j;
	bool row = v->kind == ALIBI_ROW;
	const char *what = row ? "a row" : "a number";
	char *copy = json_copy(&j, b->job->pool, what, v->text, v->length);
	if (row ? json_peek(&j) != '{' : !json_at_number(&j))
		json_expected(&j, row ? "a flat JSON object" : "a JSON number");
	uint32_t atom = json_atom(&j, atoms, false, what);
	json_end(&j);
	pool_free(b->job->pool, copy);
	return atom;
}

/* JSON and all reports are UTF-8, so other bytes could not be told apart there. */
static void require_utf8(alibi_builder *b, const char *text, size_t length)
{
	if (!text_is_utf8((struct text){.bytes = text, .length = length}))
		guard_fail(&b->job->guard, ALIBI_INPUT, NULL,
		           "transaction %u: a string is not UTF-8", b->number + 1);
}

/* Histories are saved as JSON, with the info as it is. */
static void require_json(alibi_builder *b, const char *text, size_t length)
{
	struct json j;
	char *copy = json_copy(&j, b->job->pool, "the info", text, length);
	json_skip(&j);
	json_end(&j);
	pool_free(b->job->pool, copy);
}

static uint32_t scalar_atom(alibi_builder *b, struct atoms *atoms, const alibi_value *v)
{
	switch (v->kind) {
	case ALIBI_BOOL:
		return atoms_bool(atoms, v->integer != 0);
	case ALIBI_INT:
		return atoms_integer(atoms, v->integer);
	case ALIBI_STRING:
		require_utf8(b, v->text, v->length);
		return atoms_string(atoms, v->text, v->length);
	case ALIBI_ROW:
	case ALIBI_DECIMAL:
		return json_text_atom(b, atoms, v);
	default:
		guard_fail(&b->job->guard, ALIBI_INPUT, NULL,
		           "transaction %u: null or a list where a key or a value must be",
		           b->number + 1);
	}
}

static uint32_t read_atom(alibi_builder *b, const alibi_value *v)
{
	struct pool *pool = b->job->pool;
	if (v->kind == ALIBI_NULL)
		return ATOM_NULL;
	if (v->kind != ALIBI_LIST)
		return scalar_atom(b, b->b->values, v);
	uint32_t *items = pool_array(pool, v->length + 1, sizeof *items);
	for (size_t i = 0; i < v->length; i++)
		items[i] = scalar_atom(b, b->b->values, &v->items[i]);
	uint32_t list = atoms_list(b->b->values, items, v->length);
	pool_free(pool, items);
	return list;
}

static uint32_t name_atom(alibi_builder *b, const alibi_value *v)
{
	if (v->kind == ALIBI_NULL)
		return ID_NONE;
	if (v->kind != ALIBI_INT && v->kind != ALIBI_STRING)
		guard_fail(&b->job->guard, ALIBI_INPUT, NULL,
		           "transaction %u: ids and sessions are integers or strings",
		           b->number + 1);
	return scalar_atom(b, b->b->names, v);
}

static void read_query(alibi_builder *b, const alibi_op *op)
{
	struct json j;
	char *copy = json_copy(&j, b->job->pool, "a query", op->json, op->json_length);
	json_expect(&j, '[', "[\"q\", …] or [\"u\", …]");
	struct text kind = json_string(&j, "\"q\" or \"u\"");
	if (!text_is(kind, "q") && !text_is(kind, "u"))
		json_reject(&j, "expected \"q\" or \"u\" before this");
	alibi_read_query(&j, b->b, text_is(kind, "u"));
	json_expect(&j, ']', "']' at the end of the query");
	json_end(&j);
	pool_free(b->job->pool, copy);
}

static void add_op(alibi_builder *b, const alibi_op *op)
{
	if ((unsigned)op->kind > ALIBI_QUERY)
		guard_fail(&b->job->guard, ALIBI_USAGE, NULL,
		           "transaction %u: there is no kind of operation with the number %d",
		           b->number + 1, (int)op->kind);
	uint32_t key = scalar_atom(b, b->b->keys, &op->key);
	bool null_ok = op->kind != ALIBI_APPEND && op->value.kind == ALIBI_NULL;
	uint32_t value = null_ok                  ? ATOM_NULL
	                 : op->kind == ALIBI_READ ? read_atom(b, &op->value)
	                                          : scalar_atom(b, b->b->values, &op->value);
	uint32_t from = op->has_from ? name_atom(b, &op->from) : ID_NONE;
	builder_op(b->b, op->kind, key, value);
	if (op->has_from)
		builder_from(b->b, from);
}

bool alibi_builder_op(alibi_builder *b, const alibi_op *op)
{
	size_t ops = b->b->ops.count;
	assert(!b->finished);
	if (guard_enter(&b->job->guard)) {
		alibi_op given;
		SIZED_READ(&b->job->guard, alibi_op, &given, op);
		(given.kind == ALIBI_QUERY ? read_query : add_op)(b, &given);
	}
	bool ok = guard_leave(&b->job->guard);
	if (!ok)
		builder_drop(b->b, ops); /* a part of it may have been added */
	return ok;
}

bool alibi_builder_end(alibi_builder *b, const alibi_txn *txn)
{
	assert(!b->finished);
	if (guard_enter(&b->job->guard)) {
		alibi_txn given;
		SIZED_READ(&b->job->guard, alibi_txn, &given, txn);
		if ((unsigned)given.status > ALIBI_UNKNOWN_STATUS ||
		    given.has / 2 >= ALIBI_HYBRID_COMMIT)
			guard_fail(&b->job->guard, ALIBI_USAGE, NULL,
			           "transaction %u: expected a status and bits of enum alibi_has, "
			           "found %d and %u",
			           b->number + 1, (int)given.status, given.has);
		if (given.info)
			require_json(b, given.info, given.info_length);
		struct txn_head head = {
		        .session = name_atom(b, &given.session),
		        .id = name_atom(b, &given.id),
		        .number = b->number + 1,
		        .status = given.status,
		        .has = given.has,
		        .times = {given.begin, given.end},
		        .stamps = {given.start_ts, given.commit_ts},
		        .info = given.info,
		        .info_length = given.info_length,
		};
		builder_end(b->b, &head);
		b->number = head.number;
		if (b->stream && b->number == shards_batch(b->stream))
			api_take_built(b);
	}
	return guard_leave(&b->job->guard);
}

bool alibi_builder_initial(alibi_builder *b, const alibi_value *key, const alibi_value *value)
{
	assert(!b->finished);
	if (guard_enter(&b->job->guard)) {
		uint32_t v =
		        value->kind == ALIBI_NULL ? ATOM_NULL : scalar_atom(b, b->b->values, value);
		if (key)
			builder_initial(b->b, scalar_atom(b, b->b->keys, key), v);
		else
			b->b->h->initial_default = v;
	}
	return guard_leave(&b->job->guard);
}

static const char *copy_of(alibi_builder *b, const char *text)
{
	if (text)
		require_utf8(b, text, strlen(text));
	return text ? pool_text(b->job->pool, text, strlen(text)) : NULL;
}

bool alibi_builder_source(alibi_builder *b, const char *level, const char *source)
{
	assert(!b->finished);
	if (guard_enter(&b->job->guard)) {
		b->b->h->claimed_level = copy_of(b, level);
		b->b->h->source = copy_of(b, source);
	}
	return guard_leave(&b->job->guard);
}

bool alibi_builder_timestamps(alibi_builder *b, const char *meaning)
{
	assert(!b->finished);
	if (guard_enter(&b->job->guard))
		b->b->h->stamp_meaning = api_stamp_meaning(b->job, meaning);
	return guard_leave(&b->job->guard);
}

const alibi_history *alibi_builder_finish(alibi_builder *b)
{
	struct history *volatile h = NULL;
	assert(!b->finished && !b->stream);
	b->finished = true;
	if (guard_enter(&b->job->guard))
		h = builder_finish(b->b);
	guard_leave(&b->job->guard);
	return (const alibi_history *)h;
}
