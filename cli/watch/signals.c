/* signals: see signals.h. */
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 2 };

/* Of the thread, which goes on until the process ends. */
static struct {
	struct notes notes;
	int signals;
} guardian;

static sigset_t those_that_end(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return set;
}

/* Waits for a signal; did nobody take it? */
static bool is_ignored(void)
{
	struct pollfd came = {.fd = guardian.signals, .events = POLLIN};
	sigset_t pending;
	if (poll(&came, 1, -1) < 0)
		return false;
	sleep(PATIENCE_SECONDS);
	sigpending(&pending);
	return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM);
}

/* Those that wait are one to the watch, under another name: so the next can be told from them. */
static _Noreturn void *guard(void *data)
{
	const struct timespec now = {0};
	sigset_t ends = those_that_end();
	(void)data;
	while (!is_ignored())
		;
	kill(getpid(), SIGUSR1);
	while (sigtimedwait(&ends, NULL, &now) > 0)
		;
	note(&guardian.notes, NOTE_BUSY, NULL,
	     "it ends after the step that it is in; another signal ends it at once, without a "
	     "checkpoint");
	pthread_sigmask(SIG_UNBLOCK, &ends, NULL);
	for (;;)
		pause();
}

int signals_open(const struct notes *notes)
{
	sigset_t all, before, ours = those_that_end();
	pthread_t thread;
	sigaddset(&ours, SIGHUP);
	sigaddset(&ours, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &ours, NULL);
	guardian.notes = *notes;
	guardian.signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	if (guardian.signals < 0)
		return -1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int wrong = pthread_create(&thread, NULL, guard, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!wrong)
		pthread_detach(thread);
	errno = wrong;
	return wrong ? -1 : guardian.signals;
}

int signals_take(int signals)
{
	struct signalfd_siginfo signal;
	return read(signals, &signal, sizeof signal) == sizeof signal ? (int)signal.ssi_signo : 0;
}
