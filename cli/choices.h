/*
 * choices: names that the library knows, as choices of options. Filled from the
 * library's own tables once, at the start of the program.
 */
#ifndef ALIBI_CLI_CHOICES_H
#define ALIBI_CLI_CHOICES_H

extern const char *level_choices[];   /* end in NULL */
extern const char *format_choices[];  /* all formats */
extern const char *written_formats[]; /* those that can be written */

void choices_fill(void);

#endif
