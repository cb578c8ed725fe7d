/* Any bytes as an ELF file: its headers, all of its sections unpacked, its links, the packed file inside it, and the symbols of
 * many addresses, asked for together and alone. */
#include "target.h"

#include "symbols/unnamed_functions.h"

#include <string.h>

enum { ADDRESSES = 64, ALONE = 8 };

static void find_symbols(struct elf_file *file, struct elf_file *debug)
{
    uint64_t addresses[ADDRESSES];
    struct elf_symbol found[ADDRESSES], alone;
    enum elf_symbol_tables tables;
    struct error error = {0};
    const struct elf_section *code = elf_file_section_named(file, ".text");
    uint64_t start = code ? code->address : 0x1000, step = (code ? code->size : 0x1000) / ADDRESSES + 1, last;
    if (__builtin_mul_overflow(step, ADDRESSES, &last) || __builtin_add_overflow(start, last, &last))
        return;
    for (size_t i = 0; i < ADDRESSES; i++)
        addresses[i] = start + i * step;
    fuzz_check(elf_symbols_find(file, debug, addresses, ADDRESSES, found, &tables, &error) == 0);
    for (size_t i = 0; i < ADDRESSES; i++) {
        if (found[i].name.length > 0)
            fuzz_check(addresses[i] - found[i].start < found[i].size);
        if (i % (ADDRESSES / ALONE) != 0)
            continue;
        fuzz_check(elf_symbols_find(file, debug, &addresses[i], 1, &alone, &tables, &error) == 0);
        fuzz_check(slice_equal(found[i].name, alone.name));
        fuzz_check(found[i].start == alone.start && found[i].size == alone.size);
    }
    unnamed_functions_find(file, addresses, ADDRESSES, found);
    for (size_t i = 0; i < ADDRESSES; i++)
        fuzz_check(found[i].size == 0 || addresses[i] - found[i].start < found[i].size);
}

static size_t sum_of(struct slice bytes)
{
    size_t sum = 0;
    for (size_t i = 0; i < bytes.length; i++)
        sum += (unsigned char)bytes.text[i];
    return sum;
}

static size_t read_sections(struct elf_file *file)
{
    size_t sum = 0;
    for (size_t i = 0; i < elf_file_section_count(file) && i < 100; i++) {
        char name[64];
        struct error error = {0};
        struct slice contents, whole = elf_file_section_at(file, i)->name;
        if (whole.length >= sizeof name)
            continue;
        memcpy(name, whole.text, whole.length);
        name[whole.length] = '\0';
        fuzz_check(elf_file_contents(file, name, &contents, &error) == 0);
        sum += sum_of(contents);
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct elf_file *file, *inside;
    struct error error = {0};
    struct slice name = {0}, id = {0};
    uint32_t crc;
    if (elf_file_memory((struct slice){(const char *)data, size}, &file, &error) < 0) {
        fuzz_check(error.code < 0 && error.message[0]);
        return 0;
    }
    size_t sum = read_sections(file) + sum_of(elf_file_build_id(file));
    if (elf_file_debug_link(file, &name, &crc))
        sum += sum_of(name) + crc;
    if (elf_file_alternate_link(file, &name, &id))
        sum += sum_of(name) + sum_of(id);
    fuzz_check(elf_file_mini_debug(file, &inside, &error) == 0);
    if (inside)
        sum += read_sections(inside);
    fuzz_check(sum != SIZE_MAX); /* and so all of it was read */
    find_symbols(file, inside);
    elf_file_close(file);
    return 0;
}
