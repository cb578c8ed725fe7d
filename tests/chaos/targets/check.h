/* What every target shares.
 *
 * A target is a small program that does one thing programs do to themselves, checks all that comes of it, and prints only what
 * is the same in every run: being recorded must change neither that nor the exit status. */
#ifndef SONDE_TESTS_CHAOS_CHECK_H
#define SONDE_TESTS_CHAOS_CHECK_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Under AddressSanitizer everything takes longer, and more stack. */
#if defined __has_feature && !defined __SANITIZE_ADDRESS__
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define CHECKED_MEMORY 1
#else
#define CHECKED_MEMORY 0
#endif

#define check(condition) check_that((condition), #condition, __FILE__, __LINE__)

static inline void check_that(bool holds, const char *what, const char *file, int line)
{
    if (holds)
        return;
    int error = errno;
    dprintf(STDERR_FILENO, "%s:%d: not so: %s (errno is %d, %s)\n", file, line, what, error, strerror(error));
    _exit(1);
}

/* About a nanosecond a round, and an answer that is wrong when a register or a word of memory was not given back. */
static inline uint32_t compute(uint32_t seed, unsigned rounds)
{
    uint32_t value = seed * 2654435761u + 1;
    for (unsigned i = 0; i < rounds; i++) {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }
    return value;
}

#endif
