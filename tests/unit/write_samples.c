/*
 * write_samples: every sample as every kind of report, into a directory, for the
 * tests that look at them with other programs.
 *
 *     write_samples DIRECTORY
 */
#include "samples.h"

#include <stdio.h>

static const char *const suffixes[] = {"txt", "json", "xml", "html", "svg", "dot"};

int main(int argc, char **argv)
{
	if (argc != 2)
		return 254;
	for (const char *const *name = sample_names; *name; name++) {
		struct test t = test_start();
		const struct sample *s = sample_make(&t, *name);
		for (int kind = ALIBI_REPORT_TEXT; kind <= ALIBI_REPORT_DOT; kind++) {
			char path[4096];
			snprintf(path, sizeof path, "%s/%s.%s", argv[1], *name, suffixes[kind]);
			alibi_report *r =
			        alibi_report_open(t.job, (enum alibi_report_kind)kind, path, NULL);
			if (!r || !alibi_report_add(r, &s->reported) || !alibi_report_close(r)) {
				fprintf(stderr, "%s\n", alibi_last_error(t.job)->text);
				return 255;
			}
		}
		test_release(&t);
	}
	return 0;
}
