/* check_all: see check_all.h. */
#include "check_all.h"

#include "command.h"
#include "output.h"

#include <stdio.h>
#include <string.h>

int all_exit_code(const alibi_levels *all, const char *claimed)
{
	bool wrong = !all->strongest, open = false;
	for (size_t i = 0; i < all->count; i++) {
		const alibi_result *r = all->results[i];
		open |= r->verdict == ALIBI_UNKNOWN;
		wrong |= claimed && !strcmp(r->level, claimed) && r->verdict == ALIBI_VIOLATES;
	}
	if (open && !all->strongest)
		return EXIT_UNDECIDED;
	return wrong ? EXIT_VIOLATES : open ? EXIT_UNDECIDED : EXIT_VALID;
}

static const char *why(const alibi_result *r)
{
	return r->reason ? r->reason : r->described ? r->violations[0].text : "";
}

void all_print_text(const char *path, const alibi_levels *all, bool quiet)
{
	static const enum colour colours[] = {COLOUR_GOOD, COLOUR_BAD, COLOUR_DOUBT};
	printf("%s\t", path);
	if (all->strongest)
		printf("holds up to %s\n", all->strongest);
	else
		puts("holds at no level");
	for (size_t i = all->count; !quiet && i-- > 0;) {
		const alibi_result *r = all->results[i];
		printf("  %-5s ", r->level);
		print_coloured(colours[r->verdict], alibi_verdict_name(r->verdict));
		printf("%*s", (int)(9 - strlen(alibi_verdict_name(r->verdict))), "");
		if (r->implied_by)
			printf("as %s", r->implied_by);
		else
			fputs(why(r), stdout);
		putchar('\n');
	}
}

void all_print_json(bool *first, const alibi_levels *all)
{
	if (all->strongest)
		json_member_text(first, "strongest", all->strongest);
	else
		json_member_raw(first, "strongest", "null");
	json_open_member(first, "levels");
	putchar('[');
	for (size_t i = 0; i < all->count; i++) {
		const alibi_result *r = all->results[i];
		bool inner = true;
		if (i)
			putchar(',');
		putchar('{');
		json_member_text(&inner, "level", r->level);
		json_member_text(&inner, "verdict", alibi_verdict_name(r->verdict));
		if (r->implied_by)
			json_member_text(&inner, "implied_by", r->implied_by);
		else if (*why(r))
			json_member_text(&inner, "reason", why(r));
		putchar('}');
	}
	putchar(']');
}
