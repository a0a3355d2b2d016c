/* engine: see engine.h. */
#include "engine.h"

#include "output.h"

#include <stdio.h>

const alibi_solver *engine_chosen(const char *command)
{
#if HAVE_CADICAL
	(void)command;
	return &engine_cadical;
#else
	print_error(command, "this program was built without CaDiCaL, which it searches with; "
	                     "install libcadical-dev and build again with -Dcadical=enabled");
	return NULL;
#endif
}
