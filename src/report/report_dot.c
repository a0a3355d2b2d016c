/*
 * report_dot: the graphs of the anomalies for Graphviz. An anomaly is a box with a
 * box for each of its cases (if there is more than one), and one for each session
 * in it; an edge says its kind and key, and its sentence is its tooltip.
 */
#include "report/report.h"
#include "report/tell.h"

#include <stdio.h>
#include <string.h>

enum { ANOMALIES_DRAWN = 20, TXNS_DRAWN = 200, OPS_DRAWN = 12, LABEL_COLUMNS = 40 };

static void label(struct sink *s, const char *attribute, const char *text)
{
	sink_addf(s, "%s=\"", attribute);
	words_dot(s, text);
	sink_text(s, "\"");
}

static void open_box(struct sink *s, size_t *boxes, const char *title)
{
	sink_addf(s, "subgraph cluster_%zu {\n", (*boxes)++);
	label(s, "label", words_elided(s->pool, title, 2 * LABEL_COLUMNS));
	sink_text(s, "\n");
}

static void node(struct sink *s, const char *prefix, const struct history *h, uint32_t t)
{
	sink_addf(s, "%st%u [label=\"", prefix, t);
	words_dot(s, words_elided(s->pool, tell_id(s->pool, h, t), LABEL_COLUMNS));
	if (h->txns[t].status != ALIBI_COMMIT)
		sink_addf(s, "\\n%s", tell_status(h, t));
	sink_text(s, "\\n");
	for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
		if (op - h->txns[t].first_op == OPS_DRAWN) {
			sink_addf(s, "… %u more\\l", txn_op_end(h, t) - op);
			break;
		}
		words_dot(s, tell_op(s->pool, h, op, LABEL_COLUMNS));
		sink_text(s, "\\l");
	}
	sink_addf(s, "\"%s]\n", h->txns[t].status == ALIBI_COMMIT ? "" : " style=dashed");
}

static void edge(struct sink *s, const char *prefix, const alibi_edge *e, size_t number)
{
	static const char dashed[] = " style=dashed", plain[] = "";
	text_vec t = {0};
	text_addf(s->pool, &t, "%zu: %s", number, e->kind);
	if (e->key)
		text_addf(s->pool, &t, " %s", words_bare(s->pool, e->key));
	sink_addf(s, "%st%zu -> %st%zu [", prefix, e->from, prefix, e->to);
	label(s, "label", words_elided(s->pool, text_string(s->pool, &t), LABEL_COLUMNS));
	sink_text(s, " ");
	label(s, "tooltip", tell_words(s->pool, e->text));
	bool missed = e->kind[0] == 'r' || !strcmp(e->kind, "predicate-rw");
	sink_addf(s, "%s]\n", missed ? dashed : plain);
}

static void graph(struct sink *s, const alibi_anomaly *a, const alibi_case *c, const char *prefix,
                  size_t *boxes)
{
	const struct history *h = tell_history(a->reduced);
	for (uint32_t session = 0; session < h->session_count; session++) {
		uint32_t first = h->session_first[session], end = h->session_first[session + 1];
		const char *name = tell_session(s->pool, h, h->session_txns[first]);
		text_vec title = {0};
		if (name)
			text_addf(s->pool, &title, "session %s", name);
		open_box(s, boxes, text_string(s->pool, &title));
		for (uint32_t i = first; i < end; i++)
			node(s, prefix, h, h->session_txns[i]);
		sink_text(s, "}\n");
	}
	for (size_t e = 0; c && e < c->edge_count; e++)
		edge(s, prefix, &c->edges[e], e + 1);
}

static void anomaly(struct sink *s, const alibi_anomaly *a, size_t number, size_t *boxes)
{
	open_box(s, boxes, a->title);
	if (a->txn_count > TXNS_DRAWN) {
		sink_addf(s, "a%zu [shape=plain label=\"%zu transactions, too many to draw\"]\n",
		          number, a->txn_count);
	} else {
		for (size_t i = 0; i < a->case_count || !i; i++) {
			char prefix[48];
			bool several = a->case_count > 1;
			const alibi_case *c = i < a->case_count ? &a->cases[i] : NULL;
			snprintf(prefix, sizeof prefix, "a%zuc%zu", number, i);
			text_vec title = {0};
			text_addf(s->pool, &title, "case %zu%s%s", i + 1,
			          c && c->assumption ? ": suppose that " : "",
			          c && c->assumption ? c->assumption : "");
			if (several)
				open_box(s, boxes, text_string(s->pool, &title));
			graph(s, a, c, prefix, boxes);
			sink_text(s, several ? "}\n" : "");
		}
	}
	sink_text(s, "}\n");
}

static void add(const struct report *r, struct sink *s, const alibi_reported *what)
{
	(void)r;
	size_t boxes = 0, drawn = 0, left_out = 0;
	sink_text(s, "digraph alibi {\n");
	label(s, "label", what->name);
	sink_text(s, "\nlabelloc=t rankdir=LR fontname=\"sans-serif\" style=rounded\n"
	             "node [shape=box style=rounded fontname=\"monospace\"]\n"
	             "edge [fontname=\"sans-serif\"]\n");
	for (size_t i = 0; i < what->finding_count; i++) {
		const alibi_finding *f = &what->findings[i];
		for (size_t k = 0; k < tell_anomaly_count(f); k++) {
			if (drawn < ANOMALIES_DRAWN)
				anomaly(s, &f->explanation->anomalies[k], drawn++, &boxes);
			else
				left_out++;
		}
	}
	if (!drawn)
		sink_text(s, "none [shape=plain label=\"no anomaly to draw\"]\n");
	if (left_out)
		sink_addf(s, "more [shape=plain label=\"%zu more anomalies are not drawn\"]\n",
		          left_out);
	sink_text(s, "}\n");
}

const struct report_kind report_dot = {.name = "DOT", .add = add};
