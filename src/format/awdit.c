/*
 * awdit: the text of AWDIT's own tests. An operation a line, a line of dashes
 * between two transactions, a line of equals signs between two sessions:
 *
 *     w 0 1
 *     -----
 *     r 0 1
 *     =====
 *     r 0 1
 *
 * Keys and values are non-negative integers. There are no initial values: every value read was
 * written, if need be by a session of first writes. All transactions are committed. Sessions are
 * numbered from 1. Blank lines, empty transactions and the length of a separator mean nothing.
 */
#include "format/fields.h"
#include "format/format.h"
#include "format/lossy.h"

#include <string.h>

struct awdit_parser {
	struct builder *b;
	struct fields fields;
	int64_t session;        /* from 1 */
	uint64_t txn_line;      /* where the open transaction began; 0: none is open */
	bool session_has_a_txn; /* the session is not empty */
};

/* ---- reading ---- */

static void end_txn(struct awdit_parser *r)
{
	if (!r->txn_line)
		return;
	builder_end(r->b, &(struct txn_head){.session = atoms_integer(r->b->names, r->session),
	                                     .id = ID_NONE,
	                                     .number = (uint32_t)r->txn_line});
	r->txn_line = 0;
	r->session_has_a_txn = true;
}

static void end_session(struct awdit_parser *r)
{
	end_txn(r);
	r->session += r->session_has_a_txn;
	r->session_has_a_txn = false;
}

static void pass_spaces(struct fields *f, const char *what)
{
	const char *start = f->at;
	while (*f->at == ' ' || *f->at == '\t')
		f->at++;
	if (f->at == start)
		fields_expected(f, what);
}

static void read_op(struct awdit_parser *r, char letter)
{
	struct fields *f = &r->fields;
	struct builder *b = r->b;
	pass_spaces(f, "a space and a key (a non-negative integer)");
	uint32_t key = atoms_integer(b->keys, fields_unsigned(f, "a key (a non-negative integer)"));
	pass_spaces(f, "a space and a value (a non-negative integer)");
	uint32_t value =
	        atoms_integer(b->values, fields_unsigned(f, "a value (a non-negative integer)"));
	fields_end(f, "nothing more");
	builder_op(b, letter == 'r' ? ALIBI_READ : ALIBI_WRITE, key, value);
	if (!r->txn_line)
		r->txn_line = b->place.line;
}

static void read_line(struct awdit_parser *r)
{
	struct fields *f = &r->fields;
	char sign = *f->at;
	if (fields_take(f, 'r') || fields_take(f, 'w')) {
		read_op(r, sign);
	} else if (sign == '-' || sign == '=') {
		while (fields_take(f, sign))
			;
		fields_end(f, sign == '-' ? "nothing but '-' in this line"
		                          : "nothing but '=' in this line");
		if (sign == '-')
			end_txn(r);
		else
			end_session(r);
	} else {
		fields_expected(f, "'r key value', 'w key value', '-----' or '====='");
	}
}

static void awdit_read(struct source *s, struct builder *b)
{
	struct awdit_parser r = {.b = b, .fields = {.b = b}, .session = 1};
	struct text line;
	b->numbered_by_line = true;
	while (source_line(s, &line)) {
		fields_line(&r.fields, line);
		if (r.fields.at < r.fields.end)
			read_line(&r);
	}
	end_session(&r);
}

/* ---- writing ---- */

static bool is_written(const struct history *h, uint32_t t)
{
	return h->txns[t].status == ALIBI_COMMIT && h->txns[t].first_op < txn_op_end(h, t);
}

static void write_txn(const struct history *h, struct sink *s, uint32_t t)
{
	for (uint32_t i = h->txns[t].first_op; i < txn_op_end(h, t); i++) {
		struct op o = h->ops[i];
		sink_text(s, op_writes(o) ? "w " : "r ");
		sink_integer(s, integer_key(h, o));
		sink_text(s, " ");
		sink_integer(s, integer_value(h, o));
		sink_text(s, "\n");
	}
	guard_tick(s->guard);
}

static void awdit_write(const struct history *h, struct sink *s)
{
	static const struct capabilities can = {
	        .keys = NON_NEGATIVE, .values = NON_NEGATIVE, .initial = INITIAL_IS_SILENT};
	const char *separator = "";
	lossy_check(h, s, &can);
	for (uint32_t session = 0; session < h->session_count; session++) {
		for (uint32_t i = h->session_first[session]; i < h->session_first[session + 1];
		     i++) {
			if (!is_written(h, h->session_txns[i]))
				continue;
			sink_text(s, separator);
			write_txn(h, s, h->session_txns[i]);
			separator = "-----\n";
		}
		if (*separator)
			separator = "=====\n";
	}
}

/* ---- sniffing ---- */

/* An operation: a letter, then two numbers. */
static bool is_op(const char *p, const char *end)
{
	if (p == end || (*p != 'r' && *p != 'w'))
		return false;
	p++;
	for (int field = 0; field < 2; field++) {
		const char *space = p;
		while (p < end && *p == ' ')
			p++;
		const char *digits = p;
		while (p < end && *p >= '0' && *p <= '9')
			p++;
		if (digits == space || p == digits)
			return false;
	}
	return p == end || (*p == '\r' && p + 1 == end);
}

static bool is_separator(const char *p, const char *end)
{
	const char *start = p;
	while (p < end && (*p == '-' || *p == '=') && *p == *start)
		p++;
	return p > start && (p == end || *p == '\r');
}

/* Is the first line that is neither blank nor a separator an operation? */
static bool awdit_sniff(struct text head)
{
	const char *p = head.bytes, *end = head.bytes + head.length;
	while (p < end) {
		const char *line_end = memchr(p, '\n', (size_t)(end - p));
		line_end = line_end ? line_end : end;
		if (is_op(p, line_end))
			return true;
		if (p < line_end && *p != '\r' && !is_separator(p, line_end))
			return false;
		p = line_end + 1;
	}
	return false;
}

const struct format format_awdit = {
        .name = "awdit",
        .title = "AWDIT's test text: 'r key value' lines, ----- and ===== between",
        .sniff = awdit_sniff,
        .read = awdit_read,
        .write = awdit_write,
};
