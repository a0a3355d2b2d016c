/* inflight: see inflight.h. */
#include "stream/core/inflight.h"

#include "stream/core/batch.h"

#include <string.h>

/* ---- ids ---- */

struct inflight *inflight_find(const struct stream *s, struct value id)
{
	return table_get(&s->ids, id);
}

void inflight_add_id(struct stream *s, struct inflight *t)
{
	table_put(&s->ids, t);
	t->has_id = true;
}

void inflight_remove_id(struct stream *s, struct inflight *t)
{
	table_take_out(&s->ids, t);
	t->has_id = false;
}

/* ---- arrival ---- */

static void take_ops(struct stream *s, struct inflight *t, uint32_t first, uint32_t end,
                     size_t from)
{
	const struct builder *b = s->batch.b;
	struct named_writer *named = named_writers(t);
	uint32_t *places = op_places(t), count = 0;
	for (uint32_t i = first; i < end; i++) {
		struct op o = b->ops.items[i];
		uint32_t key = batch_key(s, i);
		bool is_named = from < b->from.count && b->from.items[from].op == i;
		uint32_t writer = is_named ? b->from.items[from++].id : ID_NONE;
		t->writes |= op_writes(o);
		if (key == ID_NONE)
			continue;
		struct value v = value_take(&s->store, b->values, o.value);
		t->ops[count] = (struct inflight_op){.word = v.word,
		                                     .key = key,
		                                     .value_kind = v.kind,
		                                     .kind = (uint8_t)op_kind(o),
		                                     .named = is_named};
		if (is_named)
			*named++ = (struct named_writer){
			        .op = count,
			        .id = writer == ID_NONE ? (struct value){0}
			                                : value_take(&s->store, b->names, writer)};
		if (t->has_places)
			places[count] = i - first;
		count++;
	}
}

struct inflight *inflight_take(struct stream *s, uint32_t txn, struct value id, size_t from)
{
	const struct builder *b = s->batch.b;
	uint32_t first = b->txns.items[txn].first_op, end = batch_op_end(s, txn);
	struct inflight head = {.number = s->stats.txns,
	                        .id = id,
	                        .status = b->txns.items[txn].status,
	                        .op_count = end - first};
	for (uint32_t i = first; i < end && s->options.shards > 1; i++)
		head.op_count -= batch_key(s, i) == ID_NONE;
	head.has_places = head.op_count != end - first;
	for (size_t i = from; i < b->from.count && b->from.items[i].op < end; i++)
		head.named_count += batch_key(s, b->from.items[i].op) != ID_NONE;
	struct inflight *t = store_take(&s->store, inflight_bytes(&head));
	*t = head;
	take_ops(s, t, first, end, from);
	return t;
}

void inflight_release(struct stream *s, struct inflight *t)
{
	for (uint32_t op = 0; op < t->op_count; op++, guard_tick(s->guard))
		value_drop(&s->store, op_value(&t->ops[op]));
	for (uint32_t i = 0; i < t->named_count; i++)
		value_drop(&s->store, named_writers(t)[i].id);
	if (t->has_id)
		inflight_remove_id(s, t);
	value_drop(&s->store, t->id);
	store_give(&s->store, t, inflight_bytes(t));
}

/* ---- checkpoints ---- */

void inflight_codec_key(const struct stream *s, struct codec *c, uint32_t *key)
{
	codec_any(c, key);
	if (*key >= s->versions.keys.count || versions_key(&s->versions, *key)->use & KEY_FREE)
		codec_reject(c);
}

static void codec_op(const struct stream *s, struct codec *c, struct inflight_op *o)
{
	inflight_codec_key(s, c, &o->key);
	codec_split_value(c, &o->word, &o->value_kind);
	codec_any(c, &o->kind);
	codec_any(c, &o->named);
	codec_any(c, &o->ignored);
	if (o->kind > ALIBI_APPEND)
		codec_reject(c);
}

#define FIELD(member) CODEC_FIELD(struct inflight, member)
static const struct codec_field fields[] = {FIELD(number),
                                            FIELD(start),
                                            FIELD(commit),
                                            FIELD(horizon),
                                            FIELD(id),
                                            FIELD(op_count),
                                            FIELD(named_count),
                                            FIELD(status),
                                            FIELD(has_id),
                                            FIELD(timestamped),
                                            FIELD(checks_reads),
                                            FIELD(writes),
                                            FIELD(session_continues),
                                            FIELD(has_places)};

struct inflight *inflight_codec(struct stream *s, struct codec *c, struct inflight *t)
{
	struct inflight head = {0};
	assert(!t == !c->write);
	if (t)
		head = *t;
	codec_struct(c, &head, fields);
	if (head.status > ALIBI_UNKNOWN_STATUS)
		codec_reject(c);
	if (!t) {
		if ((size_t)head.op_count + head.named_count > (size_t)(c->end - c->at))
			codec_reject(c);
		t = store_take(&s->store, inflight_bytes(&head));
		memset(t, 0, inflight_bytes(&head));
		*t = head;
	}
	for (uint32_t i = 0; i < t->op_count; i++) {
		codec_op(s, c, &t->ops[i]);
		if (t->has_places)
			codec_any(c, &op_places(t)[i]);
	}
	for (uint32_t i = 0; i < t->named_count; i++) {
		codec_any(c, &named_writers(t)[i].op);
		codec_any(c, &named_writers(t)[i].id);
	}
	if (!c->write && t->has_id)
		inflight_add_id(s, t);
	return t;
}
