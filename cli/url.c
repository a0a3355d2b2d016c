/* url: see url.h. */
#include "url.h"

#include <stdlib.h>
#include <string.h>

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}

/* In place: %40 becomes @. Empty is NULL. */
static const char *decode(char *text)
{
	char *to = text;
	if (!text || !*text)
		return NULL;
	for (const char *from = text; *from; to++) {
		int high = *from == '%' ? hex_digit(from[1]) : -1;
		int low = high >= 0 ? hex_digit(from[2]) : -1;
		*to = low >= 0 ? (char)(high << 4 | low) : *from;
		from += low >= 0 ? 3 : 1;
	}
	*to = 0;
	return text;
}

/* Ends the text at the first c, and gives what stands behind it; NULL: there is no c. */
static char *split(char *text, char c)
{
	char *at = text ? strchr(text, c) : NULL;
	if (at)
		*at++ = 0;
	return at;
}

static const char *parse_hosts(struct url *u, char *text)
{
	for (char *next; text; text = next) {
		next = split(text, ',');
		if (u->host_count == HOSTS_MAX)
			return "it names more than 16 hosts";
		char *end = *text == '[' ? strchr(text, ']') : NULL; /* an IPv6 address */
		char *port = split(end ? end : text, ':');
		if (end) {
			*end = 0;
			text++;
		}
		const char *name = decode(text);
		u->hosts[u->host_count++] = (struct url_host){name, decode(port)};
	}
	return NULL;
}

static const char *parse_settings(struct url *u, char *text)
{
	for (char *next; text; text = next) {
		next = split(text, '&');
		char *value = split(text, '=');
		if (!*text || !value)
			return "after the ? write name=value, with & between settings";
		if (!strcmp(text, "password")) {
			u->password = decode(value);
			continue;
		}
		if (u->setting_count == SETTINGS_MAX)
			return "it has more than 16 settings";
		u->settings[u->setting_count].name = decode(text);
		const char *decoded = decode(value);
		u->settings[u->setting_count++].value = decoded ? decoded : "";
	}
	return NULL;
}

/* Writes x over the text. */
static void hide(char *text)
{
	if (text)
		memset(text, 'x', strlen(text));
}

/* The secrets of a whole URL, where they stand, even if it is no right one. */
static void hide_secrets(char *word)
{
	char *scheme_end = strstr(word, "://");
	char *authority = scheme_end ? scheme_end + 3 : word;
	char *at = strrchr(authority, '@');
	char *colon = at ? memchr(authority, ':', (size_t)(at - authority)) : NULL;
	char *settings = strchr(word, '?');
	if (colon)
		memset(colon + 1, 'x', (size_t)(at - colon - 1));
	hide(settings ? settings + 1 : NULL);
}

/* Then a password with a / in it would be taken for a host and a port, which are shown. */
static bool host_comes_late(const char *authority)
{
	return strchr(authority + strcspn(authority, "/?"), '@');
}

const char *url_parse(struct url *u, char *word)
{
	*u = (struct url){.memory = strdup(word), .memory_bytes = strlen(word)};
	hide_secrets(word);
	if (!u->memory)
		return "out of memory";
	char *rest = split(u->memory, ':');
	if (!rest)
		return "it should be postgres://…, mariadb://… or sqlite:FILE";
	u->scheme = u->memory;
	u->names_hosts = !strncmp(rest, "//", 2);
	if (u->names_hosts && host_comes_late(rest + 2))
		return "in a user's name or a password write / as %2F and ? as %3F; behind the "
		       "host, write @ as %40";
	const char *wrong = parse_settings(u, split(rest, '?'));
	if (wrong)
		return wrong;
	if (!u->names_hosts) { /* a file */
		u->host_count = 1;
		u->database = decode(rest);
		return NULL;
	}
	rest += 2;
	char *database = split(rest, '/');
	char *at = strrchr(rest, '@');
	if (at) {
		*at = 0;
		char *password = split(rest, ':');
		u->user = decode(rest);
		if (password)
			u->password = decode(password);
		rest = at + 1;
	}
	u->database = decode(database);
	return parse_hosts(u, rest);
}

void url_release(struct url *u)
{
	if (u->memory)
		explicit_bzero(u->memory, u->memory_bytes);
	free(u->memory);
	*u = (struct url){0};
}

void url_print(const struct url *u, struct text *to)
{
	text_print(to, "%s:", u->scheme);
	if (u->hosts[0].name || u->user || u->host_count > 1) {
		text_print(to, "//%s%s", u->user ? u->user : "", u->user ? "@" : "");
		for (size_t i = 0; i < u->host_count; i++)
			text_print(to, "%s%s%s%s", i ? "," : "",
			           u->hosts[i].name ? u->hosts[i].name : "",
			           u->hosts[i].port ? ":" : "",
			           u->hosts[i].port ? u->hosts[i].port : "");
		text_word(to, "/");
	}
	text_word(to, u->database ? u->database : "");
}

const char *url_setting(const struct url *u, const char *name)
{
	for (size_t i = 0; i < u->setting_count; i++)
		if (!strcmp(u->settings[i].name, name))
			return u->settings[i].value;
	return NULL;
}
