/* dbcop: see dbcop.h. */
#include "format/dbcop.h"

#include "format/digits.h"
#include "format/sniff.h"

#include <string.h>

static const char never[] = "1970-01-01T00:00:00+00:00";

void dbcop_source(struct builder *b, const char *info)
{
	if (*info)
		b->h->source = info;
}

void dbcop_annotate(struct builder *b, const struct dbcop_envelope *e)
{
	if (!e->id && text_is(e->start, never) && text_is(e->end, never))
		return;
	struct pool *pool = pool_child(b->pool);
	text_vec json = {0};
	text_addf(pool, &json, "{\"dbcop\":{\"id\":%llu,\"start\":", (unsigned long long)e->id);
	text_add_json_string(pool, &json, e->start.bytes, e->start.length);
	text_addf(pool, &json, ",\"end\":");
	text_add_json_string(pool, &json, e->end.bytes, e->end.length);
	text_addf(pool, &json, "}}");
	builder_annotation(b, json.items, json.count, NULL);
	pool_release(pool);
}

/* It is JSON, so that something follows the digits. */
static bool take_digits(struct text *t, uint64_t *n)
{
	const char *end = t->length ? digits_value(t->bytes, UINT64_MAX, n) : NULL;
	if (!end || end == t->bytes)
		return false;
	t->length -= (size_t)(end - t->bytes);
	t->bytes = end;
	return true;
}

/* The characters that times have: none that JSON would have to escape. */
static bool take_time(struct text *t, struct text *time)
{
	size_t i = 0;
	while (i < t->length && t->bytes[i] && strchr("0123456789-+:.TZ", t->bytes[i]))
		i++;
	*time = (struct text){.bytes = t->bytes, .length = i};
	t->bytes += i;
	t->length -= i;
	return i > 0;
}

static bool parse_annotation(struct text t, struct dbcop_envelope *e)
{
	return sniff_literal(&t, "{\"dbcop\":{\"id\":") && take_digits(&t, &e->id) &&
	       sniff_literal(&t, ",\"start\":\"") && take_time(&t, &e->start) &&
	       sniff_literal(&t, "\",\"end\":\"") && take_time(&t, &e->end) &&
	       sniff_literal(&t, "\"}}") && !t.length;
}

void dbcop_check(const struct history *h, struct sink *s, enum initial_spelling initial)
{
	lossy_check(h, s,
	            &(struct capabilities){.keys = NON_NEGATIVE,
	                                   .values = NON_NEGATIVE,
	                                   .initial = initial,
	                                   .aborts = true,
	                                   .empty_txns = true,
	                                   .source = true,
	                                   .annotations = true});
}

struct dbcop_envelope dbcop_envelope_of(const struct history *h, struct sink *s)
{
	struct text nothing = {.bytes = never, .length = strlen(never)};
	struct dbcop_envelope found = {.start = nothing, .end = nothing};
	bool any = false;
	for (size_t i = 0; i < h->annotations.count; i++) {
		const struct annotation *a = &h->annotations.items[i];
		struct text t = {.bytes = h->texts.items + a->offset, .length = a->length};
		struct dbcop_envelope e;
		bool ours = parse_annotation(t, &e);
		guard_tick(s->guard);
		if (ours && !any)
			found = e;
		if (!ours || any)
			sink_drops(s, "annotations");
		any |= ours;
	}
	return found;
}

struct dbcop_params dbcop_params_of(const struct history *h)
{
	struct dbcop_params p = {.n_node = h->session_count, .n_variable = atoms_count(&h->keys)};
	for (uint32_t i = 0; i < h->session_count; i++) {
		uint64_t txns = h->session_first[i + 1] - h->session_first[i];
		p.n_transaction = txns > p.n_transaction ? txns : p.n_transaction;
	}
	for (uint32_t t = 0; t < h->txn_count; t++) {
		uint64_t events = txn_op_end(h, t) - h->txns[t].first_op;
		p.n_event = events > p.n_event ? events : p.n_event;
	}
	return p;
}
