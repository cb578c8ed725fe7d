/* Where the stack of the calling thread is: without the allocations that libc makes to find out, where its size is known. */
#ifndef SONDE_CAPTURE_SAMPLER_STACK_BOUNDS_H
#define SONDE_CAPTURE_SAMPLER_STACK_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of start … end can be read by the thread itself from its stack pointer up. 0, 0 = unknown: the thread
 * is on another one. `stack_bytes`: its size, if known; 0 = not. */
void stack_bounds(bool main_thread, size_t stack_bytes, uint64_t *start, uint64_t *end);

#endif
