/*
 * engine_cadical: CaDiCaL, through its C interface.
 */
#include "engine.h"

#include <ccadical.h>

static void *start(void)
{
	CCaDiCaL *s = ccadical_init();
	ccadical_set_option(s, "quiet", 1); /* it prints to standard output otherwise */
	return s;
}

static void end(void *s)
{
	ccadical_release(s);
}

static void add(void *s, int literal)
{
	ccadical_add(s, literal);
}

static void assume(void *s, int literal)
{
	ccadical_assume(s, literal);
}

static int solve(void *s)
{
	return ccadical_solve(s);
}

static int value(void *s, int literal)
{
	return ccadical_val(s, literal);
}

static void stop_when(void *s, int (*wanted)(void *data), void *data)
{
	ccadical_set_terminate(s, data, wanted);
}

const alibi_solver engine_cadical = {
        ALIBI_INIT(alibi_solver),
        .name = "CaDiCaL",
        .start = start,
        .end = end,
        .add = add,
        .assume = assume,
        .solve = solve,
        .value = value,
        .stop_when = stop_when,
};
