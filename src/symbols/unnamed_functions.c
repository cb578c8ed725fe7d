#include "symbols/unnamed_functions.h"

#include "unwind/eh_frame.h"

#include <stdio.h>

/* .eh_frame_hdr as linkers write it; others have no index here:
 *
 *     version 1, encodings of the next three: S32 to here, U32, S32 to data
 *     where .eh_frame is │ number of rows │ rows, sorted */
enum { HEADER_BYTES = 12, VERSION = 1 };

static bool table_of(const struct elf_file *file, struct eh_frame_table *table)
{
    const struct elf_section *frames = elf_file_section_named(file, ".eh_frame");
    const struct elf_section *header = elf_file_section_named(file, ".eh_frame_hdr");
    struct slice frame_bytes = frames ? elf_file_raw(file, frames) : SLICE("");
    struct slice bytes = header ? elf_file_raw(file, header) : SLICE("");
    if (frame_bytes.length == 0 || bytes.length < HEADER_BYTES ||
        (uintptr_t)bytes.text % _Alignof(struct eh_frame_index_row) != 0)
        return false;
    const uint8_t *start = (const uint8_t *)bytes.text;
    if (start[0] != VERSION || start[2] != POINTER_U32 || start[3] != (POINTER_TO_DATA | POINTER_S32))
        return false;
    uint32_t rows = start[8] | (uint32_t)start[9] << 8 | (uint32_t)start[10] << 16 | (uint32_t)start[11] << 24;
    size_t most = (bytes.length - HEADER_BYTES) / sizeof(struct eh_frame_index_row);
    *table = (struct eh_frame_table){.bytes = (const uint8_t *)frame_bytes.text,
                                     .length = frame_bytes.length,
                                     .address = frames->address,
                                     .index = (const struct eh_frame_index_row *)(const void *)(start + HEADER_BYTES),
                                     .index_count = rows < most ? rows : most,
                                     .index_address = header->address};
    return table->index_count > 0;
}

void unnamed_functions_find(const struct elf_file *file, const uint64_t *addresses, size_t count, struct elf_symbol *found)
{
    struct eh_frame_table table;
    bool has_table = file && table_of(file, &table);
    for (size_t i = 0; i < count; i++) {
        struct frame_description function = {0};
        if (found[i].name.length > 0)
            continue;
        if (has_table && eh_frame_find(&table, addresses[i], &function) && addresses[i] - function.start < function.length)
            found[i] = (struct elf_symbol){.start = function.start, .size = function.length};
        else
            found[i] = (struct elf_symbol){0};
    }
}

struct slice unnamed_function_name(uint64_t start, char out[UNNAMED_FUNCTION_MAX])
{
    int length = snprintf(out, UNNAMED_FUNCTION_MAX, "fun_%llx", (unsigned long long)start);
    return (struct slice){out, (size_t)length};
}
