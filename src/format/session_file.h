/*
 * session_file: which session a file of a directory holds.
 *
 * Cobra and Viper write a file a client thread and name it by the thread's
 * number: T12.log, J12.log. The number is the session's name; a file that is
 * named otherwise gives its name without the suffix.
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
