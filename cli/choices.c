/* choices: see choices.h. */
#include "choices.h"

#include <alibi.h>
#include <assert.h>

enum { CHOICES_MAX = 32 };

const char *level_choices[CHOICES_MAX], *format_choices[CHOICES_MAX];

void choices_fill(void)
{
	assert(alibi_level_count() < CHOICES_MAX && alibi_format_count() < CHOICES_MAX);
	for (size_t i = 0; i < alibi_level_count(); i++)
		level_choices[i] = alibi_level(i).name;
	for (size_t i = 0; i < alibi_format_count(); i++)
		format_choices[i] = alibi_format(i).name;
}
