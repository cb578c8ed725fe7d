#include "common/clock.h"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <stddef.h>

static int find_and_read(clockid_t clock, struct timespec *time)
{
    clock_reader *own = NULL;
    void *library = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
    if (library)
        *(void **)&own = dlsym(library, "clock_gettime");
    atomic_store_explicit(&clock_reader_now, own ? own : clock_gettime, memory_order_relaxed);
    return (own ? own : clock_gettime)(clock, time);
}

clock_reader *_Atomic clock_reader_now = find_and_read;
