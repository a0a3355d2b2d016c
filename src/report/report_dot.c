/*
 * report_dot: the dependency graphs of the anomalies for Graphviz. An anomaly is a cluster
 * with a cluster for each case (if there are several), and in it one for each session. An
 * edge is labelled with its kind and key; its sentence is its tooltip.
 */
#include "report/report.h"
#include "report/view.h"

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
	words_dot(s, words_elided(s->pool, view_id(s->pool, h, t), LABEL_COLUMNS));
	if (h->txns[t].status != ALIBI_COMMIT)
		sink_addf(s, "\\n%s", view_status(h, t));
	sink_text(s, "\\n");
	for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
		if (op - h->txns[t].first_op == OPS_DRAWN) {
			sink_addf(s, "… %u more\\l", txn_op_end(h, t) - op);
			break;
		}
		words_dot(s, view_op(s->pool, h, op, LABEL_COLUMNS));
		sink_text(s, "\\l");
	}
	sink_addf(s, "\"%s]\n", h->txns[t].status == ALIBI_COMMIT ? "" : " style=dashed");
}

static void edge(struct sink *s, const char *prefix, const alibi_edge *e, size_t number)
{
	const char *text = text_format(s->pool, "%zu: %s%s%s", number, e->kind, e->key ? " " : "",
	                               e->key ? words_bare(s->pool, e->key) : "");
	sink_addf(s, "%st%zu -> %st%zu [", prefix, e->from, prefix, e->to);
	label(s, "label", words_elided(s->pool, text, LABEL_COLUMNS));
	sink_text(s, " ");
	label(s, "tooltip", view_shortened(s->pool, e->text));
	bool missed = e->kind[0] == 'r' || !strcmp(e->kind, "predicate-rw");
	sink_text(s, missed ? " style=dashed]\n" : "]\n");
}

static void graph(struct sink *s, const alibi_anomaly *a, const alibi_case *c, const char *prefix,
                  size_t *boxes)
{
	const struct history *h = view_history(a->reduced);
	for (uint32_t session = 0; session < h->session_count; session++) {
		uint32_t first = h->session_first[session], end = h->session_first[session + 1];
		const char *name = view_session(s->pool, h, h->session_txns[first]);
		open_box(s, boxes, name ? text_format(s->pool, "session %s", name) : "");
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
			if (several)
				open_box(s, boxes,
				         text_format(s->pool, "case %zu%s%s", i + 1,
				                     c->assumption ? ": suppose that " : "",
				                     c->assumption ? c->assumption : ""));
			graph(s, a, c, prefix, boxes);
			sink_text(s, several ? "}\n" : "");
		}
	}
	sink_text(s, "}\n");
}

static void add(const struct report *r, struct sink *s, const alibi_reported *what)
{
	(void)r;
	const alibi_anomaly *a;
	const char *level;
	size_t boxes = 0, n = 0;
	sink_text(s, "digraph alibi {\n");
	label(s, "label", what->name);
	sink_text(s, "\nlabelloc=t rankdir=LR fontname=\"sans-serif\" style=rounded\n"
	             "node [shape=box style=rounded fontname=\"monospace\"]\n"
	             "edge [fontname=\"sans-serif\"]\n");
	for (; (a = view_anomaly(what, n, &level)); n++)
		if (n < ANOMALIES_DRAWN)
			anomaly(s, a, n, &boxes);
	if (!n)
		sink_text(s, "none [shape=plain label=\"no anomaly to draw\"]\n");
	if (n > ANOMALIES_DRAWN)
		sink_addf(s, "more [shape=plain label=\"%zu more anomalies are not drawn\"]\n",
		          n - ANOMALIES_DRAWN);
	sink_text(s, "}\n");
}

const struct report_kind report_dot = {.name = "DOT", .add = add};
