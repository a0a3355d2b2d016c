/*
 * escape: text from outside, made safe to print.
 *
 * Problem. Keys, ids, file names and the messages of servers may hold anything: sequences that
 * move the cursor of a terminal or set its title, characters that reverse the direction of text,
 * line ends that forge a line of a log, bytes that are not UTF-8.
 *
 * Idea. One scan finds the next character that must not be printed as it is, and the style says
 * what is printed instead. All outputs use it: render (JSON and sentences), words (reports), the
 * text of errors, and the program through alibi_escape().
 *
 * Invariants.
 * 1. What comes out is UTF-8 without control characters (C0, DEL, C1), line and paragraph
 *    separators, or characters that set the direction of text, whatever went in.
 * 2. A parser of JSON reads from ESCAPE_JSON and ESCAPE_RAW_JSON what went in, if that was UTF-8.
 *
 * Cost. A few comparisons for each byte of ASCII, and decoding for others.
 */
#ifndef ALIBI_BASE_ESCAPE_H
#define ALIBI_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* In the order of enum alibi_escape. */
enum escape_style {
	ESCAPE_TEXT,     /* for people: ESC is \u001b, and the invalid byte 0xff is \xff */
	ESCAPE_JSON,     /* inside the quotes of a JSON string; an invalid byte is \ufffd */
	ESCAPE_MARKUP,   /* for people, in XML and HTML: contents and attributes */
	ESCAPE_LABEL,    /* for people, inside the quotes of DOT and of labels of Prometheus */
	ESCAPE_RAW_JSON, /* JSON that may have such characters in its strings */
};

/* A walk over the pieces of the escaped text. */
struct escape {
	enum escape_style style;
	const char *at, *end;
	const char *piece;
	size_t length;
	char instead[16];
};

struct escape escape_of(enum escape_style style, const char *text, size_t length);
bool escape_next(struct escape *e); /* the next piece; false: that was all */

#endif
