#include "looker/prologue.h"

#include <string.h>

/* Instructions that move the stack pointer; all others are only as long as they are. */
enum kind { KIND_OTHER, KIND_PUSH, KIND_SET_FP, KIND_SUB, KIND_AND, KIND_BRANCH, KIND_UNKNOWN };

struct instruction {
    enum kind kind;
    size_t length;
    int64_t value;   /* SUB: bytes; AND: the mask */
    unsigned number; /* PUSH: of the register */
};

enum { RSP = 4, RBP = 5, CALLEE_SAVED = 1 << 3 | 1 << 5 | 0xf << 12 };

/* Zeros behind the end, so that an instruction that is cut off is read without harm and then found to be too long. */
enum { CODE_ROOM = PROLOGUE_BYTES + 16 };

static int64_t immediate(const uint8_t *at, size_t bytes)
{
    int32_t wide;
    memcpy(&wide, at, sizeof wide);
    return bytes == 1 ? (int8_t)at[0] : wide;
}

/* ModRM, SIB and displacement. */
static size_t operand_length(const uint8_t *at)
{
    unsigned mod = at[0] >> 6, rm = at[0] & 7;
    if (mod == 3)
        return 1;
    size_t length = 1 + (rm == 4);
    if (mod == 1)
        return length + 1;
    bool wide = mod == 2 || (mod == 0 && (rm == 5 || (rm == 4 && (at[1] & 7) == 5)));
    return length + (wide ? 4 : 0);
}

/* Two-byte opcodes (0f …) that compilers put between those of a prologue. */
static enum kind decode_0f(uint8_t opcode, size_t *length, const uint8_t *operand)
{
    if (opcode >= 0x80 && opcode <= 0x8f)
        return KIND_BRANCH;
    bool known = (opcode >= 0x10 && opcode <= 0x17) || opcode == 0x1e || opcode == 0x1f || (opcode >= 0x28 && opcode <= 0x2f) ||
                 (opcode >= 0x40 && opcode <= 0x6f) || opcode == 0x7e || opcode == 0x7f || (opcode >= 0x90 && opcode <= 0x9f) ||
                 opcode == 0xaf || opcode == 0xb6 || opcode == 0xb7 || opcode == 0xbe || opcode == 0xbf ||
                 (opcode >= 0xd4 && opcode <= 0xfe);
    if (!known && opcode != 0x70 && opcode != 0xc6)
        return KIND_UNKNOWN;
    *length = operand_length(operand) + (known ? 0 : 1);
    return KIND_OTHER;
}

/* An operation of a register with a constant; those with rsp are what is looked for. */
static void decode_constant(struct instruction *out, const uint8_t *operand, size_t bytes, bool wide, bool extended)
{
    enum { ADD = 0, AND = 4, SUB = 5, CMP = 7 };
    unsigned operation = operand[0] >> 3 & 7;
    size_t operand_bytes = operand_length(operand);
    int64_t value = immediate(operand + operand_bytes, bytes);
    out->length = operand_bytes + bytes;
    if (operand[0] >> 6 != 3 || (operand[0] & 7) != RSP || extended || operation == CMP)
        return;
    out->kind = !wide                                  ? KIND_UNKNOWN
                : operation == SUB || operation == ADD ? KIND_SUB
                : operation == AND                     ? KIND_AND
                                                       : KIND_UNKNOWN;
    out->value = operation == ADD ? -value : value;
}

/* Whether an operation of registers or memory writes to rsp. */
static bool writes_rsp(uint8_t opcode, const uint8_t *operand, uint8_t rex)
{
    bool to_reg = opcode == 0x8b || opcode == 0x8d || opcode == 0x63 || opcode == 0x03 || opcode == 0x2b || opcode == 0x33;
    if (to_reg)
        return (operand[0] >> 3 & 7) == RSP && !(rex & 4);
    return operand[0] >> 6 == 3 && (operand[0] & 7) == RSP && !(rex & 1) && opcode != 0x39 && opcode != 0x3b &&
           opcode != 0x84 && opcode != 0x85;
}

static struct instruction decode(const uint8_t *code)
{
    struct instruction out = {.kind = KIND_OTHER};
    const uint8_t *at = code;
    uint8_t rex = 0;
    bool short_operand = false;
    for (; *at == 0x66 || *at == 0xf2 || *at == 0xf3 || *at == 0x64; at++) /* operand size, SSE, fs */
        short_operand |= *at == 0x66;
    if ((*at & 0xf0) == 0x40)
        rex = *at++;
    uint8_t opcode = *at++;
    bool wide = rex & 8;
    switch (opcode) {
    case 0x50 ... 0x57:
        out.kind = KIND_PUSH;
        out.number = (opcode & 7u) + (rex & 1 ? 8u : 0u);
        break;
    case 0x0f:
        out.kind = decode_0f(at[0], &out.length, at + 1);
        out.length++;
        break;
    case 0x01:
    case 0x03:
    case 0x09:
    case 0x0b:
    case 0x21:
    case 0x23:
    case 0x29:
    case 0x2b:
    case 0x31:
    case 0x33:
    case 0x38:
    case 0x39:
    case 0x3a:
    case 0x3b:
    case 0x63:
    case 0x84:
    case 0x85:
    case 0x88:
    case 0x89:
    case 0x8a:
    case 0x8b:
    case 0x8d:
        out.length = operand_length(at);
        if (wide && ((opcode == 0x89 && at[0] == 0xe5) || (opcode == 0x8b && at[0] == 0xec)) && rex == 0x48)
            out.kind = KIND_SET_FP;
        else if (writes_rsp(opcode, at, rex))
            out.kind = KIND_UNKNOWN;
        break;
    case 0x80:
        out.length = operand_length(at) + 1;
        break;
    case 0x83:
        decode_constant(&out, at, 1, wide, rex & 1);
        break;
    case 0x81:
        decode_constant(&out, at, 4, wide, rex & 1);
        out.length -= short_operand ? 2 : 0;
        break;
    case 0xc6:
        out.length = operand_length(at) + 1;
        break;
    case 0xc7:
        out.length = operand_length(at) + (short_operand ? 2 : 4);
        break;
    case 0xc0:
    case 0xc1: /* shifts */
        out.length = operand_length(at) + 1;
        break;
    case 0xd1:
    case 0xd3:
        out.length = operand_length(at);
        break;
    case 0xf7: /* not, neg; a test has a constant */
        out.length = operand_length(at) + ((at[0] >> 3 & 7) < 2 ? (short_operand ? 2 : 4) : 0);
        break;
    case 0xb8 ... 0xbf:
        out.length = wide ? 8 : short_operand ? 2 : 4;
        break;
    case 0x90:
        break;
    case 0x70 ... 0x7f:
    case 0xe8:
    case 0xe9:
    case 0xeb:
    case 0xc3:
    case 0xff:
        out.kind = KIND_BRANCH;
        break;
    default:
        out.kind = KIND_UNKNOWN;
    }
    out.length += (size_t)(at - code);
    return out;
}

static void take(struct prologue *out, uint64_t bytes)
{
    *(out->align ? &out->after : &out->before) += bytes;
}

bool prologue_read(const uint8_t *code, size_t length, struct prologue *out)
{
    enum { WORD = 8, FRAME_MOST = 1 << 30, ALIGN_MOST = 4096 };
    uint8_t bytes[CODE_ROOM] = {0};
    bool has_fp = false, pushing = true;
    length = length < PROLOGUE_BYTES ? length : PROLOGUE_BYTES;
    memcpy(bytes, code, length);
    *out = (struct prologue){0};
    for (size_t at = 0; at < length;) {
        struct instruction next = decode(bytes + at);
        if (next.kind == KIND_BRANCH || next.kind == KIND_UNKNOWN || next.length > length - at)
            break;
        at += next.length;
        switch (next.kind) {
        case KIND_SET_FP:
            has_fp = true;
            break;
        case KIND_PUSH:
            /* Those behind others are the arguments of a call. */
            if (has_fp && (pushing || (CALLEE_SAVED >> next.number & 1)))
                take(out, WORD);
            break;
        case KIND_SUB:
            if (has_fp && (next.value < 0 || next.value > FRAME_MOST))
                return has_fp; /* it gives room back: the prologue is over */
            if (has_fp)
                take(out, (uint64_t)next.value);
            break;
        case KIND_AND:
            if (!has_fp || out->align || next.value >= 0 || next.value < -ALIGN_MOST || (-next.value & (-next.value - 1)) != 0)
                return false;
            out->align = (uint64_t)-next.value;
            break;
        default:
            break;
        }
        pushing = next.kind == KIND_PUSH || next.kind == KIND_SET_FP;
    }
    return has_fp;
}

/* sub or mov of a register to rsp; not from rbp, which ends a function. */
static bool moves_rsp_by_register(const uint8_t *at)
{
    enum {
        REX = 0x48,
        REX_OTHER_REG = 4,
        REX_OTHER_RM = 1,
        SUB_TO_RM = 0x29,
        SUB_TO_REG = 0x2b,
        MOV_TO_RM = 0x89,
        MOV_TO_REG = 0x8b
    };
    unsigned reg = at[2] >> 3 & 7, rm = at[2] & 7;
    if (at[2] >> 6 != 3)
        return false;
    bool to_rm = (at[0] & ~REX_OTHER_REG) == REX && rm == RSP && (at[1] == SUB_TO_RM || at[1] == MOV_TO_RM);
    bool to_reg = (at[0] & ~REX_OTHER_RM) == REX && reg == RSP && (at[1] == SUB_TO_REG || at[1] == MOV_TO_REG);
    bool from_fp = at[0] == REX && (to_rm ? reg : rm) == RBP;
    return (to_rm || to_reg) && !from_fp;
}

bool prologue_is_not_all(const uint8_t *code, size_t length)
{
    for (size_t at = 0; at + 3 <= length; at++)
        if (moves_rsp_by_register(code + at))
            return true;
    return false;
}
