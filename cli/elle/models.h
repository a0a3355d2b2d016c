/*
 * models: what elle-cli calls a model: what the operations of a history mean, and what is checked
 * of them. A row of the table is a model; its function loads the history and judges it.
 */
#ifndef ALIBI_CLI_ELLE_MODELS_H
#define ALIBI_CLI_ELLE_MODELS_H

#include "run.h"

struct elle_model {
	const char *name;                  /* as elle-cli's --model has it */
	const char *title;                 /* for the help */
	bool (*judge)(struct elle_run *r); /* false: it cannot be read, or is no such history */
};

extern const struct elle_model elle_models[];  /* ends in a row without a name */
extern const char *const elle_model_choices[]; /* their names; ends in NULL */

#endif
