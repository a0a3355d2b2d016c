/*
 * options: one table a command. The parser, the help, the manual page and the
 * shell completions all come from it.
 *
 * A row says where in the command's own struct the value goes; the struct's
 * initial content are the defaults.
 */
#ifndef ALIBI_CLI_OPTIONS_H
#define ALIBI_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum option_type {
	OPTION_FLAG,    /* bool */
	OPTION_TEXT,    /* const char * */
	OPTION_CHOICE,  /* const char *, one of choices */
	OPTION_NAME,    /* const char *, one of choices or what the command knows besides */
	OPTION_COUNT,   /* unsigned long long */
	OPTION_BYTES,   /* size_t, with K, M, G */
	OPTION_SECONDS, /* double, with ms, s, m, h */
	OPTION_SHARE,   /* double from 0 to 1 */
	OPTION_NUMBER,  /* double from 0 on */
};

struct option {
	const char *name; /* without the dashes */
	enum option_type type;
	const char *argument; /* its name in the help; NULL for flags */
	const char *help;     /* one sentence, no full stop */
	size_t offset;
	const char *const *choices; /* ends in NULL */
};

/* Words that are not options; they point into argv. */
struct words {
	char **items;
	int count;
};

/* Fills values by the table, which ends in a row without a name; *words gets the
 * rest of argv (argv is reordered). False: a message was printed. */
bool options_parse(const char *command, const struct option *table, int argc, char **argv,
                   void *values, struct words *words);

/* The row of a name of this length, or NULL. */
const struct option *options_find(const struct option *table, const char *name, size_t length);

/* The word of `words` that is nearest to typed, or NULL if none is near. */
const char *nearest_word(const char *typed, const char *const *words);

#endif
