/* The signals a recorder gets while the program runs. They are taken one by one when it waits, never in a handler. */
#ifndef SONDE_RECORD_SIGNALS_H
#define SONDE_RECORD_SIGNALS_H

#include <signal.h>

struct signals {
    sigset_t taken;          /* SIGCHLD, and of SIGINT, SIGQUIT, SIGTERM, SIGHUP those that were not ignored before */
    sigset_t mask;           /* what was blocked before … */
    struct sigaction child;  /* … how SIGCHLD was treated … */
    struct sigaction closed; /* … and SIGPIPE, which a recorder ignores: whoever reads its messages may go away */
    int fd;                  /* readable when one of them has come; -1 = there was none to be had */
};

/* From here on the signals wait to be taken; before the program is started, so that none is lost. */
void signals_take(struct signals *signals);

/* Everything as it was: in the program before exec, and in the recorder at its end. Safe after fork. */
void signals_give_back(const struct signals *signals);

/* Ends this process by the signal that ended the program, without another core file. */
_Noreturn void signals_die_of(int signal);

#endif
