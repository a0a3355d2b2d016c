/* group: see group.h. */
#include "report/group.h"

#include "history/render.h"
#include "report/view.h"

#include <string.h>

enum { MEMBERS_SHOWN = 4, TXNS_SHOWN = 6 };

const struct group *groups_of(struct pool *pool, const alibi_explanation *e, size_t *count)
{
	struct group *groups = pool_zarray(pool, e->count + 1, sizeof *groups);
	*count = 0;
	for (size_t i = 0; i < e->count; i++) {
		struct group *g = groups;
		while (g < groups + *count &&
		       strcmp(g->members[0]->name, e->anomalies[i].name) != 0)
			g++;
		if (g == groups + *count) {
			++*count;
			g->members = pool_array(pool, e->count, sizeof(alibi_anomaly *));
		}
		g->members[g->count++] = &e->anomalies[i];
	}
	return groups;
}

/* "T1, T14" */
static void add_txns(struct pool *pool, text_vec *t, const alibi_anomaly *a)
{
	const struct history *h = view_history(a->reduced);
	for (size_t i = 0; i < a->txn_count && i < TXNS_SHOWN; i++)
		text_addf(pool, t, "%s%s", i ? ", " : "",
		          h ? view_id(pool, h, (uint32_t)i) : a->txns[i]);
	if (a->txn_count > TXNS_SHOWN)
		text_addf(pool, t, ", …");
}

static bool is_of_one_key(const struct group *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (!g->members[i]->key || strcmp(g->members[i]->key, g->members[0]->key) != 0)
			return false;
	return true;
}

static bool have_keys(const struct group *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (!g->members[i]->key)
			return false;
	return true;
}

const char *group_heading(struct pool *pool, const struct group *g)
{
	text_vec t = {0};
	const alibi_anomaly *first = g->members[0];
	bool apart = have_keys(g) && !is_of_one_key(g);
	text_addf(pool, &t, "%zu %s", g->count, first->many ? first->many : first->name);
	if (is_of_one_key(g))
		text_addf(pool, &t, " on %s", first->key);
	text_addf(pool, &t, apart ? ": " : " (");
	for (size_t i = 0; i < g->count && i < MEMBERS_SHOWN; i++) {
		if (apart)
			text_addf(pool, &t, "%s%s (", i ? ", " : "", g->members[i]->key);
		else
			text_addf(pool, &t, "%s", i ? "; " : "");
		add_txns(pool, &t, g->members[i]);
		text_addf(pool, &t, "%s", apart ? ")" : "");
	}
	if (g->count > MEMBERS_SHOWN)
		text_addf(pool, &t, apart ? ", …" : "; …");
	text_addf(pool, &t, "%s", apart ? "" : ")");
	return view_shortened(pool, text_string(pool, &t));
}
