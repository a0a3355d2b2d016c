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
	for (const char **own = formula_level_choices; *own; own++)
		names[count++] = *own;
	assert(count + level_name_count < NAMES_MAX);
	for (size_t i = 0; i < level_name_count; i++)
		names[count++] = level_name_table[i].name;
	names[count] = NULL;
	const char *near = nearest_word(name, names);
	snprintf(c->why, sizeof c->why, "there is no level '%s'%s%s%s (alibi levels lists them)",
	         name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

bool level_is_formula(const char *name)
{
	static const char suffix[] = ".level";
	size_t length = strlen(name), end = sizeof suffix - 1, i = 0;
	while (formula_level_choices[i] && strcmp(formula_level_choices[i], name) != 0)
		i++;
	return (i >= alibi_level_count() && formula_level_choices[i]) || strchr(name, '/') ||
	       (length > end && !strcmp(name + length - end, suffix));
}

bool level_choose(struct level_choice *c, const char *name, const char *session_order)
{
	struct level_name found;
	bool off = session_order && !strcmp(session_order, "off");
	*c = (struct level_choice){0};
	if (level_is_formula(name)) {
		snprintf(
		        c->why, sizeof c->why,
		        "%s is defined by formulas, which alibi check takes; here the level is one "
		        "of alibi levels",
		        name);
		return false;
	}
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

bool level_choose_any(struct level_choice *c, const char *name, const char *session_order)
{
	if (!level_is_formula(name))
		return level_choose(c, name, session_order);
	*c = (struct level_choice){
	        .level = name, .ignore_sessions = session_order && !strcmp(session_order, "off")};
	return true;
}

const char *level_formula(const char *name)
{
	struct level_name found;
	bool same = level_name_find(name, &found) && !found.difference && !found.ignore_sessions;
	return same ? found.level : name;
}

static bool say_choice(const struct level_choice *c, const char *command, const char *option,
                       bool chosen)
{
	if (*c->why || *c->note)
		print_error(command, "--%s: %s", option, *c->why ? c->why : c->note);
	return chosen;
}

bool level_option(struct level_choice *c, const char *command, const char *option, const char *name,
                  const char *session_order)
{
	bool chosen = level_choose(c, name, session_order);
	return say_choice(c, command, option, chosen);
}

bool level_option_any(struct level_choice *c, const char *command, const char *option,
                      const char *name, const char *session_order)
{
	bool chosen = level_choose_any(c, name, session_order);
	return say_choice(c, command, option, chosen);
}
