/* Says which signals it gets, one line each, with the value that was queued with it: "ready", then "USR1", "RTMIN 42" …
 * SIGTERM ends it, with status 7. With "stops", SIGTSTP does what it does by default; with "talks", it sends SIGUSR1 to its
 * parent and SIGUSR2 to its process group first, and waits for its own. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words)
{
    const char *mode = count > 1 ? words[1] : "";
    sigset_t all;
    sigfillset(&all);
    if (strcmp(mode, "stops") == 0) {
        sigdelset(&all, SIGTSTP);
        sigdelset(&all, SIGCONT);
    }
    sigprocmask(SIG_SETMASK, &all, NULL);
    if (strcmp(mode, "talks") == 0) {
        sigset_t own;
        sigemptyset(&own);
        sigaddset(&own, SIGUSR2);
        kill(getppid(), SIGUSR1);
        kill(0, SIGUSR2);
        sigwaitinfo(&own, NULL);
    }
    puts("ready");
    fflush(stdout);
    for (;;) {
        siginfo_t info;
        int signal = sigwaitinfo(&all, &info);
        if (signal < 0)
            continue;
        if (signal == SIGRTMIN)
            fputs("RTMIN", stdout);
        else if (signal == SIGRTMAX)
            fputs("RTMAX", stdout);
        else
            fputs(sigabbrev_np(signal), stdout);
        if (info.si_code == SI_QUEUE)
            printf(" %d", info.si_value.sival_int);
        putchar('\n');
        fflush(stdout);
        if (signal == SIGTERM)
            return 7;
    }
}
