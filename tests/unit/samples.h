/*
 * samples: findings made by hand, to test reports as functions of data. A sample is
 * a history, as text, and an explanation of it.
 */
#ifndef ALIBI_TESTS_SAMPLES_H
#define ALIBI_TESTS_SAMPLES_H

#include "support.h"

struct sample {
	alibi_reported reported;
	alibi_finding findings[4];
	alibi_explanation explanation;
	alibi_result result;
};

/* The names of all samples; ends in NULL. */
extern const char *const sample_names[];

/* Lives as long as the test. */
const struct sample *sample_make(struct test *t, const char *name);

#endif
