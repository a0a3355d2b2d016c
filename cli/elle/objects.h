/*
 * objects: models of Jepsen and Knossos whose operations are not transactions. The library reads
 * them as transactions, and says at which level they are checked (docs/models.md).
 */
#ifndef ALIBI_CLI_ELLE_OBJECTS_H
#define ALIBI_CLI_ELLE_OBJECTS_H

#include "run.h"

bool judge_object(struct elle_run *r);

#endif
