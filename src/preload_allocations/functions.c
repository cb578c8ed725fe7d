/* malloc() and its relatives. The last thing that each does is to call the real one, wherever nothing has to be done behind it:
 * there is no frame of ours in the program's stacks, then. */
#include "preload_allocations/functions.h"

#include "preload_allocations/real.h"
#include "preload_allocations/sampler.h"

#include <errno.h>

#define INTERPOSED __attribute__((visibility("default")))
#define SLOW __attribute__((noinline, cold))

/* Defines the function NAME, of which the arguments say how many bytes it allocates, with its slow path. */
#define ALLOCATES(name, parameters, arguments, bytes)                                                                          \
    SLOW static void *slow_##name parameters                                                                                   \
    {                                                                                                                          \
        if (!take_begin(bytes))                                                                                                \
            return real.name arguments;                                                                                        \
        void *block = real.name arguments;                                                                                     \
        take_end(block, bytes);                                                                                                \
        return block;                                                                                                          \
    }                                                                                                                          \
    INTERPOSED void *name parameters                                                                                           \
    {                                                                                                                          \
        return __builtin_expect(take_is_passed(bytes), 1) ? real.name arguments : slow_##name arguments;                       \
    }

ALLOCATES(malloc, (size_t size), (size), size)
ALLOCATES(memalign, (size_t alignment, size_t size), (alignment, size), size)
ALLOCATES(aligned_alloc, (size_t alignment, size_t size), (alignment, size), size)
ALLOCATES(valloc, (size_t size), (size), size)
ALLOCATES(pvalloc, (size_t size), (size), size)

/* A product that overflows is none: it fails. */
static inline size_t product(size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}
ALLOCATES(calloc, (size_t count, size_t size), (count, size), product(count, size))

SLOW static int slow_posix_memalign(void **out, size_t alignment, size_t size)
{
    if (!take_begin(size))
        return real.posix_memalign(out, alignment, size);
    int result = real.posix_memalign(out, alignment, size);
    take_end(result == 0 ? *out : NULL, size);
    return result;
}

INTERPOSED int posix_memalign(void **out, size_t alignment, size_t size)
{
    return __builtin_expect(take_is_passed(size), 1) ? real.posix_memalign(out, alignment, size)
                                                     : slow_posix_memalign(out, alignment, size);
}

/* --- realloc ---------------------------------------------------------------------------------------------------------------
 */

/* The old block is freed and the new one allocated, wherever that lies. */
SLOW static void *slow_realloc(void *block, size_t size)
{
    bool is_seen = block && !free_is_passed(block);
    struct moved_block moved = {0};
    if (is_seen)
        moved = move_begin(block);
    bool is_taken = take_begin(size);
    void *now = real.realloc(block, size);
    if (is_seen)
        move_end(&moved, now || size == 0);
    if (is_taken)
        take_end(now, size);
    return now;
}

INTERPOSED void *realloc(void *block, size_t size)
{
    return __builtin_expect(free_is_passed(block) && take_is_passed(size), 1) ? real.realloc(block, size)
                                                                              : slow_realloc(block, size);
}

/* The C library's own calls realloc(), and would be counted twice. */
INTERPOSED void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    /* What overflows fails. */
    return __builtin_mul_overflow(count, size, &bytes) ? real.reallocarray(block, count, size) : realloc(block, bytes);
}

/* --- free ------------------------------------------------------------------------------------------------------------------
 */

/* Defines the function NAME, which frees its first argument, with its slow path. */
#define FREES(name, parameters, arguments, block)                                                                              \
    SLOW static void slow_##name parameters                                                                                    \
    {                                                                                                                          \
        if (block)                                                                                                             \
            note_free(block);                                                                                                  \
        real.name arguments;                                                                                                   \
    }                                                                                                                          \
    INTERPOSED void name parameters                                                                                            \
    {                                                                                                                          \
        if (free_is_passed(block))                                                                                             \
            real.name arguments;                                                                                               \
        else                                                                                                                   \
            slow_##name arguments;                                                                                             \
    }

FREES(free, (void *block), (block), block)
FREES(free_sized, (void *block, size_t size), (block, size), block)
FREES(free_aligned_sized, (void *block, size_t alignment, size_t size), (block, alignment, size), block)
