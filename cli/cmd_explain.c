/*
 * explain: why a history violates a level, in words, with the few transactions that
 * show it.
 */
#include "check_histories.h"
#include "command.h"

static int run(int argc, char **argv)
{
	return check_histories("explain", true, argc, argv);
}

const struct command cmd_explain = {
        .name = "explain",
        .words = "HISTORY…",
        .summary = "show why a history violates an isolation level",
        .details =
                "Checks the history, and tells of each violation what it is called, which "
                "transactions show it, and why they contradict each other. These are as few as "
                "can be: without any one of them, or of their operations, there is no violation. "
                "Violations that rest on other reads are listed apart, the simplest first, at "
                "most ten. Exits as check does.",
        .options = check_options,
        .run = run,
};
