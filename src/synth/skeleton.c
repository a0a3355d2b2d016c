/* skeleton: see skeleton.h. */
#include "synth/skeleton.h"

#include "history/atoms.h"
#include "history/builder.h"

#include <stdio.h>
#include <string.h>

uint32_t skeleton_op_count(const struct skeleton *s)
{
	uint32_t n = 0;
	for (uint32_t t = 1; t <= s->txns; t++)
		for (uint32_t k = 0; k < s->keys; k++)
			n += (uint32_t)s->writes[t][k] + (s->from[t][k] != NOT_READ);
	return n;
}

uint32_t skeleton_session_pairs(const struct skeleton *s)
{
	uint32_t n = 0;
	for (uint32_t b = 1; b <= s->txns; b++)
		for (uint32_t a = 1; a < b; a++)
			n += s->session[a] == s->session[b];
	return n;
}

/* ---- renumbering ---- */

/* By the first transaction that treats the keys differently, or else the first that reads
 * them. */
static int compare_keys(const struct skeleton *s, uint32_t a, uint32_t b)
{
	for (uint32_t t = 1; t <= s->txns; t++) {
		if (s->writes[t][a] != s->writes[t][b])
			return s->writes[t][a] ? -1 : 1;
		if (s->from[t][a] != s->from[t][b])
			return s->from[t][a] > s->from[t][b] ? -1 : 1;
	}
	for (uint32_t t = 1; t <= s->txns; t++)
		if (s->from[t][a] != NOT_READ)
			return s->place[t][a] < s->place[t][b] ? -1 : 1;
	return 0;
}

static void swap_keys(struct skeleton *s, uint32_t a, uint32_t b)
{
	for (uint32_t t = 1; t <= s->txns; t++) {
		bool w = s->writes[t][a];
		int8_t f = s->from[t][a];
		uint8_t p = s->place[t][a];
		s->writes[t][a] = s->writes[t][b];
		s->from[t][a] = s->from[t][b];
		s->place[t][a] = s->place[t][b];
		s->writes[t][b] = w;
		s->from[t][b] = f;
		s->place[t][b] = p;
	}
}

static void sort_keys(struct skeleton *s)
{
	for (uint32_t i = 1; i < s->keys; i++)
		for (uint32_t k = i; k && compare_keys(s, k - 1, k) > 0; k--)
			swap_keys(s, k - 1, k);
}

/* Sessions are numbered by their first transactions. */
static void number_sessions(struct skeleton *s)
{
	uint8_t fresh[SKELETON_TXNS + 1] = {0}, count = 0;
	for (uint32_t t = 1; t <= s->txns; t++) {
		uint8_t *number = &fresh[s->session[t]];
		if (!*number)
			*number = ++count;
		s->session[t] = *number;
	}
}

struct skeleton skeleton_renamed(const struct skeleton *s, const uint8_t *to)
{
	struct skeleton made = {.txns = s->txns, .keys = s->keys};
	for (uint32_t t = 1; t <= s->txns; t++) {
		made.session[to[t]] = s->session[t];
		for (uint32_t k = 0; k < s->keys; k++) {
			made.writes[to[t]][k] = s->writes[t][k];
			made.place[to[t]][k] = s->place[t][k];
			made.from[to[t]][k] =
			        s->from[t][k] == NOT_READ ? NOT_READ : (int8_t)to[s->from[t][k]];
		}
	}
	sort_keys(&made);
	number_sessions(&made);
	return made;
}

struct skeleton skeleton_sorted(const struct skeleton *s)
{
	uint8_t same[SKELETON_TXNS + 1];
	for (uint32_t t = 0; t <= SKELETON_TXNS; t++)
		same[t] = (uint8_t)t;
	return skeleton_renamed(s, same);
}

/* ---- histories ---- */

static struct skeleton_op op_of(const struct skeleton *s, uint32_t writer, uint32_t key,
                                bool writes)
{
	struct skeleton_op o = {.writes = writes, .key = key};
	for (uint32_t t = 1; t <= writer; t++)
		o.version += s->writes[t][key];
	if (key < 3)
		snprintf(o.name, sizeof o.name, "%c", (char)('x' + key));
	else
		snprintf(o.name, sizeof o.name, "z%u", key - 1);
	return o;
}

uint32_t skeleton_ops(const struct skeleton *s, uint32_t t, struct skeleton_op ops[SKELETON_OPS])
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < s->keys; k++) {
		if (s->from[t][k] == NOT_READ)
			continue;
		uint32_t i = n++;
		for (; i && s->place[t][ops[i - 1].key] > s->place[t][k]; i--)
			ops[i] = ops[i - 1];
		ops[i] = op_of(s, (uint32_t)s->from[t][k], k, false);
	}
	for (uint32_t k = 0; k < s->keys; k++)
		if (s->writes[t][k])
			ops[n++] = op_of(s, t, k, true);
	return n;
}

static void add_txn(struct builder *b, const struct skeleton *s, uint32_t t)
{
	struct skeleton_op ops[SKELETON_OPS];
	char name[16];
	for (uint32_t i = 0, n = skeleton_ops(s, t, ops); i < n; i++)
		builder_op(b, ops[i].writes ? ALIBI_WRITE : ALIBI_READ,
		           atoms_string(b->keys, ops[i].name, strlen(ops[i].name)),
		           ops[i].version ? atoms_integer(b->values, ops[i].version) : ATOM_NULL);
	snprintf(name, sizeof name, "T%u", t);
	builder_end(b, &(struct txn_head){.session = atoms_integer(b->names, s->session[t]),
	                                  .id = atoms_string(b->names, name, strlen(name)),
	                                  .number = t,
	                                  .status = ALIBI_COMMIT});
}

const struct history *skeleton_history(struct pool *pool, const struct skeleton *s,
                                       const char *source)
{
	struct builder *b = builder_new(pool);
	for (uint32_t t = 1; t <= s->txns; t++)
		add_txn(b, s, t);
	b->h->source = source;
	return builder_finish(b);
}

const char *skeleton_text(struct pool *pool, const struct skeleton *s)
{
	struct skeleton_op ops[SKELETON_OPS];
	text_vec out = {0};
	for (uint32_t t = 1; t <= s->txns; t++) {
		text_addf(pool, &out, "s%u: T%u", s->session[t], t);
		for (uint32_t i = 0, n = skeleton_ops(s, t, ops); i < n; i++) {
			text_addf(pool, &out, " %c(%s,", ops[i].writes ? 'w' : 'r', ops[i].name);
			text_addf(pool, &out, ops[i].version ? "%u)" : "null)", ops[i].version);
		}
		text_addf(pool, &out, "\n");
	}
	return text_string(pool, &out);
}

const char *witness_text(struct pool *pool, const struct skeleton *s, const struct witness *w,
                         bool has_vis, const char *const *names)
{
	const char *numbered[SKELETON_TXNS + 1] = {0};
	for (uint32_t t = 1; !names && t <= s->txns; t++)
		numbered[t] = text_format(pool, "T%u", t);
	names = names ? names : numbered;
	text_vec out = {0};
	for (uint32_t place = 1; place <= s->txns; place++)
		for (uint32_t t = 1; t <= s->txns; t++)
			if (w->rank[t] == place)
				text_addf(pool, &out, "%s%s", place > 1 ? ", " : "", names[t]);
	for (uint32_t t = 1; has_vis && t <= s->txns; t++) {
		bool any = false;
		for (uint32_t u = 1; u <= s->txns; u++) {
			if (!w->vis[u][t])
				continue;
			if (any)
				text_addf(pool, &out, " and %s", names[u]);
			else
				text_addf(pool, &out, "; %s sees %s", names[t], names[u]);
			any = true;
		}
	}
	return text_string(pool, &out);
}
