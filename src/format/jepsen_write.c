/*
 * jepsen_write: a history as Jepsen's operations; see jepsen.h.
 *
 * In Jepsen the order of the file is real-time order: Elle takes it, and not the numbers. So
 * invocations and completions are sorted by begin and end. A process is one thread, so its
 * operations must also be in session order, each invocation before its completion: the place of an
 * operation is its time, or that of the operation before it in its session if that is later. At
 * the same time begins come before ends, since such transactions are concurrent.
 *
 * begin and end are written as :index if they are all different, and as :time if not. A history
 * without them is written without either, each completion right after its invocation: numbers
 * would add a real-time order.
 *
 * If an info or an annotation is an object, its members become members of the operation where
 * reading them gives the same again; any other goes into :info (of an annotation, :value) as a
 * whole.
 */
#include "format/jepsen.h"

#include "base/bisect.h"
#include "base/guard.h"
#include "format/lossy.h"

#include <stdlib.h>
#include <string.h>

enum event_kind { ANNOTATION, INVOKE, COMPLETION };
enum clock { NO_CLOCK, BY_INDEX, BY_TIME };

static const char *const clock_name[] = {"", "index", "time"};

struct event {
	int64_t place;
	uint32_t rank;  /* among the events of the same place */
	uint32_t which; /* the transaction, or the annotation */
	enum event_kind kind;
};

/* The last operation of a session. */
struct thread {
	int64_t place;
	uint32_t rank; /* 0: none yet */
	bool has_process;
	int64_t process;
};

struct jepsen_writer {
	const struct history *h;
	struct sink *s;
	const struct jepsen_dialect *d;
	struct json json; /* over infos and annotations */
	text_vec text;    /* the one that is being read */
	VEC(struct event) events;
	struct thread *threads; /* by session */
	enum clock clock;
	bool keeps_time;           /* by index, so that :time is free for the info's */
	bool any_line, any_member; /* was written, of the file and of the line */
};

/* ---- what cannot be represented ---- */

static const struct capabilities can = {.keys = ANY_KIND,
                                        .values = ANY_KIND,
                                        .sessions = ANY_NAMES,
                                        .ids = ANY_NAMES,
                                        .lists = true,
                                        .unknown_status = true,
                                        .aborts = true,
                                        .empty_txns = true,
                                        .times = true,
                                        .info = true,
                                        .skew = true,
                                        .annotations = true};

static void check_header(const struct jepsen_writer *w)
{
	const struct history *h = w->h;
	struct sink *s = w->s;
	uint32_t value = h->initial_default;
	for (size_t i = 0; i < h->initial.count && value == ATOM_NULL; i++)
		value = h->initial.items[i].value;
	if (value != ATOM_NULL)
		sink_refuse(s,
		            "there are initial values (such as %s), but in a Jepsen history all "
		            "keys begin with none; write them in a first transaction instead",
		            render_atom(s->pool, h, value, 8));
	if (h->has_skew && h->skew && w->clock != NO_CLOCK)
		sink_refuse(s,
		            "a clock skew of %lld is allowed, but a Jepsen history cannot say so, "
		            "and its times would be taken as exact",
		            (long long)h->skew);
}

/* Is the id the index that is written, so that it is read again? */
static bool id_is_index(const struct jepsen_writer *w, uint32_t t)
{
	alibi_value id = history_txn_id(w->h, t);
	bool unknown = w->h->txns[t].status == ALIBI_UNKNOWN_STATUS;
	return w->clock == BY_INDEX && id.kind == ALIBI_INT &&
	       w->h->txns[t].has & (unknown ? ALIBI_HAS_BEGIN : ALIBI_HAS_END) &&
	       id.integer == (unknown ? w->h->times[t].begin : w->h->times[t].end);
}

static void check_txns(const struct jepsen_writer *w)
{
	const struct history *h = w->h;
	for (uint32_t t = 0; t < h->txn_count; t++) {
		const struct txn *x = &h->txns[t];
		unsigned times = x->has & BOTH_TIMES;
		bool unknown = x->status == ALIBI_UNKNOWN_STATUS;
		if (times == ALIBI_HAS_BEGIN && !unknown)
			sink_refuse(w->s,
			            "%s has a begin but no end; in a Jepsen history "
			            "what completed has both",
			            shown_txn(h, w->s, t));
		if (times & ALIBI_HAS_END && unknown)
			sink_drops(w->s, "the ends of unknown transactions");
		if (h->txn_id && !id_is_index(w, t))
			sink_drops(w->s, "transaction ids");
		guard_tick(w->s->guard);
	}
}

/* ---- the clock ---- */

static int by_number(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	return a < b ? -1 : a > b;
}

/* Indexes are non-negative and all different. */
static bool are_indexes(int64_t *numbers, size_t count)
{
	if (count)
		qsort(numbers, count, sizeof *numbers, by_number);
	for (size_t i = 1; i < count; i++)
		if (numbers[i - 1] == numbers[i])
			return false;
	return !count || numbers[0] >= 0;
}

static bool has_end(const struct txn *x)
{
	return x->has & ALIBI_HAS_END && x->status != ALIBI_UNKNOWN_STATUS;
}

static void choose_clock(struct jepsen_writer *w)
{
	const struct history *h = w->h;
	VEC(int64_t) numbers = {0};
	w->keeps_time = true;
	for (uint32_t t = 0; t < h->txn_count; t++) {
		const struct txn *x = &h->txns[t];
		if (x->has & ALIBI_HAS_BEGIN)
			vec_push(w->s->pool, &numbers, h->times[t].begin);
		if (has_end(x))
			vec_push(w->s->pool, &numbers, h->times[t].end);
		if (!has_end(x) && x->status != ALIBI_UNKNOWN_STATUS)
			w->keeps_time = false;
		guard_tick(w->s->guard);
	}
	if (!numbers.count)
		return;
	for (size_t i = 0; i < h->annotations.count; i++)
		if (h->annotations.items[i].has_at)
			vec_push(w->s->pool, &numbers, h->annotations.items[i].at);
	w->clock = are_indexes(numbers.items, numbers.count) ? BY_INDEX : BY_TIME;
	w->keeps_time &= w->clock == BY_INDEX;
	pool_free(w->s->pool, numbers.items);
}

/* ---- the order of events ---- */

/* After the last of the session, at time if that is later. */
static void add_event(struct jepsen_writer *w, uint32_t txn, enum event_kind kind, int64_t time)
{
	struct thread *thread = &w->threads[w->h->txns[txn].session];
	if (!thread->rank || time > thread->place) {
		thread->place = time;
		thread->rank = kind; /* so that annotations come first, then begins */
	} else {
		thread->rank++;
	}
	vec_push(
	        w->s->pool, &w->events,
	        ((struct event){
	                .place = thread->place, .rank = thread->rank, .which = txn, .kind = kind}));
}

/* before: the place of the transaction before it, for one that has no time. */
static void add_txn(struct jepsen_writer *w, uint32_t t, int64_t before)
{
	const struct history *h = w->h;
	const struct txn *x = &h->txns[t];
	bool begins = x->has & ALIBI_HAS_BEGIN;
	if (w->clock == NO_CLOCK) {
		add_event(w, t, INVOKE, t);
		add_event(w, t, COMPLETION, t);
		return;
	}
	if (begins)
		add_event(w, t, INVOKE, h->times[t].begin);
	add_event(w, t, COMPLETION,
	          has_end(x) ? h->times[t].end
	          : begins   ? h->times[t].begin
	                     : before);
}

/* first: of each transaction, its first event. */
static void add_annotations(struct jepsen_writer *w, const uint32_t *first)
{
	const struct history *h = w->h;
	for (uint32_t i = 0; i < h->annotations.count; i++) {
		const struct annotation *a = &h->annotations.items[i];
		struct event e = {.place = INT64_MAX, .rank = UINT32_MAX, .which = i};
		if (w->clock != NO_CLOCK && a->has_at)
			e = (struct event){.place = a->at, .which = i};
		else if (a->before_txn < h->txn_count)
			e = (struct event){.place = w->events.items[first[a->before_txn]].place,
			                   .which = i};
		if (w->clock == NO_CLOCK && a->has_at)
			sink_drops(w->s, "the times of annotations");
		vec_push(w->s->pool, &w->events, e);
		guard_tick(w->s->guard);
	}
}

static int by_place(const void *x, const void *y)
{
	const struct event *a = x, *b = y;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->which < b->which ? -1 : a->which > b->which;
}

static void sort_events(struct jepsen_writer *w)
{
	const struct history *h = w->h;
	uint32_t *first = pool_array(w->s->pool, (size_t)h->txn_count + 1, sizeof *first);
	for (uint32_t t = 0; t < h->txn_count; t++) {
		first[t] = (uint32_t)w->events.count;
		add_txn(w, t, t ? w->events.items[first[t - 1]].place : INT64_MIN);
		guard_tick(w->s->guard);
	}
	add_annotations(w, first);
	pool_free(w->s->pool, first);
	if (w->events.count)
		qsort(w->events.items, w->events.count, sizeof *w->events.items, by_place);
}

/* ---- processes ---- */

/* Without a process, completions can be matched with invocations only if these do not overlap. */
static bool anonymous_overlap(const struct jepsen_writer *w)
{
	const struct history *h = w->h;
	bool open = false;
	for (size_t i = 0; i < w->events.count; i++) {
		const struct event *e = &w->events.items[i];
		if (e->kind == ANNOTATION)
			continue;
		const struct txn *x = &h->txns[e->which];
		if (h->session_name[x->session] != ID_NONE)
			continue;
		bool invoked = w->clock == NO_CLOCK || x->has & ALIBI_HAS_BEGIN;
		if (open && (e->kind == INVOKE || !invoked))
			return true;
		open = e->kind == INVOKE;
	}
	return false;
}

static void number_sessions(struct jepsen_writer *w)
{
	const struct history *h = w->h;
	bool all = anonymous_overlap(w);
	int64_t *number = integer_names(h, w->s, h->session_count, session_name, -1);
	for (uint32_t i = 0; i < h->session_count; i++) {
		enum alibi_kind kind = session_name(h, i).kind;
		if (kind == ALIBI_STRING)
			sink_drops(w->s, "session names that are not integers");
		w->threads[i].has_process = all || kind != ALIBI_NULL;
		w->threads[i].process = number[i];
	}
}

/* ---- infos and annotations ---- */

/* What examine() found. Texts are in w->text. */
struct extra {
	bool there;
	bool spread;         /* its members become members of the operation */
	bool type, process;  /* it has these */
	struct text f;       /* length 0: none */
	struct text time[2]; /* of the invocation and the completion, likewise */
};

static struct json *json_at(struct jepsen_writer *w, uint64_t offset, uint32_t length)
{
	static const char padding[SOURCE_PADDING];
	w->text.count = 0;
	text_add(w->s->pool, &w->text, w->h->texts.items + offset, length);
	text_add(w->s->pool, &w->text, padding, sizeof padding);
	json_text(&w->json, (struct text){.bytes = w->text.items, .length = length}, 1);
	return &w->json;
}

/* A word in each notation. */
static bool is_plain(struct text name)
{
	for (size_t i = 0; i < name.length; i++) {
		char c = name.bytes[i], letter = (char)(c | 0x20);
		bool inside = (c >= '0' && c <= '9') || c == '-' || c == '_';
		if (!(letter >= 'a' && letter <= 'z') && !(i && inside))
			return false;
	}
	return name.length > 0;
}

static bool is_integer(struct text t)
{
	for (size_t i = t.length > 1 && t.bytes[0] == '-'; i < t.length; i++)
		if (t.bytes[i] < '0' || t.bytes[i] > '9')
			return false;
	return t.length < 19; /* so that it fits 64 bits */
}

/* [t0, t1], each of which may be null. The cursor is after it, and stays there. */
static bool split_times(struct json *j, struct text pair, struct text time[2])
{
	const char *after = j->at;
	bool two = true;
	j->at = pair.bytes;
	for (size_t i = 0; i < 2 && two; i++) {
		two = json_take(j, i ? ',' : '[');
		if (!two || json_take_null(j))
			continue;
		time[i] = json_skip(j);
		two = is_integer(time[i]);
	}
	two = two && json_take(j, ']');
	j->at = after;
	return two;
}

/* Would reading give the same member again if it were one of the operation? */
static bool info_fits(struct jepsen_writer *w, struct text name, bool invoked, struct extra *extra)
{
	static const char *const taken[] = {"type", "process", "value", "index", "exception"};
	struct json *j = &w->json;
	bool fits = is_plain(name), time = text_is(name, "time"), f = text_is(name, "f");
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		fits &= !text_is(name, taken[i]);
	struct text value = json_skip(j);
	if (time)
		fits &= w->keeps_time && split_times(j, value, extra->time) &&
		        (invoked || !extra->time[0].length);
	if (f)
		extra->f = value;
	return fits && !text_is(value, "null") && !(f && text_is(value, w->d->txn));
}

static bool annotation_fits(struct jepsen_writer *w, struct text name, struct extra *extra)
{
	bool index = text_is(name, "index"), time = text_is(name, "time");
	bool type = text_is(name, "type"), process = text_is(name, "process");
	bool fits = is_plain(name) && !text_is(name, "exception") &&
	            !(w->clock != NO_CLOCK && text_is(name, clock_name[w->clock]));
	struct text value = json_skip(&w->json);
	extra->type |= type;
	extra->process |= process;
	if (index || time)
		fits &= is_integer(value);
	if (process)
		fits &= value.bytes[0] == '"' && !text_is(value, w->d->nemesis);
	return fits && !text_is(value, "null") && !(type && text_is(value, w->d->info));
}

/* Looks at the value at the cursor and goes back to it. alone: the member that, as the only one,
 * would be read as the whole. */
static struct extra examine(struct jepsen_writer *w, const char *alone, bool info, bool invoked)
{
	struct json *j = &w->json;
	struct extra extra = {.spread = json_peek(j) == '{'};
	struct text name;
	size_t count = 0;
	bool is_alone = false;
	json_skip_within(j, JSON_DEPTH_MAX - 2); /* what can be read again */
	j->at = j->start;
	if (extra.spread)
		for (bool first = json_open(j, '{', "an object"); json_member(j, &first, &name);) {
			is_alone = count++ == 0 && text_is(name, alone);
			if (info ? !info_fits(w, name, invoked, &extra)
			         : !annotation_fits(w, name, &extra))
				extra.spread = false;
		}
	if (is_alone || (info && !count) || !extra.spread)
		extra = (struct extra){.spread = false};
	extra.there = true;
	j->at = j->start;
	return extra;
}

static struct extra examine_info(struct jepsen_writer *w, uint32_t txn, bool invoked)
{
	const struct history *h = w->h;
	size_t at;
	bisect(at, 0, h->info.count, h->info.items[at].txn < txn);
	if (at == h->info.count || h->info.items[at].txn != txn)
		return (struct extra){.there = false};
	json_at(w, h->info.items[at].offset, h->info.items[at].length);
	return examine(w, "info", true, invoked);
}

/* ---- lines ---- */

static void write_word(struct jepsen_writer *w, const char *word)
{
	sink_text(w->s, w->d->open);
	sink_text(w->s, word);
	sink_text(w->s, w->d->close);
}

static void write_member(struct jepsen_writer *w, struct text name)
{
	sink_text(w->s, w->any_member ? w->d->comma : "");
	w->any_member = true;
	sink_text(w->s, w->d->open);
	sink_add(w->s, name.bytes, name.length);
	sink_text(w->s, w->d->close);
	sink_text(w->s, w->d->after_name);
}

static void write_name(struct jepsen_writer *w, const char *name)
{
	write_member(w, (struct text){.bytes = name, .length = strlen(name)});
}

static void write_number(struct jepsen_writer *w, const char *name, int64_t n)
{
	write_name(w, name);
	sink_integer(w->s, n);
}

static void open_line(struct jepsen_writer *w)
{
	sink_text(w->s, w->any_line ? w->d->between : w->d->first);
	w->any_line = true;
	w->any_member = false;
	sink_text(w->s, "{");
}

/* The object at the cursor, member by member, without those already written. */
static void write_members(struct jepsen_writer *w, bool info)
{
	struct json *j = &w->json;
	struct text name;
	for (bool first = json_open(j, '{', "an object"); json_member(j, &first, &name);) {
		if (info && (text_is(name, "f") || text_is(name, "time"))) {
			json_skip(j);
			continue;
		}
		write_member(w, name);
		w->d->json(w->s, j);
	}
}

static void write_extra(struct jepsen_writer *w, struct extra extra, const char *whole, bool info)
{
	if (extra.spread) {
		write_members(w, info);
	} else if (extra.there) {
		write_name(w, whole);
		w->d->json(w->s, &w->json);
	}
}

static void write_atom(struct jepsen_writer *w, uint32_t value)
{
	const struct atoms *values = &w->h->values;
	size_t count;
	if (value == ATOM_NULL) {
		sink_text(w->s, w->d->null);
		return;
	}
	if (atoms_kind(values, value) != ALIBI_LIST) {
		w->d->value(w->s, atoms_value(values, value));
		return;
	}
	const uint32_t *items = atoms_items(values, value, &count);
	sink_text(w->s, "[");
	for (size_t i = 0; i < count; i++) {
		sink_text(w->s, i ? w->d->space : "");
		w->d->value(w->s, atoms_value(values, items[i]));
	}
	sink_text(w->s, "]");
}

static void write_ops(struct jepsen_writer *w, uint32_t t, bool invoked)
{
	static const char *const names[] = {"r", "w", "append"};
	const struct history *h = w->h;
	const struct txn *x = &h->txns[t];
	write_name(w, "value");
	sink_text(w->s, "[");
	for (uint32_t i = x->first_op; i < txn_op_end(h, t); i++) {
		struct op o = h->ops[i];
		bool read = op_kind(o) == ALIBI_READ;
		if (read && o.value == ATOM_NULL && x->status != ALIBI_COMMIT)
			sink_drops(w->s, "absent values read by transactions that did not commit");
		sink_text(w->s, i > x->first_op ? w->d->space : "");
		sink_text(w->s, "[");
		write_word(w, names[op_kind(o)]);
		sink_text(w->s, w->d->space);
		w->d->value(w->s, atoms_value(&h->keys, op_key(o)));
		sink_text(w->s, w->d->space);
		write_atom(w, read && invoked ? ATOM_NULL : o.value);
		sink_text(w->s, "]");
		guard_tick(w->s->guard);
	}
	sink_text(w->s, "]");
}

/* One half of a transaction. */
static void write_half(struct jepsen_writer *w, uint32_t t, bool completion)
{
	static const char *const types[] = {"ok", "fail", "info"};
	const struct history *h = w->h;
	const struct txn *x = &h->txns[t];
	const struct thread *thread = &w->threads[x->session];
	bool invoked = w->clock == NO_CLOCK || x->has & ALIBI_HAS_BEGIN;
	struct extra extra = examine_info(w, t, invoked);
	open_line(w);
	if (w->clock != NO_CLOCK && (!completion || has_end(x)))
		write_number(w, clock_name[w->clock],
		             completion ? h->times[t].end : h->times[t].begin);
	if (extra.time[completion].length) {
		write_name(w, "time");
		sink_add(w->s, extra.time[completion].bytes, extra.time[completion].length);
	}
	write_name(w, "type");
	write_word(w, completion ? types[x->status] : "invoke");
	if (thread->has_process)
		write_number(w, "process", thread->process);
	write_name(w, "f");
	if (extra.f.length) {
		w->json.at = extra.f.bytes;
		w->d->json(w->s, &w->json);
		w->json.at = w->json.start;
	} else {
		write_word(w, "txn");
	}
	write_ops(w, t, !completion);
	if (completion)
		write_extra(w, extra, "info", true);
	sink_text(w->s, "}");
}

static void write_annotation(struct jepsen_writer *w, const struct annotation *a)
{
	json_at(w, a->offset, a->length);
	struct extra extra = examine(w, "value", false, false);
	open_line(w);
	if (w->clock != NO_CLOCK && a->has_at)
		write_number(w, clock_name[w->clock], a->at);
	if (!extra.type) {
		write_name(w, "type");
		write_word(w, "info");
	}
	if (!extra.process) {
		write_name(w, "process");
		write_word(w, "nemesis");
	}
	write_extra(w, extra, "value", false);
	sink_text(w->s, "}");
}

void jepsen_write(const struct history *h, struct sink *s, const struct jepsen_dialect *d)
{
	struct jepsen_writer w = {.h = h, .s = s, .d = d};
	json_init(&w.json, s->pool, "the info and annotations of the history");
	w.threads = pool_zarray(s->pool, (size_t)h->session_count + 1, sizeof *w.threads);
	choose_clock(&w);
	check_header(&w);
	lossy_check(h, s, &can);
	check_txns(&w);
	sort_events(&w);
	number_sessions(&w);
	for (size_t i = 0; i < w.events.count; i++) {
		const struct event *e = &w.events.items[i];
		if (e->kind == ANNOTATION)
			write_annotation(&w, &h->annotations.items[e->which]);
		else
			write_half(&w, e->which, e->kind == COMPLETION);
		guard_tick(s->guard);
	}
	sink_text(s, w.any_line ? "" : d->first);
	sink_text(s, d->last);
}
