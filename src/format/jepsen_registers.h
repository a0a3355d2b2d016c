/*
 * jepsen_registers: registers with compare-and-set, and locks, as transactions (jepsen_model.h).
 */
#ifndef ALIBI_FORMAT_JEPSEN_REGISTERS_H
#define ALIBI_FORMAT_JEPSEN_REGISTERS_H

#include "format/jepsen_call.h"

void take_register(struct jepsen_parser *r, struct jepsen_call *c);
void take_mutex(struct jepsen_parser *r, struct jepsen_call *c);

#endif
