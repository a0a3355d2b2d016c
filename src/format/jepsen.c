/*
 * jepsen: reading; see jepsen.h.
 *
 * Members come in any order, the value perhaps before the type, and which clock the history has is
 * known only at its end. So there are two passes: the first notes the type and the place of each
 * operation and skips its value; then invocations and completions are paired, and the second reads
 * the values.
 *
 * Cost. Both passes are linear; 56 bytes an operation.
 */
#include "format/jepsen.h"

#include "format/jepsen_model.h"

#include <stdio.h>
#include <string.h>

/* ---- the first pass: types and places ---- */

static const char *const type_names[] = {"invoke", "ok", "fail", "info"};

static enum op_type type_of(const struct jepsen_notation *n, struct text t)
{
	for (enum op_type i = INVOKE; i < NO_TYPE; i++)
		if (jepsen_is_word(n, t, type_names[i]))
			return i;
	return NO_TYPE;
}

static void scan_process(struct jepsen_parser *r, struct operation *o)
{
	if (r->n->at_number(&r->json)) {
		int64_t process = r->n->integer(&r->json, "the number of a process");
		o->process = atoms_integer(r->b->names, process);
	} else {
		r->n->skip(&r->json);
		o->flags |= NEMESIS;
	}
}

static void scan_member(struct jepsen_parser *r, enum jepsen_member m, struct operation *o)
{
	struct json *j = &r->json;
	const struct jepsen_notation *n = r->n;
	struct text t;
	if (n->take_null(j))
		return;
	switch (m) {
	case TYPE:
		o->type = (uint8_t)type_of(n, n->skip(j));
		break;
	case PROCESS:
		scan_process(r, o);
		break;
	case INDEX:
		o->index = n->integer(j, "an index, an integer");
		o->flags &= (uint8_t)~HAS_INDEX;           /* the last one counts */
		o->flags |= o->index >= 0 ? HAS_INDEX : 0; /* Jepsen's -1: none yet */
		break;
	case TIME:
		o->time = n->integer(j, "a time, an integer");
		o->flags |= HAS_TIME;
		break;
	case VALUE:
		o->value = n->skip(j).bytes;
		break;
	case F:
		t = n->skip(j);
		if (jepsen_is_word(n, t, "txn"))
			break;
		o->f = t.bytes;
		o->flags |= HAS_MORE;
		break;
	default:
		n->skip(j);
		o->flags |= m == ERROR ? HAS_MORE | HAS_ERROR : HAS_MORE;
		break;
	}
}

static void scan_operation(struct jepsen_parser *r, uint32_t line)
{
	struct json *j = &r->json;
	const struct jepsen_notation *n = r->n;
	struct operation o = {
	        .at = j->at, .line = line, .process = ID_NONE, .type = (uint8_t)NO_TYPE};
	struct text name;
	n->open_map(j, "an operation, a map with a type, a process and a value");
	for (bool first = true; n->member(j, &first, &name);)
		scan_member(r, jepsen_member_named(name), &o);
	if (o.type == NO_TYPE && !(o.flags & NEMESIS)) {
		j->at = o.at;
		json_reject(j,
		            "expected in this operation the %stype%s %sinvoke%s, %sok%s, %sfail%s "
		            "or %sinfo%s",
		            n->open, n->close, n->open, n->close, n->open, n->close, n->open,
		            n->close, n->open, n->close);
	}
	if (r->ops.count && r->ops.items[r->ops.count - 1].line == line)
		r->one_a_line = false;
	if (r->ops.count >= KEY_LIMIT)
		json_reject(j, "more than %d operations", KEY_LIMIT);
	vec_push(r->pool, &r->ops, o);
	guard_tick(j->guard);
}

/* Of the cursor, given a place before it and the line of that. */
static uint32_t line_here(const struct json *j, const char **from, uint32_t line)
{
	const char *p = *from;
	while ((p = memchr(p, '\n', (size_t)(j->at - p)))) {
		line++;
		p++;
	}
	*from = j->at;
	return line;
}

/* Either one list of operations or just the operations. */
static void scan(struct jepsen_parser *r)
{
	struct json *j = &r->json;
	const struct jepsen_notation *n = r->n;
	const char *from = j->at;
	uint32_t line = 1;
	char closing;
	if (n->open_list(j, &closing)) {
		for (bool first = true; n->item(j, &first, closing);) {
			n->peek(j);
			line = line_here(j, &from, line);
			scan_operation(r, line);
		}
		if (n->peek(j))
			json_expected(j, "nothing more after the list of operations");
	} else {
		while (n->peek(j)) {
			line = line_here(j, &from, line);
			scan_operation(r, line);
		}
	}
	if (j->at < j->end)
		json_expected(j, "an operation");
}

/* ---- pairing ---- */

/* at: the offending form; NULL: the operation as a whole. */
static _Noreturn void reject_workload(struct jepsen_parser *r, const struct operation *o,
                                      const char *at)
{
	struct json *j = &r->json;
	const char *open = r->n->open, *close = r->n->close;
	char f[48], found[48] = "nothing", where[96] = "";
	if (o->f) {
		j->at = o->f;
		snprintf(where, sizeof where, " in an operation whose %sf%s is %s", open, close,
		         jepsen_shown(r->n->skip(j), f));
	}
	if (at) {
		j->at = at;
		jepsen_shown(r->n->skip(j), found);
	}
	j->at = at ? at : o->at;
	json_reject(j,
	            "Alibi reads list-append and rw-register histories, whose %svalue%s is a list "
	            "of operations %sappend%s, %sr%s and %sw%s, each with a key and a value; "
	            "found %s%s",
	            open, close, open, close, open, close, open, close, found, where);
}

static _Noreturn void reject_overlap(struct jepsen_parser *r, const struct operation *o,
                                     uint32_t earlier)
{
	const char *open = r->n->open, *close = r->n->close;
	uint32_t line = r->ops.items[earlier].line;
	char closing;
	r->json.at = o->value;
	if (!r->b->model && o->f && !(o->value && r->n->open_list(&r->json, &closing)))
		reject_workload(r, o, o->value);
	r->json.at = o->at;
	if (o->process == ID_NONE)
		json_reject(&r->json,
		            "this operation is invoked before the one of line %u is completed, and "
		            "neither has a %sprocess%s to match completions with invocations",
		            line, open, close);
	json_reject(&r->json,
	            "process %lld invokes this before its operation of line %u is completed; "
	            "expected %sok%s, %sfail%s or %sinfo%s for that one first",
	            (long long)atoms_value(r->b->names, o->process).integer, line, open, close,
	            open, close, open, close);
}

static void pair(struct jepsen_parser *r)
{
	uint32_t anonymous = 0; /* these two: the pending invocation, from 1; 0: none */
	uint32_t *of_process =
	        pool_zarray(r->pool, atoms_count(r->b->names) + 1, sizeof *of_process);
	for (uint32_t i = 0; i < r->ops.count; i++) {
		struct operation *o = &r->ops.items[i];
		guard_tick(r->json.guard);
		if (o->flags & NEMESIS)
			continue;
		uint32_t *pending = o->process == ID_NONE ? &anonymous : &of_process[o->process];
		if (o->type == INVOKE && *pending)
			reject_overlap(r, o, *pending - 1);
		if (o->type == INVOKE) {
			*pending = i + 1;
		} else if (*pending) {
			o->partner = *pending;
			r->ops.items[*pending - 1].partner = i + 1;
			*pending = 0;
		}
	}
}

/* Do all operations whose time counts have this clock? Completions without an invocation count
 * only if `lone`. */
static bool all_have(const struct jepsen_parser *r, enum clock clock, bool lone)
{
	for (size_t i = 0; i < r->ops.count; i++) {
		const struct operation *o = &r->ops.items[i];
		bool counts = o->type != INFO && (o->type == INVOKE || o->partner || lone);
		if (counts && !(o->flags & (NEMESIS | (unsigned)clock)))
			return false;
	}
	return true;
}

static bool any_has(const struct jepsen_parser *r, enum clock clock)
{
	for (size_t i = 0; i < r->ops.count; i++) {
		const struct operation *o = &r->ops.items[i];
		if (o->type != INFO && !(o->flags & NEMESIS) && o->flags & (unsigned)clock)
			return true;
	}
	return false;
}

/* Without any invocation both clocks qualify: take the one that completions have. */
static enum clock clock_of(const struct jepsen_parser *r)
{
	if (all_have(r, BY_INDEX, true))
		return BY_INDEX;
	if (all_have(r, BY_TIME, true))
		return BY_TIME;
	bool index = all_have(r, BY_INDEX, false), time = all_have(r, BY_TIME, false);
	if (index && time)
		return any_has(r, BY_TIME) && !any_has(r, BY_INDEX) ? BY_TIME : BY_INDEX;
	return index ? BY_INDEX : time ? BY_TIME : NO_CLOCK;
}

/* Are the indexes ids? They rise, as Jepsen writes them, so that no two are the same, and no
 * transaction is without. */
static bool indexes_identify(const struct jepsen_parser *r)
{
	int64_t last = -1;
	for (size_t i = 0; i < r->ops.count; i++) {
		const struct operation *o = &r->ops.items[i];
		bool has = o->flags & HAS_INDEX;
		if (has ? o->index <= last : !o->partner && !(o->flags & NEMESIS))
			return false;
		last = has ? o->index : last;
	}
	return r->clock == BY_INDEX;
}

/* ---- values ---- */

static uint32_t read_list(struct jepsen_parser *r, char closing)
{
	struct json *j = &r->json;
	r->list.count = 0;
	for (bool first = true; r->n->item(j, &first, closing); guard_tick(j->guard))
		vec_push(r->pool, &r->list, r->n->atom(j, r->b->values, "an element of the list"));
	return atoms_list(r->b->values, r->list.items, r->list.count);
}

/* The value of a read: nil, a list or something single. */
static uint32_t read_result(struct jepsen_parser *r)
{
	char closing;
	if (r->n->take_null(&r->json))
		return ATOM_NULL;
	if (r->n->open_list(&r->json, &closing))
		return read_list(r, closing);
	return r->n->atom(&r->json, r->b->values, "the value read");
}

static enum alibi_op_kind micro_kind(struct jepsen_parser *r, const struct operation *o,
                                     const char *at)
{
	static const char *const names[] = {"r", "w", "append"};
	struct text t = r->n->skip(&r->json);
	for (size_t i = 0; i < 3; i++)
		if (jepsen_is_word(r->n, t, names[i]))
			return (enum alibi_op_kind)i;
	reject_workload(r, o, at);
}

/* The argument of a write or an append. */
static uint32_t read_argument(struct jepsen_parser *r, enum alibi_op_kind kind)
{
	char c = r->n->peek(&r->json);
	if (kind == ALIBI_WRITE && (c == '[' || c == '('))
		json_reject(&r->json, "expected a single value to write, found a list; "
		                      "lists are made by appending");
	return r->n->atom(&r->json, r->b->values, "a value");
}

/* answered: a read of nil is a result. Otherwise it is dropped, and its key must not become one of
 * the history, so the key is read last. */
static void read_micro_op(struct jepsen_parser *r, const struct operation *o, bool answered)
{
	struct json *j = &r->json;
	const struct jepsen_notation *n = r->n;
	bool first = true;
	char closing;
	n->peek(j);
	const char *at = j->at;
	if (!n->open_list(j, &closing))
		reject_workload(r, o, o->value);
	if (!n->item(j, &first, closing))
		reject_workload(r, o, at);
	enum alibi_op_kind kind = micro_kind(r, o, at);
	if (!n->item(j, &first, closing))
		reject_workload(r, o, at);
	n->peek(j);
	const char *key_at = j->at;
	uint32_t value = ATOM_NULL;
	n->skip(j);
	bool more = n->item(j, &first, closing);
	if (more)
		value = kind == ALIBI_READ ? read_result(r) : read_argument(r, kind);
	if (more ? n->item(j, &first, closing) : kind != ALIBI_READ)
		reject_workload(r, o, at);
	if (kind == ALIBI_READ && value == ATOM_NULL && !answered)
		return;
	const char *end = j->at;
	j->at = key_at;
	builder_op(r->b, kind, n->atom(j, r->b->keys, "a key"), value);
	j->at = end;
}

static void read_value(struct jepsen_parser *r, const struct operation *o, bool answered)
{
	struct json *j = &r->json;
	char closing;
	j->at = o->value;
	if (!o->value || !r->n->open_list(j, &closing))
		reject_workload(r, o, o->value);
	for (bool first = true; r->n->item(j, &first, closing); guard_tick(j->guard))
		read_micro_op(r, o, answered);
}

/* ---- the second pass: transactions and annotations ---- */

static void read_txn(struct jepsen_parser *r, const struct operation *invoke,
                     const struct operation *completion, uint32_t number)
{
	struct jepsen_call c = jepsen_call(r, invoke, completion, number);
	if (r->model && r->model->take) {
		r->model->take(r, &c);
		return;
	}
	const struct operation *last = completion ? completion : invoke;
	bool empty = !c.answer->value && !last->f && (!invoke || !invoke->value);
	if (!empty)
		read_value(r, c.answer, c.type == OK);
	builder_end(r->b, &c.head);
}

static void read_all(struct jepsen_parser *r)
{
	uint32_t number = 0;
	for (size_t i = 0; i < r->ops.count; i++) {
		const struct operation *o = &r->ops.items[i];
		const struct operation *other = o->partner ? &r->ops.items[o->partner - 1] : NULL;
		number = r->one_a_line ? o->line : number + 1;
		if (o->flags & NEMESIS)
			jepsen_annotation(r, o);
		else if (o->type == INVOKE)
			read_txn(r, o, other, number);
		else if (!other)
			read_txn(r, NULL, o, number);
	}
}

void jepsen_read(struct source *s, struct builder *b, const struct jepsen_notation *n)
{
	struct jepsen_parser r = {.n = n, .b = b, .pool = s->pool, .one_a_line = true};
	json_init(&r.json, s->pool, s->name);
	json_text(&r.json, source_whole(s), 1);
	scan(&r);
	pair(&r);
	r.clock = clock_of(&r);
	r.ids = indexes_identify(&r);
	r.model = jepsen_model_begin(&r, b->model);
	b->numbered_by_line = r.one_a_line && !(r.model && r.model->take);
	b->h->nanoseconds = r.clock == BY_TIME;
	b->h->has_skew = any_has(&r, r.clock); /* one process has written all, by one clock */
	read_all(&r);
	if (r.model && r.model->finish)
		r.model->finish(&r);
}
