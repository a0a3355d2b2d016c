/*
 * format: the table of formats, loading and saving.
 *
 * Sniffers are tried in the order of the table, stricter ones first.
 */
#include "format/format.h"

#include "format/json.h"
#include "format/sniff.h"
#include "format/unpack.h"
#include "history/first_read.h"

#include <stdio.h>
#include <string.h>

static const struct format *const formats[] = {
        &format_jepsen_edn,    &format_jepsen_json, &format_dbcop_json, /* before alibi, which takes
                                                                           any long line of an
                                                                           object */
        &format_dbcop_bincode, &format_plume,       &format_awdit,      &format_cobra,
        &format_viper, /* likewise */
        &format_chronos,       &format_alibi,
};
enum { FORMATS = sizeof formats / sizeof *formats };

size_t format_count(void)
{
	return FORMATS;
}

const struct format *format_at(size_t index)
{
	return formats[index];
}

const struct format *format_named(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (name && !strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

static _Noreturn void no_such_format(struct guard *g, const char *name)
{
	char names[256];
	size_t at = 0;
	for (size_t i = 0; i < FORMATS && at < sizeof names; i++)
		at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "",
		                       formats[i]->name);
	guard_fail(g, ALIBI_USAGE, NULL, "there is no format '%s'; expected one of %s",
	           name ? name : "", names);
}

static const struct format *chosen(struct guard *g, const char *name)
{
	const struct format *f = name ? format_named(name) : NULL;
	if (name && !f)
		no_such_format(g, name);
	return f;
}

uint32_t format_value(struct builder *b, const char *option, const char *json)
{
	struct json j;
	char *copy = json_copy(&j, b->pool, option, json, strlen(json));
	j.code = ALIBI_USAGE;
	uint32_t value = json_atom(&j, b->values, true,
	                           "a string, an integer, true, false, null or a row, as JSON");
	json_end(&j);
	pool_free(b->pool, copy);
	return value;
}

/* What the input may be instead of a history. */
static const char *guess(struct text head)
{
	if (sniff_literal(&head, "BZh"))
		return "this is compressed with bzip2; decompress it, or use gzip, xz or zstd";
	if (sniff_literal(&head, "PK\3\4"))
		return "this is a zip archive; unpack it first";
	if (sniff_literal(&head, "{") || sniff_literal(&head, "["))
		return "this is JSON, but no history format known here (alibi help formats); "
		       "Alibi's own has one JSON object a line, a transaction with its \"ops\"";
	return "no history format known here looks like this (alibi help formats); if you know "
	       "the format, name it";
}

static const struct format *sniffed(struct source *s, bool directory)
{
	struct text head = source_peek(s, SNIFF_BYTES);
	for (size_t i = 0; i < FORMATS; i++)
		if ((formats[i]->suffix || !directory) && formats[i]->sniff(head))
			return formats[i];
	if (!sniff_blanks(head).length)
		return &format_alibi; /* empty: no transactions */
	guard_fail(s->guard, ALIBI_INPUT, &(struct place){.file = s->name}, "%s", guess(head));
}

/* A log of one session has reads of what other sessions wrote, in the files beside it. */
static void refuse_one_of_several(struct builder *b, const char *path, const char *suffix)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *directory =
	        slash ? pool_text(b->pool, path, (size_t)(name - path)) : "."; /* "/" stays "/" */
	path_vec paths = {0};
	if (!unpacker_suffix_matches(name, suffix))
		return;
	source_list(b->pool, directory, suffix, &paths);
	if (paths.count > 1)
		guard_fail(b->guard, ALIBI_USAGE, &(struct place){.file = path},
		           "this is the log of one session, and there are %zu in its directory; "
		           "name the directory. (A log that is a whole history needs one of its "
		           "own)",
		           paths.count);
}

/* path: NULL if it is in memory. */
static void read_source(struct builder *b, struct source *s, const char *path,
                        const struct format **format, bool directory)
{
	source_skip_mark(s);
	if (!*format)
		*format = sniffed(s, directory);
	if (path && !directory && (*format)->suffix)
		refuse_one_of_several(b, path, (*format)->suffix);
	b->place = (struct place){.file = s->name};
	(*format)->read(s, b);
	source_close(s);
}

static void load_directory(struct builder *b, const char *path, const struct format **format)
{
	path_vec paths = {0};
	if (*format && !(*format)->suffix)
		guard_fail(b->guard, ALIBI_USAGE, NULL,
		           "%s is a directory, but the format '%s' is a file", path,
		           (*format)->name);
	source_list(b->pool, path, *format ? (*format)->suffix : ".log", &paths);
	if (!paths.count)
		guard_fail(b->guard, ALIBI_INPUT, &(struct place){.file = path},
		           "there are no files ending in %s in it; a directory is a log of Cobra "
		           "or Viper. To check several histories, name their files",
		           *format ? (*format)->suffix : ".log");
	for (size_t i = 0; i < paths.count; i++)
		read_source(b, source_open(b->pool, paths.items[i]), paths.items[i], format, true);
}

static struct history *finish(struct builder *b, const struct format *format, const char *input,
                              const char *initial)
{
	b->place = (struct place){.file = strcmp(input, "-") ? input : "standard input"};
	if (b->model && !format->models)
		guard_fail(
		        b->guard, ALIBI_USAGE, &b->place,
		        "a model says what the operations of Jepsen's histories are, but this is "
		        "'%s'",
		        format->name);
	if (format->finish)
		format->finish(b);
	bool first_read = initial && !strcmp(initial, "first-read");
	if (initial && !first_read)
		b->h->initial_default = format_value(b, "the initial value", initial);
	struct history *h = builder_finish(b);
	if (first_read && has_opaque(h))
		builder_reject(b, "the history has updates without their rows, so that a first "
		                  "read may be of what they wrote; state the initial values");
	if (first_read)
		first_read_bind(h);
	h->file = pool_text(b->pool, input, strlen(input));
	h->format = format->name;
	return h;
}

static struct builder *begin(struct pool *pool, const struct format_options *o)
{
	struct builder *b = builder_new(pool);
	b->initial_given = o->initial;
	b->model = o->model;
	return b;
}

struct history *format_load(struct pool *pool, const char *path, const struct format_options *o)
{
	struct builder *b = begin(pool, o);
	const struct format *format = chosen(b->guard, o->name);
	if (source_is_directory(path))
		load_directory(b, path, &format);
	else
		read_source(b, source_open(pool, path), path, &format, false);
	return finish(b, format, path, o->initial);
}

struct history *format_load_memory(struct pool *pool, const char *input, struct text bytes,
                                   const struct format_options *o)
{
	struct builder *b = begin(pool, o);
	const struct format *format = chosen(b->guard, o->name);
	read_source(b, source_memory(pool, input, bytes), NULL, &format, false);
	return finish(b, format, input, o->initial);
}

void format_save(struct pool *pool, const struct history *h, const struct output *to,
                 const char *name, const char **dropped)
{
	struct guard *g = pool_guard(pool);
	const struct format *f = format_named(name);
	if (!f)
		no_such_format(g, name);
	if (!f->suffix && to->path && unpacker_is_suffix_of(to->path))
		guard_fail(g, ALIBI_USAGE, NULL,
		           "%s: histories are not compressed here; write to - and compress that, "
		           "as in "
		           "| zstd > FILE",
		           to->path);
	struct sink *s = sink_open(pool, to, f->suffix);
	if (h->queries && !f->queries)
		sink_refuse(s, "the history has queries (\"q\", \"u\"), which '%s' has not", name);
	f->write(h, s);
	sink_close(s, pool, dropped);
}
