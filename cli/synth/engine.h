/*
 * engine: the SAT solver that alibi synth and compare search with.
 */
#ifndef ALIBI_CLI_ENGINE_H
#define ALIBI_CLI_ENGINE_H

#include <alibi.h>

/* NULL: the program was built without; a message was printed. */
const alibi_solver *engine_chosen(const char *command);

#if HAVE_CADICAL
extern const alibi_solver engine_cadical;
#endif

#endif
