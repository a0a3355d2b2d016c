/* lossy: see lossy.h. */
#include "format/lossy.h"

#include "base/guard.h"

const char *shown_txn(const struct history *h, struct sink *s, uint32_t txn)
{
	text_vec t = {0};
	text_addf(s->pool, &t, "transaction ");
	text_add_value(s->pool, &t, history_txn_id(h, txn));
	return text_string(s->pool, &t);
}

const char *shown_key(const struct history *h, struct sink *s, uint32_t key)
{
	return render_value(s->pool, atoms_value(&h->keys, key));
}

void drop_header(const struct history *h, struct sink *s)
{
	if (h->claimed_level)
		sink_drops(s, "the level that was claimed");
	if (h->source)
		sink_drops(s, "the source");
	if (h->has_skew)
		sink_drops(s, "the bound on clock skew");
	if (h->annotations.count)
		sink_drops(s, "annotations");
}

void drop_named_writers(const struct history *h, struct sink *s, const struct written *w)
{
	uint32_t txn = 0;
	for (size_t i = 0; i < h->from.count; i++) {
		struct read_from f = h->from.items[i];
		struct op o = h->ops[f.op];
		uint32_t key = op_key(o);
		struct writers writers = written_to(w, key, o.value);
		while (txn_op_end(h, txn) <= f.op)
			txn++;
		guard_tick(s->guard);
		bool initial = o.value == history_initial(h, key);
		if (f.writer == NO_TXN ? initial && !writers.count
		                       : !initial && writers_only(writers, h, f.writer))
			continue;
		sink_refuse(s,
		            "%s: a read of key %s names its writer, which its value does not "
		            "(others wrote the same, or that one did not write it); this format "
		            "has only values",
		            shown_txn(h, s, txn), shown_key(h, s, key));
	}
	if (h->from.count)
		sink_drops(s, "the writers that reads name (their values say the same)");
}

alibi_value session_name(const struct history *h, uint32_t session)
{
	uint32_t name = h->session_name[session];
	return name == ATOM_NONE ? (alibi_value){.kind = ALIBI_NULL} : atoms_value(&h->names, name);
}

int64_t *integer_names(const struct history *h, struct sink *s, uint32_t count, name_fn *name,
                       int64_t floor)
{
	int64_t *number = pool_array(s->pool, (size_t)count + 1, sizeof *number);
	int64_t highest = floor;
	for (uint32_t i = 0; i < count; i++) {
		alibi_value v = name(h, i);
		if (v.kind == ALIBI_INT && v.integer > highest)
			highest = v.integer;
		guard_tick(s->guard);
	}
	for (uint32_t i = 0; i < count; i++) {
		alibi_value v = name(h, i);
		if (v.kind != ALIBI_INT && highest == INT64_MAX)
			sink_refuse(s,
			            "sessions and transactions need numbers in this format, and "
			            "none are left above %lld; rename that one",
			            (long long)highest);
		number[i] = v.kind == ALIBI_INT ? v.integer : ++highest;
	}
	return number;
}

void require_integer_key(const struct history *h, struct sink *s, uint32_t key)
{
	if (h->key_is_list[key])
		sink_refuse(s, "key %s is a list; this format has only registers",
		            shown_key(h, s, key));
	if (atoms_kind(&h->keys, key) != ALIBI_INT)
		sink_refuse(s,
		            "key %s is no integer, and this format has no other keys; number the "
		            "keys first",
		            shown_key(h, s, key));
}
