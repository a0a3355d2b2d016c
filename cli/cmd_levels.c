/*
 * levels: what the isolation levels are, how they differ, and what others call
 * them. All of it comes from tables: the library's of levels, and the program's own.
 */
#include "choices.h"
#include "command.h"
#include "job.h"
#include "level_choice.h"
#include "level_names.h"
#include "output.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct levels_values {
	bool json;
};

static const struct option options[] = {
        {"json", OPTION_FLAG, NULL, "print one JSON object", offsetof(struct levels_values, json),
         NULL},
        {0},
};

static const char of_all[] =
        "At every level own writes are read back, and no transaction reads what none wrote, what "
        "was "
        "aborted, or what its own writer overwrote. Session order is a part of every level: "
        "--session-order off leaves it out, which makes a weaker twin of each. Client times count "
        "at sser only; --assume-time-order makes a stronger twin of pc, si and ser.";
static const char scope[] =
        "Linearizability, and whatever else speaks of operations on single objects, is out of "
        "scope: these are levels of transactions.";

/* From one level to the next, with a history that only the weaker one allows. */
struct level_step {
	const char *weaker;
	alibi_level_info stronger;
	bool of_sessions; /* the weaker one leaves session order out; so at all levels */
};

/* The history of the weakest level is about session order, and comes last. */
static struct level_step step_at(size_t index)
{
	bool of_sessions = index + 1 == alibi_level_count();
	size_t level = of_sessions ? 0 : index + 1;
	return (struct level_step){.weaker = level_choices[of_sessions ? 0 : index],
	                           .stronger = level_info(level),
	                           .of_sessions = of_sessions};
}

/* ---- text ---- */

static void print_paragraph(const char *first, const char *text, size_t indent)
{
	print_out("%*s%s", (int)indent, "", first);
	print_wrapped(text, indent + strlen(first), indent);
}

/* The strongest on top; between two of them what only the lower one allows. */
static void print_drawing(void)
{
	for (size_t i = alibi_level_count(); i-- > 0;) {
		print_out("  %-6s %s\n", level_info(i).name, level_info(i).title);
		for (size_t j = 0; i && j < alibi_level_count(); j++) {
			struct level_step s = step_at(j);
			if (!s.of_sessions && !strcmp(s.stronger.name, level_info(i).name))
				print_out("   |         %s\n", s.stronger.anomaly);
		}
	}
	putchar('\n');
	print_paragraph(
	        "",
	        "The strongest level is at the top. Between two levels is the anomaly that the "
	        "upper one forbids and the lower one allows. alibi compare draws more levels, and "
	        "alibi synth finds histories that tell any two apart.",
	        2);
}

static void print_step(const struct level_step *s)
{
	if (s->of_sessions)
		print_out("  %s: allowed with --session-order off only\n", s->stronger.anomaly);
	else
		print_out("  %s: allowed at %s, and forbidden at %s\n", s->stronger.anomaly,
		          s->weaker, s->stronger.name);
	for (const char *line = s->stronger.history; *line; line += strcspn(line, "\n") + 1)
		print_out("      %.*s\n", (int)strcspn(line, "\n"), line);
	print_paragraph("", s->stronger.why, 4);
}

/* The names that others have for it. One that means something else by itself is
 * printed as it must be typed, whose:name. */
static void print_same(const char *level, bool ignore_sessions, const char *title)
{
	char text[1024];
	size_t n = 0;
	const char *before = "";
	for (size_t i = 0; i < level_name_count; i++) {
		struct level_name a = level_name_table[i], plain;
		if (a.difference || strcmp(a.level, level) != 0 ||
		    a.ignore_sessions != ignore_sessions || !strcmp(before, a.name))
			continue;
		bool clear = level_name_find(a.name, &plain) && !plain.difference &&
		             plain.ignore_sessions == ignore_sessions;
		n += (size_t)snprintf(text + n, sizeof text - n, clear ? "%s%s (%s)" : "%s%s:%s",
		                      n ? ", " : "", clear ? a.name : a.whose,
		                      clear ? a.whose : a.name);
		assert(n < sizeof text);
		before = a.name;
	}
	if (n)
		print_paragraph(title, text, 2);
}

/* Is this the first name that is different in this way? */
static bool is_first(size_t index)
{
	struct level_name a = level_name_table[index];
	for (size_t i = 0; i < index; i++) {
		struct level_name b = level_name_table[i];
		if (b.difference == a.difference && !strcmp(b.level, a.level))
			return false;
	}
	return true;
}

/* Names that are different in the same way share a paragraph. */
static void print_near(const char *level)
{
	bool any = false;
	for (size_t i = 0; i < level_name_count; i++) {
		struct level_name a = level_name_table[i];
		char text[1024];
		size_t n = 0;
		if (!a.difference || strcmp(a.level, level) != 0 || !is_first(i))
			continue;
		if (!any)
			puts("  near it, but not the same:");
		any = true;
		for (size_t j = i; j < level_name_count; j++) {
			struct level_name b = level_name_table[j];
			if (b.difference == a.difference && !strcmp(b.level, level))
				n += (size_t)snprintf(text + n, sizeof text - n, "%s%s (%s)",
				                      n ? ", " : "", b.name, b.whose);
			assert(n < sizeof text);
		}
		n += (size_t)snprintf(text + n, sizeof text - n, ": %s", a.difference);
		assert(n < sizeof text);
		print_paragraph("", text, 4);
	}
}

static void print_level(size_t index, bool near)
{
	alibi_level_info info = level_info(index);
	print_out("\n%s: %s\n", info.name, info.title);
	print_paragraph("", info.definition, 2);
	print_paragraph(index ? "forbids also: " : "forbids: ", info.forbids, 2);
	print_same(info.name, false, "others call it: ");
	print_same(info.name, true, "with --session-order off: ");
	for (size_t i = 0; i < alibi_level_count(); i++) {
		struct level_step s = step_at(i);
		if (!s.of_sessions &&
		    (!strcmp(s.stronger.name, info.name) || (near && !strcmp(s.weaker, info.name))))
			print_step(&s);
	}
	if (near)
		print_near(info.name);
}

static void print_all(void)
{
	print_drawing();
	putchar('\n');
	print_paragraph("", of_all, 2);
	putchar('\n');
	for (size_t i = 0; i < alibi_level_count(); i++) {
		struct level_step s = step_at(i);
		if (s.of_sessions)
			print_step(&s);
	}
	for (size_t i = 0; i < alibi_level_count(); i++)
		print_level(i, false);
	putchar('\n');
	print_paragraph("", scope, 2);
	print_paragraph("", "alibi levels NAME says what is near a level, but not the same.", 2);
}

/* ---- JSON ---- */

static void print_json_aliases(const char *level)
{
	for (int different = 0; different < 2; different++) {
		bool none = true;
		print_out(",\"%s\":[", different ? "near" : "same");
		for (size_t i = 0; i < level_name_count; i++) {
			struct level_name a = level_name_table[i];
			bool first = true;
			if (strcmp(a.level, level) != 0 || !a.difference != !different)
				continue;
			fputs(none ? "{" : ",{", stdout);
			none = false;
			json_member_text(&first, "name", a.name);
			json_member_text(&first, "whose", a.whose);
			json_member_text(&first, "session_order", a.ignore_sessions ? "off" : "on");
			if (a.difference) {
				json_member_text(&first, "difference", a.difference);
				json_member_raw(&first, "taken", a.taken ? "true" : "false");
			}
			putchar('}');
		}
		putchar(']');
	}
}

static void print_json_level(size_t index)
{
	alibi_level_info info = level_info(index);
	bool first = true;
	putchar('{');
	json_member_text(&first, "name", info.name);
	json_member_text(&first, "title", info.title);
	json_member_text(&first, "definition", info.definition);
	json_member_text(&first, "forbids", info.forbids);
	print_json_aliases(info.name);
	putchar('}');
}

static void print_json_step(const struct level_step *s)
{
	bool first = true;
	putchar('{');
	json_member_text(&first, "weaker", s->weaker);
	json_member_text(&first, "weaker_session_order", s->of_sessions ? "off" : "on");
	json_member_text(&first, "stronger", s->stronger.name);
	json_member_text(&first, "anomaly", s->stronger.anomaly);
	json_member_text(&first, "history", s->stronger.history);
	json_member_text(&first, "file", s->stronger.file);
	json_member_text(&first, "why", s->stronger.why);
	putchar('}');
}

/* only: one level, or NULL for all */
static void print_json(const char *only)
{
	bool first = true, none = true;
	fputs("{\"levels\":[", stdout);
	for (size_t i = 0; i < alibi_level_count(); i++) {
		if (only && strcmp(only, level_info(i).name) != 0)
			continue;
		json_open_member(&first, NULL);
		print_json_level(i);
	}
	fputs("],\"steps\":[", stdout);
	for (size_t i = 0; i < alibi_level_count(); i++) {
		struct level_step s = step_at(i);
		if (only && !s.of_sessions && strcmp(only, s.weaker) != 0 &&
		    strcmp(only, s.stronger.name) != 0)
			continue;
		json_open_member(&none, NULL);
		print_json_step(&s);
	}
	putchar(']');
	json_member_text(&first, "of_all", of_all);
	json_member_text(&first, "scope", scope);
	puts("}");
}

/* A level that is defined by formulas. */
static int show_formulas(const char *name)
{
	struct job job = job_start(&(struct load_values){0});
	for (size_t i = 0; i < alibi_definition_count(); i++) {
		const alibi_definition *d = alibi_definition_at(job.alibi, i);
		if (!d || strcmp(alibi_definition_name(d), name) != 0)
			continue;
		print_out(
		        "%s is defined by formulas (docs/synth.md). alibi check takes it, too.\n\n",
		        name);
		fputs(alibi_definition_text(d), stdout);
		job_end(&job);
		return EXIT_VALID;
	}
	job_end(&job);
	print_error("levels", "%s is a file; only the names of levels are explained", name);
	return EXIT_USAGE;
}

static int show_one(const char *name, bool json)
{
	struct level_choice choice;
	if (!json && level_is_formula(name))
		return show_formulas(name);
	bool same = level_choose(&choice, name, NULL);
	if (!choice.level) {
		print_error("levels", "%s", choice.why);
		return EXIT_USAGE;
	}
	if (json) {
		print_json(choice.level);
		return EXIT_VALID;
	}
	if (!same || *choice.note)
		print_paragraph("", same ? choice.note : choice.why, 0);
	else if (choice.alias)
		print_out("%s (%s) is %s%s.\n", choice.alias, choice.whose, choice.level,
		          choice.ignore_sessions ? " with --session-order off" : "");
	for (size_t i = 0; i < alibi_level_count(); i++)
		if (!strcmp(choice.level, level_info(i).name))
			print_level(i, true);
	return EXIT_VALID;
}

static int run(int argc, char **argv)
{
	struct levels_values v = {0};
	struct words words;
	int code = EXIT_VALID;
	if (!options_parse("levels", options, argc, argv, &v, &words))
		return EXIT_USAGE;
	if (words.count > 1) {
		fputs("alibi levels: one name at a time, or none for all levels\n", stderr);
		code = EXIT_USAGE;
	} else if (words.count) {
		code = show_one(words.items[0], v.json);
	} else if (v.json) {
		print_json(NULL);
	} else {
		print_all();
	}
	return code;
}

const struct command cmd_levels = {
        .name = "levels",
        .words = "[NAME]",
        .summary = "say what the isolation levels are, and what others call them",
        .details =
                "Prints the levels from the weakest to the strongest: what each means, what it "
                "forbids, and a small history that it forbids and the level below it allows. NAME "
                "is one of Alibi's levels or a name that others have for one, such as PL-3 or "
                "snapshot-isolation; AWDIT:causal says whose name it is.",
        .options = options,
        .run = run,
};
