/* jepsen_call: see jepsen_call.h. */
#include "format/jepsen_call.h"

#include <string.h>

bool jepsen_is_word(const struct jepsen_notation *n, struct text t, const char *name)
{
	size_t before = strlen(n->open), length = strlen(name), after = strlen(n->close);
	return t.length == before + length + after && !memcmp(t.bytes, n->open, before) &&
	       !memcmp(t.bytes + before, name, length) &&
	       !memcmp(t.bytes + before + length, n->close, after);
}

enum jepsen_member jepsen_member_named(struct text name)
{
	static const char *const names[] = {"type", "process",   "index", "time", "value",
	                                    "f",    "exception", "info",  "error"};
	return (enum jepsen_member)text_among(name, names, OTHER);
}

const char *jepsen_shown(struct text t, char buffer[static 48])
{
	size_t length = t.length < 40 ? t.length : 40;
	for (size_t i = 0; i < length; i++)
		buffer[i] = (unsigned char)t.bytes[i] < 0x20 || (unsigned char)t.bytes[i] > 0x7e
		                    ? ' '
		                    : t.bytes[i];
	memcpy(buffer + length, t.length > length ? "..." : "", t.length > length ? 4 : 1);
	return buffer;
}

static int64_t time_of(const struct jepsen_parser *r, const struct operation *o)
{
	return r->clock == BY_INDEX ? o->index : o->time;
}

/* ---- the other members of an operation, as JSON ---- */

/* An object in r->text being made of members. */
struct object {
	size_t count;
	enum jepsen_member alone; /* as the only member, its value stands for the object */
	size_t alone_at;          /* where that value is in the text; 0: it is not there */
};

/* Members that are represented otherwise, defaults, and exceptions: the stack trace of an error. */
static bool is_redundant(const struct jepsen_parser *r, bool nemesis, enum jepsen_member m,
                         struct text value)
{
	switch (m) {
	case TYPE:
		return !nemesis || jepsen_is_word(r->n, value, "info");
	case PROCESS:
		return !nemesis || jepsen_is_word(r->n, value, "nemesis");
	case INDEX:
		return !nemesis || r->clock == BY_INDEX;
	case TIME:
		return !nemesis || r->clock == BY_TIME;
	case VALUE:
		return !nemesis;
	case F:
		return !nemesis && jepsen_is_word(r->n, value, "txn");
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
		enum jepsen_member m = jepsen_member_named(name);
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

/* ---- calls ---- */

struct jepsen_call jepsen_call(struct jepsen_parser *r, const struct operation *invoke,
                               const struct operation *completion, uint32_t number)
{
	const struct operation *last = completion ? completion : invoke;
	struct jepsen_call c = {invoke, completion, INFO, last, {.id = ID_NONE}};
	struct txn_head *head = &c.head;
	c.type = completion ? (enum op_type)completion->type : INFO;
	head->session = last->process;
	head->number = number;
	head->status = c.type == OK     ? ALIBI_COMMIT
	               : c.type == FAIL ? ALIBI_ABORT
	                                : ALIBI_UNKNOWN_STATUS;
	if (invoke && invoke->flags & (unsigned)r->clock) {
		head->has |= ALIBI_HAS_BEGIN;
		head->times.begin = time_of(r, invoke);
	}
	if (c.type != INFO && completion->flags & (unsigned)r->clock) {
		head->has |= ALIBI_HAS_END;
		head->times.end = time_of(r, completion);
	}
	const struct operation *named = c.type == INFO && invoke ? invoke : last;
	if (r->ids)
		head->id = atoms_integer(r->b->names, named->index);
	if (!last->value && invoke && c.type != OK)
		c.answer = invoke;
	add_info(r, invoke, completion, head);
	r->b->place.line = last->line;
	return c;
}

void jepsen_annotation(struct jepsen_parser *r, const struct operation *o)
{
	struct object object = {.alone = VALUE};
	r->text.count = 0;
	add_members(r, o, &object);
	struct text json = finished(r, &object);
	int64_t at = time_of(r, o);
	builder_annotation(r->b, json.bytes, json.length,
	                   o->flags & (unsigned)r->clock ? &at : NULL);
}

/* ---- what models share ---- */

static struct text f_of(struct jepsen_parser *r, const struct operation *o)
{
	if (!o->f)
		return (struct text){"", 0};
	r->json.at = o->f;
	return r->n->skip(&r->json);
}

bool model_is(struct jepsen_parser *r, const struct operation *o, const char *f)
{
	return jepsen_is_word(r->n, f_of(r, o), f);
}

_Noreturn void model_reject(struct jepsen_parser *r, const struct operation *o)
{
	char f[48];
	struct text found = f_of(r, o);
	jepsen_shown(found, f);
	r->json.at = o->value ? o->value : o->at;
	json_reject(&r->json, "the operations of the model %s are %s; found one whose %sf%s is %s",
	            r->model->name, r->model->operations, r->n->open, r->n->close,
	            found.length ? f : "missing");
}

bool model_open(struct jepsen_parser *r, char *closing)
{
	struct json *j = &r->json;
	if (r->n->peek(j) == '#' && j->at[1] == '{') { /* a set, in EDN */
		j->at += 2;
		*closing = '}';
		return true;
	}
	return r->n->open_list(j, closing);
}

uint32_t model_key(struct jepsen_parser *r, const char *name)
{
	return atoms_string(r->b->keys, name, strlen(name));
}

void model_end(struct jepsen_parser *r, struct txn_head *head)
{
	head->number = (uint32_t)r->b->txns.count + 1;
	builder_end(r->b, head);
}

struct jepsen_call model_call(struct jepsen_parser *r, const struct operation *o)
{
	const struct operation *other = o->partner ? &r->ops.items[o->partner - 1] : NULL;
	const struct operation *completion = o->type == INVOKE ? other : o;
	return jepsen_call(r, o->type == INVOKE ? o : other, completion, o->line);
}

const struct operation *model_next_read(struct jepsen_parser *r, size_t *at, const char *other,
                                        const char *another)
{
	while (*at < r->ops.count) {
		const struct operation *o = &r->ops.items[(*at)++];
		guard_tick(r->json.guard);
		if (o->flags & NEMESIS)
			continue;
		bool read = model_is(r, o, "read");
		if (!read && !model_is(r, o, other) && !model_is(r, o, another))
			model_reject(r, o);
		if (read && o->type == OK)
			return o;
	}
	return NULL;
}
