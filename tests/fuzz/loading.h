/* loading: what fuzzers hand to a library that reads files. */
#ifndef ALIBI_FUZZ_LOADING_H
#define ALIBI_FUZZ_LOADING_H

#include "alibi.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_PATH = 64 };

/* A file in memory with these bytes, to be closed, and how to open it. */
static inline int memory_file(const void *bytes, size_t size, char path[MEMORY_PATH])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	snprintf(path, MEMORY_PATH, "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	return fd;
}

/* As a history in Alibi's own format; NULL: it is none. */
static inline const alibi_history *load_bytes(alibi *a, const void *bytes, size_t size)
{
	char path[MEMORY_PATH];
	int fd = memory_file(bytes, size, path);
	const alibi_history *h = alibi_load(
	        a, path, &(alibi_load_options){ALIBI_INIT(alibi_load_options), .format = "alibi"});
	close(fd);
	return h;
}

#endif
