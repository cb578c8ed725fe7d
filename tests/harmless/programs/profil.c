/* Counts where it runs with profil(), as gprof does, then uses SIGPROF itself. */
#include "burn.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { COUNTS = 1 << 16, ROUNDS = 400000000, EACH_MS = 10 };
static unsigned short counts[COUNTS];
static volatile sig_atomic_t own;

static void on_own(int number)
{
    (void)number;
    own++;
}

__attribute__((noinline, noclone)) static void work_here(void)
{
    burn(ROUNDS);
}

int main(void)
{
    check(signal(SIGPROF, on_own) == SIG_DFL);
    unsigned short *volatile none = NULL; /* which the header forbids, and which ends it */
    clock_t began = clock();
    /* One place for each two bytes, from well before the function on. */
    check(profil(counts, sizeof counts, (size_t)(uintptr_t)work_here - COUNTS / 2, 65536) == 0);
    work_here();
    check(profil(none, 0, 0, 0) == 0);
    double used_ms = (double)(clock() - began) * 1000 / CLOCKS_PER_SEC, counted_ms = 0;
    for (int i = 0; i < COUNTS; i++)
        counted_ms += counts[i] * EACH_MS;
    bool right = counted_ms > used_ms / 1.5 && counted_ms < used_ms * 1.5;
    printf("the counts are %s\n", right ? "right" : "wrong");
    if (!right)
        printf("%.0f ms of %.0f ms\n", counted_ms, used_ms);
    work_here();
    check(own == 0);
    kill(getpid(), SIGPROF);
    printf("%d of its own\n", own);
    check(signal(SIGPROF, SIG_DFL) == on_own);
}
