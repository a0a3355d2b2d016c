/* sentence: see sentence.h. */
#include "explain/sentence.h"

#include "base/guard.h"
#include "history/render.h"
#include "history/units.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { SHOWN_ITEMS = 12 }; /* of a list */

struct sentence {
	struct pool *pool;
	const struct history *h;
	text_vec t;
};

static struct sentence sentence_start(const struct reads *r)
{
	return (struct sentence){.pool = r->pool, .h = r->h};
}

/* %t a transaction, %k a key, %v a value, %d a number (int64_t). */
static void say(struct sentence *w, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	for (const char *at = format; *at; at++) {
		if (*at != '%') {
			text_add(w->pool, &w->t, at, 1);
			continue;
		}
		at++;
		assert(strchr("tkvd", *at));
		if (*at == 't')
			text_add_txn(w->pool, &w->t, w->h, va_arg(args, uint32_t));
		else if (*at == 'k')
			text_add_key(w->pool, &w->t, w->h, va_arg(args, uint32_t));
		else if (*at == 'v')
			text_add_atom(w->pool, &w->t, w->h, va_arg(args, uint32_t), SHOWN_ITEMS);
		else
			text_add_integer(w->pool, &w->t, va_arg(args, int64_t));
	}
	va_end(args);
}

static const char *sentence_end(struct sentence *w)
{
	return text_string(w->pool, &w->t);
}

static uint32_t value_of(const struct reads *r, uint32_t read)
{
	return r->h->ops[r->external.items[read].op].value;
}

/* " = 7"; nothing for a query. */
static void say_value(struct sentence *w, const struct reads *r, uint32_t read)
{
	if (!external_query(r, read))
		say(w, " = %v", value_of(r, read));
}

/* ---- queries ---- */

/* T2 looked for accounts where v = 1 and did not find accounts/7 */
static void say_query_result(struct sentence *w, uint32_t txn, const struct query *q, uint32_t key)
{
	static const char *const verbs[] = {"%t looked for ", "%t updated ", "%t deleted "};
	bool among = query_row(w->h, q, key) != ID_NONE;
	say(w, verbs[q->kind], txn);
	text_add_query(w->pool, &w->t, w->h, q);
	if (q->kind == QUERY_SELECT)
		say(w, among ? " and found %k" : " and did not find %k", key);
	else
		say(w, among ? ", %k among them" : ", but not %k", key);
}

static void say_external_query(struct sentence *w, const struct reads *r, uint32_t read)
{
	const struct read_candidates *s = &r->external.items[read];
	say_query_result(w, s->txn, external_query(r, read), s->key);
}

/* The final write of txn to the key. */
static void say_final_write(struct sentence *w, uint32_t txn, uint32_t key)
{
	uint32_t value = reads_final(w->h, txn, key);
	if (value == ATOM_NULL)
		say(w, "%t had deleted it", txn);
	else
		say(w, "%t had written %v", txn, value);
}

/* ---- dependencies ---- */

/* What was read, and its writer. */
static void say_read_from(struct sentence *w, const struct reads *r, const struct dependency *a)
{
	uint32_t value = value_of(r, a->read);
	if (external_query(r, a->read)) {
		say_external_query(w, r, a->read);
		say(w, ", since ");
		say_final_write(w, a->from, a->key);
		return;
	}
	say(w, "%t read %k = %v, ", a->to, a->key, value);
	if (w->h->key_is_list[a->key])
		say(w, "whose last element %t appended", a->from);
	else if (value == ATOM_NULL)
		say(w, "since %t had deleted it", a->from);
	else
		say(w, "which %t wrote", a->from);
}

static void say_session(struct sentence *w, uint32_t from, uint32_t to)
{
	uint32_t name = w->h->session_name[w->h->txns[from].session];
	say(w, "%t came before %t in ", from, to);
	if (name == ID_NONE) {
		say(w, "their session");
		return;
	}
	say(w, "session ");
	text_add_name(w->pool, &w->t, atoms_value(&w->h->names, name));
}

static void say_time(struct sentence *w, uint32_t from, uint32_t to)
{
	if (w->h->only_past) {
		say(w, "%t came long before %t", from, to);
		return;
	}
	if (units_are_nanoseconds(w->h)) {
		uint64_t between =
		        (uint64_t)w->h->times[to].begin - (uint64_t)w->h->times[from].end;
		say(w, "%t ended ", from);
		text_addf(w->pool, &w->t, "%s before ", units_distance(w->pool, w->h, between));
		say(w, "%t began", to);
		return;
	}
	say(w, "%t ended at %d, before %t began at %d", from, w->h->times[from].end, to,
	    w->h->times[to].begin);
}

/* Does the list that was read have an element that txn appended? */
static bool is_in_list(const struct history *h, uint32_t value, uint32_t txn, uint32_t key)
{
	size_t count;
	const uint32_t *items = atoms_items(&h->values, value, &count);
	for (size_t i = 0; i < count; i++)
		for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++)
			if (op_kind(h->ops[op]) == ALIBI_APPEND && op_key(h->ops[op]) == key &&
			    h->ops[op].value == items[i])
				return true;
	return false;
}

static void say_version_order(struct sentence *w, const struct reads *r, const struct dependency *a)
{
	if (a->why == VERSION_ASSUMED) {
		say(w, "%t wrote %k before %t, as assumed", a->from, a->key, a->to);
		return;
	}
	uint32_t value = value_of(r, a->why_read), reader = r->external.items[a->why_read].txn;
	say(w, "%t read %k = %v, ", reader, a->key, value);
	if (!is_in_list(w->h, value, a->to, a->key))
		say(w, "without what %t appended, ", a->to);
	say(w, "so %t appended before %t", a->from, a->to);
}

/* Why the write of `to` is later in the version order. */
static void say_why_replaced(struct sentence *w, const struct dependency *a)
{
	if (a->why == VERSION_SESSION || a->why == VERSION_TIME) {
		say(w, " (");
		(a->why == VERSION_SESSION ? say_session : say_time)(w, a->replaced, a->to);
		say(w, ")");
	} else if (a->why == VERSION_READ) {
		say(w, " (%t had read from %t)", a->to, a->replaced);
	} else if (a->why == VERSION_ASSUMED) {
		say(w, " (as assumed)");
	}
}

/* A write that a query did not see. */
static void say_appeared(struct sentence *w, const struct reads *r, const struct dependency *a)
{
	uint32_t value = reads_final(w->h, a->to, a->key);
	say_external_query(w, r, a->read);
	if (a->replaced != ID_NONE) {
		say(w, ", since ");
		say_final_write(w, a->replaced, a->key);
		say(w, ", which %t replaced", a->to);
		say_why_replaced(w, a);
	} else if (value == ATOM_NULL) {
		say(w, ", which %t deleted", a->to);
	} else {
		say(w, ", which %t wrote (%v)", a->to, value);
	}
}

static void say_anti_dependency(struct sentence *w, const struct reads *r,
                                const struct dependency *a)
{
	uint32_t value = value_of(r, a->read);
	if (external_query(r, a->read)) {
		say_appeared(w, r, a);
	} else if (w->h->key_is_list[a->key]) {
		say(w, "%t read %k = %v, without what %t appended", a->from, a->key, value, a->to);
	} else if (a->replaced == ID_NONE) {
		say(w, "%t read %k = %v, the initial value, which %t replaced", a->from, a->key,
		    value, a->to);
	} else {
		say(w, "%t read %k = %v, which %t wrote and %t replaced", a->from, a->key, value,
		    a->replaced, a->to);
		say_why_replaced(w, a);
	}
	say(w, ", so %t came before %t", a->from, a->to);
}

const char *sentence_of_dependency(const struct reads *r, const struct dependency *a)
{
	struct sentence w = sentence_start(r);
	switch (a->kind) {
	case DEP_WR:
		say_read_from(&w, r, a);
		say(&w, ", so %t came before %t", a->from, a->to);
		break;
	case DEP_SO:
		say_session(&w, a->from, a->to);
		break;
	case DEP_RT:
		say_time(&w, a->from, a->to);
		break;
	case DEP_WW:
		say_version_order(&w, r, a);
		break;
	case DEP_RW:
		say_anti_dependency(&w, r, a);
		break;
	}
	return sentence_end(&w);
}

/* ---- cases ---- */

static void say_choice(struct sentence *w, const struct reads *r, const struct assumption *a)
{
	const struct read_candidates *s = &r->external.items[a->read];
	struct candidate c = r->candidates.items[a->candidate];
	if (external_query(r, a->read)) {
		say_external_query(w, r, a->read);
		say(w, c.count ? ", since " : ", as in the initial state");
		if (c.count)
			say_final_write(w, r->writers.items[c.first], s->key);
		return;
	}
	say(w, "%t read %k = %v ", s->txn, s->key, value_of(r, a->read));
	if (!c.count)
		say(w, "as the initial value");
	for (uint32_t i = 0; i < c.count; i++)
		say(w, i ? ", then %t" : "from %t", r->writers.items[c.first + i]);
}

const char *sentence_of_assumptions(const struct reads *r, const struct assumption *a, size_t count)
{
	struct sentence w = sentence_start(r);
	for (size_t i = 0; i < count; i++) {
		say(&w, i ? " and " : "");
		if (a[i].of_writers)
			say(&w, "%t wrote %k before %t", a[i].before, a[i].key, a[i].after);
		else
			say_choice(&w, r, &a[i]);
	}
	return sentence_end(&w);
}

const char *sentence_of_cycle(const struct reads *r, const struct dependency *cycle, size_t count)
{
	struct sentence w = sentence_start(r);
	for (size_t i = 0; i < count; i++) {
		say(&w, !i ? "" : i + 1 < count ? ", " : ", and ");
		say(&w, i ? "%t before %t" : "%t came before %t", cycle[i].from, cycle[i].to);
	}
	say(&w, ": a contradiction");
	return sentence_end(&w);
}

const char *sentence_of_exchange(const struct reads *r, uint32_t a, uint32_t b)
{
	struct sentence w = sentence_start(r);
	say(&w, "the same with %t and %t exchanged", a, b);
	return sentence_end(&w);
}

const char *sentence_of_key(const struct reads *r, uint32_t key)
{
	struct sentence w = sentence_start(r);
	if (key == ID_NONE)
		return NULL;
	say(&w, "%k", key);
	return sentence_end(&w);
}

/* ---- faults ---- */

/* By fault, for registers and for lists. %e: the element, %o: the other transaction, %k: the
 * key, %p: the value of the earlier operation. */
static const char *const fault_texts[][2] = {
        [FAULT_UNREPEATABLE] = {", though it had read %k = %p before",
                                ", though it had read %k = %p before"},
        [FAULT_FUTURE] = {", which it wrote only later",
                          " with %e in it, which it appended only later"},
        [FAULT_INTERNAL] = {", though it had itself written %k = %p",
                            ", though it had itself appended %p"},
        [FAULT_GARBAGE] = {", which no transaction wrote",
                           " with %e in it, which no transaction appended"},
        [FAULT_ABORTED] = {", which %o wrote, but %o aborted",
                           " with %e in it, which %o appended, but %o aborted"},
        [FAULT_INTERMEDIATE] = {", which %o wrote, but overwrote before it committed",
                                ", which has only some of the elements that %o appended"},
        [FAULT_NAMED] = {", which the database says %o wrote last, but it did not",
                         ", which the database says %o wrote last, but it did not"},
        [FAULT_DIRTY_UPDATE] = {NULL, ", in which others appended after %e, which %o had "
                                      "appended, but %o aborted"},
        [FAULT_DUPLICATE] = {NULL, ", which has %e more often than it was appended"},
        [FAULT_MIXED] = {NULL, ", in which other elements separate those that %o appended"},
        [FAULT_REORDERED] = {NULL, ", in which the elements that %o appended are in another order"},
};

static void say_fault(struct sentence *w, const struct faulty_read *f, const char *text)
{
	assert(text);
	for (; *text; text++) {
		if (*text != '%')
			text_add(w->pool, &w->t, text, 1);
		else if (*++text == 'e')
			say(w, "%v", f->element);
		else if (*text == 'o')
			say(w, "%t", f->other);
		else if (*text == 'k')
			say(w, "%k", op_key(w->h->ops[f->op]));
		else
			say(w, "%v", w->h->ops[f->earlier].value);
	}
}

/* No version of the key explains the query result: lists them. */
static void say_versions_of_key(struct sentence *w, const struct reads *r)
{
	const struct history *h = w->h;
	uint32_t key = r->faulty.key, row = query_row(h, query_at(h, r->faulty.op), key);
	uint32_t initial = history_initial(h, key);
	if (row != ID_NONE && h->ops[row].value != ATOM_NULL)
		say(w, ", setting it to %v", h->ops[row].value);
	if (initial == ATOM_NULL)
		say(w, ", though it was initially absent");
	else
		say(w, ", though it was initially %v", initial);
	for (uint32_t t = 0; t < h->txn_count; t++) {
		if (t == r->faulty.txn || !origins_writes(&r->origins, t, key))
			continue;
		say(w, ", and ");
		say_final_write(w, t, key);
	}
}

/* Of a query result. */
static void say_query_fault(struct sentence *w, const struct reads *r)
{
	const struct faulty_read *f = &r->faulty;
	say_query_result(w, f->txn, query_at(w->h, f->op), f->key);
	if (f->fault == FAULT_NO_MATCH)
		say(w, " = %v, which does not match", w->h->ops[f->earlier].value);
	else if (f->fault == FAULT_MISSED_ABORTED)
		say(w, ", which only %t explains, but %t aborted", f->other, f->other);
	else if (f->fault == FAULT_MISSED)
		say_versions_of_key(w, r);
	else if (w->h->ops[f->earlier].value == ATOM_NULL)
		say(w, ", though it had itself deleted it");
	else
		say(w, ", though it had itself written %v there", w->h->ops[f->earlier].value);
}

const char *sentence_of_fault(const struct reads *r)
{
	const struct faulty_read *f = &r->faulty;
	struct sentence w = sentence_start(r);
	if (f->fault >= FAULT_NO_MATCH) {
		say_query_fault(&w, r);
		return sentence_end(&w);
	}
	uint32_t key = op_key(r->h->ops[f->op]);
	say(&w, "%t read %k = %v", f->txn, key, r->h->ops[f->op].value);
	if (f->fault == FAULT_NAMED && f->other == ID_NONE)
		say(&w, ", which the database says is the initial version, but it is not");
	else
		say_fault(&w, f, fault_texts[f->fault][r->h->key_is_list[key]]);
	return sentence_end(&w);
}

/* ---- anomalies ---- */

/* The n-th dependency of a kind in the cycle, or NULL. */
static const struct dependency *nth_of_kind(const struct dependency *cycle, size_t count,
                                            enum dependency_kind kind, size_t n)
{
	for (size_t i = 0; i < count; i++)
		if (cycle[i].kind == kind && !n--)
			return &cycle[i];
	return NULL;
}

static void say_anti_dependencies(struct sentence *w, const struct reads *r,
                                  const struct dependency *cycle, size_t count)
{
	bool first = true;
	for (size_t i = 0; i < count; i++) {
		if (cycle[i].kind != DEP_RW)
			continue;
		if (external_query(r, cycle[i].read)) {
			say(w, first ? "" : ", and ");
			say_appeared(w, r, &cycle[i]);
			first = false;
			continue;
		}
		say(w,
		    first ? "%t did not see what %t wrote to %k"
		          : ", and %t did not see what %t wrote to %k",
		    cycle[i].from, cycle[i].to, cycle[i].key);
		first = false;
	}
}

/* One rw, and no special name. */
static void say_stale(struct sentence *w, const struct reads *r, const struct dependency *rw,
                      const struct dependency *cycle, size_t count)
{
	const struct dependency *so = nth_of_kind(cycle, count, DEP_SO, 0),
	                        *rt = nth_of_kind(cycle, count, DEP_RT, 0);
	if (external_query(r, rw->read))
		say_appeared(w, r, rw);
	else
		say(w, "%t did not see what %t wrote to %k", rw->from, rw->to, rw->key);
	say(w, ", though ");
	if (count == 2 && so)
		say_session(w, so->from, so->to);
	else if (count == 2 && rt)
		say_time(w, rt->from, rt->to);
	else
		say(w, "%t came before it", rw->to);
}

/* Saw one write of a transaction and missed the same or another one. */
static void say_partly_seen(struct sentence *w, const struct reads *r, const struct dependency *wr,
                            const struct dependency *rw)
{
	bool later = r->external.items[rw->read].op > r->external.items[wr->read].op;
	say_read_from(w, r, wr);
	if (rw->key != wr->key) {
		say(w, ", but did not see what %t wrote to %k", wr->from, rw->key);
	} else if (external_query(r, rw->read)) {
		say(w, ", but ");
		say_external_query(w, r, rw->read);
	} else {
		say(w, later ? ", but then read %k = %v" : ", but had read %k = %v before", rw->key,
		    value_of(r, rw->read));
	}
}

static void say_cycle_with_rw(struct sentence *w, const struct reads *r, enum anomaly anomaly,
                              const struct dependency *cycle, size_t count)
{
	const struct dependency *rw = nth_of_kind(cycle, count, DEP_RW, 0),
	                        *wr = nth_of_kind(cycle, count, DEP_WR, 0);
	if (anomaly == ANOMALY_LOST_UPDATE) {
		say(w, "%t and %t both replaced %k", rw->from, rw->to, rw->key);
		say_value(w, r, rw->read);
		say(w, "; the update of one of them is lost");
	} else if (anomaly == ANOMALY_FRACTURED_READ || anomaly == ANOMALY_UNREPEATABLE) {
		say_partly_seen(w, r, wr, rw);
	} else if (anomaly == ANOMALY_CAUSALITY) {
		say(w, "%t saw an effect of %t, but not what %t wrote to %k", rw->from, rw->to,
		    rw->to, rw->key);
	} else if (!nth_of_kind(cycle, count, DEP_RW, 1)) {
		say_stale(w, r, rw, cycle, count);
	} else {
		say_anti_dependencies(w, r, cycle, count);
		say(w, anomaly == ANOMALY_LONG_FORK ? ": they saw these writes in opposite orders"
		       : anomaly == ANOMALY_WRITE_SKEW || (anomaly == ANOMALY_PHANTOM && count == 2)
		               ? ": neither can have come first"
		               : ": none of them can have come first");
	}
}

static void say_cycle_without_rw(struct sentence *w, enum anomaly anomaly,
                                 const struct dependency *cycle, size_t count)
{
	const struct dependency *wr = nth_of_kind(cycle, count, DEP_WR, 0),
	                        *rt = nth_of_kind(cycle, count, DEP_RT, 0);
	if (anomaly == ANOMALY_CLOCK) {
		say_time(w, rt->from, rt->to);
		say(w, nth_of_kind(cycle, count, DEP_SO, 0)
		               ? ", but comes after it in session order"
		               : ", but a clock went backwards in between");
	} else if (wr) {
		say(w, "%t read what %t wrote, though %t came before %t", wr->to, wr->from, wr->to,
		    wr->from);
	} else {
		say(w, "%t wrote before %t, and %t before %t", cycle[0].from, cycle[0].to,
		    cycle[0].to, cycle[0].from);
	}
}

const char *sentence_of_anomaly(const struct reads *r, enum anomaly anomaly,
                                const struct dependency *cycle, size_t count)
{
	struct sentence w = sentence_start(r);
	if (nth_of_kind(cycle, count, DEP_RW, 0))
		say_cycle_with_rw(&w, r, anomaly, cycle, count);
	else
		say_cycle_without_rw(&w, anomaly, cycle, count);
	return sentence_end(&w);
}
