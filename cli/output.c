/* output: see output.h. */
#include "output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void print_json_text(const char *text)
{
	putchar('"');
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p == '"' || *p == '\\')
			printf("\\%c", *p);
		else if (*p < 0x20)
			printf("\\u%04x", *p);
		else
			putchar(*p);
	}
	putchar('"');
}

void json_open_member(bool *first, const char *name)
{
	if (!*first)
		putchar(',');
	*first = false;
	if (name)
		printf("\"%s\":", name);
}

void json_member_text(bool *first, const char *name, const char *text)
{
	json_open_member(first, name);
	if (text)
		print_json_text(text);
	else
		fputs("null", stdout);
}

void json_member_raw(bool *first, const char *name, const char *json)
{
	json_open_member(first, name);
	fputs(json ? json : "null", stdout);
}

void json_member_count(bool *first, const char *name, uint64_t n)
{
	json_open_member(first, name);
	printf("%" PRIu64, n);
}

void print_coloured(enum colour colour, const char *text)
{
	static const char *const code[] = {"32", "1;31", "33", "2"};
	const char *no = getenv("NO_COLOR");
	if (isatty(STDOUT_FILENO) && !(no && *no))
		printf("\033[%sm%s\033[m", code[colour], text);
	else
		fputs(text, stdout);
}
