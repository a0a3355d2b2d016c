/* reporting: see reporting.h. */
#include "reporting.h"

#include "command.h"
#include "output.h"
#include "outputs.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool reporting_explains(const struct report_values *v)
{
	return v->html || v->junit || v->svg || v->dot || v->reduced;
}

bool reporting_writes(const struct report_values *v)
{
	return reporting_explains(v) || v->certificate;
}

static bool complain(const struct reporting *r)
{
	print_error(r->command, "%s", alibi_last_error(r->job)->text);
	return false;
}

static bool open_file(struct reporting *r, enum alibi_report_kind kind, const char *path)
{
	if (!path)
		return true;
	alibi_report *opened = alibi_report_open(r->job, kind, path, NULL);
	if (!opened)
		return complain(r);
	r->files[r->file_count++] = opened;
	return true;
}

bool reporting_start(struct reporting *r, const char *command, const struct report_values *v,
                     const struct words *histories)
{
	const struct output outputs[] = {
	        {"html", v->html}, {"junit", v->junit},     {"svg", v->svg},
	        {"dot", v->dot},   {"reduced", v->reduced}, {"certificate", v->certificate},
	};
	*r = (struct reporting){.command = command, .values = v};
	if (histories->count > 1 && (v->html || v->svg || v->dot || v->reduced)) {
		print_error(command, "--html, --svg, --dot and --reduced are for one history at a "
		                     "time");
		return false;
	}
	if (!outputs_make_sense(command, outputs, sizeof outputs / sizeof *outputs, histories))
		return false;
	r->job = alibi_new();
	if (!r->job) {
		fputs("alibi: out of memory\n", stderr);
		return false;
	}
	if (open_file(r, ALIBI_REPORT_HTML, v->html) &&
	    open_file(r, ALIBI_REPORT_JUNIT, v->junit) && open_file(r, ALIBI_REPORT_SVG, v->svg) &&
	    open_file(r, ALIBI_REPORT_DOT, v->dot))
		return true;
	alibi_free(r->job);
	return false;
}

/* On a terminal the width counts; elsewhere a sentence is a line. */
static size_t columns(void)
{
	struct winsize w;
	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w))
		return 0;
	return w.ws_col;
}

/* One at a time, so that it is seen as soon as it is known. */
static bool print(const struct reporting *r, const alibi_reported *what)
{
	alibi_report_options options = {ALIBI_INIT(alibi_report_options), .columns = columns(),
	                                .colour = output_coloured(), .quiet = r->values->quiet,
	                                .figures = r->values->stats};
	fflush(stdout);
	alibi_report *out = alibi_report_open(
	        r->job, r->values->json ? ALIBI_REPORT_JSON : ALIBI_REPORT_TEXT, "-", &options);
	return (out && alibi_report_add(out, what) && alibi_report_close(out)) || complain(r);
}

/* The simplest anomaly of the weakest level that does not hold. */
static bool save_reduced(const struct reporting *r, const alibi_reported *what)
{
	for (size_t i = 0; i < what->finding_count; i++) {
		const alibi_explanation *e = what->findings[i].explanation;
		if (e && alibi_explanation_anomaly_count(e))
			return alibi_save(r->job,
			                  alibi_anomaly_reduced(alibi_explanation_anomaly_at(e, 0)),
			                  r->values->reduced, "alibi", NULL) ||
			       complain(r);
	}
	print_error(r->command, "there is no anomaly, so --reduced wrote nothing");
	return true;
}

/* Of several levels, that of the claimed one. */
static bool save_certificate(const struct reporting *r, const alibi_reported *what)
{
	const alibi_finding *f = what->findings;
	for (size_t i = 0; what->claimed && i < what->finding_count; i++)
		if (!strcmp(what->findings[i].level, what->claimed))
			f = &what->findings[i];
	const char *path = r->values->certificate;
	size_t length = 0;
	const void *bytes = f->result ? alibi_result_certificate(f->result, &length) : NULL;
	if (!bytes) {
		bool decided = f->result && alibi_result_verdict(f->result) != ALIBI_UNKNOWN;
		print_error(r->command,
		            decided ? "formulas were evaluated, which has no certificate, so "
		                      "--certificate wrote nothing"
		                    : "nothing was proven, so --certificate wrote nothing");
		return true;
	}
	FILE *out = fopen(path, "wb");
	bool ok = out && fwrite(bytes, 1, length, out) == length;
	if (out && fclose(out))
		ok = false;
	if (!ok)
		print_error(r->command, "%s: cannot write: %s", path, strerror(errno));
	return ok;
}

bool reporting_add(struct reporting *r, const alibi_reported *what)
{
	bool ok = print(r, what);
	for (size_t i = 0; i < r->file_count; i++) {
		if (!r->files[i])
			continue;
		if (!alibi_report_add(r->files[i], what)) {
			r->files[i] = NULL;
			ok = complain(r);
		}
	}
	if (r->values->reduced && !save_reduced(r, what))
		ok = false;
	if (r->values->certificate && !save_certificate(r, what))
		ok = false;
	return ok;
}

bool reporting_end(struct reporting *r)
{
	bool ok = true;
	for (size_t i = 0; i < r->file_count; i++)
		if (r->files[i] && !alibi_report_close(r->files[i]))
			ok = complain(r);
	alibi_free(r->job);
	return ok;
}

int reporting_exit_code(enum alibi_verdict verdict)
{
	static const int codes[] = {EXIT_VALID, EXIT_VIOLATES, EXIT_UNDECIDED};
	return codes[verdict];
}

enum alibi_verdict reporting_verdict(const alibi_levels *all, const char *level)
{
	size_t count = alibi_levels_count(all);
	for (size_t i = 0; level && i < count; i++)
		if (!strcmp(alibi_result_level(alibi_levels_at(all, i)), level))
			return alibi_result_verdict(alibi_levels_at(all, i));
	if (alibi_result_verdict(alibi_levels_at(all, count - 1)) == ALIBI_VALID)
		return ALIBI_VALID;
	return alibi_result_verdict(alibi_levels_at(all, 0)) == ALIBI_VIOLATES ? ALIBI_VIOLATES
	                                                                       : ALIBI_UNKNOWN;
}

void reporting_levels(const alibi_levels *all, bool ignore_sessions,
                      alibi_finding findings[LEVELS_MAX])
{
	assert(alibi_levels_count(all) <= LEVELS_MAX);
	for (size_t i = 0; i < alibi_levels_count(all); i++) {
		const alibi_result *r = alibi_levels_at(all, i);
		findings[i] =
		        (alibi_finding){ALIBI_INIT(alibi_finding), .level = alibi_result_level(r),
		                        .ignore_sessions = ignore_sessions, .result = r};
	}
}
