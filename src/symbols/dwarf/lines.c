#include "symbols/dwarf/lines.h"

#include "symbols/dwarf/owners.h"
#include "symbols/dwarf/ranges.h"

#include <errno.h>

struct registers {
    uint64_t address, file;
    uint32_t line;
};

/* The sequence so far. The registers are apart from it: the loop that runs the program keeps them in the processor's. */
struct sequence {
    struct dwarf_lines *lines;
    const uint64_t *addresses;
    size_t count;
    bool dead;  /* its code is not in the program */
    bool begun; /* there is a row */
    struct registers last;
    size_t next;     /* the first address asked for that may be in the rest of the sequence … */
    uint64_t wanted; /* … or UINT64_MAX */
};

void dwarf_lines_free(struct dwarf_lines *lines)
{
    dwarf_line_files_free(&lines->files);
    vec_free(&lines->rows);
}

static struct registers begin_sequence(struct sequence *sequence)
{
    sequence->dead = true; /* until it is said where its code is */
    sequence->begun = false;
    sequence->last.address = 0;
    sequence->wanted = UINT64_MAX;
    return (struct registers){.address = 0, .file = 1, .line = 1};
}

static __attribute__((noinline)) void seek(struct sequence *sequence, uint64_t address)
{
    if (sequence->dead)
        return;
    sequence->begun = true;
    sequence->next = dwarf_first_not_below(sequence->addresses, sequence->count, address);
    sequence->wanted = sequence->next < sequence->count ? sequence->addresses[sequence->next] : UINT64_MAX;
}

/* The last row reaches until here. */
static __attribute__((noinline)) void answer(struct sequence *sequence, uint64_t address)
{
    while (sequence->next < sequence->count && sequence->addresses[sequence->next] < address) {
        struct dwarf_row *row = &sequence->lines->rows.items[sequence->next++];
        if (!row->known)
            *row = (struct dwarf_row){sequence->last.file, sequence->last.line, true};
    }
    sequence->wanted = sequence->next < sequence->count ? sequence->addresses[sequence->next] : UINT64_MAX;
}

static inline void add_row(struct sequence *sequence, struct registers row)
{
    if (__builtin_expect(sequence->wanted < row.address, 0))
        answer(sequence, row.address);
    if (__builtin_expect(!sequence->begun || row.address < sequence->last.address, 0))
        seek(sequence, row.address);
    sequence->last = row;
}

static __attribute__((noinline)) int run_extended(struct sequence *sequence, struct byte_reader *cursor,
                                                  struct registers *registers)
{
    uint64_t length = byte_reader_uleb(cursor);
    const uint8_t *bytes = byte_reader_take(cursor, length);
    if (!bytes)
        return -EINVAL;
    struct byte_reader operands = {bytes, bytes + length, false};
    switch (byte_reader_u8(&operands)) {
    case LNE_end_sequence:
        if (sequence->wanted < registers->address)
            answer(sequence, registers->address);
        *registers = begin_sequence(sequence);
        return 0;
    case LNE_set_address: {
        unsigned size = length - 1 == 4 ? 4 : 8;
        registers->address = dwarf_word(&operands, size);
        sequence->dead = dwarf_address_dead(registers->address, size);
        if (sequence->dead)
            sequence->wanted = UINT64_MAX;
        return operands.failed ? -EINVAL : 0;
    }
    case LNE_define_file:
        return dwarf_line_files_define(&sequence->lines->files, &operands);
    default:
        return 0;
    }
}

static int run(struct sequence *sequence)
{
    const struct dwarf_line_files *head = &sequence->lines->files;
    const struct dwarf_special *specials = sequence->lines->specials;
    const uint8_t opcode_base = head->opcode_base, minimum_length = head->minimum_length;
    struct byte_reader cursor = head->program;
    struct registers row = begin_sequence(sequence);
    while (cursor.at < cursor.end) {
        uint8_t opcode = *cursor.at++;
        if (opcode >= opcode_base) {
            row.address += specials[opcode].address;
            row.line += (uint32_t)specials[opcode].line;
            add_row(sequence, row);
            continue;
        }
        switch (opcode) {
        case 0: {
            /* Copies, so that the originals need no address. */
            struct byte_reader operands = cursor;
            struct registers changed = row;
            int result = run_extended(sequence, &operands, &changed);
            if (result != 0)
                return result;
            cursor = operands;
            row = changed;
            break;
        }
        case LNS_copy:
            add_row(sequence, row);
            break;
        case LNS_advance_pc:
            row.address += byte_reader_uleb(&cursor) * minimum_length;
            break;
        case LNS_advance_line:
            row.line += (uint32_t)byte_reader_sleb(&cursor);
            break;
        case LNS_set_file:
            row.file = byte_reader_uleb(&cursor);
            break;
        case LNS_set_column:
        case LNS_set_isa:
            byte_reader_uleb(&cursor);
            break;
        case LNS_negate_stmt:
        case LNS_set_basic_block:
        case LNS_set_prologue_end:
        case LNS_set_epilogue_begin:
            break;
        case LNS_const_add_pc:
            row.address += specials[255].address;
            break;
        case LNS_fixed_advance_pc:
            row.address += byte_reader_u16(&cursor);
            break;
        default:
            for (unsigned i = 0; i < head->operand_counts[opcode]; i++)
                byte_reader_uleb(&cursor);
        }
    }
    return cursor.failed ? -EINVAL : 0;
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
    struct sequence sequence = {.lines = lines, .addresses = addresses, .count = count};
    return prepare_specials(lines) ? run(&sequence) : -EINVAL;
}
