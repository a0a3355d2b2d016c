/* describe: see describe.h. */
#include "check/describe.h"

#include "base/guard.h"
#include "base/ids.h"
#include "base/radix.h"
#include "history/render.h"
#include "history/where.h"

#include <string.h>

enum { SHOWN_ITEMS = 12 }; /* of a list, in a sentence */

const char *mismatch_name(enum mismatch_kind kind)
{
#define X(name) #name,
	static const char *const names[] = {MISMATCHES(X)};
#undef X
	return names[kind];
}

const char *describe_txn(struct pool *pool, const struct history *h, uint32_t txn)
{
	text_vec t = {0};
	text_add(pool, &t, "transaction ", strlen("transaction "));
	text_add_value(pool, &t, history_txn_id(h, txn));
	return text_string(pool, &t);
}

static const char *id_text(struct pool *pool, const struct history *h, uint32_t txn)
{
	return render_value(pool, history_txn_id(h, txn));
}

struct two_lists {
	const struct history *h;
	struct elements a, b;
};

static alibi_value item_of(const void *data, size_t i)
{
	const struct two_lists *l = data;
	return atoms_value(&l->h->values,
	                   i < l->a.count ? l->a.items[i] : l->b.items[i - l->a.count]);
}

/* One list after the other; at most `most` items, the last ones. */
static const char *list_text(struct pool *pool, const struct history *h, struct elements a,
                             struct elements b, size_t most)
{
	text_vec t = {0};
	text_add_list_end(pool, &t, item_of, &(struct two_lists){h, a, b}, a.count + b.count, most);
	return text_string(pool, &t);
}

static const char *value_text(struct pool *pool, const struct history *h, uint32_t value,
                              size_t most)
{
	struct elements list, none = {0};
	if (atoms_kind(&h->values, value) != ALIBI_LIST)
		return render_value(pool, atoms_value(&h->values, value));
	list.items = atoms_items(&h->values, value, &list.count);
	return list_text(pool, h, list, none, most);
}

struct kept_mismatch describe_keep(struct pool *pool, const struct history *h,
                                   const struct mismatch *m)
{
	struct kept_mismatch k = {.m = *m, .found_writer = ID_NONE};
	if (m->op == ID_NONE)
		return k;
	if (h->key_is_list[m->key]) {
		k.expected = list_text(pool, h, m->there, m->appended, SIZE_MAX);
		k.shown = list_text(pool, h, m->there, m->appended, SHOWN_ITEMS);
	} else {
		k.expected = k.shown = value_text(pool, h, m->expected, SIZE_MAX);
	}
	k.m.there = k.m.appended = (struct elements){0}; /* they were the kernel's */
	if (query_at(h, m->op))
		return k;
	k.found_initial = h->ops[m->op].value == history_initial(h, m->key);
	return k;
}

/* ---- the writers of the values found ---- */

/* reads: those of which the writer is looked for, by key and value; item: in kept. */
static void note_writer(struct kept_mismatch *kept, const struct keyed *reads, size_t count,
                        struct op o, uint32_t txn)
{
	uint64_t pair = radix_pair(op_key(o), o.value);
	for (size_t i = radix_find(reads, count, pair); i < count && reads[i].key == pair; i++) {
		struct kept_mismatch *k = &kept[reads[i].item];
		if (k->m.txn != txn && k->found_writer == ID_NONE)
			k->found_writer = txn;
	}
}

void describe_find_writers(struct pool *pool, const struct history *h, struct kept_mismatch *kept,
                           size_t count)
{
	struct keyed *reads = pool_array(pool, count + 1, sizeof *reads);
	bool *read = pool_zarray(pool, atoms_count(&h->keys) + 1, sizeof *read); /* by key */
	size_t n = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct mismatch *m = &kept[i].m;
		if (m->op == ID_NONE || h->key_is_list[m->key] || query_at(h, m->op))
			continue;
		reads[n++] = (struct keyed){radix_pair(m->key, h->ops[m->op].value), i};
		read[m->key] = true;
	}
	radix_sort(pool, reads, n);
	for (uint32_t t = 0; n && t < h->txn_count; t++)
		for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
			guard_tick(pool_guard(pool));
			if (op_writes(h->ops[op]) && read[op_key(h->ops[op])])
				note_writer(kept, reads, n, h->ops[op], t);
		}
	pool_free(pool, reads);
	pool_free(pool, read);
}

/* ---- sentences ---- */

static void say_writer(struct pool *pool, const struct history *h, const struct kept_mismatch *k,
                       text_vec *t, const char *found)
{
	if (k->found_writer != ID_NONE) {
		static const char *const how[] = {"", ", which aborted",
		                                  ", whose outcome is unknown"};
		text_addf(pool, t, "; %s is what %s wrote%s", found,
		          describe_txn(pool, h, k->found_writer),
		          how[h->txns[k->found_writer].status]);
	} else if (k->found_initial) {
		text_addf(pool, t, "; %s is the initial value", found);
	} else if (!h->key_is_list[k->m.key]) {
		text_addf(pool, t, "; no transaction wrote %s", found);
	}
}

static void say_read(struct pool *pool, const struct said *s, text_vec *t)
{
	const char *state = s->snapshot ? "its snapshot" : "the state before it";
	text_addf(pool, t, "%s read key %s and found %s", s->txn, s->key, s->found);
	if (s->wrong_writer)
		text_addf(pool, t, ", but the database named another writer than %s",
		          s->other ? s->other : "the initial version");
	else if (s->kind == MISMATCH_INT)
		text_addf(pool, t, ", but by its own earlier reads and writes this should be %s",
		          s->expected);
	else
		text_addf(pool, t, ", but by %s this should be %s, %s%s%s", state, s->expected,
		          s->other ? "last written by " : "as at the beginning",
		          s->other ? s->other : "", s->more);
}

const char *describe_say(struct pool *pool, const struct said *s)
{
	text_vec t = {0};
	if (s->kind == MISMATCH_SESSION)
		text_addf(pool, &t, "%s %s before %s, which came before it in its session, commits",
		          s->txn, s->snapshot ? "starts" : "commits", s->other);
	else if (s->kind == MISMATCH_REALTIME)
		text_addf(pool, &t, "%s ended before %s began, but comes after it", s->txn,
		          s->other);
	else if (s->kind == MISMATCH_NOCONFLICT)
		text_addf(pool, &t,
		          "%s and %s both wrote key %s, and each starts before the other commits",
		          s->txn, s->other, s->key);
	else if (s->kind == MISMATCH_TIE)
		text_addf(pool, &t,
		          "%s and %s have the same timestamp, and their order matters on key %s",
		          s->txn, s->other, s->key);
	else
		say_read(pool, s, &t);
	return text_string(pool, &t);
}

const char *describe_no_serial_order(enum stamp_meaning meaning)
{
	return meaning == STAMPS_SNAPSHOT
	               ? "; but commit_ts orders versions, not transactions (\"timestamps\":"
	                 "\"snapshot\"), so another order may explain it"
	               : "; but the history does not say that commit_ts is a serial order "
	                 "(\"timestamps\":\"serial\"), so another order may explain it";
}

/* By the state, the key held what does not explain what the query tells of it. */
static const char *say_query(struct pool *pool, const struct history *h, const struct level *level,
                             const struct kept_mismatch *k, const char *key)
{
	const struct query *q = query_at(h, k->m.op);
	const char *state = level->rules.snapshot ? "its snapshot" : "the state before it";
	bool among = query_row(h, q, k->m.key) != ID_NONE;
	text_vec t = {0};
	text_addf(pool, &t, "%s %s ", describe_txn(pool, h, k->m.txn),
	          q->kind == QUERY_SELECT   ? "looked for"
	          : q->kind == QUERY_UPDATE ? "updated"
	                                    : "deleted");
	text_add_query(pool, &t, h, q);
	text_addf(pool, &t, among ? ", key %s among them, " : " without key %s, ", key);
	if (k->m.kind == MISMATCH_INT)
		text_addf(pool, &t, "but it had written %s there before", k->shown);
	else
		text_addf(pool, &t, "but by %s this was %s, %s%s", state, k->shown,
		          k->m.other == ID_NONE ? "as at the beginning" : "last written by ",
		          k->m.other == ID_NONE ? "" : describe_txn(pool, h, k->m.other));
	return text_string(pool, &t);
}

const char *describe_no_match(struct pool *pool, const struct history *h, uint32_t op)
{
	const struct query *q = query_with_row(h, op);
	text_vec t = {0};
	if (!q || q->kind != QUERY_SELECT || query_matches(h, q, h->ops[op].value))
		return NULL;
	text_addf(pool, &t, "%s looked for ", describe_txn(pool, h, history_txn_at(h, op)));
	text_add_query(pool, &t, h, q);
	text_addf(pool, &t, " and found key %s = %s, which does not match",
	          render_value(pool, atoms_value(&h->keys, op_key(h->ops[op]))),
	          render_value(pool, atoms_value(&h->values, h->ops[op].value)));
	return text_string(pool, &t);
}

/* A read that contradicts nothing is a row that does not match. */
static bool is_no_match(const struct history *h, const struct mismatch *m)
{
	return m->kind == MISMATCH_INT && !m->wrong_writer && !query_at(h, m->op) &&
	       !h->key_is_list[m->key] && m->expected == h->ops[m->op].value;
}

alibi_violation describe(struct pool *pool, const struct history *h, const struct level *level,
                         const struct kept_mismatch *k)
{
	const struct mismatch *m = &k->m;
	bool second = m->other != ID_NONE && m->other != m->txn && m->kind != MISMATCH_INT;
	text_vec more = {0};
	alibi_violation v = {.kind = mismatch_name(m->kind),
	                     .txn = id_text(pool, h, m->txn),
	                     .other = second ? id_text(pool, h, m->other) : NULL,
	                     .expected = k->expected};
	struct said s = {.kind = m->kind,
	                 .snapshot = level->rules.snapshot,
	                 .wrong_writer = m->wrong_writer,
	                 .txn = describe_txn(pool, h, m->txn),
	                 .other = m->other == ID_NONE ? NULL : describe_txn(pool, h, m->other),
	                 .expected = k->shown};
	if (m->kind != MISMATCH_SESSION && m->kind != MISMATCH_REALTIME &&
	    m->kind != MISMATCH_ORDER)
		s.key = v.key = render_value(pool, atoms_value(&h->keys, m->key));
	bool query = m->op != ID_NONE && query_at(h, m->op);
	if (m->op != ID_NONE && !query) {
		v.found = value_text(pool, h, h->ops[m->op].value, SIZE_MAX);
		s.found = value_text(pool, h, h->ops[m->op].value, SHOWN_ITEMS);
		say_writer(pool, h, k, &more, s.found);
	}
	s.more = text_string(pool, &more);
	bool of_read = m->kind == MISMATCH_INT || m->kind == MISMATCH_EXT;
	v.text = query && of_read ? say_query(pool, h, level, k, v.key) : describe_say(pool, &s);
	if (is_no_match(h, m)) {
		v.expected = NULL;
		v.text = describe_no_match(pool, h, m->op);
	}
	return v;
}
