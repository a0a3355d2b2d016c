/* level_choice: see level_choice.h. */
#include "level_choice.h"
#include "output.h"

#include "choices.h"
#include "level_names.h"
#include "options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 256 };

static void say_unknown(struct level_choice *c, const char *name)
{
	const char *names[NAMES_MAX];
	size_t count = 0;
	assert(alibi_level_count() + level_name_count < NAMES_MAX);
	for (size_t i = 0; i < alibi_level_count(); i++)
		names[count++] = level_choices[i];
	for (size_t i = 0; i < level_name_count; i++)
		names[count++] = level_name_table[i].name;
	names[count] = NULL;
	const char *near = nearest_word(name, names);
	snprintf(c->why, sizeof c->why, "there is no level '%s'%s%s%s (alibi levels lists them)",
	         name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

bool level_choose(struct level_choice *c, const char *name, const char *session_order)
{
	struct level_name found;
	bool off = session_order && !strcmp(session_order, "off");
	*c = (struct level_choice){0};
	if (!level_name_find(name, &found)) {
		say_unknown(c, name);
		return false;
	}
	c->level = found.level;
	c->ignore_sessions = found.whose && !found.taken ? found.ignore_sessions : off;
	c->alias = found.whose ? found.name : NULL;
	c->whose = found.whose;
	if (found.difference && found.taken)
		snprintf(c->note, sizeof c->note, "%s (%s) is checked as %s. The difference: %s.",
		         found.name, found.whose, found.level, found.difference);
	if (found.difference && !found.taken)
		snprintf(c->why, sizeof c->why,
		         "%s (%s) is none of Alibi's levels, the nearest is %s. The difference: "
		         "%s.",
		         found.name, found.whose, found.level, found.difference);
	else if (session_order && off != c->ignore_sessions)
		snprintf(c->why, sizeof c->why,
		         "%s (%s) %s session order; say --level %s --session-order %s", found.name,
		         found.whose, off ? "counts" : "does not count", found.level,
		         session_order);
	return !*c->why;
}

const char *level_formula(const char *name)
{
	struct level_name found;
	bool same = level_name_find(name, &found) && !found.difference && !found.ignore_sessions;
	return same ? found.level : name;
}

bool level_option(struct level_choice *c, const char *command, const char *option, const char *name,
                  const char *session_order)
{
	bool chosen = level_choose(c, name, session_order);
	if (*c->why || *c->note)
		print_error(command, "--%s: %s", option, *c->why ? c->why : c->note);
	return chosen;
}
