/* An arena: memory that is handed out piece by piece and given back all at once.
 *
 * Pieces never move, so pointers into an arena stay good as long as the arena lives. */
#ifndef SONDE_COMMON_ARENA_H
#define SONDE_COMMON_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; /* newest first */
    char *next;                 /* first free byte of the newest block */
    char *end;
    size_t reserved; /* bytes asked from the heap */
};

/* A zeroed `struct arena` is an empty arena. */

/* `size` bytes aligned for any type, or to a byte for text; NULL when the heap is empty. Contents are indeterminate. */
void *arena_allocate(struct arena *arena, size_t size);
char *arena_bytes(struct arena *arena, size_t size);

/* A NUL-terminated copy. */
char *arena_copy(struct arena *arena, const char *text, size_t length);

void arena_free(struct arena *arena);

#endif
