/*
 * notes: what happens to the watch itself, for whoever looks after it: on standard error,
 * a line each. As text only what somebody should know; with --json everything, as objects
 * that tell what happened, when, and to which stream, for the log of a service.
 */
#ifndef ALIBI_WATCH_NOTES_H
#define ALIBI_WATCH_NOTES_H

#include <stdbool.h>

enum note {
	NOTE_START,
	NOTE_LISTEN, /* where others can look */
	NOTE_LOST,   /* the source does not answer */
	NOTE_FOUND,  /* … and does again */
	NOTE_GONE,   /* messages are not in the stream any more */
	NOTE_CHECKPOINT,
	NOTE_REOPEN,  /* of the log */
	NOTE_WAITING, /* much is not judged, because of one session */
	NOTE_HINT,    /* nothing can be judged with these options */
	NOTE_BUSY,    /* somebody wants an end, and a step takes long */
	NOTE_STOP,
	NOTE_ERROR,
};

struct notes {
	bool json;
};

/* name: of what it is about, a stream or a file; NULL: none. */
void note(const struct notes *n, enum note what, const char *name, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

/* Tells the service manager, if it wants to know (sd_notify(3)): "READY=1", … */
void notes_tell_manager(const char *state);

#endif
