/*
 * alibi_write: a history in Alibi's own format. It can represent everything a history has, so
 * nothing is dropped. Members with their default value are omitted.
 */
#include "format/alibi_availability.h"
#include "format/alibi_query.h"
#include "format/format.h"
#include "format/meaning.h"

#include <string.h>

static void write_text(struct sink *s, const char *member, const char *text)
{
	sink_addf(s, ",\"%s\":", member);
	sink_value(s, (alibi_value){.kind = ALIBI_STRING, .text = text, .length = strlen(text)});
}

static void write_header(const struct history *h, struct sink *s)
{
	bool any = h->initial.count || h->initial_default != ATOM_NULL || h->has_skew ||
	           h->claimed_level || h->source || h->stamp_meaning;
	if (!any)
		return;
	sink_text(s, "{\"alibi\":1");
	if (h->claimed_level)
		write_text(s, "level", h->claimed_level);
	if (h->has_skew)
		sink_addf(s, ",\"skew\":%lld", (long long)h->skew);
	if (h->stamp_meaning)
		write_text(s, "timestamps", meaning_name(h->stamp_meaning));
	if (h->source)
		write_text(s, "source", h->source);
	if (h->initial_default != ATOM_NULL) {
		sink_text(s, ",\"initial_default\":");
		sink_atom(s, h, h->initial_default);
	}
	for (size_t i = 0; i < h->initial.count; i++) {
		sink_text(s, i ? ",[" : ",\"initial\":[[");
		sink_value(s, atoms_value(&h->keys, h->initial.items[i].key));
		sink_text(s, ",");
		sink_atom(s, h, h->initial.items[i].value);
		sink_text(s, "]");
	}
	sink_text(s, h->initial.count ? "]}\n" : "}\n");
}

static void write_stamp(struct sink *s, const char *member, alibi_stamp stamp, bool hybrid)
{
	sink_addf(s, hybrid ? ",\"%s\":[%lld,%lld]" : ",\"%s\":%lld", member,
	          (long long)stamp.physical, (long long)stamp.logical);
}

/* Positions in the sorted side columns; transactions are written in order. */
struct cursor {
	size_t from, info, annotation;
};

/* Returns the last operation written: a query includes its rows. */
static uint32_t write_op(const struct history *h, struct sink *s, uint32_t i, struct cursor *at)
{
	struct op o = h->ops[i];
	const struct query *q = query_at(h, i);
	if (q) {
		alibi_write_query(h, s, q);
		return i + q->rows;
	}
	bool deletes = op_kind(o) == ALIBI_WRITE && o.value == ATOM_NULL;
	static const char *const word[] = {"[\"r\",", "[\"w\",", "[\"append\","};
	sink_text(s, deletes ? "[\"d\"," : word[op_kind(o)]);
	sink_value(s, atoms_value(&h->keys, op_key(o)));
	if (!deletes) {
		sink_text(s, ",");
		sink_atom(s, h, o.value);
	}
	if (at->from < h->from.count && h->from.items[at->from].op == i) {
		uint32_t writer = h->from.items[at->from++].writer;
		sink_text(s, ",{\"from\":");
		sink_value(s, writer == ID_NONE ? (alibi_value){.kind = ALIBI_NULL}
		                                : history_txn_id(h, writer));
		sink_text(s, "}");
	}
	sink_text(s, "]");
	return i;
}

static void write_txn(const struct history *h, struct sink *s, uint32_t t, struct cursor *at,
                      bool number_as_id)
{
	static const char *const status[] = {"", ",\"status\":\"abort\"",
	                                     ",\"status\":\"unknown\""};
	const struct txn *x = &h->txns[t];
	uint32_t name = h->session_name[x->session];
	sink_text(s, "{");
	if (number_as_id || (h->txn_id && h->txn_id[t] != ID_NONE)) {
		sink_text(s, "\"id\":");
		sink_value(s, history_txn_id(h, t));
		sink_text(s, ",");
	}
	if (name != ID_NONE) {
		sink_text(s, "\"session\":");
		sink_value(s, atoms_value(&h->names, name));
		sink_text(s, ",");
	}
	sink_text(s, "\"ops\":[");
	for (uint32_t i = x->first_op; i < txn_op_end(h, t); i++) {
		if (i > x->first_op)
			sink_text(s, ",");
		i = write_op(h, s, i, at);
	}
	sink_text(s, "]");
	sink_text(s, status[x->status]);
	if (x->has & ALIBI_HAS_BEGIN)
		sink_addf(s, ",\"begin\":%lld", (long long)h->times[t].begin);
	if (x->has & ALIBI_HAS_END)
		sink_addf(s, ",\"end\":%lld", (long long)h->times[t].end);
	if (x->has & ALIBI_HAS_START_TS)
		write_stamp(s, "start_ts", h->stamps[t].start, x->has & ALIBI_HYBRID_START);
	if (x->has & ALIBI_HAS_COMMIT_TS)
		write_stamp(s, "commit_ts", h->stamps[t].commit, x->has & ALIBI_HYBRID_COMMIT);
	if (at->info < h->info.count && h->info.items[at->info].txn == t) {
		const struct txn_info *info = &h->info.items[at->info++];
		sink_text(s, ",\"info\":");
		sink_escaped(s, ESCAPE_RAW_JSON, h->texts.items + info->offset, info->length);
	}
	sink_text(s, "}\n");
}

static void write_annotations(const struct history *h, struct sink *s, uint32_t t,
                              struct cursor *at)
{
	for (; at->annotation < h->annotations.count; at->annotation++) {
		const struct annotation *a = &h->annotations.items[at->annotation];
		if (a->before_txn > t)
			break;
		sink_text(s, "{\"event\":");
		sink_escaped(s, ESCAPE_RAW_JSON, h->texts.items + a->offset, a->length);
		if (a->has_at)
			sink_addf(s, ",\"at\":%lld", (long long)a->at);
		sink_text(s, "}\n");
	}
}

/* If reads name their writers, transactions without an id are written with their number. */
void alibi_write(const struct history *h, struct sink *s)
{
	struct cursor at = {0};
	bool number_as_id = h->from.count > 0 || h->txn_id;
	write_header(h, s);
	for (uint32_t t = 0; t < h->txn_count; t++) {
		write_annotations(h, s, t, &at);
		write_txn(h, s, t, &at, number_as_id);
		guard_tick(s->guard);
	}
	write_annotations(h, s, h->txn_count, &at);
	if (h->availability)
		alibi_write_availability(h->availability, s);
}
