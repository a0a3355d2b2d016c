/* choices: see choices.h. */
#include "choices.h"

#include <assert.h>

enum { CHOICES_MAX = 32 };

const char *level_choices[CHOICES_MAX], *format_choices[CHOICES_MAX];

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

void choices_fill(void)
{
	assert(alibi_level_count() < CHOICES_MAX && alibi_format_count() < CHOICES_MAX);
	for (size_t i = 0; i < alibi_level_count(); i++)
		level_choices[i] = level_info(i).name;
	for (size_t i = 0; i < alibi_format_count(); i++)
		format_choices[i] = format_info(i).name;
}
