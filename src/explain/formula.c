/* formula: see formula.h. */
#include "explain/formula.h"

#include "synth/definition.h"
#include "synth/executions.h"

static bool violates_alone(struct pool *pool, const struct definition *d, const alibi_anomaly *a,
                           bool session_order)
{
	const struct history *h = (const struct history *)a->reduced;
	struct executions found = executions_of(pool, d, h, session_order);
	return !found.outside && !found.allowed;
}

void explain_formula(struct pool *pool, const struct history *h, const char *level,
                     const struct check_options *options, double seconds, alibi_explanation *out)
{
	const struct definition *d = definition_find(pool, level);
	const alibi_result *result = check(pool, h, options);
	if (result->verdict != ALIBI_VIOLATES)
		return;
	alibi_explanation all = {0};
	explain(pool, h, options, result, seconds, &all);
	alibi_anomaly *kept = pool_array(pool, all.count + 1, sizeof *kept);
	size_t count = 0;
	for (size_t i = 0; i < all.count; i++)
		if (violates_alone(pool, d, &all.anomalies[i], options->session_order))
			kept[count++] = all.anomalies[i];
	*out = all;
	out->level = level;
	out->count = count;
	out->anomalies = kept;
}
