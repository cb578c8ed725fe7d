/* The functions of the allocator that the program uses: the C library's, or that of a library which stands in front of it.
 *
 * Each pointer begins at a function that looks all of them up together and then calls the real one, so that calls need no
 * check. What the dynamic linker itself allocates meanwhile gets no memory, which it is prepared for: older ones ask for some
 * to keep an error message in, and take a place of their own where there is none. */
#ifndef SONDE_PRELOAD_ALLOCATIONS_REAL_H
#define SONDE_PRELOAD_ALLOCATIONS_REAL_H

#include <stddef.h>
#include <sys/types.h>

/* result, name, parameters, arguments */
#define REAL_FUNCTIONS(X)                                                                                                      \
    X(void *, malloc, (size_t size), (size))                                                                                   \
    X(void, free, (void *block), (block))                                                                                      \
    X(void *, calloc, (size_t count, size_t size), (count, size))                                                              \
    X(void *, realloc, (void *block, size_t size), (block, size))                                                              \
    X(void *, reallocarray, (void *block, size_t count, size_t size), (block, count, size))                                    \
    X(void *, memalign, (size_t alignment, size_t size), (alignment, size))                                                    \
    X(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))                                               \
    X(int, posix_memalign, (void **out, size_t alignment, size_t size), (out, alignment, size))                                \
    X(void *, valloc, (size_t size), (size))                                                                                   \
    X(void *, pvalloc, (size_t size), (size))                                                                                  \
    X(void, free_sized, (void *block, size_t size), (block, size))                                                             \
    X(void, free_aligned_sized, (void *block, size_t alignment, size_t size), (block, alignment, size))

#pragma GCC visibility push(hidden)

struct real_functions {
#define DECLARE(result, name, parameters, arguments) result(*name) parameters;
    REAL_FUNCTIONS(DECLARE)
#undef DECLARE
};

extern struct real_functions real;

/* All of them are known from here on. */
void real_find(void);

#pragma GCC visibility pop

#endif
