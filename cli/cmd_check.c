/*
 * check: a verdict for each history, and an exit code for CI.
 */
#include "check_histories.h"
#include "command.h"

static int run(int argc, char **argv)
{
	return check_histories("check", false, argc, argv);
}

const struct command cmd_check = {
        .name = "check",
        .words = "HISTORY…",
        .summary = "tell whether histories hold at an isolation level",
        .details =
                "Prints a line for each history, its path, a tab and the verdict (valid, violates "
                "or unknown), and below it what was found. Exits with 0 if all are valid, 1 if one "
                "violates the level, 2 if one is unknown, 255 if one cannot be read, 254 for a "
                "mistake on the command line (such as no level); of several, the first of 254, 1, "
                "255, 2 and 0.\n\n"
                "--level all checks every level and names the strongest that holds. The level that "
                "--expect names, or else the one that the history claims, decides the exit code. "
                "If "
                "there is neither, it is 0 if every level holds, 1 if none does, and otherwise 2. "
                "In CI, always say --expect.\n\n"
                "An order of events that explains every value read is searched for; it is found, "
                "or "
                "shown not to exist, exactly. --certificate keeps the proof, which alibi verify "
                "checks.\n\n"
                "With --order timestamps the order in which the database says it ran the "
                "transactions is replayed, and the verdict is about the history with these "
                "timestamps: a transaction's snapshot has what others committed at or before its "
                "start_ts. At ser all reads are as of the commit_ts; what does not fit violates "
                "ser only if the commits are said to be serial (--timestamps), and is unknown "
                "otherwise.",
        .options = check_options,
        .run = run,
};
