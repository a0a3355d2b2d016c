/*
 * output: all that the program prints: text, JSON, colour and wrapped text.
 *
 * Text of histories, file names and messages of servers are untrusted. Whatever is printed as %s
 * is escaped (alibi_escape()), so it is always one piece of one line, and never controls a
 * terminal. Other files do not use printf(); tests/house.py checks that.
 */
#ifndef ALIBI_CLI_OUTPUT_H
#define ALIBI_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* printf() and fprintf() with escaped strings; they know the conversions of text_say(). */
void print_out(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_to(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The status line of a terminal, on standard error, cut to its width; nothing elsewhere. It goes
 * away before anything else is printed; clear_status() is for what others print. */
void print_status(const char *format, ...) __attribute__((format(printf, 1, 2)));
void clear_status(void);
/* A line on standard error: "alibi COMMAND: …"; command NULL: "alibi: …". */
void print_error(const char *command, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

/* What print_error() printed last in this thread, without "alibi COMMAND: "; "": nothing. */
const char *last_error(void);

/* ,"name":… with the comma unless *first; name NULL: without it. */
void json_open_member(bool *first, const char *name);
void json_member_text(bool *first, const char *name, const char *text); /* NULL: null */
void json_member_raw(bool *first, const char *name, const char *json);  /* NULL: null */
void json_member_count(bool *first, const char *name, uint64_t n);

enum colour { COLOUR_GOOD, COLOUR_BAD, COLOUR_DOUBT, COLOUR_DIM };

/* Is standard output a terminal that is not dumb, and NO_COLOR not set? */
bool output_coloured(void);
/* Printed in colour if the output is a terminal. */
void print_coloured(enum colour colour, const char *text);

/* Words of text, wrapped to the terminal's width; the first line starts at column
 * `at`, the others are indented. Ends the line. */
void print_wrapped(const char *text, size_t at, size_t indent);

#endif
