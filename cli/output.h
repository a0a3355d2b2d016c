/*
 * output: JSON, colour and wrapped text for standard output.
 */
#ifndef ALIBI_CLI_OUTPUT_H
#define ALIBI_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
