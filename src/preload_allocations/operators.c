#include "preload_allocations/operators.h"

#include "preload_allocations/sampler.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#define INTERPOSED __attribute__((visibility("default")))
#define SLOW __attribute__((noinline, cold))

struct operators {
#define MEMBER(result, name, parameters, arguments, alignment) result(*name) parameters;
    OPERATORS(MEMBER)
#undef MEMBER
};

/* --- where no library that the program began with has any --------------------------------------------------------------------
 *
 * A library that was loaded later brings them with it, and is not to be kept from being unloaded: the memory comes from
 * malloc(), as with those of libstdc++. Only where there is none are its own asked, which know what to throw. */

SLOW static void *operator_of(const void *caller, const char *name)
{
    Dl_info where;
    void *library = dladdr(caller, &where) != 0 && where.dli_fname ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = library ? dlsym(library, name) : NULL;
    if (library)
        dlclose(library); /* the caller is in it: it stays */
    if (!found)
        abort();
    return found;
}

static void *allocate(size_t alignment, size_t size)
{
    void *block = NULL;
    size += size == 0;
    if (alignment == 0)
        return malloc(size);
    return posix_memalign(&block, alignment > sizeof(void *) ? alignment : sizeof(void *), size) == 0 ? block : NULL;
}

/* Tail-called by those in front of it: the return address is the program's. */
#define LATE_NEW(result, name, parameters, arguments, alignment)                                                               \
    static void *late_##name parameters                                                                                        \
    {                                                                                                                          \
        void *block = allocate(alignment, size), *(*real)parameters;                                                           \
        if (__builtin_expect(block != NULL, 1))                                                                                \
            return block;                                                                                                      \
        *(void **)&real = operator_of(__builtin_return_address(0), #name);                                                     \
        return real arguments;                                                                                                 \
    }
OPERATORS_NEW(LATE_NEW)

#define LATE_DELETE(result, name, parameters, arguments, alignment)                                                            \
    static void late_##name parameters                                                                                         \
    {                                                                                                                          \
        free(block);                                                                                                           \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
OPERATORS_DELETE(LATE_DELETE)
#pragma GCC diagnostic pop

/* --- the next ones -----------------------------------------------------------------------------------------------------------
 */

static struct operators next; /* NULL = not looked for yet */

/* They are the allocator's own, so what they give out is counted here. Set before any of `next`. */
static _Atomic bool are_counted;

static const void *library_of(void *function)
{
    Dl_info where;
    return function && dladdr(function, &where) != 0 ? where.dli_fbase : NULL;
}

/* Twice at the same time does no harm: the results are the same. */
void operators_find(void)
{
    int saved_errno = errno;
    struct operators found;
#define FIND(result, name, parameters, arguments, alignment)                                                                   \
    *(void **)&found.name = dlsym(RTLD_NEXT, #name);                                                                           \
    if (!found.name)                                                                                                           \
        found.name = late_##name;
    OPERATORS(FIND)
#undef FIND
    const void *operators = library_of(dlsym(RTLD_NEXT, "_Znwm")), *allocator = library_of(dlsym(RTLD_NEXT, "malloc"));
    dlerror(); /* what it could say is not for the program */
    atomic_store_explicit(&are_counted, operators && operators == allocator, memory_order_relaxed);
    /* Release: with each comes whether they are counted. */
#define PUBLISH(result, name, parameters, arguments, alignment) __atomic_store_n(&next.name, found.name, __ATOMIC_RELEASE);
    OPERATORS(PUBLISH)
#undef PUBLISH
    errno = saved_errno;
}

/* --- those that are counted --------------------------------------------------------------------------------------------------
 *
 * Some of them call malloc() after all, of which we see each call: then nothing is left to be counted. */

static void *count_block(void *block, size_t size, struct take_state before)
{
    if (block && take_is_unchanged(before) && !take_is_passed(size) && take_begin(size))
        take_end(block, size);
    return block;
}

#define COUNT_NEW(result, name, parameters, arguments, alignment)                                                              \
    SLOW static void *counted_##name parameters                                                                                \
    {                                                                                                                          \
        struct take_state before = take_state_now();                                                                           \
        return count_block(next.name arguments, size, before);                                                                 \
    }
OPERATORS_NEW(COUNT_NEW)

#define COUNT_DELETE(result, name, parameters, arguments, alignment)                                                           \
    SLOW static void counted_##name parameters                                                                                 \
    {                                                                                                                          \
        if (block && !free_is_passed(block))                                                                                   \
            note_free(block);                                                                                                  \
        next.name arguments;                                                                                                   \
    }
OPERATORS_DELETE(COUNT_DELETE)

/* --- what the program calls --------------------------------------------------------------------------------------------------
 */

#define DEFINE(result, name, parameters, arguments, alignment)                                                                 \
    INTERPOSED result name parameters                                                                                          \
    {                                                                                                                          \
        if (__builtin_expect(!__atomic_load_n(&next.name, __ATOMIC_ACQUIRE), 0))                                               \
            operators_find();                                                                                                  \
        if (__builtin_expect(atomic_load_explicit(&are_counted, memory_order_relaxed), 0))                                     \
            return counted_##name arguments;                                                                                   \
        return next.name arguments;                                                                                            \
    }
OPERATORS(DEFINE)
