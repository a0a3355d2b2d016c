/*
 * notices: what happens to the watch itself, on standard error, a line each. As text, only what the
 * operator should know; with --json everything, as objects with the kind, the time and the stream,
 * for the log of a service.
 */
#ifndef ALIBI_WATCH_NOTICES_H
#define ALIBI_WATCH_NOTICES_H

#include <stdbool.h>

enum notice_kind {
	NOTICE_START,
	NOTICE_LISTEN, /* the address of --http */
	NOTICE_LOST,   /* the source does not answer */
	NOTICE_FOUND,  /* … and does again */
	NOTICE_GONE,   /* messages were deleted from the stream */
	NOTICE_CHECKPOINT,
	NOTICE_REOPEN,  /* of the log */
	NOTICE_WAITING, /* many transactions are unchecked because of one session */
	NOTICE_HINT,    /* nothing can be checked with these options */
	NOTICE_BUSY,    /* a signal came during a long step */
	NOTICE_STOP,
	NOTICE_ERROR,
};

struct notices {
	bool json;
};

/* name: of the stream or file it is about; NULL: none. */
void notice(const struct notices *n, enum notice_kind what, const char *name, const char *format,
            ...) __attribute__((format(printf, 4, 5)));

/* Notifies the service manager, if there is one (sd_notify(3)): "READY=1", … */
void notify_manager(const char *state);

#endif
