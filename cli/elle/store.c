/* store: see store.h. */
#include "store.h"
#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 8, COLUMNS = 4 };

/* ---- walking ---- */

static void add_path(struct paths *p, const char *path)
{
	p->items = items_grown(p->items, p->count, &p->room, sizeof *p->items);
	struct text copy = {0};
	text_word(&copy, path);
	p->items[p->count++] = copy.data;
}

void paths_release(struct paths *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->items[i]);
	free(p->items);
	*p = (struct paths){0};
}

static bool is_directory(const char *path, bool follow)
{
	struct stat s;
	return !(follow ? stat(path, &s) : lstat(path, &s)) && S_ISDIR(s.st_mode);
}

static bool complain_binary(const char *path)
{
	size_t folder = strlen(path) - strlen("/test.jepsen");
	print_error("elle",
	            "%s: Alibi does not read Jepsen's binary format. To write history.edn "
	            "beside it, run in the project of the test:\n"
	            "  lein run -m clojure.main -e '(do (require (quote jepsen.store)) "
	            "(jepsen.store/write-history! (jepsen.store/test \"%.*s\")))'",
	            path, (int)folder, path);
	return false;
}

/* The history of one test; false: this is no such directory. */
static bool add_test(struct paths *out, const char *directory, bool *ok)
{
	static const char *const files[] = {"history.edn", "history.txt", "test.jepsen"};
	struct text path = {0};
	struct stat s;
	size_t i = 0;
	for (; i < 3; i++) {
		text_cut(&path, 0);
		text_print(&path, "%s/%s", directory, files[i]);
		if (!stat(path.data, &s))
			break;
	}
	if (i < 2)
		add_path(out, path.data);
	else if (i == 2)
		*ok = complain_binary(path.data);
	text_release(&path);
	return i < 3;
}

static bool walk(struct paths *out, const char *directory, int depth)
{
	bool ok = true;
	struct dirent **entries = NULL;
	if (add_test(out, directory, &ok))
		return ok;
	int count = depth ? scandir(directory, &entries, NULL, alphasort) : 0;
	for (int i = 0; i < count; i++) {
		struct text path = {0};
		text_print(&path, "%s/%s", directory, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.' && is_directory(path.data, false))
			ok = walk(out, path.data, depth - 1) && ok;
		text_release(&path);
		free(entries[i]);
	}
	free(entries);
	return ok;
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && !strcmp(text + n - m, end);
}

bool store_histories(struct paths *out, const struct words *words)
{
	bool ok = true;
	*out = (struct paths){0};
	for (int i = 0; i < words->count; i++) {
		char *word = words->items[i];
		if (!is_directory(word, true)) {
			if (ends_in(word, "/test.jepsen"))
				ok = complain_binary(word);
			else
				add_path(out, word);
			continue;
		}
		for (size_t n = strlen(word); n > 1 && word[n - 1] == '/'; n--)
			word[n - 1] = 0;
		size_t before = out->count;
		bool found = walk(out, word, DEPTH_MAX);
		if (found && out->count == before)
			print_error("elle", "%s: there is no history.edn in it", word);
		ok = ok && found && out->count > before;
	}
	return ok;
}

/* ---- history.txt ---- */

bool is_history_txt(const char *path)
{
	return !strcmp(path, "history.txt") || ends_in(path, "/history.txt");
}

/* A line: the process, :type, :f and :value as EDN, with tabs between them; perhaps an error. */
static void add_line(struct text *edn, char *line, size_t index)
{
	static const char *const names[COLUMNS] = {":process", ":type", ":f", ":value"};
	text_print(edn, "{:index %zu", index);
	for (size_t i = 0; i < COLUMNS && line; i++) {
		char *tab = strchr(line, '\t');
		if (tab)
			*tab++ = 0;
		text_print(edn, ", %s %s", names[i], line);
		line = tab;
	}
	text_word(edn, "}\n");
}

bool history_txt_read(struct text *edn, const char *path)
{
	char *line = NULL;
	size_t room = 0, index = 0;
	ssize_t length;
	errno = 0;
	FILE *in = fopen(path, "r");
	while (in && (length = getline(&line, &room, in)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = 0;
		add_line(edn, line, index++);
	}
	bool ok = in && !ferror(in);
	free(line);
	if (in)
		fclose(in);
	return ok;
}
