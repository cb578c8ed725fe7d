#include "capture/sampler/stack_bounds.h"

#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>

/* The end of the stack that the kernel made for the program: the last thing on it is the name of the program's file, and behind
 * that a null pointer. 0 = unknown. */
static uint64_t end_of_first_stack(void)
{
    const char *name = (const char *)getauxval(AT_EXECFN);
    uint64_t page = getauxval(AT_PAGESZ);
    return name && page ? ((uint64_t)(uintptr_t)name + strlen(name) + 1 + sizeof(void *) + page - 1) / page * page : 0;
}

/* The kernel lets that stack grow. It keeps at least this much room free below. */
static uint64_t room_of_first_stack(void)
{
    const uint64_t gap = UINT64_C(128) << 20;
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < gap ? limit.rlim_cur : gap;
}

/* As the C library knows it: of what a thread has of its own, it keeps some at the upper end of its stack. */
static void bounds_of_thread(uint64_t *start, uint64_t *end)
{
    pthread_attr_t attributes;
    void *lowest;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &lowest, &bytes) == 0) {
        *start = (uint64_t)(uintptr_t)lowest;
        *end = *start + bytes;
    }
    pthread_attr_destroy(&attributes);
}

void stack_bounds(bool main_thread, size_t stack_bytes, uint64_t *start, uint64_t *end)
{
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    *start = *end = 0;
    if (main_thread || stack_bytes > 0) {
        /* pthread_self() is the address of what the C library keeps of a thread, at the upper end of its stack. */
        uint64_t room = main_thread ? room_of_first_stack() : stack_bytes;
        *end = main_thread ? end_of_first_stack() : (uint64_t)pthread_self();
        *start = *end > room ? *end - room : 0;
    }
    /* The first thread of a forked child may be on the stack of another one. */
    if (here < *start || here >= *end)
        bounds_of_thread(start, end);
    if (here < *start || here >= *end) /* it is on another one, or the C library does it otherwise */
        *start = *end = 0;
}
