#include "symbols/disassemble.h"

#include "common/memory.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <stdio.h>

struct disassembler {
    csh handle;
    cs_insn *decoded;
    enum code_arch arch;
};

struct disassembler *disassembler_open(enum code_arch arch, enum asm_syntax syntax, struct error *error)
{
    struct disassembler *disassembler = memory_zeroed(1, sizeof *disassembler);
    bool is_x86 = arch == CODE_X86_64;
    if (!disassembler) {
        error_out_of_memory(error);
        return NULL;
    }
    disassembler->arch = arch;
    cs_err failed =
        cs_open(is_x86 ? CS_ARCH_X86 : CS_ARCH_ARM64, is_x86 ? CS_MODE_64 : CS_MODE_LITTLE_ENDIAN, &disassembler->handle);
    if (failed == CS_ERR_OK)
        failed = cs_option(disassembler->handle, CS_OPT_DETAIL, CS_OPT_ON); /* for the targets */
    if (failed == CS_ERR_OK && is_x86)
        failed = cs_option(disassembler->handle, CS_OPT_SYNTAX, syntax == ASM_ATT ? CS_OPT_SYNTAX_ATT : CS_OPT_SYNTAX_INTEL);
    if (failed == CS_ERR_OK)
        disassembler->decoded = cs_malloc(disassembler->handle);
    if (disassembler->decoded)
        return disassembler;
    if (failed == CS_ERR_OK || failed == CS_ERR_MEM)
        error_out_of_memory(error);
    else
        error_set(error, -ENOTSUP, "no disassembler for %s: %s", code_arch_name(arch), cs_strerror(failed));
    disassembler_close(disassembler);
    return NULL;
}

void disassembler_close(struct disassembler *disassembler)
{
    if (!disassembler)
        return;
    if (disassembler->decoded)
        cs_free(disassembler->decoded, 1);
    if (disassembler->handle)
        cs_close(&disassembler->handle);
    memory_release(disassembler);
}

/* Jumps and calls to a fixed place have it as their last operand. */
static void find_target(const struct disassembler *disassembler, struct instruction *instruction)
{
    const cs_insn *decoded = disassembler->decoded;
    if (!cs_insn_group(disassembler->handle, decoded, CS_GRP_JUMP) &&
        !cs_insn_group(disassembler->handle, decoded, CS_GRP_CALL) &&
        !cs_insn_group(disassembler->handle, decoded, CS_GRP_BRANCH_RELATIVE))
        return;
    if (disassembler->arch == CODE_X86_64) {
        const cs_x86 *x86 = &decoded->detail->x86;
        instruction->has_target = x86->op_count > 0 && x86->operands[x86->op_count - 1].type == X86_OP_IMM;
        instruction->target = instruction->has_target ? (uint64_t)x86->operands[x86->op_count - 1].imm : 0;
    } else {
        const cs_arm64 *arm = &decoded->detail->arm64;
        instruction->has_target = arm->op_count > 0 && arm->operands[arm->op_count - 1].type == ARM64_OP_IMM;
        instruction->target = instruction->has_target ? (uint64_t)arm->operands[arm->op_count - 1].imm : 0;
    }
}

/* How long an instruction of x86 is that the disassembler does not know; 0 where it is none. Those that are newer are nearly
 * all of these forms, so that what follows one of them (those of AVX-512 are many) is not lost:
 *
 *     0F 01 xx                                                                xx from C0 on: no operands
 *     C5 xx            opcode  ModRM  [SIB]  [displacement]  [immediate]
 *     C4 xm xx         …
 *     62 xm xx xx      …                                                      m: which of the opcode maps */
static size_t unknown_length(struct slice bytes)
{
    enum { MAP_0F = 1, MAP_0F3A = 3 };
    const uint8_t *code = (const uint8_t *)bytes.text;
    if (bytes.length >= 3 && code[0] == 0x0f && code[1] == 0x01 && code[2] >= 0xc0)
        return 3;
    size_t prefix = code[0] == 0xc5 ? 2 : code[0] == 0xc4 ? 3 : code[0] == 0x62 ? 4 : 0;
    if (prefix == 0 || bytes.length < prefix + 2)
        return 0;
    unsigned map = prefix == 2 ? MAP_0F : code[1] & (prefix == 3 ? 0x1f : 0x07);
    uint8_t opcode = code[prefix], modrm = code[prefix + 1];
    unsigned mode = modrm >> 6, base = modrm & 7;
    size_t length = prefix + 2;
    if (mode != 3 && base == 4) {
        base = length < bytes.length ? code[length] & 7 : 0;
        length++;
    }
    if (mode == 1)
        length += 1;
    else if (mode == 2 || (mode == 0 && base == 5))
        length += 4;
    if (map == MAP_0F3A ||
        (map == MAP_0F && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6))))
        length++; /* the immediate */
    return length <= bytes.length ? length : 0;
}

void disassemble(struct disassembler *disassembler, struct slice bytes, uint64_t address, struct instruction *instruction)
{
    const uint8_t *code = (const uint8_t *)bytes.text;
    size_t left = bytes.length, step = disassembler->arch == CODE_X86_64 ? 1 : 4;
    *instruction = (struct instruction){.size = (uint32_t)(step < left ? step : left)};
    if (!cs_disasm_iter(disassembler->handle, &code, &left, &address, disassembler->decoded)) {
        size_t length = disassembler->arch == CODE_X86_64 ? unknown_length(bytes) : 0;
        if (length > 0)
            instruction->size = (uint32_t)length;
        snprintf(instruction->text, sizeof instruction->text, length > 0 ? "(unknown)" : "(bad)");
        return;
    }
    const cs_insn *decoded = disassembler->decoded;
    instruction->size = decoded->size;
    snprintf(instruction->text, sizeof instruction->text, "%s%s%s", decoded->mnemonic, decoded->op_str[0] ? " " : "",
             decoded->op_str);
    find_target(disassembler, instruction);
}
