/* reporting: see reporting.h. */
#include "reporting.h"

#include "output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool reporting_explains(const struct report_values *v)
{
	return v->html || v->junit || v->svg || v->dot || v->reduced;
}

static bool complain(const struct reporting *r)
{
	fprintf(stderr, "alibi %s: %s\n", r->command, alibi_last_error(r->job)->text);
	return false;
}

/* A check may take hours: a path that is wrong should be told before. */
static bool can_write(const char *command, const char *path)
{
	if (!path || !strcmp(path, "-"))
		return true;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0) {
		close(fd);
		unlink(path);
		return true;
	}
	if (errno == EEXIST && !access(path, W_OK))
		return true;
	fprintf(stderr, "alibi %s: %s: cannot write: %s\n", command, path, strerror(errno));
	return false;
}

static bool open_file(struct reporting *r, enum alibi_report_kind kind, const char *path)
{
	if (!path)
		return true;
	if (!can_write(r->command, path))
		return false;
	alibi_report *opened = alibi_report_open(r->job, kind, path, NULL);
	if (!opened)
		return complain(r);
	r->files[r->file_count++] = opened;
	return true;
}

bool reporting_start(struct reporting *r, const char *command, const struct report_values *v,
                     int histories)
{
	*r = (struct reporting){.command = command, .values = v};
	if (histories > 1 && (v->html || v->svg || v->dot || v->reduced)) {
		fprintf(stderr,
		        "alibi %s: --html, --svg, --dot and --reduced are for one history at a "
		        "time\n",
		        command);
		return false;
	}
	r->job = alibi_new(NULL);
	if (!r->job) {
		fputs("alibi: the system has no memory left\n", stderr);
		return false;
	}
	if (open_file(r, ALIBI_REPORT_HTML, v->html) &&
	    open_file(r, ALIBI_REPORT_JUNIT, v->junit) && open_file(r, ALIBI_REPORT_SVG, v->svg) &&
	    open_file(r, ALIBI_REPORT_DOT, v->dot) && can_write(command, v->reduced))
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
	alibi_report_options options = {.columns = columns(),
	                                .colour = output_coloured(),
	                                .quiet = r->values->quiet,
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
		if (e && e->count)
			return alibi_save(r->job, e->anomalies[0].reduced, r->values->reduced,
			                  "alibi", NULL) ||
			       complain(r);
	}
	fprintf(stderr, "alibi %s: there is no anomaly, so --reduced wrote nothing\n", r->command);
	return true;
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

void reporting_levels(const alibi_levels *all, bool ignore_sessions,
                      alibi_finding findings[LEVELS_MAX])
{
	assert(all->count <= LEVELS_MAX);
	for (size_t i = 0; i < all->count; i++)
		findings[i] = (alibi_finding){.level = all->results[i]->level,
		                              .ignore_sessions = ignore_sessions,
		                              .result = all->results[i]};
}
