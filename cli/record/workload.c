/* workload: see workload.h. */
#include "workload.h"

#include <string.h>

static const struct workload *const workloads[] = {
        &workload_rw,    &workload_rmw,       &workload_blindw,  &workload_append,
        &workload_bank,  &workload_predicate, &workload_phantom, &workload_tpcc,
        &workload_rubis, &workload_twitter,
};

const char *const workload_names[] = {"rw",      "rmw",  "blindw", "append",  "bank", "predicate",
                                      "phantom", "tpcc", "rubis",  "twitter", NULL};

const struct workload *workload_named(const char *name)
{
	for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
		if (!strcmp(workloads[i]->name, name))
			return workloads[i];
	return NULL;
}
