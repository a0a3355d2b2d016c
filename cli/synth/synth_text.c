/* synth_text: see synth_text.h. */
#include "synth_text.h"

#include "level_choice.h"
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
		list->names[list->count++] = level_formula(at);
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
	const alibi_synth_level *level;
	for (size_t i = 0; (level = alibi_synth_history_level_at(h, i)); i++)
		if (alibi_synth_level_allows(level) == allows)
			print_out("%s%s",
			          n++      ? ", "
			          : allows ? "allowed by "
			                   : "forbidden by ",
			          alibi_definition_name(alibi_synth_level_definition(level)));
	if (n && allows && n < alibi_synth_history_level_count(h))
		fputs("; ", stdout);
}

void synth_print_text(const alibi_synth_history *h)
{
	print_levels(h, true);
	print_levels(h, false);
	putchar('\n');
	for (const char *line = alibi_synth_history_text(h); *line; line += strcspn(line, "\n") + 1)
		print_out("  %.*s\n", (int)strcspn(line, "\n"), line);
	const alibi_synth_level *level;
	for (size_t i = 0; (level = alibi_synth_history_level_at(h, i)); i++)
		if (alibi_synth_level_allows(level))
			print_out("order at %s: %s\n",
			          alibi_definition_name(alibi_synth_level_definition(level)),
			          alibi_synth_level_witness(level));
}

void synth_print_json(const alibi_synth_history *h)
{
	bool first = true, none = true;
	putchar('{');
	json_member_text(&first, "history", alibi_synth_history_text(h));
	json_member_count(&first, "txns", alibi_synth_history_txns(h));
	json_member_count(&first, "keys", alibi_synth_history_keys(h));
	json_member_count(&first, "ops", alibi_synth_history_ops(h));
	json_member_count(&first, "sessions", alibi_synth_history_sessions(h));
	json_open_member(&first, "levels");
	putchar('[');
	const alibi_synth_level *level;
	for (size_t i = 0; (level = alibi_synth_history_level_at(h, i)); i++) {
		bool start = true;
		json_open_member(&none, NULL);
		putchar('{');
		json_member_text(&start, "name",
		                 alibi_definition_name(alibi_synth_level_definition(level)));
		json_member_raw(&start, "allows",
		                alibi_synth_level_allows(level) ? "true" : "false");
		json_member_text(&start, "witness", alibi_synth_level_witness(level));
		json_member_text(&start, "checked_as",
		                 alibi_definition_same_as(alibi_synth_level_definition(level)));
		putchar('}');
	}
	fputs("]}", stdout);
}
