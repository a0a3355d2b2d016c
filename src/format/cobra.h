/*
 * cobra: the numbers that Cobra's logs reserve, for its reader and its writer.
 */
#ifndef ALIBI_FORMAT_COBRA_H
#define ALIBI_FORMAT_COBRA_H

#include <stdbool.h>
#include <stdint.h>

/* In the place of a writer's id, of a write id, or of both. */
#define COBRA_INITIAL INT64_C(0xbebeebee)  /* what was there before the first write */
#define COBRA_ABSENT INT64_C(0xdeadbeef)   /* the same, and the key was not there */
#define COBRA_BY_VALUE INT64_C(0xabddefee) /* VeriStrong: go by the value */
#define COBRA_GC_TRUE INT64_C(0x23332333)
#define COBRA_GC_FALSE INT64_C(0x66666666)

/* Above all of these. */
#define COBRA_FRESH (INT64_C(1) << 32)

static inline bool cobra_reserved(int64_t n)
{
	return n == COBRA_INITIAL || n == COBRA_ABSENT || n == COBRA_BY_VALUE ||
	       n == COBRA_GC_TRUE || n == COBRA_GC_FALSE;
}

#endif
