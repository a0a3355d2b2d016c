/*
 * reporting: what the commands that check histories share: the options that say
 * which reports are written, and writing them. Text or JSON goes to standard
 * output, the others to files.
 */
#ifndef ALIBI_CLI_REPORTING_H
#define ALIBI_CLI_REPORTING_H

#include "options.h"

#include <alibi.h>

struct report_values {
	const char *html, *junit, *svg, *dot, *reduced, *certificate;
	bool json, quiet, stats;
};

/* Rows for a command whose values have a `struct report_values report`. */
#define REPORT_OPTIONS(values)                                                                     \
	{"html",                                                                                   \
	 OPTION_TEXT,                                                                              \
	 "FILE",                                                                                   \
	 "write a page that explains what was found, to open in a browser (of one history)",       \
	 offsetof(values, report.html),                                                            \
	 NULL},                                                                                    \
	        {"junit",                                                                          \
	         OPTION_TEXT,                                                                      \
	         "FILE",                                                                           \
	         "write the verdicts as JUnit XML, for CI",                                        \
	         offsetof(values, report.junit),                                                   \
	         NULL},                                                                            \
	        {"svg",                                                                            \
	         OPTION_TEXT,                                                                      \
	         "FILE",                                                                           \
	         "write pictures of what was found (of one history)",                              \
	         offsetof(values, report.svg),                                                     \
	         NULL},                                                                            \
	        {"dot",                                                                            \
	         OPTION_TEXT,                                                                      \
	         "FILE",                                                                           \
	         "write graphs of what was found, for Graphviz (of one history)",                  \
	         offsetof(values, report.dot),                                                     \
	         NULL},                                                                            \
	        {"certificate",                                                                    \
	         OPTION_TEXT,                                                                      \
	         "FILE",                                                                           \
	         "write what proves the verdict, for alibi verify (of one history at one level)",  \
	         offsetof(values, report.certificate),                                             \
	         NULL},                                                                            \
	        {"reduced",                                                                        \
	         OPTION_TEXT,                                                                      \
	         "FILE",                                                                           \
	         "write the few transactions that show the simplest anomaly, as a history of "     \
	         "their own (of one history)",                                                     \
	         offsetof(values, report.reduced),                                                 \
	         NULL},                                                                            \
	        {"json",                                                                           \
	         OPTION_FLAG,                                                                      \
	         NULL,                                                                             \
	         "print one JSON object a history",                                                \
	         offsetof(values, report.json),                                                    \
	         NULL},                                                                            \
	        {"stats",                                                                          \
	         OPTION_FLAG,                                                                      \
	         NULL,                                                                             \
	         "print what a search took, too; --json always does",                              \
	         offsetof(values, report.stats),                                                   \
	         NULL},                                                                            \
	{                                                                                          \
		"quiet", OPTION_FLAG, NULL, "print only the verdicts, and the reason of an error", \
		        offsetof(values, report.quiet), NULL                                       \
	}

enum { REPORT_FILES = 4, LEVELS_MAX = 16 };

struct reporting {
	const char *command;
	const struct report_values *values;
	alibi *job; /* of its own: what is reported may have reached its limits */
	alibi_report *files[REPORT_FILES];
	size_t file_count;
};

/* False: it was complained. After that there is nothing to end. */
bool reporting_start(struct reporting *r, const char *command, const struct report_values *values,
                     const struct words *histories);
/* Is any file to be written? */
bool reporting_writes(const struct report_values *values);
/* Is something wanted that needs an explanation? */
bool reporting_explains(const struct report_values *values);
/* Prints it, and adds it to the files. False: it was complained. */
bool reporting_add(struct reporting *r, const alibi_reported *what);
bool reporting_end(struct reporting *r);

/* Does the level hold, of all? NULL: it is not known which must. Then it is valid if every level
 * holds, violates if none does, and otherwise unknown. */
enum alibi_verdict reporting_verdict(const alibi_levels *all, const char *level);
int reporting_exit_code(enum alibi_verdict verdict);

/* What came out at all levels, as findings. */
void reporting_levels(const alibi_levels *all, bool ignore_sessions,
                      alibi_finding findings[LEVELS_MAX]);

#endif
