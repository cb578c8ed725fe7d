/* mmap() and its relatives: large pieces of memory that the program takes from the kernel itself (pools, heaps of language
 * runtimes, stacks of coroutines), where that is wanted. What the C library's own allocator maps is not among them: it does not
 * call these.
 *
 * Each call has to be answered by the kernel, and changes page tables: so all of them are written down, not only samples. What
 * is only reserved (PROT_NONE) is no memory yet, and files are not in question. */
#include "preload_allocations/maps.h"

#include "preload_allocations/sampler.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define INTERPOSED __attribute__((visibility("default")))

enum { LEAST_BYTES = 64 << 10 };

/* --- the real ones ---------------------------------------------------------------------------------------------------------
 */

static struct {
    void *(*mmap)(void *address, size_t size, int protection, int flags, int fd, off_t offset);
    int (*munmap)(void *address, size_t size);
    void *(*mremap)(void *address, size_t before, size_t size, int flags, ...);
    int (*brk)(void *end);
    void *(*sbrk)(intptr_t bytes);
} real_maps;

/* Twice at the same time does no harm: the results are the same. */
void maps_find(void)
{
    int saved_errno = errno;
#define FIND(name) __atomic_store_n((void **)&real_maps.name, dlsym(RTLD_NEXT, #name), __ATOMIC_RELAXED)
    FIND(mmap);
    FIND(munmap);
    FIND(mremap);
    FIND(brk);
    FIND(sbrk);
#undef FIND
    errno = saved_errno;
}

#define REAL(name) (*(__builtin_expect(!real_maps.name, 0) ? maps_find() : (void)0, real_maps.name))

/* --- what is written down --------------------------------------------------------------------------------------------------
 */

/* Who is told of this call; NULL = it is not for us, or Sonde's own. */
static const struct allocation_recorder *listener(const void *caller)
{
    const struct allocation_recorder *to = atomic_load_explicit(&recorder, memory_order_acquire);
    bool is_ours = to && (const char *)caller >= to->start && (const char *)caller < to->end;
    return to && plan.has_maps && !is_ours ? to : NULL;
}

/* `before`: when these pages were still what they were. */
static void note_unmapped(const struct allocation_recorder *to, const void *address, size_t size, uint64_t before)
{
    if (size > 0)
        to->unmapped((uintptr_t)address, size, before);
}

static void note_mapped(const struct allocation_recorder *to, const void *address, size_t size)
{
    struct sampled_block block = {.time = to->now(), .address = (uintptr_t)address, .size = size, .is_mapped = true};
    if (size >= LEAST_BYTES && slow_path_enter()) {
        to->sampled(&block);
        slow_path_leave();
    }
}

/* --- what the program calls ------------------------------------------------------------------------------------------------
 */

INTERPOSED void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    const struct allocation_recorder *to = listener(__builtin_return_address(0));
    uint64_t before = to && flags & MAP_FIXED ? to->now() : 0;
    void *mapped = REAL(mmap)(address, size, protection, flags, fd, offset);
    int saved_errno = errno;
    if (to && mapped != MAP_FAILED) {
        if (before != 0)
            note_unmapped(to, mapped, size, before);
        if (flags & MAP_ANONYMOUS && protection != PROT_NONE)
            note_mapped(to, mapped, size);
    }
    errno = saved_errno;
    return mapped;
}

/* With offsets of 64 bits, as everything here is compiled, that is called mmap64; where offsets always have so many, it is
 * both. */
_Static_assert(sizeof(off_t) == sizeof(long), "mmap() takes the same");
INTERPOSED __attribute__((alias("mmap64"), nothrow, leaf)) void *mmap_by_its_other_name(void *, size_t, int, int, int,
                                                                                        off_t) __asm__("mmap");

INTERPOSED int munmap(void *address, size_t size)
{
    const struct allocation_recorder *to = listener(__builtin_return_address(0));
    uint64_t before = to ? to->now() : 0;
    int result = REAL(munmap)(address, size);
    int saved_errno = errno;
    if (to && result == 0)
        note_unmapped(to, address, size, before);
    errno = saved_errno;
    return result;
}

INTERPOSED void *mremap(void *address, size_t size_before, size_t size, int flags, ...)
{
    const struct allocation_recorder *to = listener(__builtin_return_address(0));
    va_list rest;
    va_start(rest, flags);
    void *target = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
    va_end(rest);
    uint64_t before = to ? to->now() : 0;
    void *mapped = REAL(mremap)(address, size_before, size, flags, target);
    int saved_errno = errno;
    if (to && mapped != MAP_FAILED) {
        note_unmapped(to, address, size_before, before);
        if (flags & MREMAP_FIXED)
            note_unmapped(to, mapped, size, before);
        note_mapped(to, mapped, size);
    }
    errno = saved_errno;
    return mapped;
}

/* The end of the heap that is no one's, was at `end`, and is now further by so much. */
static void note_moved(const struct allocation_recorder *to, const char *end, intptr_t bytes, uint64_t before)
{
    if (bytes > 0)
        note_mapped(to, end, (size_t)bytes);
    else
        note_unmapped(to, end + bytes, (size_t)-bytes, before);
}

INTERPOSED void *sbrk(intptr_t bytes)
{
    const struct allocation_recorder *to = listener(__builtin_return_address(0));
    uint64_t before = to ? to->now() : 0;
    char *end = REAL(sbrk)(bytes);
    int saved_errno = errno;
    if (to && end != (void *)-1)
        note_moved(to, end, bytes, before);
    errno = saved_errno;
    return end;
}

INTERPOSED int brk(void *end)
{
    const struct allocation_recorder *to = listener(__builtin_return_address(0));
    uint64_t before = to ? to->now() : 0;
    char *was = to ? REAL(sbrk)(0) : NULL;
    int result = REAL(brk)(end);
    int saved_errno = errno;
    if (to && result == 0 && was != (void *)-1)
        note_moved(to, was, (char *)end - was, before);
    errno = saved_errno;
    return result;
}
