/* choices: see choices.h. */
#include "choices.h"

#include <assert.h>

#include <stdbool.h>
#include <string.h>

enum { CHOICES_MAX = 32 };

const char *level_choices[CHOICES_MAX], *format_choices[CHOICES_MAX];
const char *formula_level_choices[2 * CHOICES_MAX];
static alibi *definitions; /* has the names of the last of these */

const char *const timestamp_choices[] = {"snapshot", "serial", NULL};

alibi_level_info level_info(size_t index)
{
	alibi_level_info info = {ALIBI_INIT(alibi_level_info)};
	alibi_level_at(index, &info);
	return info;
}

alibi_format_info format_info(size_t index)
{
	alibi_format_info info = {ALIBI_INIT(alibi_format_info)};
	alibi_format_at(index, &info);
	return info;
}

static void fill_formula_levels(void)
{
	size_t count = 0;
	assert(alibi_definition_count() < CHOICES_MAX);
	for (; level_choices[count]; count++)
		formula_level_choices[count] = level_choices[count];
	definitions = alibi_new();
	for (size_t i = 0; definitions && i < alibi_definition_count(); i++) {
		const alibi_definition *d = alibi_definition_at(definitions, i);
		bool fresh = d;
		for (const char **own = level_choices; fresh && *own; own++)
			fresh = strcmp(*own, alibi_definition_name(d)) != 0;
		if (fresh)
			formula_level_choices[count++] = alibi_definition_name(d);
	}
}

void choices_fill(void)
{
	assert(alibi_level_count() < CHOICES_MAX && alibi_format_count() < CHOICES_MAX);
	for (size_t i = 0; i < alibi_level_count(); i++)
		level_choices[i] = level_info(i).name;
	for (size_t i = 0; i < alibi_format_count(); i++)
		format_choices[i] = format_info(i).name;
	fill_formula_levels();
}
