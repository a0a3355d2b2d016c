/*
 * result: a task as alibi.h has it, and what came out of it.
 *
 * What is found is told at once, so that it is there when a limit ends the job.
 */
#ifndef ALIBI_SYNTH_RESULT_H
#define ALIBI_SYNTH_RESULT_H

#include "alibi.h"
#include "synth/definition.h"

struct result;

alibi_definition result_definition(const struct definition *d); /* but for its text */

/* Reads the definitions, and checks the bounds. */
struct result *result_new(struct pool *pool, const alibi_synth_options *options);
void result_search(struct result *r);
/* What there is now; error: the limit that ended it, or NULL. */
const alibi_synthesis *result_told(struct result *r, const alibi_error *error);

#endif
