/* output: see output.h. */
#include "output.h"

#include "text.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH = 80 };

static atomic_bool status_is_shown;

void clear_status(void)
{
	if (!atomic_exchange(&status_is_shown, false))
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
}

/* Written at once, so that threads do not mix their lines. */
static void write_text(FILE *out, struct text *t)
{
	clear_status();
	if (t->length)
		fwrite(t->data, 1, t->length, out);
	text_release(t);
}

/* As much of it as fits, so that it stays one line. */
static void cut_to_width(struct text *t)
{
	struct winsize w;
	size_t room = !ioctl(STDERR_FILENO, TIOCGWINSZ, &w) && w.ws_col ? w.ws_col - 1 : 79;
	while (room < t->length && room && ((unsigned char)t->data[room] & 0xc0) == 0x80)
		room--; /* not within a character */
	if (room < t->length)
		text_cut(t, room);
}

void print_status(const char *format, ...)
{
	struct text t = {0};
	va_list args;
	if (!isatty(STDERR_FILENO))
		return;
	va_start(args, format);
	text_say(&t, format, args);
	va_end(args);
	cut_to_width(&t);
	fputs("\r\033[K", stderr);
	write_text(stderr, &t);
	fflush(stderr);
	atomic_store(&status_is_shown, true);
}

static void print_args(FILE *out, const char *format, va_list args)
{
	struct text t = {0};
	text_say(&t, format, args);
	write_text(out, &t);
}

void print_to(FILE *out, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print_args(out, format, args);
	va_end(args);
}

void print_out(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print_args(stdout, format, args);
	va_end(args);
}

static _Thread_local char latest_error[512];

const char *last_error(void)
{
	return latest_error;
}

void print_error(const char *command, const char *format, ...)
{
	struct text t = {0};
	va_list args;
	text_print(&t, "alibi%s%s: ", command ? " " : "", command ? command : "");
	size_t begin = t.length;
	va_start(args, format);
	text_say(&t, format, args);
	va_end(args);
	snprintf(latest_error, sizeof latest_error, "%s", t.length > begin ? t.data + begin : "");
	text_word(&t, "\n");
	write_text(stderr, &t);
}

static void print_json_text(const char *text)
{
	struct text t = {0};
	text_json(&t, text);
	write_text(stdout, &t);
}

void json_open_member(bool *first, const char *name)
{
	if (!*first)
		putchar(',');
	*first = false;
	if (name)
		printf("\"%s\":", name);
}

void json_member_text(bool *first, const char *name, const char *text)
{
	json_open_member(first, name);
	if (text)
		print_json_text(text);
	else
		fputs("null", stdout);
}

void json_member_raw(bool *first, const char *name, const char *json)
{
	json_open_member(first, name);
	fputs(json ? json : "null", stdout);
}

void json_member_count(bool *first, const char *name, uint64_t n)
{
	json_open_member(first, name);
	printf("%" PRIu64, n);
}

bool output_coloured(void)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
	return isatty(STDOUT_FILENO) && !(no && *no) && !(terminal && !strcmp(terminal, "dumb"));
}

void print_coloured(enum colour colour, const char *text)
{
	static const char *const code[] = {"32", "1;31", "33", "2"};
	bool coloured = output_coloured();
	if (coloured)
		printf("\033[%sm", code[colour]);
	print_out("%s", text);
	if (coloured)
		fputs("\033[m", stdout);
}

static size_t width(void)
{
	struct winsize w;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || w.ws_col < 40)
		return WIDTH;
	return w.ws_col < 100 ? w.ws_col : 100;
}

void print_wrapped(const char *text, size_t at, size_t indent)
{
	size_t limit = width();
	bool at_start = true; /* of a line: no space before the next word */
	while (*text) {
		size_t length = strcspn(text, " \n");
		if (!at_start && at + 1 + length > limit) {
			printf("\n%*s", (int)indent, "");
			at = indent;
		} else if (!at_start) {
			putchar(' ');
			at++;
		}
		print_out("%.*s", (int)length, text);
		at += length;
		text += length;
		at_start = *text == '\n';
		if (at_start) {
			putchar('\n');
			at = 0;
		}
		text += *text != 0;
	}
	putchar('\n');
}
