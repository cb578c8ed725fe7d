#include "export/gecko_rows.h"

#include "common/memory.h"

enum { FIRST_BLOCK = 4 << 10, LARGEST_BLOCK = 256 << 10 };

struct gecko_block *gecko_rows_grow(struct gecko_rows *rows, size_t max)
{
    size_t whole = rows->last ? 2 * (sizeof *rows->last + rows->last->size) : FIRST_BLOCK;
    if (whole > LARGEST_BLOCK)
        whole = LARGEST_BLOCK;
    if (whole < sizeof *rows->last + max)
        whole = sizeof *rows->last + max;
    struct gecko_block *block = memory_array(1, whole);
    if (!block)
        return NULL;
    *block = (struct gecko_block){.size = whole - sizeof *block};
    if (rows->last)
        rows->last->next = block;
    else
        rows->first = block;
    rows->last = block;
    return block;
}

void gecko_rows_free(struct gecko_rows *rows)
{
    while (rows->first) {
        struct gecko_block *block = rows->first;
        rows->first = block->next;
        memory_release(block);
    }
    *rows = (struct gecko_rows){0};
}
