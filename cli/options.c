/* options: see options.h. */
#include "options.h"

#include "output.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 32, NEAR = 2 };

/* How many letters to change, add or remove to get from a to b. */
static size_t distance(const char *a, const char *b)
{
	size_t m = strlen(a), n = strlen(b), row[WORD_MAX + 1];
	if (m > WORD_MAX || n > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; i <= m; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);
			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

const char *nearest_word(const char *typed, const char *const *words)
{
	const char *best = NULL;
	size_t least = NEAR + 1;
	for (; *words; words++) {
		size_t d = distance(typed, *words);
		if (d < least) {
			least = d;
			best = *words;
		}
	}
	return best;
}

static bool complain_unknown(const char *command, const struct option *table, const char *name)
{
	const char *names[64];
	size_t count = 0;
	for (; table->name && count < 63; table++)
		names[count++] = table->name;
	names[count] = NULL;
	const char *near = nearest_word(name, names);
	print_to(stderr, "alibi %s: there is no option --%s", command, name);
	if (near)
		print_to(stderr, "; did you mean --%s?", near);
	print_to(stderr, " (alibi help %s lists them)\n", command);
	return false;
}

static bool complain(const char *command, const struct option *o, const char *text,
                     const char *wanted)
{
	print_error(command, "--%s expects %s, not '%s'", o->name, wanted, text);
	return false;
}

static bool take_number(const char *text, double *number, const char **unit)
{
	char *end;
	errno = 0;
	*number = strtod(text, &end);
	*unit = end;
	return end != text && !errno && *number >= 0 && *number < 1e18;
}

static bool set_count(const char *command, const struct option *o, const char *text, void *to)
{
	char *end;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	if (*end || end == text || strchr(text, '-'))
		return complain(command, o, text, "a whole number");
	if (errno || n == ULLONG_MAX) /* which commands use for what was not said */
		return complain(command, o, text, "a smaller number");
	*(unsigned long long *)to = n;
	return true;
}

static bool set_bytes(const char *command, const struct option *o, const char *text, void *to)
{
	static const char units[] = "KMGT";
	double n;
	const char *unit;
	bool ok = take_number(text, &n, &unit);
	const char *found = ok && *unit ? strchr(units, *unit) : NULL;
	if (found) {
		n *= (double)(1ull << (10 * (found - units + 1)));
		unit++;
		if (!strcmp(unit, "iB") || !strcmp(unit, "B"))
			unit = "";
	}
	if (!ok || *unit || n > (double)SIZE_MAX / 2 || n < 1)
		return complain(command, o, text, "an amount of memory such as 800M or 2G");
	*(size_t *)to = (size_t)n;
	return true;
}

static bool set_seconds(const char *command, const struct option *o, const char *text, void *to)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}};
	double n;
	const char *unit;
	if (take_number(text, &n, &unit) && n > 0)
		for (size_t i = 0; i < sizeof units / sizeof *units; i++)
			if (!strcmp(unit, units[i].unit)) {
				*(double *)to = n * units[i].seconds;
				return true;
			}
	return complain(command, o, text, "a time such as 30s, 5m or 500ms");
}

static bool set_real(const char *command, const struct option *o, const char *text, void *to)
{
	double n;
	const char *unit;
	bool share = o->type == OPTION_SHARE;
	if (!take_number(text, &n, &unit) || *unit || (share && n > 1))
		return complain(command, o, text,
		                share ? "a share from 0 to 1" : "a number from 0 on");
	*(double *)to = n;
	return true;
}

static bool set_choice(const char *command, const struct option *o, const char *text, void *to)
{
	for (const char *const *choice = o->choices; *choice; choice++)
		if (!strcmp(text, *choice)) {
			*(const char **)to = *choice;
			return true;
		}
	const char *near = nearest_word(text, o->choices);
	print_to(stderr, "alibi %s: --%s expects one of", command, o->name);
	for (const char *const *choice = o->choices; *choice; choice++)
		print_to(stderr, "%s %s", choice == o->choices ? "" : ",", *choice);
	print_to(stderr, "; not '%s'", text);
	if (near)
		print_to(stderr, " (did you mean %s?)", near);
	fputc('\n', stderr);
	return false;
}

static bool set_value(const char *command, const struct option *o, const char *text, void *values)
{
	void *to = (char *)values + o->offset;
	switch (o->type) {
	case OPTION_FLAG:
		*(bool *)to = true;
		return true;
	case OPTION_TEXT:
	case OPTION_NAME:
		*(const char **)to = text;
		return true;
	case OPTION_CHOICE:
		return set_choice(command, o, text, to);
	case OPTION_COUNT:
		return set_count(command, o, text, to);
	case OPTION_BYTES:
		return set_bytes(command, o, text, to);
	case OPTION_SECONDS:
		return set_seconds(command, o, text, to);
	default:
		return set_real(command, o, text, to);
	}
}

const struct option *options_find(const struct option *table, const char *name, size_t length)
{
	for (; table->name; table++)
		if (strlen(table->name) == length && !memcmp(table->name, name, length))
			return table;
	return NULL;
}

bool options_parse(const char *command, const struct option *table, int argc, char **argv,
                   void *values, struct words *words)
{
	int kept = 0;
	bool only_words = false;
	for (int i = 0; i < argc; i++) {
		char *word = argv[i];
		if (only_words || word[0] != '-' || !word[1]) {
			argv[kept++] = word;
			continue;
		}
		if (!strcmp(word, "--")) {
			only_words = true;
			continue;
		}
		if (word[1] != '-') {
			print_error(command, "options start with two dashes; found '%s'", word);
			return false;
		}
		char *name = word + 2, *value = strchr(name, '=');
		size_t length = value ? (size_t)(value - name) : strlen(name);
		const struct option *o = options_find(table, name, length);
		if (value)
			*value++ = 0;
		if (!o)
			return complain_unknown(command, table, name);
		if (o->type == OPTION_FLAG && value) {
			print_error(command, "--%s takes no value", o->name);
			return false;
		}
		if (o->type != OPTION_FLAG && !value && ++i < argc)
			value = argv[i];
		if (o->type != OPTION_FLAG && !value) {
			print_error(command, "--%s expects a value: --%s %s", o->name, o->name,
			            o->argument);
			return false;
		}
		if (!set_value(command, o, value, values))
			return false;
	}
	*words = (struct words){.items = argv, .count = kept};
	return true;
}
