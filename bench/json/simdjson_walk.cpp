/*
 * Problem: how fast can a history file be read?  A reader in C has to be judged against a figure,
 * and simdjson, which was written for speed above all, gives one.
 *
 * Idea: load the whole file into a padded string and walk every value of every line with the
 * On-Demand front end, doing nothing with a value but adding it to a sum.  The walk can be done in
 * three ways.  "many" hands the file to iterate_many() and asks for the types that the format has
 * at each place, as On-Demand is meant to be used.  "line" differs in that it splits the file at
 * newlines and parses each line by itself.  "any" is as "many", but knows nothing of the format: it
 * asks each value for its type first.  The sum goes to stderr, so that the compiler cannot drop the
 * walk and so that the other readers (libraries.c) can be checked against it.
 */
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include <sys/resource.h>

#include <simdjson.h>

using namespace simdjson;

static uint64_t values;		/* every scalar, array and object; object keys are not counted */
static uint64_t sum;		/* integers, and the length and first byte of every string or key */

[[noreturn]] static void die(const char *what, error_code err)
{
	fprintf(stderr, "simdjson_walk: %s: %s\n", what, error_message(err));
	exit(1);
}

static inline void check(error_code err)
{
	if (err)
		die("bad input", err);
}

static inline void add_text(std::string_view s)
{
	sum += s.size();
	if (!s.empty())
		sum += static_cast<unsigned char>(s[0]);
}

/* An operation: two strings, then an integer or null. */
static void walk_op(ondemand::array op)
{
	size_t i = 0;

	for (auto item : op) {
		values++;
		if (i++ < 2) {
			std::string_view s;

			check(item.get_string().get(s));
			add_text(s);
		} else {
			ondemand::value v;
			int64_t n;

			check(std::move(item).get(v));
			if (v.get_int64().get(n) == SUCCESS)
				sum += static_cast<uint64_t>(n);
			else if (!v.is_null())
				die("neither integer nor null", INCORRECT_TYPE);
		}
	}
	if (i != 3)
		die("operation without three members", INCORRECT_TYPE);
}

static void walk_ops(ondemand::array ops)
{
	for (auto item : ops) {
		ondemand::array op;

		check(item.get_array().get(op));
		values++;
		walk_op(op);
	}
}

static void walk_transaction(ondemand::object o)
{
	for (auto item : o) {
		ondemand::field f;
		std::string_view key;

		check(std::move(item).get(f));
		check(f.unescaped_key().get(key));
		add_text(key);
		values++;
		if (key == "session") {
			int64_t n;

			check(f.value().get_int64().get(n));
			sum += static_cast<uint64_t>(n);
		} else if (key == "ops") {
			ondemand::array ops;

			check(f.value().get_array().get(ops));
			walk_ops(ops);
		} else {
			die("unknown member", NO_SUCH_FIELD);
		}
	}
}

/* From here to walk(): the walk that knows nothing of the format. */

static void walk(ondemand::value v);

static void walk_array(ondemand::array a)
{
	for (auto item : a) {
		ondemand::value v;

		check(std::move(item).get(v));
		walk(v);
	}
}

static void walk_object(ondemand::object o)
{
	for (auto item : o) {
		ondemand::field f;
		std::string_view key;

		check(std::move(item).get(f));
		check(f.unescaped_key().get(key));
		add_text(key);
		walk(f.value());
	}
}

static void walk(ondemand::value v)
{
	ondemand::json_type type;

	check(v.type().get(type));
	values++;
	switch (type) {
	case ondemand::json_type::array: {
		ondemand::array a;

		check(v.get_array().get(a));
		walk_array(a);
		break;
	}
	case ondemand::json_type::object: {
		ondemand::object o;

		check(v.get_object().get(o));
		walk_object(o);
		break;
	}
	case ondemand::json_type::string: {
		std::string_view s;

		check(v.get_string().get(s));
		add_text(s);
		break;
	}
	case ondemand::json_type::number: {
		int64_t n;

		check(v.get_int64().get(n));
		sum += static_cast<uint64_t>(n);
		break;
	}
	case ondemand::json_type::boolean: {
		bool b;

		check(v.get_bool().get(b));
		sum += b;
		break;
	}
	case ondemand::json_type::null:
		if (!v.is_null())
			die("bad input", N_ATOM_ERROR);
		break;
	}
}

/* The format has an object on every line, so the top level needs no other case. */
template <void walk_top(ondemand::object), typename Doc> static void walk_document(Doc &doc)
{
	ondemand::object o;

	check(doc.get_object().get(o));
	values++;
	walk_top(o);
}

template <void walk_top(ondemand::object)> static void read_many(const padded_string &text)
{
	ondemand::parser parser;
	ondemand::document_stream docs;

	check(parser.iterate_many(text).get(docs));
	for (auto item : docs) {
		ondemand::document_reference doc;

		check(std::move(item).get(doc));
		walk_document<walk_top>(doc);
	}
	if (docs.truncated_bytes() != 0)
		die("last line cut short", INCOMPLETE_ARRAY_OR_OBJECT);
}

static void read_lines(const padded_string &text)
{
	ondemand::parser parser;
	const char *p = text.data();
	const char *end = p + text.size();
	const char *limit = end + SIMDJSON_PADDING;

	while (p < end) {
		const void *nl = memchr(p, '\n', end - p);
		const char *eol = nl ? static_cast<const char *>(nl) : end;

		if (eol > p) {
			ondemand::document doc;

			check(parser.iterate(p, eol - p, limit - p).get(doc));
			walk_document<walk_transaction>(doc);
		}
		p = eol + 1;
	}
}

static bool read_text(const padded_string &text, const char *mode)
{
	if (strcmp(mode, "many") == 0)
		read_many<walk_transaction>(text);
	else if (strcmp(mode, "line") == 0)
		read_lines(text);
	else if (strcmp(mode, "any") == 0)
		read_many<walk_object>(text);
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: simdjson_walk FILE [many|line|any]\n");
		return 2;
	}

	padded_string text;
	error_code err = padded_string::load(argv[1]).get(text);

	if (err)
		die(argv[1], err);
	if (!read_text(text, argc == 3 ? argv[2] : "many")) {
		fprintf(stderr, "simdjson_walk: no such way to walk: %s\n", argv[2]);
		return 2;
	}

	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	printf("simdjson %.3f %.1f %" PRIu64 "\n",
	       static_cast<double>(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
	       static_cast<double>(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6,
	       static_cast<double>(ru.ru_maxrss) / 1024, values);
	fprintf(stderr, "sum %" PRIu64 "\n", sum);
	return 0;
}
