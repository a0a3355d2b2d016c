/* version: of the library. Below the other files, whose messages name it. */
#include "alibi.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *alibi_version(void)
{
	return TEXT(ALIBI_VERSION_MAJOR) "." TEXT(ALIBI_VERSION_MINOR) "." TEXT(
	        ALIBI_VERSION_PATCH);
}

unsigned alibi_version_number(void)
{
	return ALIBI_VERSION_NUMBER;
}
