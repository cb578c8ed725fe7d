#include "unwind/cfa_program.h"

/* Numbers and meanings as in the DWARF standard (section 6.4.2), the last group as in the "GNU" and processor extensions. The
 * top two bits, where not 0, are an instruction whose operand is in the other six. */
enum {
    ADVANCE = 0x40,
    OFFSET = 0x80,
    RESTORE = 0xc0,
    OPCODE_IN_TOP = 0xc0,

    NOP = 0x00,
    SET_LOC = 0x01,
    ADVANCE_1 = 0x02,
    ADVANCE_2 = 0x03,
    ADVANCE_4 = 0x04,
    OFFSET_EXTENDED = 0x05,
    RESTORE_EXTENDED = 0x06,
    UNDEFINED = 0x07,
    SAME_VALUE = 0x08,
    REGISTER = 0x09,
    REMEMBER_STATE = 0x0a,
    RESTORE_STATE = 0x0b,
    DEF_CFA = 0x0c,
    DEF_CFA_REGISTER = 0x0d,
    DEF_CFA_OFFSET = 0x0e,
    DEF_CFA_EXPRESSION = 0x0f,
    EXPRESSION = 0x10,
    OFFSET_EXTENDED_SF = 0x11,
    DEF_CFA_SF = 0x12,
    DEF_CFA_OFFSET_SF = 0x13,
    VAL_OFFSET = 0x14,
    VAL_OFFSET_SF = 0x15,
    VAL_EXPRESSION = 0x16,

    MIPS_ADVANCE_8 = 0x1d,
    AARCH64_TOGGLE_SIGNED_WITH_PC = 0x2c,
    AARCH64_TOGGLE_SIGNED = 0x2d, /* SPARC uses the number for its register windows */
    GNU_ARGS_SIZE = 0x2e,
    GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

struct run {
    const struct eh_frame_table *table;
    const struct frame_description *description;
    uint64_t target;
    uint64_t location;
    struct cfa_row *row;
    struct cfa_row initial; /* after the CIE's program: what restore goes back to */
    struct cfa_row remembered[CFA_REMEMBERED_MAX];
    unsigned remembered_count;
    bool in_common; /* the CIE's program, which restores nothing */
    bool failed;
};

static void set(struct run *run, uint64_t number, enum register_place place, int64_t operand)
{
    if (operand != (int32_t)operand) {
        run->failed = true;
        return;
    }
    /* Vector registers and the like are left out: no address is ever computed from them. */
    if (number < UNWIND_REGISTER_COUNT) {
        run->row->place[number] = (uint8_t)place;
        run->row->operand[number] = (int32_t)operand;
    }
}

static void set_at(struct run *run, uint64_t number, enum register_place place, int64_t factored)
{
    int64_t offset;
    if (__builtin_mul_overflow(factored, run->description->data_factor, &offset))
        run->failed = true;
    else
        set(run, number, place, offset);
}

static void restore(struct run *run, uint64_t number)
{
    if (run->in_common) {
        run->failed = true;
    } else if (number < UNWIND_REGISTER_COUNT) {
        run->row->place[number] = run->initial.place[number];
        run->row->operand[number] = run->initial.operand[number];
    }
}

/* A change of register or offset has no effect on a CFA that is an expression. */
static void set_cfa_register(struct run *run, uint64_t number)
{
    if (number >= UNWIND_REGISTER_COUNT)
        run->failed = true;
    else if (!run->row->cfa_is_expression)
        run->row->cfa_register = (uint8_t)number;
}

static void set_cfa_offset(struct run *run, int64_t offset)
{
    if (offset != (int32_t)offset)
        run->failed = true;
    else if (!run->row->cfa_is_expression)
        run->row->cfa_operand = (int32_t)offset;
}

static void set_cfa_offset_factored(struct run *run, int64_t factored)
{
    int64_t offset;
    if (__builtin_mul_overflow(factored, run->description->data_factor, &offset))
        run->failed = true;
    else
        set_cfa_offset(run, offset);
}

/* Moves past an expression and gives the place of its length in the table, from where it is read again. */
static int64_t expression(struct run *run, struct byte_reader *in)
{
    int64_t offset = in->at - run->table->bytes;
    byte_reader_block(in);
    return offset;
}

/* Numbers that do not fit a signed one come out negative, and are refused where they are too small. */
static int64_t uleb(struct byte_reader *in)
{
    uint64_t value = byte_reader_uleb(in);
    if (value > INT64_MAX)
        byte_reader_fail(in);
    return (int64_t)value;
}

static void remember(struct run *run)
{
    if (run->remembered_count == CFA_REMEMBERED_MAX)
        run->failed = true;
    else
        run->remembered[run->remembered_count++] = *run->row;
}

static void restore_state(struct run *run)
{
    if (run->remembered_count == 0)
        run->failed = true;
    else
        *run->row = run->remembered[--run->remembered_count];
}

/* False where the rows from the new location on are no longer about the target. */
static bool advance(struct run *run, uint64_t distance)
{
    if (__builtin_mul_overflow(distance, run->description->code_factor, &distance) || distance > run->target - run->location)
        return false;
    run->location += distance;
    return true;
}

static bool set_location(struct run *run, struct byte_reader *in)
{
    uint64_t address = run->table->address + (uint64_t)(in->at - run->table->bytes);
    uint64_t location = eh_frame_pointer(in, run->description->pointer_encoding, address, run->table->index_address);
    if (location > run->target)
        return false;
    run->location = location;
    return true;
}

static void toggle_signed(struct run *run)
{
#ifdef __aarch64__
    run->row->return_signed = !run->row->return_signed;
#else
    run->failed = true;
#endif
}

/* One instruction; false where the program has got to the target. Operands are read before they are used: the order in which
 * the arguments of a call are evaluated is not defined. */
static bool instruction(struct run *run, struct byte_reader *in)
{
    uint64_t number;
    uint8_t opcode = byte_reader_u8(in);
    unsigned low = opcode & (uint8_t)~OPCODE_IN_TOP;
    switch (opcode & OPCODE_IN_TOP) {
    case ADVANCE:
        return advance(run, low);
    case OFFSET:
        set_at(run, low, PLACE_AT, uleb(in));
        return true;
    case RESTORE:
        restore(run, low);
        return true;
    }
    switch (opcode) {
    case NOP:
        break;
    case SET_LOC:
        return set_location(run, in);
    case ADVANCE_1:
        return advance(run, byte_reader_u8(in));
    case ADVANCE_2:
        return advance(run, byte_reader_u16(in));
    case ADVANCE_4:
        return advance(run, byte_reader_u32(in));
    case MIPS_ADVANCE_8:
        return advance(run, byte_reader_u64(in));
    case OFFSET_EXTENDED:
        number = byte_reader_uleb(in);
        set_at(run, number, PLACE_AT, uleb(in));
        break;
    case OFFSET_EXTENDED_SF:
        number = byte_reader_uleb(in);
        set_at(run, number, PLACE_AT, byte_reader_sleb(in));
        break;
    case GNU_NEGATIVE_OFFSET_EXTENDED:
        number = byte_reader_uleb(in);
        set_at(run, number, PLACE_AT, -uleb(in));
        break;
    case VAL_OFFSET:
        number = byte_reader_uleb(in);
        set_at(run, number, PLACE_IS, uleb(in));
        break;
    case VAL_OFFSET_SF:
        number = byte_reader_uleb(in);
        set_at(run, number, PLACE_IS, byte_reader_sleb(in));
        break;
    case RESTORE_EXTENDED:
        restore(run, byte_reader_uleb(in));
        break;
    case UNDEFINED:
        set(run, byte_reader_uleb(in), PLACE_UNDEFINED, 0);
        break;
    case SAME_VALUE:
        set(run, byte_reader_uleb(in), PLACE_SAME, 0);
        break;
    case REGISTER:
        number = byte_reader_uleb(in);
        set(run, number, PLACE_REGISTER, uleb(in));
        break;
    case EXPRESSION:
        number = byte_reader_uleb(in);
        set(run, number, PLACE_AT_EXPRESSION, expression(run, in));
        break;
    case VAL_EXPRESSION:
        number = byte_reader_uleb(in);
        set(run, number, PLACE_IS_EXPRESSION, expression(run, in));
        break;
    case REMEMBER_STATE:
        remember(run);
        break;
    case RESTORE_STATE:
        restore_state(run);
        break;
    case DEF_CFA:
        run->row->cfa_is_expression = false;
        set_cfa_register(run, byte_reader_uleb(in));
        set_cfa_offset(run, uleb(in));
        break;
    case DEF_CFA_SF:
        run->row->cfa_is_expression = false;
        set_cfa_register(run, byte_reader_uleb(in));
        set_cfa_offset_factored(run, byte_reader_sleb(in));
        break;
    case DEF_CFA_REGISTER:
        set_cfa_register(run, byte_reader_uleb(in));
        break;
    case DEF_CFA_OFFSET:
        set_cfa_offset(run, uleb(in));
        break;
    case DEF_CFA_OFFSET_SF:
        set_cfa_offset_factored(run, byte_reader_sleb(in));
        break;
    case DEF_CFA_EXPRESSION: {
        int64_t offset = expression(run, in);
        run->row->cfa_is_expression = false;
        set_cfa_offset(run, offset);
        run->row->cfa_is_expression = true;
        break;
    }
    case GNU_ARGS_SIZE:
        byte_reader_uleb(in);
        break;
    case AARCH64_TOGGLE_SIGNED:
    case AARCH64_TOGGLE_SIGNED_WITH_PC:
        toggle_signed(run);
        break;
    default:
        run->failed = true;
    }
    return true;
}

static void run_program(struct run *run, struct byte_reader in)
{
    while (in.at < in.end && !run->failed && instruction(run, &in))
        ;
    run->failed |= in.failed;
}

bool cfa_program_run(const struct eh_frame_table *table, const struct frame_description *description, uint64_t address,
                     struct cfa_row *row)
{
    struct run run;
    run.table = table;
    run.description = description;
    run.target = address;
    run.location = description->start;
    run.row = row;
    run.remembered_count = 0;
    run.failed = false;
    memset(row, 0, sizeof *row);
    row->cfa_register = UNWIND_REGISTER_COUNT; /* none yet */
    run.in_common = true;
    run_program(&run, description->common_program);
    run.initial = *row;
    run.in_common = false;
    run.location = description->start;
    if (!run.failed)
        run_program(&run, description->program);
    return !run.failed && (row->cfa_is_expression || row->cfa_register < UNWIND_REGISTER_COUNT);
}
