/*
 * alibi_read: Alibi's own format, JSON Lines, one transaction a line.
 *
 * This is the hot path of loading. A line is parsed in one pass. Operations go straight into the
 * builder, before the session and the id are known, because members may come in any order.
 */
#include "format/alibi_read.h"

#include "format/alibi_availability.h"
#include "format/alibi_query.h"
#include "format/format.h"
#include "format/meaning.h"
#include "format/sniff.h"

#include <string.h>

struct line_parser {
	struct json json;
	struct builder *b;
	uint32_t number;     /* of the transaction in this line, if it has no id */
	bool header_allowed; /* no transaction or annotation was read yet */
};

/* ---- operations ---- */

static void read_from(struct line_parser *r)
{
	static const char *const names[] = {"from"};
	struct json *j = &r->json;
	struct json_object o = json_object(j, "{\"from\": id}", names, 1);
	o.advice = "; a read's last member is {\"from\": id}";
	for (unsigned i; json_field(j, &o, &i);)
		builder_from(r->b, json_take_null(j) ? ID_NONE
		                                     : json_name(j, r->b->names,
		                                                 "a transaction's id, or null"));
	if (!o.seen)
		json_expected(j, "\"from\" in the braces before");
}

static void read_op(struct line_parser *r)
{
	struct json *j = &r->json;
	struct builder *b = r->b;
	json_expect(j, '[', "an operation such as [\"r\", key, value]");
	struct text kind = json_string(j, "\"r\", \"w\", \"d\", \"append\", \"q\" or \"u\"");
	char letter = kind.length == 1 ? kind.bytes[0] : 0;
	bool append = text_is(kind, "append");
	if (letter == 'q' || letter == 'u') {
		alibi_read_query(j, b, letter == 'u');
		json_expect(j, ']', "']' at the end of the query");
		return;
	}
	if (letter != 'r' && letter != 'w' && letter != 'd' && !append)
		json_reject(j,
		            "expected \"r\", \"w\", \"d\", \"append\", \"q\" or \"u\" before this, "
		            "found \"%.*s\"",
		            (int)(kind.length < 20 ? kind.length : 20), kind.bytes);
	json_expect(j, ',', "',' and a key");
	uint32_t key =
	        json_atom(j, b->keys, false, "a key (string, integer, boolean or flat object)");
	if (letter == 'd') {
		builder_op(b, ALIBI_WRITE, key, ATOM_NULL);
		json_expect(j, ']', "']' after the key of a delete");
		return;
	}
	json_expect(j, ',', "',' and a value");
	if (letter == 'r') {
		builder_op(b, ALIBI_READ, key,
		           json_atom_or_list(j, b->values, "the value read, or null"));
		if (json_take(j, ','))
			read_from(r);
	} else {
		uint32_t value = json_atom(j, b->values, false,
		                           append ? "an element (not null or a list)"
		                                  : "a value (not a list; null is [\"d\", key])");
		builder_op(b, append ? ALIBI_APPEND : ALIBI_WRITE, key, value);
	}
	json_expect(j, ']', "']' at the end of the operation");
}

static void read_ops(struct line_parser *r)
{
	struct json *j = &r->json;
	for (bool first = json_open(j, '[', "a list of operations"); json_next(j, &first, ']');) {
		read_op(r);
		guard_tick(j->guard);
	}
}

/* ---- the members of a transaction ---- */

static enum alibi_status read_status(struct json *j)
{
	static const char *const names[] = {"commit", "abort", "unknown"};
	struct text t = json_string(j, "\"commit\", \"abort\" or \"unknown\"");
	unsigned i = text_among(t, names, 3);
	if (i == 3)
		json_reject(j,
		            "expected \"commit\", \"abort\" or \"unknown\" before this, found "
		            "\"%.*s\"",
		            (int)(t.length < 20 ? t.length : 20), t.bytes);
	return (enum alibi_status)i;
}

static enum stamp_meaning read_meaning(struct json *j)
{
	enum stamp_meaning meaning;
	struct text t = json_string(j, "\"snapshot\" or \"serial\"");
	if (!meaning_named(t.bytes, t.length, &meaning))
		json_reject(j, "expected \"snapshot\" or \"serial\" before this, found \"%.*s\"",
		            (int)(t.length < 20 ? t.length : 20), t.bytes);
	return meaning;
}

static alibi_stamp read_stamp(struct json *j, unsigned hybrid_flag, unsigned *has)
{
	alibi_stamp s = {0};
	if (json_peek(j) != '[') {
		s.physical = json_integer(j, "a timestamp (an integer, or a pair of them)");
		return s;
	}
	json_expect(j, '[', "a timestamp");
	s.physical = json_integer(j, "an integer");
	json_expect(j, ',', "',' and the logical part of the timestamp");
	s.logical = json_integer(j, "an integer");
	json_expect(j, ']', "']' after the two parts of the timestamp");
	*has |= hybrid_flag;
	return s;
}

enum member {
	OPS,
	SESSION,
	ID,
	STATUS,
	BEGIN,
	END,
	START_TS,
	COMMIT_TS,
	INFO,
	EVENT,
	AT,
	AVAILABILITY,
	ALIBI,
	INITIAL,
	INITIAL_DEFAULT,
	LEVEL,
	SKEW,
	SOURCE,
	TIMESTAMPS,
	MEMBERS
};
static const char *const member_names[] = {
        "ops",   "session",      "id",        "status",    "begin",
        "end",   "start_ts",     "commit_ts", "info",      "event",
        "at",    "availability", "alibi",     "initial",   "initial_default",
        "level", "skew",         "source",    "timestamps"};

/* Of the four kinds of lines, in the order of enum member. */
enum {
	TXN_MEMBERS = (1 << EVENT) - 1,
	EVENT_MEMBERS = (1 << AVAILABILITY) - (1 << EVENT),
	HEADER_MEMBERS = (1 << MEMBERS) - (1 << ALIBI),
};

/* The members of one line. */
struct line {
	unsigned seen; /* bits of enum member */
	struct txn_head head;
	struct text event;
	int64_t at;
};

static void read_initial(struct line_parser *r)
{
	struct json *j = &r->json;
	for (bool first = json_open(j, '[', "a list of [key, value]"); json_next(j, &first, ']');) {
		json_expect(j, '[', "[key, value]");
		uint32_t key = json_atom(j, r->b->keys, false, "a key");
		json_expect(j, ',', "',' and the initial value");
		builder_initial(r->b, key, json_atom(j, r->b->values, true, "the initial value"));
		json_expect(j, ']', "']' after the initial value");
		guard_tick(j->guard);
	}
}

static void read_header_member(struct line_parser *r, enum member m)
{
	struct json *j = &r->json;
	struct history *h = r->b->h;
	switch (m) {
	case ALIBI:
		if (json_integer(j, "the format's version, 1") != 1)
			json_reject(j, "this version of Alibi reads version 1 of the format");
		break;
	case INITIAL:
		read_initial(r);
		break;
	case INITIAL_DEFAULT:
		h->initial_default =
		        json_atom(j, r->b->values, true, "the initial value of all keys");
		break;
	case LEVEL:
		h->claimed_level =
		        json_c_string(j, r->b->pool, "the level the database claimed, a string");
		break;
	case SKEW:
		h->skew = json_integer(j, "the largest difference between two clients' clocks");
		h->has_skew = true;
		if (h->skew < 0)
			json_reject(j, "the skew before is negative");
		break;
	case TIMESTAMPS:
		h->stamp_meaning = read_meaning(j);
		break;
	default:
		h->source = json_c_string(j, r->b->pool, "where the history is from, a string");
		break;
	}
}

static void read_member(struct line_parser *r, enum member m, struct line *l)
{
	struct json *j = &r->json;
	struct txn_head *head = &l->head;
	switch (m) {
	case OPS:
		read_ops(r);
		break;
	case SESSION:
		head->session = json_name(j, r->b->names, "a session (number or string)");
		break;
	case ID:
		head->id = json_name(j, r->b->names, "an id (number or string)");
		break;
	case STATUS:
		head->status = read_status(j);
		break;
	case BEGIN:
		head->times.begin = json_integer(j, "a time, an integer");
		head->has |= ALIBI_HAS_BEGIN;
		break;
	case END:
		head->times.end = json_integer(j, "a time, an integer");
		head->has |= ALIBI_HAS_END;
		break;
	case START_TS:
		head->stamps.start = read_stamp(j, ALIBI_HYBRID_START, &head->has);
		head->has |= ALIBI_HAS_START_TS;
		break;
	case COMMIT_TS:
		head->stamps.commit = read_stamp(j, ALIBI_HYBRID_COMMIT, &head->has);
		head->has |= ALIBI_HAS_COMMIT_TS;
		break;
	case INFO:
		head->info = json_skip(j).bytes;
		head->info_length = (size_t)(j->at - head->info);
		break;
	case EVENT:
		l->event = json_skip(j);
		break;
	case AVAILABILITY:
		if (r->b->h->availability)
			json_reject(j, "a history has one availability; this is the second");
		r->b->h->availability = alibi_read_availability(j, r->b->pool);
		break;
	case AT:
		l->at = json_integer(j, "a time, an integer");
		break;
	default:
		read_header_member(r, m);
		break;
	}
}

/* ---- lines ---- */

static void close_line(struct line_parser *r, struct line *l)
{
	unsigned seen = l->seen;
	bool header = seen & 1u << ALIBI, event = seen & 1u << EVENT;
	bool available = seen & 1u << AVAILABILITY;
	unsigned allowed = header      ? HEADER_MEMBERS
	                   : event     ? EVENT_MEMBERS
	                   : available ? 1u << AVAILABILITY
	                               : TXN_MEMBERS;
	if (header && !r->header_allowed)
		json_reject(&r->json, "a header ({\"alibi\":1, …}) must be the first line");
	if (!header && !event && !available && !(seen & 1u << OPS))
		json_reject(&r->json, "expected \"ops\" in this line (or \"event\", or \"alibi\")");
	for (unsigned m = 0; m < MEMBERS; m++)
		if (seen & ~allowed & 1u << m)
			json_reject(&r->json, "\"%s\" does not belong in a line that is %s",
			            member_names[m],
			            header      ? "a header"
			            : event     ? "an annotation"
			            : available ? "an availability"
			                        : "a transaction");
	r->header_allowed = false;
	if (event)
		builder_annotation(r->b, l->event.bytes, l->event.length,
		                   seen & 1u << AT ? &l->at : NULL);
	else if (!header && !available)
		builder_end(r->b, &l->head);
}

static void read_line(struct line_parser *r)
{
	struct json *j = &r->json;
	struct line l = {.head = {.session = ID_NONE, .id = ID_NONE, .number = r->number}};
	struct json_object o = json_object(j, "an object", member_names, MEMBERS);
	o.advice = "; put your own data into \"info\"";
	for (unsigned m; json_field(j, &o, &m);)
		read_member(r, (enum member)m, &l);
	l.seen = o.seen;
	json_end(j);
	close_line(r, &l);
}

struct line_parser *line_parser_new(struct pool *pool, struct builder *b, const char *name,
                                    bool from_start)
{
	struct line_parser *r = pool_zalloc(pool, sizeof *r);
	r->b = b;
	r->header_allowed = from_start;
	json_init(&r->json, pool, name);
	b->place = (struct place){.file = name};
	return r;
}

void line_parser_read(struct line_parser *r, struct text line, uint64_t place, uint32_t number)
{
	r->number = number;
	r->b->place.line = place;
	json_text(&r->json, line, place);
	if (!json_is_blank(&r->json))
		read_line(r);
}

static void alibi_read(struct source *s, struct builder *b)
{
	struct line_parser *r = line_parser_new(s->pool, b, s->name, true);
	struct text line;
	uint32_t number = 0;
	b->numbered_by_line = true;
	while (source_line(s, &line)) {
		if (++number == UINT32_MAX)
			builder_reject(b, "more than four billion lines");
		line_parser_read(r, line, number, number);
	}
}

/* An object a line, with a member that no other format has, or one very long line. */
static bool alibi_sniff(struct text head)
{
	if (!sniff_token(&head, "{"))
		return false;
	const char *end = memchr(head.bytes, '\n', head.length);
	head.length = end ? (size_t)(end - head.bytes) : head.length;
	return !end || sniff_mentions(head, "\"ops\"") || sniff_mentions(head, "\"alibi\"") ||
	       sniff_mentions(head, "\"event\"");
}

const struct format format_alibi = {
        .name = "alibi",
        .title = "Alibi's own: JSON Lines, one transaction a line",
        .sniff = alibi_sniff,
        .read = alibi_read,
        .write = alibi_write,
        .queries = true,
};
