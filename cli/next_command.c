/* next_command: see next_command.h. */
#include "next_command.h"

#include "output.h"

#include <string.h>

static void add_quoted(struct text *t, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	                            "-_./:=,+@%";
	text_word(t, " ");
	if (*word && strspn(word, plain) == strlen(word)) {
		text_word(t, word);
		return;
	}
	text_word(t, "'");
	for (; *word; word++)
		if (*word == '\'')
			text_word(t, "'\\''");
		else
			text_add(t, word, 1);
	text_word(t, "'");
}

/* Does it say what is written, or how? */
static bool is_of_output(const struct option *o)
{
	static const char *const names[] = {"html",        "junit", "svg",   "dot",  "reduced",
	                                    "certificate", "json",  "quiet", "stats"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(o->name, names[i]))
			return true;
	return false;
}

struct text next_options(const struct option *table, int argc, char **argv)
{
	struct text t = {0};
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strncmp(argv[i], "--", 2) != 0)
			continue;
		const char *name = argv[i] + 2, *value = strchr(name, '=');
		const struct option *o =
		        options_find(table, name, value ? (size_t)(value - name) : strlen(name));
		if (!o)
			continue;
		const char *word = argv[i];
		if (o->type != OPTION_FLAG && !value && i + 1 < argc)
			value = argv[++i];
		else
			value = NULL;
		/* of all levels one is explained, which the caller adds */
		bool all = !strcmp(o->name, "level") &&
		           !strcmp(value               ? value
		                   : strchr(word, '=') ? strchr(word, '=') + 1
		                                       : "",
		                   "all");
		if (all || is_of_output(o))
			continue;
		add_quoted(&t, word);
		if (value)
			add_quoted(&t, value);
	}
	return t;
}

void next_print(const char *why, const char *command, const struct text *options, const char *more,
                const char *path)
{
	struct text t = {0};
	if (path[0] == '-' && path[1])
		text_word(&t, " --");
	add_quoted(&t, path);
	print_out("  %s: alibi %s%s%s%s\n", why, command, options->length ? options->data : "",
	          more ? more : "", t.data);
	text_release(&t);
}
