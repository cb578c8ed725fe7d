#include "unwind/cfa_expression.h"

/* Numbers as in the DWARF standard, section 7.7.1. */
enum {
    OP_ADDR = 0x03,
    OP_DEREF = 0x06,
    OP_CONST1U = 0x08,
    OP_CONST1S,
    OP_CONST2U,
    OP_CONST2S,
    OP_CONST4U,
    OP_CONST4S,
    OP_CONST8U,
    OP_CONST8S,
    OP_CONSTU = 0x10,
    OP_CONSTS,
    OP_DUP,
    OP_DROP,
    OP_OVER,
    OP_PICK,
    OP_SWAP,
    OP_ROT,
    OP_ABS = 0x19,
    OP_AND,
    OP_DIV,
    OP_MINUS,
    OP_MOD,
    OP_MUL,
    OP_NEG,
    OP_NOT,
    OP_OR = 0x21,
    OP_PLUS,
    OP_PLUS_UCONST,
    OP_SHL,
    OP_SHR,
    OP_SHRA,
    OP_XOR,
    OP_BRA = 0x28,
    OP_EQ,
    OP_GE,
    OP_GT,
    OP_LE,
    OP_LT,
    OP_NE,
    OP_SKIP = 0x2f,
    OP_LIT0 = 0x30,
    OP_LIT31 = 0x4f,
    OP_BREG0 = 0x70,
    OP_BREG31 = 0x8f,
    OP_BREGX = 0x92,
    OP_DEREF_SIZE = 0x94,
    OP_NOP = 0x96,
};

struct evaluation {
    struct byte_reader in;
    const uint8_t *start;
    const struct unwind_registers *registers;
    struct unwind_memory *memory;
    unsigned depth;
    enum unwind_end end;
    uint64_t stack[EXPRESSION_STACK_MAX];
};

static void stop(struct evaluation *e, enum unwind_end end)
{
    if (e->end == UNWIND_GOES_ON)
        e->end = end;
}

static void push(struct evaluation *e, uint64_t value)
{
    if (e->depth == EXPRESSION_STACK_MAX)
        stop(e, UNWIND_NO_RULE);
    else
        e->stack[e->depth++] = value;
}

static uint64_t pop(struct evaluation *e)
{
    if (e->depth == 0) {
        stop(e, UNWIND_NO_RULE);
        return 0;
    }
    return e->stack[--e->depth];
}

/* Copies the value `from_top` places below the top to the top. */
static void pick(struct evaluation *e, unsigned from_top)
{
    if (from_top >= e->depth)
        stop(e, UNWIND_NO_RULE);
    else
        push(e, e->stack[e->depth - 1 - from_top]);
}

static void push_register(struct evaluation *e, uint64_t number, int64_t offset)
{
    if (number >= UNWIND_REGISTER_COUNT)
        stop(e, UNWIND_NO_RULE);
    else if (!(e->registers->known >> number & 1))
        stop(e, UNWIND_NO_REGISTER);
    else
        push(e, e->registers->value[number] + (uint64_t)offset);
}

static void dereference(struct evaluation *e, unsigned size)
{
    uint64_t word = 0;
    uint64_t address = pop(e);
    if (e->end != UNWIND_GOES_ON)
        return;
    if (size == 0 || size > 8)
        stop(e, UNWIND_NO_RULE);
    else if (!unwind_memory_read(e->memory, address, &word))
        stop(e, UNWIND_UNREADABLE);
    else
        push(e, size == 8 ? word : word & (((uint64_t)1 << 8 * size) - 1));
}

static void jump(struct evaluation *e, int16_t distance)
{
    if (distance < e->start - e->in.at || distance > e->in.end - e->in.at)
        stop(e, UNWIND_NO_RULE);
    else
        e->in.at += distance;
}

static void binary(struct evaluation *e, uint8_t opcode)
{
    uint64_t b = pop(e), a = pop(e);
    int64_t signed_a = (int64_t)a, signed_b = (int64_t)b;
    switch (opcode) {
    case OP_AND:
        push(e, a & b);
        return;
    case OP_OR:
        push(e, a | b);
        return;
    case OP_XOR:
        push(e, a ^ b);
        return;
    case OP_PLUS:
        push(e, a + b);
        return;
    case OP_MINUS:
        push(e, a - b);
        return;
    case OP_MUL:
        push(e, a * b);
        return;
    case OP_EQ:
        push(e, a == b);
        return;
    case OP_NE:
        push(e, a != b);
        return;
    case OP_GE:
        push(e, signed_a >= signed_b);
        return;
    case OP_GT:
        push(e, signed_a > signed_b);
        return;
    case OP_LE:
        push(e, signed_a <= signed_b);
        return;
    case OP_LT:
        push(e, signed_a < signed_b);
        return;
    case OP_DIV: /* signed; what overflows is refused like a division by 0 */
        if (b == 0 || (signed_a == INT64_MIN && signed_b == -1))
            break;
        push(e, (uint64_t)(signed_a / signed_b));
        return;
    case OP_MOD:
        if (b == 0)
            break;
        push(e, a % b);
        return;
    case OP_SHL:
    case OP_SHR:
    case OP_SHRA:
        if (b > 63)
            break;
        push(e, opcode == OP_SHL ? a << b : opcode == OP_SHR ? a >> b : (uint64_t)(signed_a >> b));
        return;
    }
    stop(e, UNWIND_NO_RULE);
}

static void rotate(struct evaluation *e)
{
    uint64_t first = pop(e), second = pop(e), third = pop(e);
    push(e, first);
    push(e, third);
    push(e, second);
}

static void operation(struct evaluation *e)
{
    struct byte_reader *in = &e->in;
    uint8_t opcode = byte_reader_u8(in);
    uint64_t a, b;
    if (opcode >= OP_LIT0 && opcode <= OP_LIT31) {
        push(e, opcode - OP_LIT0);
        return;
    }
    if (opcode >= OP_BREG0 && opcode <= OP_BREG31) {
        push_register(e, opcode - OP_BREG0, byte_reader_sleb(in));
        return;
    }
    switch (opcode) {
    case OP_BREGX:
        a = byte_reader_uleb(in);
        push_register(e, a, byte_reader_sleb(in));
        break;
    case OP_ADDR:
    case OP_CONST8U:
    case OP_CONST8S:
        push(e, byte_reader_u64(in));
        break;
    case OP_CONST1U:
        push(e, byte_reader_u8(in));
        break;
    case OP_CONST1S:
        push(e, (uint64_t)(int8_t)byte_reader_u8(in));
        break;
    case OP_CONST2U:
        push(e, byte_reader_u16(in));
        break;
    case OP_CONST2S:
        push(e, (uint64_t)(int16_t)byte_reader_u16(in));
        break;
    case OP_CONST4U:
        push(e, byte_reader_u32(in));
        break;
    case OP_CONST4S:
        push(e, (uint64_t)(int32_t)byte_reader_u32(in));
        break;
    case OP_CONSTU:
        push(e, byte_reader_uleb(in));
        break;
    case OP_CONSTS:
        push(e, (uint64_t)byte_reader_sleb(in));
        break;
    case OP_DUP:
        pick(e, 0);
        break;
    case OP_OVER:
        pick(e, 1);
        break;
    case OP_PICK:
        pick(e, byte_reader_u8(in));
        break;
    case OP_DROP:
        pop(e);
        break;
    case OP_SWAP:
        b = pop(e), a = pop(e);
        push(e, b);
        push(e, a);
        break;
    case OP_ROT:
        rotate(e);
        break;
    case OP_DEREF:
        dereference(e, 8);
        break;
    case OP_DEREF_SIZE:
        dereference(e, byte_reader_u8(in));
        break;
    case OP_ABS:
        a = pop(e);
        push(e, (int64_t)a < 0 ? 0 - a : a);
        break;
    case OP_NEG:
        push(e, 0 - pop(e));
        break;
    case OP_NOT:
        push(e, ~pop(e));
        break;
    case OP_PLUS_UCONST:
        a = pop(e);
        push(e, a + byte_reader_uleb(in));
        break;
    case OP_SKIP:
        jump(e, (int16_t)byte_reader_u16(in));
        break;
    case OP_BRA: {
        int16_t distance = (int16_t)byte_reader_u16(in);
        if (pop(e) != 0)
            jump(e, distance);
        break;
    }
    case OP_NOP:
        break;
    default:
        binary(e, opcode);
    }
}

enum unwind_end cfa_expression_evaluate(struct byte_reader program, const struct unwind_registers *registers,
                                        struct unwind_memory *memory, const uint64_t *first, uint64_t *result)
{
    struct evaluation e;
    e.in = program;
    e.start = program.at;
    e.registers = registers;
    e.memory = memory;
    e.depth = 0;
    e.end = UNWIND_GOES_ON;
    if (first)
        push(&e, *first);
    for (unsigned steps = 0; e.in.at < e.in.end && e.end == UNWIND_GOES_ON; steps++) {
        if (steps == EXPRESSION_STEPS_MAX)
            return UNWIND_NO_RULE;
        operation(&e);
    }
    if (e.in.failed)
        return UNWIND_NO_RULE;
    *result = pop(&e);
    return e.end;
}
