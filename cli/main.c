/*
 * main: picks the subcommand. Everything the program can do is a row of the
 * table below.
 */
#include "choices.h"
#include "command.h"
#include "output.h"

#include <errno.h>
#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <string.h>

const struct command *const commands[] = {
        &cmd_check,   &cmd_explain,  &cmd_verify, &cmd_levels,  &cmd_stats,
        &cmd_convert, &cmd_generate, &cmd_record, &cmd_synth,   &cmd_compare,
        &cmd_watch,   &cmd_elle,     &cmd_help,   &cmd_version, NULL,
};

const struct command *command_named(const char *name)
{
	const char *names[16];
	size_t count = 0;
	for (const struct command *const *c = commands; *c; c++) {
		if (!strcmp((*c)->name, name))
			return *c;
		names[count++] = (*c)->name;
	}
	names[count] = NULL;
	const char *near = nearest_word(name, names);
	print_to(stderr, "alibi: there is no command '%s'", name);
	if (near)
		print_to(stderr, "; did you mean %s?", near);
	fputs(" (alibi help lists them)\n", stderr);
	return NULL;
}

/* Large blocks go back to the system as soon as they are freed. Left to itself the C
 * library keeps more and more of them, and --max-memory counts what is in use. */
static void return_freed_memory(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

/* A verdict that was not printed is none. */
static int close_output(int code)
{
	if (code == EXIT_BROKEN || (!fflush(stdout) && !ferror(stdout)))
		return code;
	print_error(NULL, "cannot write to standard output: %s", strerror(errno));
	return EXIT_BROKEN;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	return_freed_memory();
	setlocale(LC_CTYPE, "");
	choices_fill();
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		name = "help";
	if (!strcmp(name, "--version"))
		name = "version";
	if (!*name) {
		cmd_help.run(0, NULL);
		return EXIT_USAGE;
	}
	const struct command *c = command_named(name);
	if (!c)
		return EXIT_USAGE;
	if (argc > 2 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h")))
		return cmd_help.run(1, (char *[]){argv[1], NULL});
	return close_output(c->run(argc - 2, argv + 2));
}
