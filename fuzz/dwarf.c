/* Any bytes as the debug information of a program and of the files that belong to it.
 *
 *     byte 0     bit 0: the second file is there for split units; bit 1: as the alternate file
 *     8 bytes    the first address that is asked for
 *     2 bytes    how far the next one is away
 *     2 x 12 x 3 bytes   the lengths of the sections of both files
 *     the rest   the sections
 *
 * Known inputs are made of programs by dwarf_input.py. */
#include "target.h"

#include "symbols/dwarf/lookup.h"

#include <stdlib.h>

enum { ADDRESSES = 256, SECTIONS = 12, HEAD = 1 + 8 + 2 + 2 * SECTIONS * 3 };

static uint64_t read_bytes(const uint8_t *bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = count; i > 0; i--)
        value = value << 8 | bytes[i - 1];
    return value;
}

/* Each in memory of its own, so that a read behind its end is seen. */
static void take_sections(struct slice *sections, const uint8_t *lengths, const uint8_t **at, const uint8_t *end)
{
    for (size_t i = 0; i < SECTIONS; i++) {
        size_t length = read_bytes(lengths + 3 * i, 3);
        if (length > (size_t)(end - *at))
            length = (size_t)(end - *at);
        char *copy = malloc(length > 0 ? length : 1);
        fuzz_check(copy);
        memcpy(copy, *at, length);
        sections[i] = (struct slice){copy, length};
        *at += length;
    }
}

static void name_sections(struct dwarf_sections *named, const struct slice *sections)
{
    *named = (struct dwarf_sections){
        .info = sections[0],
        .abbrev = sections[1],
        .line = sections[2],
        .str = sections[3],
        .line_str = sections[4],
        .str_offsets = sections[5],
        .addr = sections[6],
        .ranges = sections[7],
        .rnglists = sections[8],
        .aranges = sections[9],
        .cu_index = sections[10],
    };
}

static bool split(void *data, struct slice comp_dir, struct slice dwo_name, uint64_t dwo_id, struct dwarf_sections *out)
{
    const struct dwarf_sections *other = data;
    (void)comp_dir;
    (void)dwo_id;
    fuzz_check(dwo_name.length > 0);
    *out = *other;
    return true;
}

struct seen {
    size_t next;
    unsigned sum;
};

static void touch(struct seen *seen, struct slice text)
{
    for (size_t i = 0; i < text.length; i++)
        seen->sum += (unsigned char)text.text[i];
}

static bool found(void *data, size_t index, const struct dwarf_call *calls, size_t count)
{
    struct seen *seen = data;
    fuzz_check(index >= seen->next && index < ADDRESSES && count > 0);
    seen->next = index + 1;
    for (size_t i = 0; i < count; i++) {
        touch(seen, calls[i].name);
        touch(seen, calls[i].file);
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    struct slice sections[2][SECTIONS];
    struct dwarf_sections program, other;
    const uint8_t *at = data + HEAD;
    take_sections(sections[0], data + 11, &at, data + size);
    take_sections(sections[1], data + 11 + SECTIONS * 3, &at, data + size);
    name_sections(&program, sections[0]);
    name_sections(&other, sections[1]);

    uint64_t addresses[ADDRESSES], start = read_bytes(data + 1, 8), step = read_bytes(data + 9, 2);
    for (size_t i = 0; i < ADDRESSES; i++)
        addresses[i] = i > 0 && __builtin_add_overflow(addresses[i - 1], step, &start) ? UINT64_MAX : start;
    struct dwarf_files files = {
        .split = data[0] & 1 ? split : NULL,
        .alternate = data[0] & 2 ? &other : NULL,
        .data = &other,
    };
    struct seen seen = {0};
    struct error error = {0};
    size_t damaged;
    fuzz_check(dwarf_lookup(&program, &files, addresses, ADDRESSES, found, &seen, &damaged, &error) == 0);
    for (size_t i = 0; i < SECTIONS; i++) {
        free((char *)(uintptr_t)sections[0][i].text);
        free((char *)(uintptr_t)sections[1][i].text);
    }
    return 0;
}
