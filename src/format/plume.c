/*
 * plume: the text of PolySI, Plume, AWDIT and IsoVista, one operation a line:
 *
 *     w(key,value,session,txn)
 *     r(key,value,session,txn)
 *
 * all of them non-negative integers. The initial value of every key is 0, and 0 may be written
 * again. Transaction numbers are unique in the file, and a transaction has one session. The
 * transactions of a session are in the order of their first lines; lines of several transactions
 * may be interleaved.
 *
 * IsoVista's files begin with an initial transaction: number 0, alone in session 0, which writes
 * every key of the file once and does nothing else. It gives the initial values. (In a file of
 * very few keys an ordinary transaction may look like this, so it remains one there.)
 *
 * The transaction -1 is "aborted". Nothing says where one such transaction ends and the next
 * begins, so each run of -1 lines of one session is one transaction, with the id "aborted@line".
 * Its reads are ignored, as by the format's own tools. When writing, consecutive aborted
 * transactions become one run; no verdict depends on that.
 *
 * Reading is linear. A transaction may extend to the end of the file, so operations are chained by
 * transaction, and the chains are passed to the builder at the end. Cost: 12 bytes an operation
 * and 24 a transaction, on top of the history.
 */
#include "format/fields.h"
#include "format/format.h"
#include "format/lossy.h"

#include <stdio.h>

enum { ABORTED = -1 };

struct chained_op {
	struct op op;
	uint32_t next; /* of the same transaction, or ID_NONE */
};

struct chain {
	uint32_t first, last; /* in ops */
	uint32_t session, id; /* names */
	uint32_t line;
	bool aborted;
};

struct plume_parser {
	struct builder *b;
	struct pool *pool; /* of the source: it ends with the reading */
	struct fields fields;
	VEC(struct chained_op) ops;
	VEC(struct chain) chains;
	VEC(uint32_t) chain_of_name; /* by id: chain + 1; 0: none */
	/* Of the previous line; lines of one transaction are mostly adjacent. */
	int64_t session, txn;
	uint32_t chain; /* ID_NONE: a run of aborted lines without a write yet */
};

/* ---- reading ---- */

static uint32_t new_chain(struct plume_parser *r, uint32_t session, uint32_t id, bool aborted)
{
	struct chain c = {.first = ID_NONE,
	                  .last = ID_NONE,
	                  .session = session,
	                  .id = id,
	                  .line = (uint32_t)r->b->place.line,
	                  .aborted = aborted};
	vec_push(r->pool, &r->chains, c);
	return (uint32_t)(r->chains.count - 1);
}

static uint32_t aborted_chain(struct plume_parser *r)
{
	char id[40];
	int length = snprintf(id, sizeof id, "aborted@%llu", (unsigned long long)r->b->place.line);
	uint32_t session = atoms_integer(r->b->names, r->session);
	return new_chain(r, session, atoms_string(r->b->names, id, (size_t)length), true);
}

static uint32_t chain_of_txn(struct plume_parser *r)
{
	struct atoms *names = r->b->names;
	uint32_t session = atoms_integer(names, r->session), id = atoms_integer(names, r->txn);
	while (r->chain_of_name.count <= id)
		vec_push(r->pool, &r->chain_of_name, 0);
	uint32_t *chain = &r->chain_of_name.items[id];
	if (!*chain)
		*chain = new_chain(r, session, id, false) + 1;
	const struct chain *c = &r->chains.items[*chain - 1];
	if (c->session != session)
		builder_reject(r->b,
		               "transaction %lld is of session %lld here, but of session %lld at "
		               "line %u; a transaction has one session",
		               (long long)r->txn, (long long)r->session,
		               (long long)atoms_value(names, c->session).integer, c->line);
	return *chain - 1;
}

static void add_op(struct plume_parser *r, enum alibi_op_kind kind, int64_t key, int64_t value)
{
	struct builder *b = r->b;
	uint32_t k = atoms_integer(b->keys, key), v = atoms_integer(b->values, value);
	struct chain *c = &r->chains.items[r->chain];
	uint32_t place = (uint32_t)r->ops.count;
	if (k >= KEY_LIMIT || r->ops.count >= ID_NONE)
		builder_reject(b, "more than %d distinct keys or four billion operations",
		               KEY_LIMIT);
	vec_push(r->pool, &r->ops,
	         ((struct chained_op){
	                 .op = {.kind_and_key = (uint32_t)kind << KIND_SHIFT | k, .value = v},
	                 .next = ID_NONE}));
	if (c->first == ID_NONE)
		c->first = place;
	else
		r->ops.items[c->last].next = place;
	c->last = place;
}

static int64_t read_txn(struct fields *f)
{
	if (f->at[0] == '-' && f->at[1] == '1') {
		f->at += 2;
		return ABORTED;
	}
	return fields_unsigned(f, "a transaction (a non-negative integer, or -1 for aborted)");
}

static void read_line(struct plume_parser *r)
{
	struct fields *f = &r->fields;
	char letter = *f->at;
	if ((letter != 'r' && letter != 'w') || f->at[1] != '(')
		fields_expected(f, "r(key,value,session,txn) or w(key,value,session,txn)");
	f->at += 2;
	int64_t key = fields_unsigned(f, "a key (a non-negative integer)");
	fields_expect(f, ',', "',' and a value");
	int64_t value = fields_unsigned(f, "a value (a non-negative integer)");
	fields_expect(f, ',', "',' and a session");
	int64_t session = fields_unsigned(f, "a session (a non-negative integer)");
	fields_expect(f, ',', "',' and a transaction");
	int64_t txn = read_txn(f);
	fields_expect(f, ')', "')' after the transaction");
	fields_end(f, "nothing more");

	if (session != r->session || txn != r->txn) {
		r->session = session;
		r->txn = txn;
		r->chain = txn == ABORTED ? ID_NONE : chain_of_txn(r);
	}
	if (txn == ABORTED && letter == 'r')
		return;
	if (r->chain == ID_NONE)
		r->chain = aborted_chain(r);
	add_op(r, letter == 'r' ? ALIBI_READ : ALIBI_WRITE, key, value);
}

enum { FEW_KEYS = 4 };

/* Is the first transaction the initial one? */
static bool begins_with_initial(const struct plume_parser *r)
{
	const struct chain *c = r->chains.items;
	if (!r->chains.count || c->aborted || atoms_value(r->b->names, c->id).integer != 0 ||
	    atoms_value(r->b->names, c->session).integer != 0)
		return false;
	for (size_t t = 1; t < r->chains.count; t++)
		if (r->chains.items[t].session == c->session)
			return false;
	size_t written = 0, keys = atoms_count(r->b->keys);
	bool *seen = pool_zarray(r->pool, keys + 1, sizeof *seen);
	for (uint32_t i = c->first; i != ID_NONE; i = r->ops.items[i].next) {
		uint32_t key = op_key(r->ops.items[i].op);
		if (!op_writes(r->ops.items[i].op) || seen[key])
			return false;
		seen[key] = true;
		written++;
	}
	return written == keys && keys > FEW_KEYS;
}

static void feed_builder(struct plume_parser *r)
{
	struct builder *b = r->b;
	bool initial = begins_with_initial(r);
	for (uint32_t i = initial ? r->chains.items->first : ID_NONE; i != ID_NONE;
	     i = r->ops.items[i].next)
		builder_initial(b, op_key(r->ops.items[i].op), r->ops.items[i].op.value);
	for (size_t t = initial; t < r->chains.count; t++) {
		const struct chain *c = &r->chains.items[t];
		b->place.line = c->line;
		for (uint32_t i = c->first; i != ID_NONE; i = r->ops.items[i].next) {
			struct op o = r->ops.items[i].op;
			builder_op(b, op_kind(o), op_key(o), o.value);
			guard_tick(b->guard);
		}
		builder_end(b,
		            &(struct txn_head){.session = c->session,
		                               .id = c->id,
		                               .number = c->line,
		                               .status = c->aborted ? ALIBI_ABORT : ALIBI_COMMIT});
	}
}

static void plume_read(struct source *s, struct builder *b)
{
	struct plume_parser r = {
	        .b = b, .pool = s->pool, .fields = {.b = b}, .session = -1, .chain = ID_NONE};
	struct text line;
	b->numbered_by_line = true;
	b->h->initial_default = atoms_integer(b->values, 0);
	while (source_line(s, &line)) {
		fields_line(&r.fields, line);
		if (r.fields.at < r.fields.end)
			read_line(&r);
	}
	feed_builder(&r);
}

/* ---- writing ---- */

static bool ids_are_whole(const struct history *h)
{
	for (uint32_t t = 0; t < h->txn_count; t++)
		if (h->txns[t].status == ALIBI_COMMIT && !is_non_negative(history_txn_id(h, t)))
			return false;
	return true;
}

static bool sessions_are_whole(const struct history *h)
{
	for (uint32_t i = 0; i < h->session_count; i++)
		if (h->session_name[i] == ID_NONE ||
		    !is_non_negative(atoms_value(&h->names, h->session_name[i])))
			return false;
	return true;
}

/* The last two fields of a line. */
struct names {
	int64_t session, txn;
};

static void write_op(const struct history *h, struct sink *s, struct op o, struct names names)
{
	sink_text(s, op_writes(o) ? "w(" : "r(");
	sink_integer(s, integer_key(h, o));
	sink_text(s, ",");
	sink_integer(s, integer_value(h, o));
	sink_text(s, ",");
	sink_integer(s, names.session);
	sink_text(s, ",");
	sink_integer(s, names.txn);
	sink_text(s, ")\n");
}

static void write_txn(const struct history *h, struct sink *s, uint32_t t, struct names names)
{
	for (uint32_t i = h->txns[t].first_op; i < txn_op_end(h, t); i++) {
		if (names.txn == ABORTED && !op_writes(h->ops[i]))
			sink_drops(s, "what aborted transactions read");
		else
			write_op(h, s, h->ops[i], names);
	}
	guard_tick(s->guard);
}

/* The initial transaction. */
static void write_initial(const struct history *h, struct sink *s)
{
	for (size_t i = 0; i < h->initial.count; i++) {
		struct initial_value v = h->initial.items[i];
		struct op o = {.kind_and_key = (uint32_t)ALIBI_WRITE << KIND_SHIFT | v.key,
		               .value = v.value};
		write_op(h, s, o, (struct names){0, 0});
	}
}

/* Can the initial values be represented? All keys must have one, and the number 0 must be free,
 * for the initial transaction and its session. */
static bool initial_is_representable(const struct history *h)
{
	if (h->initial.count <= FEW_KEYS || h->initial.count != atoms_count(&h->keys))
		return false;
	for (size_t i = 0; i < h->initial.count; i++)
		if (!is_non_negative(atoms_value(&h->keys, h->initial.items[i].key)) ||
		    !is_non_negative(atoms_value(&h->values, h->initial.items[i].value)))
			return false;
	for (uint32_t t = 0; t < h->txn_count; t++) {
		uint32_t name = h->session_name[h->txns[t].session];
		alibi_value id = history_txn_id(h, t);
		alibi_value session = {0};
		if (name != ID_NONE)
			session = atoms_value(&h->names, name);
		if ((id.kind == ALIBI_INT && !id.integer) ||
		    (session.kind == ALIBI_INT && !session.integer))
			return false;
	}
	return true;
}

static void plume_write(const struct history *h, struct sink *s)
{
	struct capabilities can = {.keys = NON_NEGATIVE,
	                           .values = NON_NEGATIVE,
	                           .sessions = ANY_NAMES,
	                           .ids = ANY_NAMES,
	                           .initial = INITIAL_IS_ZERO,
	                           .single_initial = initial_is_representable(h),
	                           .aborts = true};
	bool own_ids = ids_are_whole(h), own_sessions = sessions_are_whole(h);
	int64_t last_aborted = -1; /* the session, if the last transaction is aborted */
	lossy_check(h, s, &can);
	if (can.single_initial)
		write_initial(h, s);
	if (!own_ids)
		sink_drops(s, "transaction ids");
	for (uint32_t t = 0; t < h->txn_count; t++) {
		uint32_t session = h->txns[t].session, name = h->session_name[session];
		bool aborted = h->txns[t].status == ALIBI_ABORT;
		struct names names = {.session = (int64_t)session + 1, .txn = (int64_t)t + 1};
		if (h->txns[t].first_op == txn_op_end(h, t))
			continue;
		if (own_sessions)
			names.session = atoms_value(&h->names, name).integer;
		else if (name != ID_NONE)
			sink_drops(s, "session names");
		if (own_ids)
			names.txn = history_txn_id(h, t).integer;
		if (aborted)
			names.txn = ABORTED;
		if (aborted && h->txn_id && h->txn_id[t] != ID_NONE)
			sink_drops(s, "ids of aborted transactions");
		if (aborted && last_aborted == names.session)
			sink_drops(s, "the borders between aborted transactions");
		last_aborted = aborted ? names.session : -1;
		write_txn(h, s, t, names);
	}
}

/* ---- sniffing ---- */

static const char *past_digits(const char *p, const char *end)
{
	const char *start = p;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p == start ? NULL : p;
}

/* Is the first line an operation? */
static bool plume_sniff(struct text head)
{
	const char *p = head.bytes, *end = head.bytes + head.length;
	if (head.length < 2 || (p[0] != 'r' && p[0] != 'w') || p[1] != '(')
		return false;
	p++;
	for (int field = 0; field < 4; field++) {
		p++;
		if (field == 3 && p < end && *p == '-')
			p++;
		p = past_digits(p, end);
		if (!p || p == end || *p != (field < 3 ? ',' : ')'))
			return false;
	}
	return true;
}

const struct format format_plume = {
        .name = "plume",
        .title = "PolySI, Plume, AWDIT and IsoVista text: r(key,value,session,txn)",
        .sniff = plume_sniff,
        .read = plume_read,
        .write = plume_write,
};
