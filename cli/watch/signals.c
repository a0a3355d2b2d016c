/* signals: see signals.h. */
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 2 };

/* Of the thread, which runs until the process ends. */
static struct {
	struct notices notices;
	int signals;
} watchdog;

static sigset_t ending_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return set;
}

/* Waits for a signal; has it not been taken? */
static bool is_ignored(void)
{
	struct pollfd came = {.fd = watchdog.signals, .events = POLLIN};
	sigset_t pending;
	if (poll(&came, 1, -1) < 0)
		return false;
	sleep(PATIENCE_SECONDS);
	sigpending(&pending);
	return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM);
}

/* Replaces the pending signals by SIGUSR1 for the watch, so that the next one is a new signal. */
static _Noreturn void *watch_signals(void *data)
{
	const struct timespec now = {0};
	sigset_t ends = ending_signals();
	(void)data;
	while (!is_ignored())
		;
	kill(getpid(), SIGUSR1);
	while (sigtimedwait(&ends, NULL, &now) > 0)
		;
	notice(&watchdog.notices, NOTICE_BUSY, NULL,
	       "it ends after the current step; another signal ends it at once, without a "
	       "checkpoint");
	pthread_sigmask(SIG_UNBLOCK, &ends, NULL);
	for (;;)
		pause();
}

int signals_open(const struct notices *notices)
{
	sigset_t all, before, ours = ending_signals();
	pthread_t thread;
	sigaddset(&ours, SIGHUP);
	sigaddset(&ours, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &ours, NULL);
	watchdog.notices = *notices;
	watchdog.signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	if (watchdog.signals < 0)
		return -1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int wrong = pthread_create(&thread, NULL, watch_signals, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!wrong)
		pthread_detach(thread);
	errno = wrong;
	return wrong ? -1 : watchdog.signals;
}

int signals_take(int signals)
{
	struct signalfd_siginfo signal;
	return read(signals, &signal, sizeof signal) == sizeof signal ? (int)signal.ssi_signo : 0;
}
