/* What every fuzz target defines and what runs it: libFuzzer, or replay.c. */
#ifndef SONDE_FUZZ_TARGET_H
#define SONDE_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Any bytes; returns 0. A mistake found is a crash. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As assert, in every build. */
#define fuzz_check(condition)                                                                                                  \
    do {                                                                                                                       \
        if (!(condition)) {                                                                                                    \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                          \
            abort();                                                                                                           \
        }                                                                                                                      \
    } while (0)

#endif
