/*
 * format: a table of history formats. A format reads its bytes into a builder, and writes them.
 */
#ifndef ALIBI_FORMAT_FORMAT_H
#define ALIBI_FORMAT_FORMAT_H

#include "format/sink.h"
#include "format/source.h"
#include "history/builder.h"

enum { SNIFF_BYTES = 4096 };

struct format {
	const char *name;  /* as the user names it */
	const char *title; /* for the user */
	/* NULL: the input is one file. Else a directory of files with this
	 * suffix, one a session. */
	const char *suffix;
	/* Do the first bytes (SNIFF_BYTES at most, of the first file) look like this format?
	 * Sniffers are tried in the order of the table. */
	bool (*sniff)(struct text head);
	/* Reads one file; for directories, called for each file, in natural order. */
	void (*read)(struct source *s, struct builder *b);
	/* Directories only: after the last file. NULL: nothing to do. */
	void (*finish)(struct builder *b);
	void (*write)(const struct history *h, struct sink *s);
	bool queries; /* it has reads with WHERE */
	bool models;  /* what its operations are depends on a model (jepsen_model.h) */
};

extern const struct format format_alibi, format_jepsen_edn, format_jepsen_json,
        format_dbcop_bincode, format_dbcop_json, format_cobra, format_plume, format_awdit,
        format_viper, format_chronos;

/* Of formats whose reader and writer are two files. */
void alibi_write(const struct history *h, struct sink *s);
void chronos_write(const struct history *h, struct sink *s);
void cobra_write(const struct history *h, struct sink *s);
void viper_write(const struct history *h, struct sink *s);

size_t format_count(void);
const struct format *format_at(size_t index);
const struct format *format_named(const char *name); /* NULL: no such */

/* How to load. */
struct format_options {
	const char *name;    /* of the format; NULL: it is sniffed */
	const char *initial; /* JSON, the initial value of keys for which the file names none, or
	                      * first-read (first_read.h); NULL: the format's own */
	const char *model;   /* see struct builder */
};

struct history *format_load(struct pool *pool, const char *path, const struct format_options *o);
/* The same from memory; input: its name, for messages. */
struct history *format_load_memory(struct pool *pool, const char *input, struct text bytes,
                                   const struct format_options *o);

/* The value of an option, JSON, as an atom of the builder. option: for messages. */
uint32_t format_value(struct builder *b, const char *option, const char *json);

/* Writes h in the format of that name. *dropped, if not NULL: what the format could not
 * represent, or NULL. */
void format_save(struct pool *pool, const struct history *h, const struct output *to,
                 const char *name, const char **dropped);

#endif
