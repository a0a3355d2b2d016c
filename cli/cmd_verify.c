/*
 * verify: checks a certificate against its history, without believing the search
 * that wrote it.
 */
#include "job.h"
#include "output.h"

#include <stdio.h>

struct verify_values {
	struct load_values load;
};

static const struct option options[] = {
        LOAD_OPTIONS(struct verify_values),
        {0},
};

static int run(int argc, char **argv)
{
	struct verify_values v = {0};
	struct words files;
	if (!options_parse("verify", options, argc, argv, &v, &files))
		return EXIT_USAGE;
	if (files.count != 2) {
		fputs("alibi verify: name a history, then its certificate\n", stderr);
		return EXIT_USAGE;
	}
	struct job job = job_start(&v.load);
	const alibi_history *h = job_load(&job, files.items[0], &v.load);
	const alibi_verification *r = h ? alibi_verify(job.alibi, h, files.items[1]) : NULL;
	int code = EXIT_BROKEN;
	clear_status();
	if (!r) {
		print_error("verify", "%s%s", alibi_last_error(job.alibi)->text,
		            h ? "" : ". The history comes first, then its certificate");
		code = job_exit_code(&job);
	} else if (!alibi_verification_accepted(r)) {
		print_out("%s\tnot accepted\n  %s\n", files.items[1], alibi_verification_reason(r));
	} else {
		bool valid = alibi_verification_verdict(r) == ALIBI_VALID;
		print_out("%s\tproves that %s %s %s\n", files.items[1], files.items[0],
		          valid ? "holds at" : "violates", alibi_verification_level(r));
		code = valid ? EXIT_VALID : EXIT_VIOLATES;
	}
	job_end(&job);
	return code;
}

const struct command cmd_verify = {
        .name = "verify",
        .words = "HISTORY CERTIFICATE",
        .summary = "check the certificate of a verdict",
        .details =
                "A certificate (check --certificate) holds the order that explains a history, or "
                "the steps that refute every order. This checks it in one pass, with code of "
                "its own, apart from the search. Exits with 0 if it proves that the history "
                "holds at the level, 1 if it proves a violation, 255 if it proves nothing.",
        .options = options,
        .run = run,
};
