/* The one door to the heap.
 *
 * All of Sonde's analysis allocates here, so that a test can make the Nth allocation fail and ask for a clean error. */
#ifndef SONDE_COMMON_MEMORY_H
#define SONDE_COMMON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* As `realloc(block, size)` with size > 0; NULL leaves `block` as it was. */
void *memory_resize(void *block, size_t size) __attribute__((warn_unused_result));

/* `count * size` zeroed bytes; NULL also where the product overflows. */
void *memory_zeroed(size_t count, size_t size) __attribute__((warn_unused_result));

/* `count * size` bytes of any content; NULL also where the product overflows. */
void *memory_array(size_t count, size_t size) __attribute__((warn_unused_result));

/* `size` bytes, a multiple of MEMORY_HUGE_PAGE, on huge pages where the kernel gives them: each is touched for the first time
 * once, not 512 times. For memory that is all going to be used. */
enum { MEMORY_HUGE_PAGE = 2 << 20 };
void *memory_huge(size_t size) __attribute__((warn_unused_result));

void memory_release(void *block);

/* For tests: the allocation number `n` from now on fails (1 = the next one), and all after it; 0 = none fails. */
void memory_fail_after(unsigned long n);

/* For those who implement the above: counts an allocation; false = it is to fail. */
bool memory_may_allocate(void);

#endif
