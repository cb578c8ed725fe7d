/* operator new and operator delete of C++, in front of those that an allocator defines itself (jemalloc, tcmalloc, mimalloc):
 * they give out memory without a call of malloc() that could be seen. Those of libstdc++ do call malloc(), so that calls are
 * only passed on to them. */
#ifndef SONDE_PRELOAD_ALLOCATIONS_OPERATORS_H
#define SONDE_PRELOAD_ALLOCATIONS_OPERATORS_H

#include <stddef.h>

/* result, name, parameters, arguments, alignment (of those that allocate; 0 = any). std::align_val_t is a size_t; `none` is
 * std::nothrow, an object without anything in it. */
#define OPERATORS_NEW(X)                                                                                                       \
    X(void *, _Znwm, (size_t size), (size), 0)                                                                                 \
    X(void *, _Znam, (size_t size), (size), 0)                                                                                 \
    X(void *, _ZnwmRKSt9nothrow_t, (size_t size, const void *none), (size, none), 0)                                           \
    X(void *, _ZnamRKSt9nothrow_t, (size_t size, const void *none), (size, none), 0)                                           \
    X(void *, _ZnwmSt11align_val_t, (size_t size, size_t align), (size, align), align)                                         \
    X(void *, _ZnamSt11align_val_t, (size_t size, size_t align), (size, align), align)                                         \
    X(void *, _ZnwmSt11align_val_tRKSt9nothrow_t, (size_t size, size_t align, const void *none), (size, align, none), align)   \
    X(void *, _ZnamSt11align_val_tRKSt9nothrow_t, (size_t size, size_t align, const void *none), (size, align, none), align)
#define OPERATORS_DELETE(X)                                                                                                    \
    X(void, _ZdlPv, (void *block), (block), )                                                                                  \
    X(void, _ZdaPv, (void *block), (block), )                                                                                  \
    X(void, _ZdlPvm, (void *block, size_t size), (block, size), )                                                              \
    X(void, _ZdaPvm, (void *block, size_t size), (block, size), )                                                              \
    X(void, _ZdlPvRKSt9nothrow_t, (void *block, const void *none), (block, none), )                                            \
    X(void, _ZdaPvRKSt9nothrow_t, (void *block, const void *none), (block, none), )                                            \
    X(void, _ZdlPvSt11align_val_t, (void *block, size_t align), (block, align), )                                              \
    X(void, _ZdaPvSt11align_val_t, (void *block, size_t align), (block, align), )                                              \
    X(void, _ZdlPvmSt11align_val_t, (void *block, size_t size, size_t align), (block, size, align), )                          \
    X(void, _ZdaPvmSt11align_val_t, (void *block, size_t size, size_t align), (block, size, align), )                          \
    X(void, _ZdlPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t align, const void *none), (block, align, none), )        \
    X(void, _ZdaPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t align, const void *none), (block, align, none), )
#define OPERATORS(X)                                                                                                           \
    OPERATORS_NEW(X)                                                                                                           \
    OPERATORS_DELETE(X)

#define DECLARE(result, name, parameters, arguments, alignment) result name parameters;
OPERATORS(DECLARE)
#undef DECLARE

#pragma GCC visibility push(hidden)

/* The next ones are known from here on. */
void operators_find(void);

#pragma GCC visibility pop

#endif
