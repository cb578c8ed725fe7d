/* What glibc has and the C library of WebAssembly has not. It is included before everything else of this build
 * (meson.build), so that the sources of the engine are the same in both. */
#ifndef SONDE_WASM_SYSTEM_H
#define SONDE_WASM_SYSTEM_H

#include <errno.h>
#include <stddef.h>

/* No errno that a call returns. */
#ifndef ENODATA
#define ENODATA 1000
#endif

void qsort_r(void *items, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *data);
const char *strerrordesc_np(int number);

#endif
