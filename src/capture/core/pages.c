#include "capture/core/pages.h"

#include "common/memory.h"
#include "session/lock.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* What every recorded process needs comes with the library, and is given out once: a mapping less to make, and to take down at
 * the end. All of the library's own memory stays below 2 MiB, or the kernel could take a huge page for it and clear that. */
enum { PAGE_BYTES = 4096, FIRST_BYTES = 560 << 10, HUGE_LEAST = 2 << 20 };
_Alignas(PAGE_BYTES) static char first[FIRST_BYTES];
static _Atomic size_t first_taken; /* relaxed: only numbers */

static size_t whole_pages(size_t size)
{
    return (size + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
}

static void *take_first(size_t size)
{
    size_t taken = atomic_load_explicit(&first_taken, memory_order_relaxed);
    do
        if (size > FIRST_BYTES - taken)
            return NULL;
    while (!atomic_compare_exchange_weak_explicit(&first_taken, &taken, taken + whole_pages(size), memory_order_relaxed,
                                                  memory_order_relaxed));
    return first + taken;
}

void *pages_map(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    /* Little of what is large is used: where the kernel takes huge pages unasked, the first signal of a thread would clear one.
     */
    int saved_errno = errno;
    if (size >= HUGE_LEAST)
        madvise(pages, size, MADV_NOHUGEPAGE); /* fails where there are none */
    errno = saved_errno;
    return pages;
}

void *pages_map_lasting(size_t size)
{
    void *pages = take_first(size);
    return pages ? pages : pages_map(size);
}

void pages_unmap(void *pages, size_t size)
{
    if (pages && ((uintptr_t)pages < (uintptr_t)first || (uintptr_t)pages >= (uintptr_t)first + FIRST_BYTES))
        munmap(pages, size);
}

/* --- common/memory.h --------------------------------------------------------------------------------------------------- */

/* Blocks of powers of two, cut from slabs and kept in lists when released; larger ones are mappings of their own.
 *
 *     ┌─────────┬──────────────
 *     │ header  │ what the caller gets
 *     └─────────┴──────────────          header.size: of the whole, header included */
struct block {
    _Alignas(16) size_t size;
    struct block *next; /* in a list of free ones */
};
_Static_assert(sizeof(struct block) == 16, "blocks stay aligned for any type");

enum {
    SMALLEST_SHIFT = 5,
    LARGEST_SHIFT = 15,
    CLASS_COUNT = LARGEST_SHIFT - SMALLEST_SHIFT + 1,
    SLAB_BYTES = 192 << 10, /* the first one comes with the library, beside the registration of the main thread */
};

static struct lock lock;
static struct block *free_blocks[CLASS_COUNT];
static uint8_t *slab;
static size_t slab_left;

/* Of the smallest blocks that hold `size` bytes; CLASS_COUNT: none does. */
static unsigned class_of(size_t size)
{
    unsigned class = 0;
    while (class < CLASS_COUNT && (size_t)1 << (class + SMALLEST_SHIFT) < size)
        class ++;
    return class;
}

static struct block *take_small(unsigned class)
{
    struct block *block = free_blocks[class];
    if (block) {
        free_blocks[class] = block->next;
        return block;
    }
    size_t size = (size_t)1 << (class + SMALLEST_SHIFT);
    if (slab_left < size) {
        uint8_t *pages = pages_map_lasting(SLAB_BYTES);
        if (!pages)
            return NULL;
        slab = pages; /* what is left of the old one is less than one block of this size, and is lost */
        slab_left = SLAB_BYTES;
    }
    block = (struct block *)(void *)slab;
    slab += size;
    slab_left -= size;
    block->size = size;
    return block;
}

static struct block *take_large(size_t size)
{
    size = whole_pages(size);
    struct block *block = pages_map(size);
    if (block)
        block->size = size;
    return block;
}

static bool is_large(const struct block *block)
{
    return block->size > (size_t)1 << LARGEST_SHIFT;
}

static struct block *block_of(void *memory)
{
    return (struct block *)memory - 1;
}

static void *memory_take(size_t size)
{
    if (!memory_may_allocate() || size > SIZE_MAX / 2)
        return NULL;
    size += sizeof(struct block);
    unsigned class = class_of(size);
    struct block *block;
    if (class == CLASS_COUNT) {
        block = take_large(size);
    } else {
        struct lock_hold hold;
        lock_enter(&lock, &hold);
        block = take_small(class);
        lock_leave(&lock, &hold);
    }
    return block ? block + 1 : NULL;
}

void memory_release(void *memory)
{
    if (!memory)
        return;
    struct block *block = block_of(memory);
    if (is_large(block)) {
        pages_unmap(block, block->size);
        return;
    }
    unsigned class = class_of(block->size);
    struct lock_hold hold;
    lock_enter(&lock, &hold);
    block->next = free_blocks[class];
    free_blocks[class] = block;
    lock_leave(&lock, &hold);
}

void *memory_resize(void *memory, size_t size)
{
    if (!memory)
        return memory_take(size);
    struct block *block = block_of(memory);
    if (size <= block->size - sizeof *block && size > block->size / 4)
        return memory_may_allocate() ? memory : NULL;
    void *larger = memory_take(size);
    if (!larger)
        return NULL;
    size_t held = block->size - sizeof *block;
    memcpy(larger, memory, held < size ? held : size);
    memory_release(memory);
    return larger;
}

void *memory_array(size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : memory_take(bytes > 0 ? bytes : 1);
}

void *memory_zeroed(size_t count, size_t size)
{
    void *memory = memory_array(count, size);
    if (memory && !is_large(block_of(memory))) /* those are fresh from the kernel */
        memset(memory, 0, count * size);
    return memory;
}

void *memory_huge(size_t size)
{
    return memory_take(size); /* a program's huge pages are for the program */
}

static struct lock_hold fork_hold;

void memory_fork_prepare(void)
{
    struct lock_hold hold;
    lock_enter(&lock, &hold);
    fork_hold = hold;
}

void memory_fork_done(void)
{
    struct lock_hold hold = fork_hold;
    lock_leave(&lock, &hold);
}
