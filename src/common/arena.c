#include "common/arena.h"

#include "common/memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

enum { FIRST_BLOCK = 4 << 10, LARGEST_BLOCK = 1 << 20 };

struct arena_block {
    struct arena_block *older;
    max_align_t bytes[];
};

/* Blocks grow with the arena, so a small profile stays small and a large one asks the heap seldom. */
static char *arena_add_block(struct arena *arena, size_t size)
{
    size_t capacity = arena->reserved;
    if (capacity < FIRST_BLOCK)
        capacity = FIRST_BLOCK;
    if (capacity > LARGEST_BLOCK)
        capacity = LARGEST_BLOCK;
    if (capacity < size)
        capacity = size;
    if (capacity > SIZE_MAX - sizeof(struct arena_block))
        return NULL;
    struct arena_block *block = memory_resize(NULL, sizeof *block + capacity);
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
