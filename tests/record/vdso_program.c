/* Reads the clock, over and over, for a second of CPU time. */
#include <time.h>
#include <unistd.h>

int main(void)
{
    struct timespec now;
    alarm(60);
    while (clock() < CLOCKS_PER_SEC)
        for (int i = 0; i < 100000; i++)
            clock_gettime(CLOCK_MONOTONIC, &now);
    return 0;
}
