/* synth_text: see synth_text.h. */
#include "synth_text.h"

#include "output.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

bool level_list_split(struct level_list *list, const char *text)
{
	list->count = 0;
	if (!text)
		return true;
	if (strlen(text) >= sizeof list->text)
		return false;
	snprintf(list->text, sizeof list->text, "%s", text);
	for (char *at = list->text; at;) {
		char *comma = strchr(at, ',');
		if (list->count == LEVEL_LIST_MAX)
			return false;
		if (comma)
			*comma++ = 0;
		list->names[list->count++] = at;
		at = comma;
	}
	return true;
}

unsigned bound(unsigned long long n)
{
	return n > UINT_MAX ? UINT_MAX : (unsigned)n;
}

static void print_levels(const alibi_synth_history *h, bool allows)
{
	size_t n = 0;
	for (size_t i = 0; i < h->level_count; i++)
		if (h->levels[i].allows == allows)
			printf("%s%s",
			       n++      ? ", "
			       : allows ? "allowed by "
			                : "forbidden by ",
			       h->levels[i].definition.name);
	if (n && allows && n < h->level_count)
		fputs("; ", stdout);
}

void synth_print_text(const alibi_synth_history *h)
{
	print_levels(h, true);
	print_levels(h, false);
	putchar('\n');
	for (const char *line = h->text; *line; line += strcspn(line, "\n") + 1)
		printf("  %.*s\n", (int)strcspn(line, "\n"), line);
	for (size_t i = 0; i < h->level_count; i++)
		if (h->levels[i].allows)
			printf("order at %s: %s\n", h->levels[i].definition.name,
			       h->levels[i].witness);
}

void synth_print_json(const alibi_synth_history *h)
{
	bool first = true, none = true;
	putchar('{');
	json_member_text(&first, "history", h->text);
	json_member_count(&first, "txns", h->txns);
	json_member_count(&first, "keys", h->keys);
	json_member_count(&first, "ops", h->ops);
	json_member_count(&first, "sessions", h->sessions);
	json_open_member(&first, "levels");
	putchar('[');
	for (size_t i = 0; i < h->level_count; i++) {
		bool start = true;
		json_open_member(&none, NULL);
		putchar('{');
		json_member_text(&start, "name", h->levels[i].definition.name);
		json_member_raw(&start, "allows", h->levels[i].allows ? "true" : "false");
		json_member_text(&start, "witness", h->levels[i].witness);
		json_member_text(&start, "checked_as", h->levels[i].definition.same_as);
		putchar('}');
	}
	fputs("]}", stdout);
}
