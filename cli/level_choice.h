/*
 * level_choice: what the user calls a level, as one of Alibi's.
 *
 * Other people's names are taken where they mean the same, and a few for the nearest
 * level, with a note (level_names.h).
 * Some of them count session order and some do not; --session-order, if it was
 * said, must not contradict.
 */
#ifndef ALIBI_CLI_LEVEL_CHOICE_H
#define ALIBI_CLI_LEVEL_CHOICE_H

#include <stdbool.h>

struct level_choice {
	const char *level; /* Alibi's name */
	bool ignore_sessions;
	const char *alias, *whose; /* the name that was given; NULL: it was Alibi's own */
	char why[640];             /* it cannot be chosen: why, and what to do */
	char note[640]; /* it is taken for a level that is not the same: how they differ */
};

/* session_order: "on", "off", or NULL if nothing was said. False: see why. */
bool level_choose(struct level_choice *c, const char *name, const char *session_order);
/* The same, also of a level that formulas define: one of alibi synth's, or a file. */
bool level_choose_any(struct level_choice *c, const char *name, const char *session_order);

/* The name by which the library of formulas has that level, if it is the same; else name itself. */
const char *level_formula(const char *name);

/* Is it defined by formulas only? */
bool level_is_formula(const char *name);

/* level_choose() for the value of an option; why, or the note, is printed on standard error. */
bool level_option(struct level_choice *c, const char *command, const char *option, const char *name,
                  const char *session_order);
bool level_option_any(struct level_choice *c, const char *command, const char *option,
                      const char *name, const char *session_order);

#endif
