/* The signals that a recorder gets while the program runs. They are read one by one from a signalfd, never in a handler.
 *
 * A recorder stands in front of a program: who has its process id means the program. So it takes every signal that can be
 * caught, even those that it was started with as ignored: the program may have a handler for them. Left as they are: the
 * signals by which the kernel reports a fault of the recorder itself (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS). */
#ifndef SONDE_RECORD_SIGNALS_H
#define SONDE_RECORD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals {
    sigset_t taken;
    sigset_t ignored;        /* of these, the ones that were ignored before */
    sigset_t mask;           /* what was blocked before … */
    struct sigaction child;  /* … how SIGCHLD was treated … */
    struct sigaction closed; /* … and SIGPIPE, which a recorder ignores: whoever reads its messages may go away */
    int fd;                  /* readable when one of them has come; -1 = there was none to be had */
};

/* From here on the signals wait to be read; before the program is started, so that none is lost. */
void signals_take(struct signals *signals);

/* Everything as it was: in the program before exec, and in the recorder at its end. Safe after fork. */
void signals_give_back(const struct signals *signals);

/* The program is not waited for any more. The recorder can be stopped from the terminal again, while it writes the profile;
 * signals that would end it wait for that. */
void signals_allow_stops(const struct signals *signals);

/* Drops what came for a program that has ended meanwhile. SIGINT, SIGQUIT, SIGTERM and SIGHUP are for the recorder then. */
void signals_drop_late(const struct signals *signals);

/* Whether a signal by which the terminal, or who controls jobs, stops processes. */
bool signal_stops(int signal);

/* Stops this process by such a signal, as the kernel would have done. Returns when it is continued; at once where the
 * kernel stops nobody, since no shell is there to continue it (an orphaned process group). */
void signals_stop_by(int signal);

/* Ends this process by the signal that ended the program, without another core file. */
_Noreturn void signals_die_of(int signal);

#endif
