/*
 * url: where the database is.
 *
 *     postgres://user:password@host:5432,host2:5433/name?sslmode=require
 *     mariadb://user@host:3306/name        sqlite:file.db
 *
 * Several hosts: sessions are spread over them. What stands behind the ? goes to
 * the database's own client. The password is kept apart from everything else, and
 * the word of the command line that had it is overwritten, so that neither the
 * history nor a message nor a list of processes shows it.
 */
#ifndef ALIBI_CLI_URL_H
#define ALIBI_CLI_URL_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

enum { HOSTS_MAX = 16, SETTINGS_MAX = 16 };

struct url_host {
	const char *name; /* NULL: not given */
	const char *port; /* NULL: not given */
};

struct url_setting {
	const char *name, *value;
};

struct url {
	const char *scheme;
	const char *user, *password; /* NULL: not given */
	const char *database;        /* a name, or a path for sqlite; NULL: not given */
	bool names_hosts;            /* it has a //, even if none stands behind it */
	size_t host_count;           /* at least 1 */
	struct url_host hosts[HOSTS_MAX];
	size_t setting_count;
	struct url_setting settings[SETTINGS_MAX];
	char *memory; /* that all of the above points into */
	size_t memory_bytes;
};

/* Reads the word, and writes x over its secrets, so that it may be shown. NULL, or what is
 * wrong with it. */
const char *url_parse(struct url *u, char *word);
void url_release(struct url *u);
void url_print(const struct url *u, struct text *to); /* without secrets and settings */

const char *url_setting(const struct url *u, const char *name); /* NULL: not given */

#endif
