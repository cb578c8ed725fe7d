#include "preload_allocations/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* This thread is looking them up. Volatile: the compiler is told that dlsym() does not come back here. */
static __thread volatile bool is_searching __attribute__((tls_model("initial-exec")));

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

/* --- until they are known ------------------------------------------------------------------------------------------------ */

#define FIRST_RESULT_malloc no_memory()
#define FIRST_RESULT_calloc no_memory()
#define FIRST_RESULT_realloc no_memory()
#define FIRST_RESULT_reallocarray no_memory()
#define FIRST_RESULT_memalign no_memory()
#define FIRST_RESULT_aligned_alloc no_memory()
#define FIRST_RESULT_posix_memalign ENOMEM
#define FIRST_RESULT_valloc no_memory()
#define FIRST_RESULT_pvalloc no_memory()
#define FIRST_RESULT_free
#define FIRST_RESULT_free_sized
#define FIRST_RESULT_free_aligned_sized

#define DEFINE(result, name, parameters, arguments)                                                                            \
    static result first_##name parameters                                                                                      \
    {                                                                                                                          \
        if (!is_searching)                                                                                                     \
            real_find();                                                                                                       \
        if (real.name == first_##name) /* the allocator has none, or we are asked by who looks for it */                       \
            return FIRST_RESULT_##name;                                                                                        \
        return real.name arguments;                                                                                            \
    }
REAL_FUNCTIONS(DEFINE)
#undef DEFINE

struct real_functions real = {
#define FIRST(result, name, parameters, arguments) .name = first_##name,
    REAL_FUNCTIONS(FIRST)
#undef FIRST
};

/* --- where the allocator has not all of them ----------------------------------------------------------------------------- */

static void *array_again(void *block, size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? no_memory() : real.realloc(block, bytes);
}

static void free_with_size(void *block, size_t size)
{
    (void)size;
    real.free(block);
}

static void free_with_alignment(void *block, size_t alignment, size_t size)
{
    (void)alignment, (void)size;
    real.free(block);
}

/* Twice at the same time does no harm: the results are the same. */
void real_find(void)
{
    struct real_functions found;
    int saved_errno = errno;
    is_searching = true;
    bool misses = false;
#define FIND(result, name, parameters, arguments)                                                                              \
    *(void **)&found.name = dlsym(RTLD_NEXT, #name);                                                                           \
    misses |= !found.name;
    REAL_FUNCTIONS(FIND)
#undef FIND
    if (misses)
        dlerror(); /* what it could say is not for the program */
    is_searching = false;
    if (!found.reallocarray)
        found.reallocarray = array_again;
    if (!found.free_sized)
        found.free_sized = free_with_size;
    if (!found.free_aligned_sized)
        found.free_aligned_sized = free_with_alignment;
#define PUBLISH(result, name, parameters, arguments)                                                                           \
    if (found.name)                                                                                                            \
        __atomic_store_n(&real.name, found.name, __ATOMIC_RELAXED);
    REAL_FUNCTIONS(PUBLISH)
#undef PUBLISH
    errno = saved_errno;
}
