/* notices: see notices.h. */
#include "notices.h"

#include "output.h"
#include "text.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const struct {
	const char *name;
	bool as_text; /* printed without --json, too */
} kinds[] = {
        [NOTICE_START] = {"start", false},   [NOTICE_LISTEN] = {"listen", true},
        [NOTICE_LOST] = {"lost", true},      [NOTICE_FOUND] = {"found", true},
        [NOTICE_GONE] = {"gone", true},      [NOTICE_CHECKPOINT] = {"checkpoint", false},
        [NOTICE_REOPEN] = {"reopen", false}, [NOTICE_WAITING] = {"waiting", true},
        [NOTICE_HINT] = {"hint", true},      [NOTICE_BUSY] = {"busy", true},
        [NOTICE_STOP] = {"stop", false},     [NOTICE_ERROR] = {"error", true},
};

static void add_time(struct text *line)
{
	struct timespec now;
	struct tm parts;
	char day[32];
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &parts);
	strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
	text_print(line, ",\"time\":\"%s.%03ldZ\"", day, now.tv_nsec / 1000000);
}

void notice(const struct notices *n, enum notice_kind what, const char *name, const char *format,
            ...)
{
	char said[1000];
	struct text line = {0};
	va_list args;
	if (!n->json && !kinds[what].as_text)
		return;
	va_start(args, format);
	vsnprintf(said, sizeof said, format, args);
	va_end(args);
	if (n->json) {
		text_print(&line, "{\"what\":\"%s\"", kinds[what].name);
		add_time(&line);
		if (name) {
			text_word(&line, ",\"name\":");
			text_json(&line, name);
		}
		text_word(&line, ",\"text\":");
		text_json(&line, said);
		text_word(&line, "}\n");
	} else {
		text_word(&line, "alibi watch: ");
		text_escaped(&line, ALIBI_ESCAPE_TEXT, name ? name : "", name ? strlen(name) : 0);
		text_word(&line, name ? ": " : "");
		text_escaped(&line, ALIBI_ESCAPE_TEXT, said, strlen(said));
		text_word(&line, "\n");
	}
	clear_status();
	fwrite(line.data, 1, line.length, stderr);
	text_release(&line);
}

void notify_manager(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t length = path ? strlen(path) : 0;
	if (length < 2 || length >= sizeof to.sun_path)
		return;
	memcpy(to.sun_path, path, length);
	if (*path == '@') /* an abstract socket */
		to.sun_path[0] = 0;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&to,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
	close(fd);
}
