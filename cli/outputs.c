/* outputs: see outputs.h. */
#include "outputs.h"

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Where a file would come into being, and under which name. */
static bool directory_of(const char *path, struct stat *directory, const char **name)
{
	const char *slash = strrchr(path, '/');
	*name = slash ? slash + 1 : path;
	char *parent = slash ? strndup(path, (size_t)(*name - path)) : strdup(".");
	bool found = parent && !stat(parent, directory);
	free(parent);
	return found;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;
	const char *a_name, *b_name;
	bool a_exists = !stat(a, &x), b_exists = !stat(b, &y);
	if (a_exists != b_exists)
		return false;
	if (a_exists)
		return S_ISREG(x.st_mode) && same_inode(&x, &y);
	return directory_of(a, &x, &a_name) && directory_of(b, &y, &b_name) && same_inode(&x, &y) &&
	       !strcmp(a_name, b_name);
}

static bool can_write(const char *command, const struct output *o)
{
	int fd = open(o->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0) {
		close(fd);
		unlink(o->path);
		return true;
	}
	if (errno == EEXIST && !access(o->path, W_OK))
		return true;
	print_error(command, "--%s: %s: cannot write: %s", o->option, o->path, strerror(errno));
	return false;
}

static bool is_given(const struct output *o)
{
	return o->path && strcmp(o->path, "-") != 0;
}

bool outputs_make_sense(const char *command, const struct output *outputs, size_t count,
                        const struct words *inputs)
{
	for (const struct output *o = outputs; o < outputs + count; o++) {
		if (!is_given(o))
			continue;
		for (int i = 0; i < inputs->count; i++) {
			if (strcmp(inputs->items[i], "-") != 0 &&
			    same_file(o->path, inputs->items[i])) {
				print_error(command,
				            "--%s would overwrite the history %s; name "
				            "another file",
				            o->option, inputs->items[i]);
				return false;
			}
		}
		for (const struct output *other = outputs; other < o; other++) {
			if (is_given(other) && same_file(o->path, other->path)) {
				print_error(command,
				            "--%s and --%s are both to be %s; name two "
				            "files",
				            other->option, o->option, o->path);
				return false;
			}
		}
		if (!can_write(command, o))
			return false;
	}
	return true;
}
