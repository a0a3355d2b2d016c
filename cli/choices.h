/*
 * choices: names that the library knows, as choices of options. Filled from the
 * library's own tables once, at the start of the program.
 */
#ifndef ALIBI_CLI_CHOICES_H
#define ALIBI_CLI_CHOICES_H

#include <alibi.h>

extern const char *level_choices[], *format_choices[]; /* end in NULL */
extern const char *const timestamp_choices[];          /* of alibi_builder_timestamps() */
/* The levels, and the other ones that alibi synth has formulas of. */
extern const char *formula_level_choices[];

void choices_fill(void);

alibi_level_info level_info(size_t index);
alibi_format_info format_info(size_t index);

#endif
