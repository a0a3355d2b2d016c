/* meaning: see meaning.h. */
#include "format/meaning.h"

#include <string.h>

static const char *const names[] = {NULL, "snapshot", "serial"};

const char *meaning_name(enum stamp_meaning meaning)
{
	return names[meaning];
}

bool meaning_named(const char *name, size_t length, enum stamp_meaning *meaning)
{
	for (*meaning = STAMPS_SERIAL; *meaning; --*meaning)
		if (strlen(names[*meaning]) == length && !memcmp(name, names[*meaning], length))
			return true;
	return false;
}
