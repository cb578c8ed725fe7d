#include "scene_steps.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>

void sleep_ms(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (nanosleep(&time, &time) != 0)
        ;
}

int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) != child)
        if (errno != EINTR)
            return 1;
    return status != 0;
}
