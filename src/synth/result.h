/*
 * result: the task and the synthesis of alibi.h.
 *
 * Histories are added as they are found, so they are there when a limit ends the job.
 */
#ifndef ALIBI_SYNTH_RESULT_H
#define ALIBI_SYNTH_RESULT_H

#include "findings/findings.h"
#include "synth/definition.h"

struct result;

alibi_definition result_definition(const struct definition *d); /* without its text */

/* Reads the definitions, and checks the bounds. */
struct result *result_new(struct pool *pool, const alibi_synth_options *options);
void result_search(struct result *r);
/* What was found so far; error: the limit that ended the search, or NULL. */
const alibi_synthesis *result_synthesis(struct result *r, const alibi_error *error);

#endif
