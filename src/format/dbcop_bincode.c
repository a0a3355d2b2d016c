/*
 * dbcop_bincode: dbcop's binary history.bincode, which PolySI, VeriStrong and
 * AWDIT read as well. It is Rust's bincode: little-endian, fixed width, no
 * padding, every list and text preceded by its length in 64 bits.
 *
 *     id n_node n_variable n_transaction n_event      (64 bits each)
 *     info start end                                  (texts)
 *     sessions of transactions of events
 *     transaction: events, then success in a byte
 *     event: write in a byte, key and value in 64 bits each, success in a byte
 *
 * The initial value of every key is 0. Sessions are numbered from 1. A transaction without success
 * is aborted; an event without success did not happen, and is dropped. dbcop.h is about what
 * precedes the sessions. Sessions without transactions are dropped.
 *
 * No count in the file is trusted: each is checked against the bytes that are left.
 */
#include "format/dbcop.h"
#include "format/format.h"
#include "format/json.h"

#include <string.h>

enum { U64_BYTES = 8, EVENT_BYTES = 18, TXN_BYTES_MIN = 9, SESSION_BYTES_MIN = 8 };

struct bincode_parser {
	struct builder *b;
	const char *start, *at, *end;
};

/* ---- reading ---- */

static unsigned long long place_of(const struct bincode_parser *r)
{
	return (unsigned long long)(r->at - r->start);
}

static void need(struct bincode_parser *r, size_t bytes, const char *what)
{
	size_t left = (size_t)(r->end - r->at);
	if (left < bytes)
		builder_reject(r->b, "byte %llu: expected %s (%zu bytes), found the end after %zu",
		               place_of(r), what, bytes, left);
}

static uint64_t little_endian(const char *bytes)
{
	uint64_t n = 0;
	for (int i = U64_BYTES; i-- > 0;)
		n = n << 8 | (unsigned char)bytes[i];
	return n;
}

static uint64_t read_u64(struct bincode_parser *r, const char *what)
{
	need(r, U64_BYTES, what);
	uint64_t n = little_endian(r->at);
	r->at += U64_BYTES;
	return n;
}

/* A number of items, each of at least so many bytes. */
static uint64_t read_count(struct bincode_parser *r, const char *what, size_t bytes_each)
{
	uint64_t n = read_u64(r, what);
	uint64_t room = (uint64_t)(r->end - r->at) / bytes_each;
	r->at -= U64_BYTES;
	if (n > room)
		builder_reject(r->b,
		               "byte %llu: expected %s, found %llu, but the file has room for "
		               "at most %llu",
		               place_of(r), what, (unsigned long long)n, (unsigned long long)room);
	r->at += U64_BYTES;
	return n;
}

static struct text read_text(struct bincode_parser *r, const char *what)
{
	size_t length = read_count(r, what, 1);
	struct text t = {.bytes = r->at, .length = length};
	if (!text_is_utf8(t))
		builder_reject(r->b, "byte %llu: expected a text in UTF-8, found something else",
		               place_of(r));
	r->at += length;
	return t;
}

static int64_t read_number(struct bincode_parser *r, const char *what)
{
	uint64_t n = little_endian(r->at);
	if (n > INT64_MAX)
		builder_reject(r->b,
		               "byte %llu: expected %s that fits 63 bits, found %llu; values "
		               "above %lld cannot be kept",
		               place_of(r), what, (unsigned long long)n, (long long)INT64_MAX);
	r->at += U64_BYTES;
	return (int64_t)n;
}

static bool read_bool(struct bincode_parser *r, const char *what)
{
	unsigned char byte = (unsigned char)*r->at;
	if (byte > 1)
		builder_reject(r->b, "byte %llu: expected %s (0 or 1), found %u", place_of(r), what,
		               byte);
	r->at++;
	return byte;
}

static void read_event(struct bincode_parser *r)
{
	struct builder *b = r->b;
	bool write = read_bool(r, "whether an event is a write");
	int64_t key = read_number(r, "a key"), value = read_number(r, "a value");
	if (read_bool(r, "whether an event succeeded"))
		builder_op(b, write ? ALIBI_WRITE : ALIBI_READ, atoms_integer(b->keys, key),
		           atoms_integer(b->values, value));
	guard_tick(b->guard);
}

static void read_txn(struct bincode_parser *r, uint32_t session)
{
	uint64_t events = read_count(r, "the number of events", EVENT_BYTES);
	for (uint64_t i = 0; i < events; i++)
		read_event(r);
	need(r, 1, "whether a transaction committed");
	bool committed = read_bool(r, "whether a transaction committed");
	builder_end(r->b, &(struct txn_head){.session = session,
	                                     .id = ID_NONE,
	                                     .number = (uint32_t)r->b->txns.count + 1,
	                                     .status = committed ? ALIBI_COMMIT : ALIBI_ABORT});
}

static void read_sessions(struct bincode_parser *r)
{
	uint64_t sessions = read_count(r, "the number of sessions", SESSION_BYTES_MIN);
	for (uint64_t i = 1; i <= sessions; i++) {
		uint64_t txns = read_count(r, "the number of transactions", TXN_BYTES_MIN);
		for (uint64_t j = 0; j < txns; j++)
			read_txn(r, atoms_integer(r->b->names, (int64_t)i));
		guard_tick(r->b->guard);
	}
}

static void bincode_read(struct source *s, struct builder *b)
{
	static const char *const params[] = {"the number of nodes", "the number of variables",
	                                     "the number of transactions", "the number of events"};
	struct text all = source_whole(s);
	struct bincode_parser r = {
	        .b = b, .start = all.bytes, .at = all.bytes, .end = all.bytes + all.length};
	struct dbcop_envelope envelope = {.id = read_u64(&r, "the id")};
	for (size_t i = 0; i < sizeof params / sizeof *params; i++)
		read_u64(&r, params[i]);
	struct text info = read_text(&r, "the length of the info");
	envelope.start = read_text(&r, "the length of the time of the start");
	envelope.end = read_text(&r, "the length of the time of the end");
	if (info.length && memchr(info.bytes, 0, info.length))
		builder_reject(b, "the info has a NUL character in it; leave that out");
	dbcop_source(b, pool_text(b->pool, info.bytes, info.length));
	b->h->initial_default = atoms_integer(b->values, 0);
	dbcop_annotate(b, &envelope);
	read_sessions(&r);
	if (r.at < r.end)
		builder_reject(
		        b, "byte %llu: expected the end after the last session, found %zu bytes",
		        place_of(&r), (size_t)(r.end - r.at));
}

/* ---- writing ---- */

static void write_u64(struct sink *s, uint64_t n)
{
	char bytes[U64_BYTES];
	for (int i = 0; i < U64_BYTES; i++, n >>= 8)
		bytes[i] = (char)(n & 0xff);
	sink_add(s, bytes, sizeof bytes);
}

static void write_bool(struct sink *s, bool b)
{
	sink_add(s, b ? "\1" : "\0", 1);
}

static void write_text(struct sink *s, struct text t)
{
	write_u64(s, t.length);
	sink_add(s, t.bytes, t.length);
}

static void write_txn(const struct history *h, struct sink *s, uint32_t t)
{
	write_u64(s, txn_op_end(h, t) - h->txns[t].first_op);
	for (uint32_t i = h->txns[t].first_op; i < txn_op_end(h, t); i++) {
		write_bool(s, op_writes(h->ops[i]));
		write_u64(s, (uint64_t)integer_key(h, h->ops[i]));
		write_u64(s, (uint64_t)integer_value(h, h->ops[i]));
		write_bool(s, true);
	}
	write_bool(s, h->txns[t].status == ALIBI_COMMIT);
	guard_tick(s->guard);
}

static void bincode_write(const struct history *h, struct sink *s)
{
	struct dbcop_envelope envelope = dbcop_envelope_of(h, s);
	struct dbcop_params params = dbcop_params_of(h);
	const char *info = h->source ? h->source : "";
	dbcop_check(h, s, INITIAL_IS_ZERO);
	write_u64(s, envelope.id);
	write_u64(s, params.n_node);
	write_u64(s, params.n_variable);
	write_u64(s, params.n_transaction);
	write_u64(s, params.n_event);
	write_text(s, (struct text){.bytes = info, .length = strlen(info)});
	write_text(s, envelope.start);
	write_text(s, envelope.end);
	write_u64(s, h->session_count);
	for (uint32_t i = 0; i < h->session_count; i++) {
		uint32_t first = h->session_first[i], end = h->session_first[i + 1];
		write_u64(s, end - first);
		for (uint32_t t = first; t < end; t++)
			write_txn(h, s, h->session_txns[t]);
	}
}

/* ---- sniffing ---- */

/* After five numbers and the info comes the first of two times. */
static bool bincode_sniff(struct text head)
{
	static const char time[] = "dddd-dd-ddT";
	size_t at = 5 * U64_BYTES;
	if (head.length < at + U64_BYTES)
		return false;
	uint64_t info = little_endian(head.bytes + at);
	at += U64_BYTES;
	if (info > head.length - at || head.length - at - info < U64_BYTES + strlen(time))
		return false;
	const char *start = head.bytes + at + info + U64_BYTES;
	for (size_t i = 0; time[i]; i++)
		if (time[i] == 'd' ? start[i] < '0' || start[i] > '9' : start[i] != time[i])
			return false;
	return true;
}

const struct format format_dbcop_bincode = {
        .name = "dbcop-bincode",
        .title = "dbcop's binary history.bincode",
        .sniff = bincode_sniff,
        .read = bincode_read,
        .write = bincode_write,
};
