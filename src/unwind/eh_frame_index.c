#include "unwind/eh_frame_index.h"

size_t eh_frame_length(const struct eh_frame_table *table)
{
    size_t offset = 0, next;
    while (eh_frame_entry(table, offset, &next) >= EH_FRAME_CIE)
        offset = next;
    return offset;
}

size_t eh_frame_index_count(const struct eh_frame_table *table)
{
    size_t count = 0, next;
    enum eh_frame_entry_kind kind;
    for (size_t offset = 0; (kind = eh_frame_entry(table, offset, &next)) >= EH_FRAME_CIE; offset = next)
        count += kind == EH_FRAME_FDE;
    return count;
}

/* Heapsort: no memory, no recursion, and no worst case that a table could be made for. */
static void sift_down(struct eh_frame_index_row *rows, size_t at, size_t count)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && rows[child + 1].function > rows[child].function)
            child++;
        if (rows[at].function >= rows[child].function)
            return;
        struct eh_frame_index_row row = rows[at];
        rows[at] = rows[child];
        rows[child] = row;
        at = child;
    }
}

static void sort(struct eh_frame_index_row *rows, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift_down(rows, i, count);
    for (size_t i = count; i-- > 1;) {
        struct eh_frame_index_row row = rows[0];
        rows[0] = rows[i];
        rows[i] = row;
        sift_down(rows, 0, i);
    }
}

size_t eh_frame_index_build(const struct eh_frame_table *table, struct eh_frame_index_row *rows, size_t room)
{
    size_t count = 0, next;
    enum eh_frame_entry_kind kind;
    for (size_t offset = 0; (kind = eh_frame_entry(table, offset, &next)) >= EH_FRAME_CIE; offset = next) {
        struct frame_description description;
        if (kind != EH_FRAME_FDE || count == room || !eh_frame_read(table, offset, &description) || description.length == 0)
            continue;
        int64_t function = (int64_t)(description.start - table->index_address);
        int64_t fde = (int64_t)(table->address + offset - table->index_address);
        if (function == (int32_t)function && fde == (int32_t)fde)
            rows[count++] = (struct eh_frame_index_row){(int32_t)function, (int32_t)fde};
    }
    sort(rows, count);
    return count;
}
