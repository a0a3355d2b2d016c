/* session_file: see session_file.h. */
#include "format/session_file.h"

#include "format/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool text_integer(struct text t, int64_t *n)
{
	char digits[24], again[24];
	if (t.length >= sizeof digits)
		return false;
	memcpy(digits, t.bytes, t.length);
	digits[t.length] = 0;
	*n = strtoll(digits, NULL, 10);
	snprintf(again, sizeof again, "%lld", (long long)*n);
	return !strcmp(digits, again);
}

/* The last one: "a.log.log" is a file of the session "a.log". */
static size_t before_suffix(const char *name)
{
	size_t length = strlen(name);
	for (const char *p = name; (p = strstr(p, ".log")); p++)
		length = (size_t)(p - name);
	return length;
}

uint32_t session_of_file(struct builder *b, const char *path, char letter)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t length = before_suffix(name);
	int64_t n;
	if (*name == letter &&
	    text_integer((struct text){.bytes = name + 1, .length = length - 1}, &n))
		return atoms_integer(b->names, n);
	if (!text_is_utf8((struct text){.bytes = name, .length = length}))
		builder_reject(b, "the file's name is the session's name, and it is not UTF-8; "
		                  "rename the file");
	return atoms_string(b->names, name, length);
}
