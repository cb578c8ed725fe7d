#include "capture/sampler/stack_bounds.h"

#include "common/proc_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

/* The C library keeps what it knows of a thread at the upper end of its stack; pthread_self() is its address. */
static uint64_t end_of_thread_stack(void)
{
    return (uint64_t)pthread_self();
}

/* The mapping that holds `address`, by the lines "START-END …" of /proc/self/maps. */
static bool mapping_of(uint64_t address, uint64_t *start, uint64_t *end)
{
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    char text[4096];
    size_t held = 0;
    bool found = false, skipping = false;
    ssize_t got;
    while (!found && (got = read(file, text + held, sizeof text - held)) > 0) {
        held += (size_t)got;
        const char *line = text, *stop = text + held, *line_end;
        while (!found && (line_end = memchr(line, '\n', (size_t)(stop - line)))) {
            if (!skipping) {
                const char *rest = number_parse(line, 16, start);
                if (*rest == '-')
                    number_parse(rest + 1, 16, end);
                found = *start <= address && address < *end;
            }
            skipping = false;
            line = line_end + 1;
        }
        held = (size_t)(stop - line);
        if (held == sizeof text) { /* a line longer than the buffer: its start has been seen, so nothing in it is of interest */
            held = 0;
            skipping = true;
        }
        memmove(text, line, held);
    }
    close(file);
    return found;
}

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

static void bounds_by_mapping(bool main_thread, uint64_t here, uint64_t *start, uint64_t *end)
{
    uint64_t low, high;
    if (!mapping_of(here, &low, &high))
        return;
    *start = low;
    *end = high;
    if (!main_thread) {
        /* Another mapping may follow without a gap: the kernel shows both as one. */
        uint64_t top = end_of_thread_stack();
        if (here < top && top < high)
            *end = top;
        return;
    }
    uint64_t room = room_of_first_stack();
    if (high - low < room && high > room)
        *start = high - room;
}

void stack_bounds(bool main_thread, size_t stack_bytes, uint64_t *start, uint64_t *end)
{
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    *start = *end = 0;
    if (!main_thread && stack_bytes > 0) {
        *end = end_of_thread_stack();
        *start = *end > stack_bytes ? *end - stack_bytes : 0;
        if (here < *start || here >= *end) /* a C library that does it otherwise */
            *start = *end = 0;
        return;
    }
    if (main_thread) {
        *end = end_of_first_stack();
        uint64_t room = room_of_first_stack();
        *start = *end > room ? *end - room : 0;
        if (*start <= here && here < *end)
            return;
    }
    *start = *end = 0;
    bounds_by_mapping(main_thread, here, start, end);
}
