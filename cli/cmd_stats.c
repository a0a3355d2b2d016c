/*
 * stats: what is in a history, without judging it.
 */
#include "job.h"
#include "output.h"

#include <inttypes.h>
#include <stdio.h>

struct stats_values {
	struct load_values load;
	bool json;
};

static const struct option options[] = {
        {"json", OPTION_FLAG, NULL, "print one JSON object a history",
         offsetof(struct stats_values, json), NULL},
        LOAD_OPTIONS(struct stats_values),
        {0},
};

/* The numbers, for text and JSON alike. */
#define COUNTS(X)                                                                                  \
	X(txns, "transactions")                                                                    \
	X(committed, "  committed")                                                                \
	X(aborted, "  aborted")                                                                    \
	X(unknown, "  unknown")                                                                    \
	X(sessions, "sessions")                                                                    \
	X(ops, "operations")                                                                       \
	X(reads, "  reads")                                                                        \
	X(list_reads, "    of lists")                                                              \
	X(writes, "  writes")                                                                      \
	X(deletes, "  deletes")                                                                    \
	X(appends, "  appends")                                                                    \
	X(keys, "keys")                                                                            \
	X(list_keys, "  lists")                                                                    \
	X(values, "values")                                                                        \
	X(with_client_times, "with client times")                                                  \
	X(with_timestamps, "with timestamps")                                                      \
	X(with_info, "with info")                                                                  \
	X(reads_with_writer, "reads with writer")                                                  \
	X(queries, "queries")                                                                      \
	X(annotations, "annotations")                                                              \
	X(bytes, "bytes in memory")

static void print_json(const char *path, const alibi_stats *s, const struct job *job)
{
	bool first = true;
	putchar('{');
	json_member_text(&first, "file", path);
	json_member_text(&first, "format", s->format);
	json_member_text(&first, "level", s->claimed_level);
	json_member_text(&first, "source", s->source);
	json_member_text(&first, "timestamps", s->timestamps);
#define X(field, title) json_member_count(&first, #field, s->field);
	COUNTS(X)
#undef X
	print_out(",\"seconds\":%.3f", job_seconds(job));
	json_member_count(&first, "peak_bytes", alibi_peak_bytes(job->alibi));
	puts("}");
}

static void print_text(const char *path, const alibi_stats *s)
{
	print_out("%s: %s\n", path, s->format);
	if (s->claimed_level)
		print_out("  claims %s\n", s->claimed_level);
	if (s->source)
		print_out("  from %s\n", s->source);
	if (s->timestamps)
		print_out("  timestamps are %s\n", s->timestamps);
#define X(field, title)                                                                            \
	if (s->field)                                                                              \
		print_out("  %-18s %12" PRIu64 "\n", title, (uint64_t)s->field);
	COUNTS(X)
#undef X
}

static int run(int argc, char **argv)
{
	struct stats_values v = {0};
	struct words files;
	int worst = EXIT_VALID;
	if (!options_parse("stats", options, argc, argv, &v, &files))
		return EXIT_USAGE;
	if (!files.count) {
		fputs("alibi stats: which history? Name one or more files, or - for standard "
		      "input\n",
		      stderr);
		return EXIT_USAGE;
	}
	for (int i = 0; i < files.count; i++) {
		struct job job = job_start(&v.load);
		const alibi_history *h = job_load(&job, files.items[i], &v.load);
		clear_status();
		if (h) {
			alibi_stats s = stats_of(h);
			if (v.json)
				print_json(files.items[i], &s, &job);
			else
				print_text(files.items[i], &s);
		} else {
			print_error("stats", "%s", alibi_last_error(job.alibi)->text);
			int code = job_exit_code(&job);
			worst = code > worst ? code : worst;
		}
		job_end(&job);
	}
	return worst;
}

const struct command cmd_stats = {
        .name = "stats",
        .words = "HISTORY…",
        .summary = "count what is in histories",
        .details = "Loads each history as check would, and prints how many transactions, "
                   "operations, keys and values it has. What is zero is left out.",
        .options = options,
        .run = run,
};
