/*
 * help: what the program can do, for people, for man and for shells. All of it
 * is printed from the commands' own tables.
 */
#include "choices.h"
#include "command.h"
#include "level_names.h"
#include "output.h"

#include <alibi.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct help_values {
	bool man;
	const char *completions;
};

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static const struct option options[] = {
        {"man", OPTION_FLAG, NULL, "print the manual page, for man",
         offsetof(struct help_values, man), NULL},
        {"completions", OPTION_CHOICE, "SHELL", "print the completions for a shell",
         offsetof(struct help_values, completions), shells},
        {0},
};

enum { INDENT = 26 };

static void print_option(const struct option *o)
{
	char left[64];
	snprintf(left, sizeof left, "  --%s%s%s", o->name, o->argument ? " " : "",
	         o->argument ? o->argument : "");
	printf("%-*s", INDENT, left);
	size_t at = strlen(left) > INDENT - 1 ? strlen(left) + 1 : INDENT;
	if (strlen(left) > INDENT - 1)
		putchar(' ');
	char text[512];
	int n = snprintf(text, sizeof text, "%s", o->help);
	for (const char *const *c = o->choices; c && *c && n > 0 && (size_t)n < sizeof text; c++)
		n += snprintf(text + n, sizeof text - (size_t)n, "%s%s",
		              c == o->choices ? ": " : ", ", *c);
	print_wrapped(text, at, INDENT);
}

static void print_command(const struct command *c)
{
	printf("alibi %s%s%s%s: ", c->name, c->options->name ? " [OPTION…]" : "",
	       *c->words ? " " : "", c->words);
	print_wrapped(c->summary, 0, 0);
	if (c->details) {
		putchar('\n');
		print_wrapped(c->details, 0, 0);
	}
	if (c->options->name)
		putchar('\n');
	for (const struct option *o = c->options; o->name; o++)
		print_option(o);
}

static void print_overview(void)
{
	print_wrapped(
	        "Alibi tells whether a database kept its isolation promise, from a history of "
	        "what its clients saw.\n",
	        0, 0);
	puts("  alibi check --level si --order timestamps history.jsonl\n\nCommands:");
	for (const struct command *const *c = commands; *c; c++)
		printf("  %-10s %s\n", (*c)->name, (*c)->summary);
	puts("\nalibi help COMMAND says more about one; alibi help formats lists the formats.");
}

static void print_formats(void)
{
	for (size_t i = 0; i < alibi_format_count(); i++) {
		alibi_format_info f = format_info(i);
		printf("%-15s %s\n", f.name, f.title);
	}
	puts("\nFiles may be compressed with gzip, xz or zstd. The format is detected from the\n"
	     "content; --format names it.");
}

/* ---- man ---- */

/* A text with the characters that troff would take for its own. */
static void print_roff(const char *text)
{
	for (; *text; text++) {
		if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '\n' && text[1] == '\n') {
			fputs("\n.PP\n", stdout);
			text++;
		} else
			putchar(*text);
	}
	putchar('\n');
}

static void print_man_command(const struct command *c)
{
	printf(".SS alibi %s%s", c->name, c->options->name ? " [OPTION...] " : " ");
	print_roff(c->words);
	printf("%c",
	       c->summary[0] >= 'a' && c->summary[0] <= 'z' ? c->summary[0] - 32 : c->summary[0]);
	print_roff(c->summary + 1);
	if (c->details) {
		puts(".PP");
		print_roff(c->details);
	}
	for (const struct option *o = c->options; o->name; o++) {
		printf(".TP\n.BR \\-\\-");
		for (const char *p = o->name; *p; p++)
			printf(*p == '-' ? "\\-" : "%c", *p);
		if (o->argument)
			printf(" \" \" %s", o->argument);
		putchar('\n');
		print_roff(o->help);
		for (const char *const *choice = o->choices; choice && *choice; choice++)
			printf("%s%s%s", choice == o->choices ? "(" : ", ", *choice,
			       choice[1] ? "" : ")\n");
	}
}

static void print_man(void)
{
	printf(".TH ALIBI 1 \"\" \"alibi %s\" \"User Commands\"\n", alibi_version());
	puts(".SH NAME\nalibi \\- tell whether a database kept its isolation promise");
	puts(".SH SYNOPSIS\n.B alibi\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIHISTORY\\fR...]");
	puts(".SH DESCRIPTION\n"
	     "Alibi takes a history, what the clients of a database saw. It either finds an order\n"
	     "of events that accounts for every value that was read, or shows what no such order\n"
	     "explains.\n"
	     ".SH COMMANDS");
	for (const struct command *const *c = commands; *c; c++)
		print_man_command(*c);
	puts(".SH FORMATS");
	for (size_t i = 0; i < alibi_format_count(); i++) {
		puts(".TP");
		printf(".B ");
		print_roff(format_info(i).name);
		print_roff(format_info(i).title);
	}
	puts(".SH EXIT STATUS\nOf the commands that check histories; others say above what "
	     "0, 1 and 2 mean.\n"
	     ".TP\n0\nvalid\n.TP\n1\na violation\n.TP\n2\nunknown\n"
	     ".TP\n254\na mistake on the command line\n.TP\n255\nunreadable input or internal "
	     "error");
	puts(".SH ENVIRONMENT\n.TP\nNO_COLOR\nif set and not empty, nothing is printed in "
	     "colour\n.TP\nTERM\nif it is dumb, likewise");
}

/* ---- completions ---- */

/* Do words of this command name something else than files? */
static bool takes_names(const struct command *c)
{
	return c == &cmd_help || c == &cmd_levels;
}

/* The names that others have for levels, as they are typed, with a space before each. */
static void print_level_names(const char *colon)
{
	for (size_t i = 0; i < level_name_count; i++) {
		const struct level_name *n = &level_name_table[i];
		struct level_name plain;
		if (n->difference && !n->taken)
			continue;
		bool clear = level_name_find(n->name, &plain) && plain.whose == n->whose;
		putchar(' ');
		for (const char *c = clear ? "" : n->whose; *c; c++)
			putchar(tolower((unsigned char)*c));
		printf("%s%s", clear ? "" : colon, n->name);
	}
}

/* What an option may be, with a space between two of them. */
static void print_choices(const struct option *o, const char *colon)
{
	for (const char *const *choice = o->choices; *choice; choice++)
		printf("%s%s", choice == o->choices ? "" : " ", *choice);
	if (o->type == OPTION_NAME)
		print_level_names(colon);
}

/* What they name, with a space before each. */
static void print_names(const struct command *c, const char *colon)
{
	if (c == &cmd_levels) {
		for (const char **level = formula_level_choices; *level; level++)
			printf(" %s", *level);
		print_level_names(colon);
	} else {
		for (const struct command *const *named = commands; *named; named++)
			printf(" %s", (*named)->name);
	}
	if (c == &cmd_help)
		fputs(" formats", stdout);
}

static void print_bash(void)
{
	puts("# bash completion for alibi; made by: alibi help --completions bash\n"
	     "COMP_WORDBREAKS=${COMP_WORDBREAKS//:} # postgres:serializable is one word\n"
	     "_alibi() {\n"
	     "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
	     "\tlocal command=${COMP_WORDS[1]} options= names=\n"
	     "\tif [ \"$COMP_CWORD\" = 1 ]; then");
	fputs("\t\tCOMPREPLY=($(compgen -W \"", stdout);
	for (const struct command *const *c = commands; *c; c++)
		printf("%s%s", c == commands ? "" : " ", (*c)->name);
	puts("\" -- \"$word\"))\n\t\treturn\n\tfi\n\tcase \"$command $before\" in");
	for (const struct command *const *c = commands; *c; c++)
		for (const struct option *o = (*c)->options; o->name; o++) {
			if (!o->choices)
				continue;
			printf("\t'%s --%s') COMPREPLY=($(compgen -W \"", (*c)->name, o->name);
			print_choices(o, ":");
			puts("\" -- \"$word\")); return ;;");
		}
	puts("\tesac\n\tcase $command in");
	for (const struct command *const *c = commands; *c; c++) {
		printf("\t%s) options=\"", (*c)->name);
		for (const struct option *o = (*c)->options; o->name; o++)
			printf("%s--%s", o == (*c)->options ? "" : " ", o->name);
		if (takes_names(*c)) {
			fputs("\" names=\"", stdout);
			print_names(*c, ":");
		}
		puts("\" ;;");
	}
	puts("\tesac\n"
	     "\tcase $word in\n"
	     "\t-*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
	     "\t*) [ \"$names\" ] && COMPREPLY=($(compgen -W \"$names\" -- \"$word\")) ||\n"
	     "\t\tCOMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
	     "\tesac\n"
	     "}\n"
	     "complete -o filenames -F _alibi alibi");
}

static void print_zsh_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (strchr("[]:\\", *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void print_zsh(void)
{
	puts("#compdef alibi\n# made by: alibi help --completions zsh\n"
	     "_alibi() {\n\tif (( CURRENT == 2 )); then\n\t\tlocal -a list=(");
	for (const struct command *const *c = commands; *c; c++) {
		printf("\t\t\t'%s:", (*c)->name);
		print_zsh_text((*c)->summary);
		puts("'");
	}
	puts("\t\t)\n\t\t_describe command list\n\t\treturn\n\tfi\n\tcase $words[2] in");
	for (const struct command *const *c = commands; *c; c++) {
		printf("\t%s) _arguments", (*c)->name);
		for (const struct option *o = (*c)->options; o->name; o++) {
			printf(" \\\n\t\t'--%s[", o->name);
			print_zsh_text(o->help);
			putchar(']');
			if (o->argument)
				printf(":%s:", o->argument);
			if (o->choices) {
				putchar('(');
				print_choices(o, "\\:");
				putchar(')');
			}
			putchar('\'');
		}
		if (takes_names(*c)) {
			fputs(" \\\n\t\t'*:name:(", stdout);
			print_names(*c, "\\:");
			puts(")' ;;");
		} else {
			puts(" \\\n\t\t'*:file:_files' ;;");
		}
	}
	puts("\tesac\n}\n_alibi \"$@\"");
}

static void print_fish_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
}

static void print_fish(void)
{
	puts("# fish completion for alibi; made by: alibi help --completions fish");
	for (const struct command *const *c = commands; *c; c++) {
		printf("complete -c alibi -n __fish_use_subcommand -a %s -d '", (*c)->name);
		print_fish_text((*c)->summary);
		puts("'");
		for (const struct option *o = (*c)->options; o->name; o++) {
			printf("complete -c alibi -n '__fish_seen_subcommand_from %s' -l %s%s -d '",
			       (*c)->name, o->name, o->argument ? " -r" : "");
			print_fish_text(o->help);
			putchar('\'');
			if (o->choices) {
				fputs(" -f -a '", stdout);
				print_choices(o, ":");
				putchar('\'');
			}
			putchar('\n');
		}
		if (takes_names(*c)) {
			printf("complete -c alibi -n '__fish_seen_subcommand_from %s' -f -a '",
			       (*c)->name);
			print_names(*c, ":");
			puts("'");
		}
	}
}

static int run(int argc, char **argv)
{
	struct help_values v = {0};
	struct words words = {0};
	if (!options_parse("help", options, argc, argv, &v, &words))
		return EXIT_USAGE;
	if (v.man) {
		print_man();
	} else if (v.completions) {
		if (!strcmp(v.completions, "bash"))
			print_bash();
		else if (!strcmp(v.completions, "zsh"))
			print_zsh();
		else
			print_fish();
	} else if (words.count && !strcmp(words.items[0], "formats")) {
		print_formats();
	} else if (words.count) {
		const struct command *c = command_named(words.items[0]);
		if (!c)
			return EXIT_USAGE;
		print_command(c);
	} else {
		print_overview();
	}
	return EXIT_VALID;
}

const struct command cmd_help = {
        .name = "help",
        .words = "[COMMAND | formats]",
        .summary = "explain a command, or list the formats",
        .options = options,
        .run = run,
};
