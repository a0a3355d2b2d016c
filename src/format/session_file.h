/*
 * session_file: the session of a file in a directory.
 *
 * Cobra and Viper write a file for each client thread, named by its number: T12.log, J12.log. The
 * number is the session's name; for a file named otherwise, it is the name without the suffix.
 */
#ifndef ALIBI_FORMAT_SESSION_FILE_H
#define ALIBI_FORMAT_SESSION_FILE_H

#include "format/source.h"
#include "history/builder.h"

/* An atom of b->names. path may be that of a packed file. */
uint32_t session_of_file(struct builder *b, const char *path, char letter);

/* A decimal integer as sink_integer() writes it: no '+', no leading zeros, no
 * more than 64 bits. False: it is none. */
bool text_integer(struct text t, int64_t *n);

#endif
