/*
 * chronos_write: a history as the JSON of Chronos and Aion (chronos.c), one
 * transaction a line.
 *
 * Committed transactions must have timestamps. Aborted ones are dropped: a read of what they wrote
 * is then a read of a value that was never written, a violation either way. Sessions without a
 * name get numbers, since TimeKiller would take all of them for one session.
 */
#include "format/format.h"
#include "format/lossy.h"

#include <string.h>

/* ---- what the format can represent ---- */

static const struct capabilities can = {.keys = INTEGERS,
                                        .values = INTEGERS,
                                        .sessions = ANY_NAMES,
                                        .ids = ANY_NAMES,
                                        .lists = true,
                                        .deletes = true,
                                        .empty_txns = true,
                                        .stamps = true,
                                        .info = true};

static void check_stamps(const struct history *h, struct sink *s, uint32_t t)
{
	enum { BOTH = ALIBI_HAS_START_TS | ALIBI_HAS_COMMIT_TS };
	if ((h->txns[t].has & BOTH) != BOTH)
		sink_refuse(s, "%s has no %s timestamp, and this format requires it",
		            shown_txn(h, s, t),
		            h->txns[t].has & ALIBI_HAS_START_TS ? "commit" : "start");
}

static void check_initial(const struct history *h, struct sink *s)
{
	for (size_t i = 0; i < h->initial.count; i++)
		if (h->initial.items[i].value != h->initial_default)
			sink_refuse(s,
			            "key %s has an initial value of its own; this format has one "
			            "for all keys",
			            shown_key(h, s, h->initial.items[i].key));
	if (h->initial_default != ATOM_NULL)
		sink_drops(s, "the initial value of all keys (give it again when loading)");
}

/* ---- transactions ---- */

static void write_op(const struct history *h, struct sink *s, struct op o)
{
	static const char *const letter[] = {"r", "w", "a"};
	sink_addf(s, "{\"t\":\"%s\",\"k\":", letter[op_kind(o)]);
	sink_value(s, atoms_value(&h->keys, op_key(o)));
	sink_text(s, ",\"v\":");
	sink_atom(s, h, o.value);
	sink_text(s, "}");
}

static void write_stamp(struct sink *s, const char *member, alibi_stamp stamp)
{
	sink_addf(s, ",\"%s\":{\"p\":%lld,\"l\":%lld}", member, (long long)stamp.physical,
	          (long long)stamp.logical);
}

/* {"rtts":1} is where the reader put the arrival time. */
static void write_info(const struct history *h, struct sink *s, const struct txn_info *info)
{
	static const char opening[] = "{\"rtts\":";
	const char *text = h->texts.items + info->offset;
	size_t length = info->length, digits = sizeof opening - 1;
	bool arrival =
	        length > digits + 1 && !memcmp(text, opening, digits) && text[length - 1] == '}';
	for (size_t i = digits + (arrival && text[digits] == '-'); arrival && i < length - 1; i++)
		arrival = text[i] >= '0' && text[i] <= '9';
	if (!arrival) {
		sink_drops(s, "info");
		return;
	}
	sink_text(s, ",");
	sink_add(s, text + 1, length - 2);
}

static void write_txn(const struct history *h, struct sink *s, uint32_t t, int64_t session,
                      const struct txn_info *info)
{
	uint32_t first = h->txns[t].first_op;
	alibi_value name = session_name(h, h->txns[t].session);
	sink_text(s, "{\"tid\":");
	sink_value(s, history_txn_id(h, t));
	sink_text(s, ",\"sid\":");
	if (name.kind == ALIBI_NULL)
		sink_integer(s, session);
	else
		sink_value(s, name);
	write_stamp(s, "sts", h->stamps[t].start);
	write_stamp(s, "cts", h->stamps[t].commit);
	if (info)
		write_info(h, s, info);
	sink_text(s, ",\"ops\":[");
	for (uint32_t i = first; i < txn_op_end(h, t); i++) {
		if (i > first)
			sink_text(s, ",");
		write_op(h, s, h->ops[i]);
		guard_tick(s->guard);
	}
	sink_text(s, "]}");
}

void chronos_write(const struct history *h, struct sink *s)
{
	int64_t *session = integer_names(h, s, h->session_count, session_name, 0);
	size_t info = 0;
	bool any = false;
	lossy_check(h, s, &can);
	check_initial(h, s);
	sink_text(s, "[");
	for (uint32_t t = 0; t < h->txn_count; t++) {
		bool has_info = info < h->info.count && h->info.items[info].txn == t;
		const struct txn_info *its = has_info ? &h->info.items[info++] : NULL;
		guard_tick(s->guard);
		if (h->txns[t].status != ALIBI_COMMIT)
			continue;
		check_stamps(h, s, t);
		sink_text(s, any ? ",\n" : "\n");
		any = true;
		write_txn(h, s, t, session[h->txns[t].session], its);
	}
	sink_text(s, "\n]\n");
}
