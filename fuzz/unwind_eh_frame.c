/* Any bytes as the unwind tables of a module, and a stack to walk with them.
 *
 *     byte 0    which encoding of pointers the tables are read with, where a CIE does not say
 *     8 bytes   where the section claims to be mapped: its first FDE is looked up at its own start
 *     the rest  .eh_frame
 *
 * Every function is found by the index made for it; every row runs, becomes a rule, and is applied to a stack of the same
 * bytes. */
#include "target.h"

#include "unwind/cfa_program.h"
#include "unwind/eh_frame_index.h"
#include "unwind/row_step.h"
#include "unwind/step.h"

#include <string.h>

enum { ROWS = 64, STACK = 4096 };

static void apply(const struct eh_frame_table *table, const struct frame_description *description, const struct cfa_row *row,
                  uint64_t address)
{
    static uint8_t stack[STACK];
    uint64_t start = (uint64_t)(uintptr_t)stack;
    struct unwind_memory memory = {.start = start, .end = start + STACK};
    struct unwind_registers registers = {.known = UNWIND_ALL_KNOWN};
    memcpy(stack, table->bytes, table->length < STACK ? table->length : STACK);
    for (unsigned i = 0; i < UNWIND_REGISTER_COUNT; i++)
        registers.value[i] = start + STACK / 2 + 8 * i;
    registers.value[UNWIND_PC] = address;
    struct unwind_registers by_rule = registers;
    enum unwind_end end = row_step(table, description, row, false, &registers, &memory);
    fuzz_check((unsigned)end <= UNWIND_GOES_ON);
    struct unwind_rule rule = rule_make(table, description, row, address, &(struct unwind_memory){0});
    if (rule.kind == RULE_END)
        fuzz_check(end == UNWIND_COMPLETE);
    if (rule.kind != RULE_FRAME)
        return;
    /* A rule says the same as the row it was made of. */
    enum unwind_end rule_end = step_frame(rule, false, &by_rule, &memory);
    fuzz_check(rule_end == end);
    if (end != UNWIND_GOES_ON)
        return;
    fuzz_check(registers.known == by_rule.known);
    for (unsigned i = 0; i < UNWIND_REGISTER_COUNT; i++)
        fuzz_check(!(registers.known >> i & 1) || registers.value[i] == by_rule.value[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 9)
        return 0;
    struct eh_frame_table table = {.bytes = data + 9, .length = size - 9};
    memcpy(&table.address, data + 1, sizeof table.address);
    table.index_address = table.address;
    struct byte_reader pointer = byte_reader_of(data + 1, size - 1);
    eh_frame_pointer(&pointer, data[0], table.address, 0);

    struct eh_frame_index_row rows[ROWS];
    size_t length = eh_frame_length(&table);
    fuzz_check(length <= table.length);
    size_t count = eh_frame_index_build(&table, rows, ROWS);
    fuzz_check(count <= eh_frame_index_count(&table));
    table.index = rows;
    table.index_count = count;
    for (size_t i = 0; i < count; i++) {
        struct frame_description description;
        struct cfa_row row;
        fuzz_check(i == 0 || rows[i - 1].function <= rows[i].function);
        uint64_t start = table.index_address + (uint64_t)rows[i].function;
        if (!eh_frame_find(&table, start, &description))
            continue; /* another function starts there, too */
        fuzz_check(start - description.start < description.length);
        uint64_t step = description.length / 8 + 1;
        for (uint64_t offset = 0; offset < description.length && offset + step > offset; offset += step)
            if (cfa_program_run(&table, &description, description.start + offset, &row))
                apply(&table, &description, &row, description.start + offset);
    }
    return 0;
}
