#include "symbols/dwarf_lines.h"

#include "symbols/dwarf_owners.h"
#include "symbols/dwarf_ranges.h"

#include <errno.h>

struct program {
    struct dwarf_lines *lines;
    const uint64_t *addresses;
    size_t count;
    /* The registers. */
    uint64_t address, file;
    uint32_t line;
    /* The sequence so far. */
    bool dead;  /* its code is not in the program */
    bool begun; /* there is a row */
    uint64_t last_address, last_file;
    uint32_t last_line;
    size_t next;     /* the first address asked for that may be in the rest of the sequence … */
    uint64_t wanted; /* … or UINT64_MAX */
};

void dwarf_lines_free(struct dwarf_lines *lines)
{
    dwarf_line_files_free(&lines->files);
    vec_free(&lines->rows);
}

static void begin_sequence(struct program *program)
{
    program->address = 0;
    program->file = 1;
    program->line = 1;
    program->dead = true; /* until it is said where its code is */
    program->begun = false;
    program->wanted = UINT64_MAX;
}

static void seek(struct program *program)
{
    program->next = dwarf_first_not_below(program->addresses, program->count, program->address);
    program->wanted = program->next < program->count ? program->addresses[program->next] : UINT64_MAX;
}

/* The last row reached until here. */
static __attribute__((noinline)) void answer(struct program *program)
{
    while (program->next < program->count && program->addresses[program->next] < program->address) {
        struct dwarf_row *row = &program->lines->rows.items[program->next++];
        if (!row->known)
            *row = (struct dwarf_row){program->last_file, program->last_line, true};
    }
    program->wanted = program->next < program->count ? program->addresses[program->next] : UINT64_MAX;
}

static inline void add_row(struct program *program)
{
    if (__builtin_expect(program->wanted < program->address, 0))
        answer(program);
    if (__builtin_expect(!program->begun || program->address < program->last_address, 0) && !program->dead) {
        program->begun = true;
        seek(program);
    }
    program->last_address = program->address;
    program->last_file = program->file;
    program->last_line = program->line;
}

static int run_extended(struct program *program, struct dwarf_cursor *cursor)
{
    uint64_t length = dwarf_uleb(cursor);
    const uint8_t *bytes = dwarf_take(cursor, length);
    if (!bytes)
        return -EINVAL;
    struct dwarf_cursor operands = {bytes, bytes + length, false};
    switch (dwarf_u8(&operands)) {
    case LNE_end_sequence:
        if (program->wanted < program->address)
            answer(program);
        begin_sequence(program);
        return 0;
    case LNE_set_address: {
        unsigned size = length - 1 == 4 ? 4 : 8;
        program->address = dwarf_word(&operands, size);
        /* Once dead a sequence stays dead: the linker forgets whole sections. */
        program->dead = dwarf_address_dead(program->address, size) || (program->dead && program->begun);
        if (program->dead)
            program->wanted = UINT64_MAX;
        return operands.failed ? -EINVAL : 0;
    }
    case LNE_define_file:
        return dwarf_line_files_define(&program->lines->files, &operands);
    default:
        return 0;
    }
}

static int run_standard(struct program *program, struct dwarf_cursor *cursor, uint8_t opcode)
{
    const struct dwarf_line_files *head = &program->lines->files;
    switch (opcode) {
    case LNS_copy:
        add_row(program);
        break;
    case LNS_advance_pc:
        program->address += dwarf_uleb(cursor) * head->minimum_length;
        break;
    case LNS_advance_line:
        program->line += (uint32_t)dwarf_sleb(cursor);
        break;
    case LNS_set_file:
        program->file = dwarf_uleb(cursor);
        break;
    case LNS_set_column:
    case LNS_set_isa:
        dwarf_uleb(cursor);
        break;
    case LNS_negate_stmt:
    case LNS_set_basic_block:
    case LNS_set_prologue_end:
    case LNS_set_epilogue_begin:
        break;
    case LNS_const_add_pc:
        program->address += program->lines->specials[255].address;
        break;
    case LNS_fixed_advance_pc:
        program->address += dwarf_u16(cursor);
        break;
    default:
        for (unsigned i = 0; i < head->operand_counts[opcode]; i++)
            dwarf_uleb(cursor);
    }
    return cursor->failed ? -EINVAL : 0;
}

static int run(struct program *program)
{
    const struct dwarf_line_files *head = &program->lines->files;
    struct dwarf_cursor cursor = head->program;
    int result = 0;
    begin_sequence(program);
    while (result == 0 && cursor.at < cursor.end) {
        uint8_t opcode = *cursor.at++;
        if (opcode >= head->opcode_base) {
            program->address += program->lines->specials[opcode].address;
            program->line += (uint32_t)program->lines->specials[opcode].line;
            add_row(program);
        } else if (opcode == 0) {
            result = run_extended(program, &cursor);
        } else {
            result = run_standard(program, &cursor, opcode);
        }
    }
    return result;
}

static bool prepare_specials(struct dwarf_lines *lines)
{
    const struct dwarf_line_files *head = &lines->files;
    if (head->line_range == 0)
        return false;
    for (unsigned opcode = head->opcode_base; opcode < 256; opcode++) {
        unsigned adjusted = opcode - head->opcode_base;
        lines->specials[opcode].address = adjusted / head->line_range * head->minimum_length;
        lines->specials[opcode].line = head->line_base + (int32_t)(adjusted % head->line_range);
    }
    return true;
}

int dwarf_lines_find(struct dwarf_lines *lines, const struct dwarf_unit *unit, const uint64_t *addresses, size_t count,
                     struct dwarf_work *work)
{
    lines->files.folders.count = lines->files.files.count = lines->rows.count = 0;
    if (!vec_reserve(&lines->rows, count))
        return -ENOMEM;
    if (count > 0)
        memset(lines->rows.items, 0, count * sizeof *lines->rows.items);
    lines->rows.count = count;
    if (!unit->has_lines)
        return 0;
    int result = dwarf_line_files_read(&lines->files, unit, unit->line_offset, work);
    if (result != 0)
        return result;
    struct program program = {.lines = lines, .addresses = addresses, .count = count};
    return prepare_specials(lines) ? run(&program) : -EINVAL;
}
