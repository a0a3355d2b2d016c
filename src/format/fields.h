/*
 * fields: a cursor over one line of words, punctuation and non-negative integers. Anything
 * unexpected ends the job with the line, the column, what was expected and what was found.
 *
 * The line must be followed by a line end or by zeros, as lines of a source are: this ends every
 * loop.
 */
#ifndef ALIBI_FORMAT_FIELDS_H
#define ALIBI_FORMAT_FIELDS_H

#include "format/source.h"
#include "history/builder.h"

struct fields {
	const char *at, *start, *end; /* white space around the line is cut off */
	struct builder *b;
};

/* Starts over with another line, the next one of the file: b->place counts. */
void fields_line(struct fields *f, struct text line);

/* "expected <what>, found <what is there>" */
_Noreturn void fields_expected(struct fields *f, const char *what);

void fields_expect(struct fields *f, char c, const char *what);
/* A whole number from 0 on. */
int64_t fields_unsigned(struct fields *f, const char *what);
void fields_end(struct fields *f, const char *what); /* nothing may follow */

static inline bool fields_take(struct fields *f, char c)
{
	if (*f->at != c || f->at >= f->end)
		return false;
	f->at++;
	return true;
}

#endif
