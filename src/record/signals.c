#include "record/signals.h"

#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void take(struct signals *signals, int signal)
{
    struct sigaction action;
    if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        sigaddset(&signals->taken, signal);
}

void signals_take(struct signals *signals)
{
    sigemptyset(&signals->taken);
    take(signals, SIGINT);
    take(signals, SIGQUIT);
    take(signals, SIGTERM);
    take(signals, SIGHUP);
    sigaddset(&signals->taken, SIGCHLD);
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
