#include "common/arena.h"

#include "common/memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

enum { FIRST_BLOCK = 4 << 10, LARGEST_BLOCK = 1 << 20, LARGE_ARENA = 4 << 20 };

struct arena_block {
    struct arena_block *older;
    max_align_t bytes[];
};

/* Blocks grow with the arena, so a small profile stays small and a large one asks the heap seldom. */
static struct arena_block *block_create(size_t reserved, size_t size, size_t *capacity)
{
    const size_t head = sizeof(struct arena_block);
    if (reserved >= LARGE_ARENA && size <= MEMORY_HUGE_PAGE - head) {
        *capacity = MEMORY_HUGE_PAGE - head;
        return memory_huge(MEMORY_HUGE_PAGE);
    }
    *capacity = reserved < FIRST_BLOCK ? FIRST_BLOCK : reserved < LARGEST_BLOCK ? reserved : LARGEST_BLOCK;
    if (*capacity < size)
        *capacity = size;
    return *capacity <= SIZE_MAX - head ? memory_resize(NULL, head + *capacity) : NULL;
}

static char *arena_add_block(struct arena *arena, size_t size)
{
    size_t capacity;
    struct arena_block *block = block_create(arena->reserved, size, &capacity);
    if (!block)
        return NULL;
    char *bytes = (char *)block->bytes;
    arena->reserved += sizeof *block + capacity;
    /* A piece larger than a usual block gets a block of its own; the block in use goes on being filled. */
    if (arena->blocks && (size_t)(arena->end - arena->next) > capacity - size) {
        block->older = arena->blocks->older;
        arena->blocks->older = block;
        return bytes;
    }
    block->older = arena->blocks;
    arena->blocks = block;
    arena->next = bytes + size;
    arena->end = bytes + capacity;
    return bytes;
}

char *arena_bytes(struct arena *arena, size_t size)
{
    if ((size_t)(arena->end - arena->next) < size)
        return arena_add_block(arena, size);
    char *bytes = arena->next;
    arena->next += size;
    return bytes;
}

void *arena_allocate(struct arena *arena, size_t size)
{
    size_t skip = (size_t)(-(uintptr_t)arena->next & (alignof(max_align_t) - 1));
    if (arena->next && (size_t)(arena->end - arena->next) >= skip)
        arena->next += skip;
    else
        arena->next = arena->end;
    return arena_bytes(arena, size);
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? arena_bytes(arena, length + 1) : NULL;
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

void arena_free(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->older;
        memory_release(block);
    }
    *arena = (struct arena){0};
}
