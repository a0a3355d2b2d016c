/*
 * txns: Elle's own models, list-append and rw-register: histories of transactions, checked for
 * the consistency models and anomalies that were asked for.
 */
#ifndef ALIBI_CLI_ELLE_TXNS_H
#define ALIBI_CLI_ELLE_TXNS_H

#include "run.h"

bool judge_list_append(struct elle_run *r);
bool judge_rw_register(struct elle_run *r);

#endif
