#include "record/signals.h"

#include <stddef.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static const int stops[] = {SIGTSTP, SIGTTIN, SIGTTOU};
enum { STOPS = sizeof stops / sizeof *stops };

bool signal_stops(int signal)
{
    return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

static void choose(struct signals *signals)
{
    static const int left[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigfillset(&signals->taken);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        sigdelset(&signals->taken, left[i]);
    sigemptyset(&signals->ignored);
    for (int signal = 1; signal <= SIGRTMAX; signal++) {
        struct sigaction action;
        if (sigismember(&signals->taken, signal) == 1 && sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            sigaddset(&signals->ignored, signal);
    }
}

void signals_take(struct signals *signals)
{
    choose(signals);
    /* What is blocked waits to be read, even where it is ignored. */
    sigprocmask(SIG_BLOCK, &signals->taken, &signals->mask);
    signals->fd = signalfd(-1, &signals->taken, SFD_CLOEXEC | SFD_NONBLOCK);

    /* Where SIGCHLD is ignored the kernel keeps no exit status. */
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &action, &signals->child);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, &signals->closed);
}

void signals_give_back(const struct signals *signals)
{
    if (signals->fd >= 0)
        close(signals->fd);
    sigaction(SIGPIPE, &signals->closed, NULL);
    sigaction(SIGCHLD, &signals->child, NULL);
    sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

void signals_allow_stops(const struct signals *signals)
{
    sigset_t allowed;
    sigemptyset(&allowed);
    for (int i = 0; i < STOPS; i++)
        if (sigismember(&signals->mask, stops[i]) == 0)
            sigaddset(&allowed, stops[i]);
    /* One that waits was for the program. */
    for (struct timespec at_once = {0}; sigtimedwait(&allowed, NULL, &at_once) > 0;)
        ;
    sigprocmask(SIG_UNBLOCK, &allowed, NULL);
}

void signals_drop_late(const struct signals *signals)
{
    static const int kept[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    sigset_t late = signals->taken;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        sigdelset(&late, kept[i]);
    for (int signal = 1; signal <= SIGRTMAX; signal++)
        if (sigismember(&signals->mask, signal) == 1)
            sigdelset(&late, signal);
    for (struct timespec at_once = {0}; sigtimedwait(&late, NULL, &at_once) > 0;)
        ;
}

void signals_stop_by(int signal)
{
    sigset_t only, before;
    sigemptyset(&only);
    sigaddset(&only, signal);
    kill(getpid(), signal);
    sigprocmask(SIG_UNBLOCK, &only, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void signals_die_of(int signal)
{
    struct rlimit none = {0, 0};
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t only;
    setrlimit(RLIMIT_CORE, &none);
    sigaction(signal, &action, NULL);
    sigemptyset(&only);
    sigaddset(&only, signal);
    kill(getpid(), signal);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    /* Only where the signal does not end processes, and then it did not end the program either. */
    _exit(128 + signal);
}
