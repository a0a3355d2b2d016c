/* shape: see shape.h. */
#include "synth/shape.h"

#include "history/atoms.h"
#include "history/builder.h"

#include <stdio.h>
#include <string.h>

uint32_t shape_ops(const struct shape *s)
{
	uint32_t n = 0;
	for (uint32_t t = 1; t <= s->txns; t++)
		for (uint32_t k = 0; k < s->keys; k++)
			n += (uint32_t)s->writes[t][k] + (s->from[t][k] != NOBODY);
	return n;
}

uint32_t shape_session_pairs(const struct shape *s)
{
	uint32_t n = 0;
	for (uint32_t b = 1; b <= s->txns; b++)
		for (uint32_t a = 1; a < b; a++)
			n += s->session[a] == s->session[b];
	return n;
}

/* ---- other numbers ---- */

/* How keys a and b of a shape differ: the first transaction that treats them
 * differently decides, or else the first that reads them. */
static int compare_keys(const struct shape *s, uint32_t a, uint32_t b)
{
	for (uint32_t t = 1; t <= s->txns; t++) {
		if (s->writes[t][a] != s->writes[t][b])
			return s->writes[t][a] ? -1 : 1;
		if (s->from[t][a] != s->from[t][b])
			return s->from[t][a] > s->from[t][b] ? -1 : 1;
	}
	for (uint32_t t = 1; t <= s->txns; t++)
		if (s->from[t][a] != NOBODY)
			return s->place[t][a] < s->place[t][b] ? -1 : 1;
	return 0;
}

static void swap_keys(struct shape *s, uint32_t a, uint32_t b)
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

static void sort_keys(struct shape *s)
{
	for (uint32_t i = 1; i < s->keys; i++)
		for (uint32_t k = i; k && compare_keys(s, k - 1, k) > 0; k--)
			swap_keys(s, k - 1, k);
}

/* Sessions are numbered by their first transactions. */
static void number_sessions(struct shape *s)
{
	uint8_t fresh[SHAPE_TXNS + 1] = {0}, count = 0;
	for (uint32_t t = 1; t <= s->txns; t++) {
		uint8_t *number = &fresh[s->session[t]];
		if (!*number)
			*number = ++count;
		s->session[t] = *number;
	}
}

struct shape shape_renamed(const struct shape *s, const uint8_t *to)
{
	struct shape made = {.txns = s->txns, .keys = s->keys};
	for (uint32_t t = 1; t <= s->txns; t++) {
		made.session[to[t]] = s->session[t];
		for (uint32_t k = 0; k < s->keys; k++) {
			made.writes[to[t]][k] = s->writes[t][k];
			made.place[to[t]][k] = s->place[t][k];
			made.from[to[t]][k] =
			        s->from[t][k] == NOBODY ? NOBODY : (int8_t)to[s->from[t][k]];
		}
	}
	sort_keys(&made);
	number_sessions(&made);
	return made;
}

struct shape shape_sorted(const struct shape *s)
{
	uint8_t same[SHAPE_TXNS + 1];
	for (uint32_t t = 0; t <= SHAPE_TXNS; t++)
		same[t] = (uint8_t)t;
	return shape_renamed(s, same);
}

/* ---- histories ---- */

uint32_t shape_version(const struct shape *s, uint32_t t, uint32_t k)
{
	uint32_t n = 0;
	for (uint32_t u = 1; u <= t; u++)
		n += s->writes[u][k];
	return n;
}

void shape_key(uint32_t k, char name[SHAPE_NAME])
{
	if (k < 3)
		snprintf(name, SHAPE_NAME, "%c", (char)('x' + k));
	else
		snprintf(name, SHAPE_NAME, "z%u", k - 1);
}

uint32_t shape_reads(const struct shape *s, uint32_t t, uint32_t *keys)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < s->keys; k++) {
		if (s->from[t][k] == NOBODY)
			continue;
		uint32_t i = n++;
		for (; i && s->place[t][keys[i - 1]] > s->place[t][k]; i--)
			keys[i] = keys[i - 1];
		keys[i] = k;
	}
	return n;
}

static void add_txn(struct builder *b, const struct shape *s, uint32_t t)
{
	uint32_t keys[SHAPE_KEYS], n = shape_reads(s, t, keys);
	char name[SHAPE_NAME];
	for (uint32_t i = 0; i < n; i++) {
		uint32_t v = shape_version(s, (uint32_t)s->from[t][keys[i]], keys[i]);
		shape_key(keys[i], name);
		builder_op(b, ALIBI_READ, atoms_string(b->keys, name, strlen(name)),
		           v ? atoms_integer(b->values, v) : ATOM_NULL);
	}
	for (uint32_t k = 0; k < s->keys; k++) {
		if (!s->writes[t][k])
			continue;
		shape_key(k, name);
		builder_op(b, ALIBI_WRITE, atoms_string(b->keys, name, strlen(name)),
		           atoms_integer(b->values, shape_version(s, t, k)));
	}
	snprintf(name, sizeof name, "T%u", t);
	builder_end(b, &(struct txn_head){.session = atoms_integer(b->names, s->session[t]),
	                                  .id = atoms_string(b->names, name, strlen(name)),
	                                  .number = t,
	                                  .status = ALIBI_COMMIT});
}

const struct history *shape_history(struct pool *pool, const struct shape *s, const char *source)
{
	struct builder *b = builder_new(pool);
	for (uint32_t t = 1; t <= s->txns; t++)
		add_txn(b, s, t);
	b->h->source = source;
	return builder_finish(b);
}

const char *shape_text(struct pool *pool, const struct shape *s)
{
	text_vec out = {0};
	for (uint32_t t = 1; t <= s->txns; t++) {
		uint32_t keys[SHAPE_KEYS], n = shape_reads(s, t, keys);
		char name[SHAPE_NAME];
		text_addf(pool, &out, "s%u: T%u", s->session[t], t);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t v = shape_version(s, (uint32_t)s->from[t][keys[i]], keys[i]);
			shape_key(keys[i], name);
			if (v)
				text_addf(pool, &out, " r(%s,%u)", name, v);
			else
				text_addf(pool, &out, " r(%s,null)", name);
		}
		for (uint32_t k = 0; k < s->keys; k++) {
			shape_key(k, name);
			if (s->writes[t][k])
				text_addf(pool, &out, " w(%s,%u)", name, shape_version(s, t, k));
		}
		text_addf(pool, &out, "\n");
	}
	return text_string(pool, &out);
}

const char *witness_text(struct pool *pool, const struct shape *s, const struct witness *w,
                         bool sees)
{
	text_vec out = {0};
	for (uint32_t place = 1; place <= s->txns; place++)
		for (uint32_t t = 1; t <= s->txns; t++)
			if (w->rank[t] == place)
				text_addf(pool, &out, "%sT%u", place > 1 ? ", " : "", t);
	for (uint32_t t = 1; sees && t <= s->txns; t++) {
		bool any = false;
		for (uint32_t u = 1; u <= s->txns; u++) {
			if (!w->sees[u][t])
				continue;
			if (any)
				text_addf(pool, &out, " and T%u", u);
			else
				text_addf(pool, &out, "; T%u sees T%u", t, u);
			any = true;
		}
	}
	return text_string(pool, &out);
}
