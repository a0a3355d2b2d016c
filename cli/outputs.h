/*
 * outputs: the files that options name to write into, looked at before the work begins.
 *
 * A check may take hours, so a wrong path is reported before. And a file is
 * written without asking what was in it, so it must be neither a history that is read nor
 * what another option writes. Two paths are one file if they lead to the same inode, or,
 * where nothing is there yet, to the same name in the same directory. Devices and pipes
 * may be named as often as one likes.
 */
#ifndef ALIBI_CLI_OUTPUTS_H
#define ALIBI_CLI_OUTPUTS_H

#include "options.h"

struct output {
	const char *option, *path; /* path NULL: it was not given */
};

/* False: it was complained, and nothing has changed. */
bool outputs_make_sense(const char *command, const struct output *outputs, size_t count,
                        const struct words *inputs);

#endif
