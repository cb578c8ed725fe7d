/* The code that V8 was built with may be mapped twice: once with its module, and once more from the same file, close to the
 * code that it makes, so that calls are short. Its code events tell of one of the two. */
#ifndef SONDE_CAPTURE_RUNTIME_V8_PLACES_H
#define SONDE_CAPTURE_RUNTIME_V8_PLACES_H

#include <stdbool.h>
#include <stdint.h>

/* Where the other mapping of the code at `start` … `start + size` is. False: there is none. Opens a file: not in a handler. */
bool v8_other_place(uint64_t start, uint64_t size, uint64_t *other);

#endif
