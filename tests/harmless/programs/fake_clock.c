/* Tells programs another time, as faketime does: a library that is loaded before them. Clocks run ten times as fast, from 2020.
 */
#include <dlfcn.h>
#include <time.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time)
{
    int (*real)(clockid_t, struct timespec *);
    *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, time);
    if (result == 0)
        time->tv_sec = 1577836800 + time->tv_sec * 10;
    return result;
}
