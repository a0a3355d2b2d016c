/* picture: see picture.h. */
#include "picture.h"

#include "finding.h"

#include <stdio.h>
#include <string.h>

enum { TXNS_MAX = 12 };
static const double SECONDS = 1;
static const size_t MEMORY = 64 << 20;

void picture_release(struct picture *p)
{
	text_release(&p->svg);
	text_release(&p->lines);
	text_release(&p->name);
	text_release(&p->title);
	text_release(&p->summary);
}

/* ---- the lines ---- */

/* Adds the line of the transaction with this id (JSON), once. */
static bool add_txn(const struct recent *r, const char *id, size_t length, struct text *lines)
{
	static const char *const members[] = {"\"id\":", "\"id\": "};
	bool found = false;
	for (size_t i = 0; i < 2 && !found; i++) {
		struct text wanted = {0}, line = {0};
		text_word(&wanted, members[i]);
		text_add(&wanted, id, length);
		found = recent_find(r, wanted.data, &line);
		if (found && (!lines->data || !strstr(lines->data, line.data)))
			text_add(lines, line.data, line.length);
		text_release(&wanted);
		text_release(&line);
	}
	return found;
}

/* Adds the transaction that wrote what was read, if it is plain to see. */
static void add_writer(const struct recent *r, const alibi_violation *v, struct text *lines)
{
	struct text wanted = {0}, line = {0};
	if (!v->key || !v->found)
		return;
	text_print(&wanted, "[\"w\",%s,%s", v->key, v->found);
	if (recent_find(r, wanted.data, &line) && !strstr(lines->data, line.data))
		text_add(lines, line.data, line.length);
	text_release(&wanted);
	text_release(&line);
}

/* The ids of a JSON list of ids. */
static void add_txns(const struct recent *r, const char *list, struct text *lines)
{
	size_t count = 0;
	for (const char *at = list + 1; *at && *at != ']' && count++ < TXNS_MAX;) {
		size_t length = 0;
		bool string = *at == '"';
		do
			length += at[length] == '\\' ? 2 : 1;
		while (at[length] && (string ? at[length] != '"' : !strchr(",]", at[length])));
		length += string;
		add_txn(r, at, length, lines);
		at += length;
		at += strspn(at, ", ");
	}
}

static bool find_lines(const struct recent *r, const alibi_watch_event *e, struct text *lines)
{
	alibi_violation v = finding_violation(e);
	const char *txns = alibi_watch_event_txns(e);
	if (r->header.data)
		text_add(lines, r->header.data, r->header.length);
	if (!v.txn || !add_txn(r, v.txn, strlen(v.txn), lines))
		return false;
	add_writer(r, &v, lines);
	if (v.other)
		add_txn(r, v.other, strlen(v.other), lines);
	if (txns)
		add_txns(r, txns, lines);
	return true;
}

/* ---- the history ---- */

static bool same(const alibi_value *a, const alibi_value *b)
{
	return a->kind == b->kind && a->kind != ALIBI_LIST && a->integer == b->integer &&
	       a->length == b->length && (!a->length || !memcmp(a->text, b->text, a->length));
}

/* As JSON; only integers and strings. */
static bool is_key(const alibi_value *v, const char *json)
{
	struct text t = {0};
	if (v->kind == ALIBI_INT) {
		text_integer(&t, v->integer);
	} else if (v->kind == ALIBI_STRING) {
		struct text plain = {0};
		text_add(&plain, v->text, v->length);
		text_json(&t, plain.data);
		text_release(&plain);
	}
	bool is = json && t.data && !strcmp(t.data, json);
	text_release(&t);
	return is;
}

static bool is_written(alibi *a, const alibi_history *h, const alibi_op *read)
{
	alibi_value key = read->key, value = read->value;
	alibi_op op = {ALIBI_INIT(alibi_op)};
	for (size_t t = 0; t < alibi_history_txn_count(h); t++)
		for (size_t i = 0; alibi_history_op_at(a, h, t, i, &op); i++)
			if (op.kind == ALIBI_WRITE && same(&op.key, &key) &&
			    same(&op.value, &value))
				return true;
	return false;
}

/* Without the reads that its own transactions do not explain, unless the finding is about them. */
static const alibi_history *explained_part(alibi *a, const alibi_history *h, const char *key)
{
	alibi_builder *b = alibi_builder_new(a);
	alibi_txn txn = {ALIBI_INIT(alibi_txn)};
	for (size_t t = 0; b && alibi_history_txn_at(h, t, &txn); t++) {
		for (size_t i = 0; i < txn.op_count; i++) {
			alibi_op op = {ALIBI_INIT(alibi_op)};
			if (!alibi_history_op_at(a, h, t, i, &op))
				return NULL;
			bool keep = op.kind == ALIBI_WRITE || op.kind == ALIBI_APPEND ||
			            (op.kind == ALIBI_READ && is_key(&op.key, key));
			op.has_from = false;
			keep = keep || (op.kind == ALIBI_READ && is_written(a, h, &op));
			if (keep && alibi_history_op_at(a, h, t, i, &op)) {
				op.has_from = false;
				if (!alibi_builder_op(b, &op))
					return NULL;
			}
		}
		if (!alibi_builder_end(b, &txn))
			return NULL;
	}
	return b ? alibi_builder_finish(b) : NULL;
}

static bool write_text(void *data, const void *bytes, size_t length)
{
	text_add(data, bytes, length);
	return true;
}

/* Loaded again, so that the header with its initial values counts. */
static const alibi_history *history_of(alibi *a, const struct recent *r, const struct text *lines,
                                       const char *key)
{
	alibi_load_options options = {ALIBI_INIT(alibi_load_options), .format = "alibi"};
	const alibi_history *h =
	        alibi_load_memory(a, "finding", lines->data, lines->length, &options);
	const alibi_history *part = h ? explained_part(a, h, key) : NULL;
	struct text text = {0};
	if (r->header.data)
		text_add(&text, r->header.data, r->header.length);
	size_t header = text.length;
	bool ok = part && alibi_save_to(a, part, write_text, &text, "alibi", NULL) && text.data;
	/* What was saved may begin with a header of its own. */
	char *line = ok ? text.data + header : NULL, *end = line ? strchr(line, '\n') : NULL;
	if (header && end && !strncmp(line, "{\"alibi\"", strlen("{\"alibi\"")))
		memmove(line, end + 1, strlen(end + 1) + 1);
	h = ok ? alibi_load_memory(a, "finding", text.data, strlen(text.data), &options) : NULL;
	text_release(&text);
	return h;
}

/* ---- the anomaly ---- */

static bool is_about(const alibi_anomaly *m, const char *txn)
{
	for (size_t i = 0; i < alibi_anomaly_txn_count(m); i++)
		if (!strcmp(alibi_anomaly_txn_at(m, i), txn))
			return strcmp(alibi_anomaly_name(m), "unwritten-read") != 0; /* by these */
	return false;
}

static void describe(struct picture *p, const alibi_anomaly *m)
{
	text_word(&p->name, alibi_anomaly_name(m));
	text_word(&p->title, alibi_anomaly_title(m));
	text_word(&p->summary, alibi_anomaly_summary(m));
}

static void draw(struct picture *p, alibi *a, const alibi_history *h, const char *level,
                 bool by_timestamps, const char *txn)
{
	alibi_check_options options = {ALIBI_INIT(alibi_check_options), .level = level};
	options.order = by_timestamps ? ALIBI_ORDER_TIMESTAMPS : ALIBI_ORDER_NONE;
	alibi_finding finding = {ALIBI_INIT(alibi_finding), .level = level,
	                         .result = alibi_check(a, h, &options)};
	const alibi_result *result = finding.result;
	const alibi_explanation *why = result && alibi_result_verdict(result) == ALIBI_VIOLATES
	                                       ? alibi_explain(a, h, &options, result)
	                                       : NULL;
	const alibi_anomaly *m = why ? alibi_explanation_anomaly_at(why, 0) : NULL;
	if (m && is_about(m, txn)) {
		finding.explanation = why;
		describe(p, m);
	}
	alibi_report *r = alibi_report_to(a, ALIBI_REPORT_SVG, write_text, &p->svg, NULL);
	alibi_reported reported = {ALIBI_INIT(alibi_reported), .name = "finding", .history = h,
	                           .finding_count = 1, .findings = &finding};
	if (!r || !alibi_report_add(r, &reported) || !alibi_report_close(r) || !finding.explanation)
		text_release(&p->svg);
}

struct picture picture_of(const struct recent *r, const char *level, bool by_timestamps,
                          const alibi_watch_event *e)
{
	struct picture p = {0};
	alibi *a = find_lines(r, e, &p.lines) ? alibi_new() : NULL;
	if (a) {
		alibi_violation v = finding_violation(e);
		alibi_set_timeout(a, SECONDS);
		alibi_set_memory_limit(a, MEMORY);
		const alibi_history *h = history_of(a, r, &p.lines, v.key);
		if (h)
			draw(&p, a, h, level, by_timestamps, v.txn);
		alibi_free(a);
	}
	return p;
}
