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

#include <stdio.h>
#include <string.h>

enum op_type { INVOKE, OK, FAIL, INFO, NO_TYPE };

/* What an operation says besides its value, and what it is. */
enum op_flag {
	HAS_INDEX = 1,
	HAS_TIME = 2,
	HAS_MORE = 4, /* members that go to the info */
	NEMESIS = 8,  /* its process is no number */
};

/* The clocks to choose from are the flags above. */
enum clock { NO_CLOCK = 0, BY_INDEX = HAS_INDEX, BY_TIME = HAS_TIME };

struct operation {
	const char *at;    /* its map */
	const char *value; /* NULL: nil */
	const char *f;     /* NULL: txn, or missing */
	int64_t index, time;
	uint32_t line;
	uint32_t process; /* in names; ID_NONE: missing */
	uint32_t partner; /* the other half, from 1; 0: none */
	uint8_t type, flags;
};

struct jepsen_parser {
	const struct jepsen_notation *n;
	struct json json;
	struct builder *b;
	struct pool *pool;
	VEC(struct operation) ops;
	VEC(uint32_t) list; /* the list being read */
	text_vec text;      /* the info being rendered */
	enum clock clock;
	bool one_a_line;
	bool ids; /* the indexes identify the operations */
};

/* Is this text the word of this name? */
static bool is_word(const struct jepsen_notation *n, struct text t, const char *name)
{
	size_t before = strlen(n->open), length = strlen(name), after = strlen(n->close);
	return t.length == before + length + after && !memcmp(t.bytes, n->open, before) &&
	       !memcmp(t.bytes + before, name, length) &&
	       !memcmp(t.bytes + before + length, n->close, after);
}

enum member { TYPE, PROCESS, INDEX, TIME, VALUE, F, EXCEPTION, REST, OTHER };

static enum member member_named(struct text name)
{
	static const char *const names[] = {"type",  "process", "index",     "time",
	                                    "value", "f",       "exception", "info"};
	return (enum member)text_among(name, names, OTHER);
}

/* ---- the first pass: types and places ---- */

static const char *const type_names[] = {"invoke", "ok", "fail", "info"};

static enum op_type type_of(const struct jepsen_notation *n, struct text t)
{
	for (enum op_type i = INVOKE; i < NO_TYPE; i++)
		if (is_word(n, t, type_names[i]))
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

static void scan_member(struct jepsen_parser *r, enum member m, struct operation *o)
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
		if (is_word(n, t, "txn"))
			break;
		o->f = t.bytes;
		o->flags |= HAS_MORE;
		break;
	default:
		n->skip(j);
		o->flags |= HAS_MORE;
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
		scan_member(r, member_named(name), &o);
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

/* The first bytes of a text, for a message. */
static const char *shown(struct text t, char buffer[static 48])
{
	size_t length = t.length < 40 ? t.length : 40;
	for (size_t i = 0; i < length; i++)
		buffer[i] = (unsigned char)t.bytes[i] < 0x20 || (unsigned char)t.bytes[i] > 0x7e
		                    ? ' '
		                    : t.bytes[i];
	memcpy(buffer + length, t.length > length ? "..." : "", t.length > length ? 4 : 1);
	return buffer;
}

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
		         shown(r->n->skip(j), f));
	}
	if (at) {
		j->at = at;
		shown(r->n->skip(j), found);
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
	if (o->f && !(o->value && r->n->open_list(&r->json, &closing)))
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

static int64_t time_of(const struct jepsen_parser *r, const struct operation *o)
{
	return r->clock == BY_INDEX ? o->index : o->time;
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
		if (is_word(r->n, t, names[i]))
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

/* ---- the other members of an operation, as JSON ---- */

/* An object in r->text being made of members. */
struct object {
	size_t count;
	enum member alone; /* as the only member, its value stands for the object */
	size_t alone_at;   /* where that value is in the text; 0: it is not there */
};

/* Members that are represented otherwise, defaults, and exceptions: the stack trace of an error. */
static bool is_redundant(const struct jepsen_parser *r, bool nemesis, enum member m,
                         struct text value)
{
	switch (m) {
	case TYPE:
		return !nemesis || is_word(r->n, value, "info");
	case PROCESS:
		return !nemesis || is_word(r->n, value, "nemesis");
	case INDEX:
		return !nemesis || r->clock == BY_INDEX;
	case TIME:
		return !nemesis || r->clock == BY_TIME;
	case VALUE:
		return !nemesis;
	case F:
		return !nemesis && is_word(r->n, value, "txn");
	default:
		return m == EXCEPTION;
	}
}

static void add_name(struct jepsen_parser *r, struct object *object, struct text name)
{
	text_add(r->pool, &r->text, object->count ? "," : "{", 1);
	text_add_json_string(r->pool, &r->text, name.bytes, name.length);
	text_add(r->pool, &r->text, ":", 1);
}

static void add_members(struct jepsen_parser *r, const struct operation *o, struct object *object)
{
	struct json *j = &r->json;
	const struct jepsen_notation *n = r->n;
	struct text name;
	j->at = o->at;
	n->open_map(j, "an operation");
	for (bool first = true; n->member(j, &first, &name);) {
		enum member m = member_named(name);
		size_t mark = r->text.count;
		if (n->take_null(j))
			continue;
		add_name(r, object, name);
		struct text value = n->skip(j);
		if (is_redundant(r, o->flags & NEMESIS, m, value)) {
			r->text.count = mark;
			continue;
		}
		if (m == object->alone)
			object->alone_at = r->text.count;
		object->count++;
		j->at = value.bytes;
		n->render(j, &r->text);
	}
}

static struct text finished(struct jepsen_parser *r, const struct object *object)
{
	size_t from = 0;
	if (!object->count)
		text_add(r->pool, &r->text, "{", 1);
	if (object->count == 1 && object->alone_at)
		from = object->alone_at;
	else
		text_add(r->pool, &r->text, "}", 1);
	return (struct text){.bytes = r->text.items + from, .length = r->text.count - from};
}

/* The clock that is not begin and end, as a pair. Either half may be missing. */
static void add_clock(struct jepsen_parser *r, struct object *object, enum clock clock,
                      const struct operation *invoke, const struct operation *completion)
{
	static const char *const names[] = {[BY_INDEX] = "index", [BY_TIME] = "time"};
	const struct operation *half[] = {invoke, completion};
	bool any = false;
	for (size_t i = 0; i < 2; i++)
		any |= half[i] && half[i]->flags & (unsigned)clock;
	if (!any || clock == r->clock)
		return;
	add_name(r, object, (struct text){.bytes = names[clock], .length = strlen(names[clock])});
	object->count++;
	for (size_t i = 0; i < 2; i++) {
		text_add(r->pool, &r->text, i ? "," : "[", 1);
		if (half[i] && half[i]->flags & (unsigned)clock)
			text_addf(r->pool, &r->text, "%lld",
			          (long long)(clock == BY_INDEX ? half[i]->index : half[i]->time));
		else
			text_add(r->pool, &r->text, "null", 4);
	}
	text_add(r->pool, &r->text, "]", 1);
}

static void add_info(struct jepsen_parser *r, const struct operation *invoke,
                     const struct operation *completion, struct txn_head *head)
{
	struct object object = {.alone = REST};
	const struct operation *last = completion ? completion : invoke;
	r->text.count = 0;
	add_clock(r, &object, BY_TIME, invoke, completion);
	add_clock(r, &object, BY_INDEX, invoke, completion);
	if (last->flags & HAS_MORE)
		add_members(r, last, &object);
	if (!object.count)
		return;
	struct text info = finished(r, &object);
	head->info = info.bytes;
	head->info_length = info.length;
}

/* ---- the second pass: transactions and annotations ---- */

/* Either half may be missing. */
static void read_txn(struct jepsen_parser *r, const struct operation *invoke,
                     const struct operation *completion, uint32_t number)
{
	enum op_type type = completion ? (enum op_type)completion->type : INFO;
	const struct operation *last = completion ? completion : invoke;
	const struct operation *answer = last;
	struct txn_head head = {.session = last->process, .id = ID_NONE, .number = number};
	head.status = type == OK ? ALIBI_COMMIT : type == FAIL ? ALIBI_ABORT : ALIBI_UNKNOWN_STATUS;
	if (invoke && invoke->flags & (unsigned)r->clock) {
		head.has |= ALIBI_HAS_BEGIN;
		head.times.begin = time_of(r, invoke);
	}
	if (type != INFO && completion->flags & (unsigned)r->clock) {
		head.has |= ALIBI_HAS_END;
		head.times.end = time_of(r, completion);
	}
	const struct operation *named = type == INFO && invoke ? invoke : last;
	if (r->ids)
		head.id = atoms_integer(r->b->names, named->index);
	if (!last->value && invoke && type != OK)
		answer = invoke;
	bool empty = !answer->value && !last->f && (!invoke || !invoke->value);
	if (!empty)
		read_value(r, answer, type == OK);
	add_info(r, invoke, completion, &head);
	r->b->place.line = last->line;
	builder_end(r->b, &head);
}

static void read_annotation(struct jepsen_parser *r, const struct operation *o)
{
	struct object object = {.alone = VALUE};
	r->text.count = 0;
	add_members(r, o, &object);
	struct text json = finished(r, &object);
	int64_t at = time_of(r, o);
	builder_annotation(r->b, json.bytes, json.length,
	                   o->flags & (unsigned)r->clock ? &at : NULL);
}

static void read_all(struct jepsen_parser *r)
{
	uint32_t number = 0;
	for (size_t i = 0; i < r->ops.count; i++) {
		const struct operation *o = &r->ops.items[i];
		const struct operation *other = o->partner ? &r->ops.items[o->partner - 1] : NULL;
		number = r->one_a_line ? o->line : number + 1;
		if (o->flags & NEMESIS)
			read_annotation(r, o);
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
	b->numbered_by_line = r.one_a_line;
	b->h->has_skew = any_has(&r, r.clock); /* one process has written all, by one clock */
	read_all(&r);
}
