/* Any bytes as a file that a process has mapped: its headers, build id and unwind tables, and every function looked up in them
 * as if the file were mapped somewhere. */
#include "target.h"

#include "looker/elf_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 1 << 20, LOOKUPS = 64 };
    struct elf_input input = {.bytes = {(const char *)data, size}};
    struct elf_image image;
    uint8_t id[MODULE_BUILD_ID_MAX];
    if (!data || !elf_image_read(&input, &image))
        return 0;
    fuzz_check(image.start < image.end);
    fuzz_check(elf_image_build_id(&input, &image, id) <= sizeof id);
    uint64_t bias;
    for (size_t i = 0; i < image.segment_count; i++)
        if (elf_image_bias(&image, 0x7f0000000000 + (image.segments[i].start & ~(uint64_t)4095),
                           image.segments[i].offset & ~(uint64_t)4095, &bias))
            fuzz_check(bias % 4096 == 0 && bias + image.start < bias + image.end);
    struct elf_tables tables;
    if (!elf_tables_load(&input, &image, MOST, &tables))
        return 0;
    fuzz_check(elf_tables_bytes(&tables) <= MOST);
    struct eh_frame_table table = elf_tables_mapped(&tables, &image, 0x7f0000000000);
    struct frame_description description;
    for (size_t i = 0; i < table.index_count && i < LOOKUPS; i++) {
        uint64_t function = table.index_address + (uint64_t)table.index[i].function;
        if (eh_frame_find(&table, function, &description))
            fuzz_check(function - description.start < description.length);
    }
    elf_tables_free(&tables);
    return 0;
}
