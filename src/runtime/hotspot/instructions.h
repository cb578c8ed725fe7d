/* The few instructions by which prologues and epilogues of the VM's code are known. */
#ifndef SONDE_RUNTIME_HOTSPOT_INSTRUCTIONS_H
#define SONDE_RUNTIME_HOTSPOT_INSTRUCTIONS_H

#include "runtime/hotspot/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The bytes around a pc of code that is there; missing ones are 0. */
struct code_bytes {
    uint8_t before[4], at[16];
};

static inline void hotspot_read_bytes(struct hotspot_reader *reader, uint64_t pc, struct code_bytes *bytes)
{
    memset(bytes, 0, sizeof *bytes);
    for (size_t length = sizeof bytes->at; length > 0 && !hotspot_read(reader, pc, bytes->at, length); length /= 2)
        ;
    if (!hotspot_read(reader, pc - sizeof bytes->before, bytes->before, sizeof bytes->before))
        memset(bytes->before, 0, sizeof bytes->before);
}

enum { PUSH_RBP = 0x55, POP_RBP = 0x5d, RET = 0xc3, LEAVE = 0xc9 };

static inline bool is_sub_rsp(const uint8_t *code)
{
    return code[0] == 0x48 && (code[1] == 0x81 || code[1] == 0x83) && code[2] == 0xec;
}

static inline bool is_add_rsp(const uint8_t *code)
{
    return code[0] == 0x48 && (code[1] == 0x81 || code[1] == 0x83) && code[2] == 0xc4;
}

/* call …; pop of what was put on the stack for it. */
enum { CALL_AND_POP = 6 }; /* at least; what is read from behind it is 0 */
static inline bool is_call_and_pop(const uint8_t *code)
{
    uint8_t after = code[5] == 0x41 ? code[6] : code[5];
    return code[0] == 0xe8 && (after & 0xf8) == 0x58;
}

/* How far a sub of it lowers it; 0 = upwards. */
static inline uint32_t sub_rsp_bytes(const uint8_t *code)
{
    uint32_t bytes = code[3];
    if (code[1] == 0x81)
        memcpy(&bytes, code + 3, sizeof bytes);
    return code[1] == 0x83 && bytes > INT8_MAX ? 0 : bytes;
}

/* mov %rbp, …(%rsp). */
static inline bool is_save_rbp(const uint8_t *code)
{
    return code[0] == 0x48 && code[1] == 0x89 && (code[2] == 0x6c || code[2] == 0xac) && code[3] == 0x24;
}

/* mov %rsp, %rbp, as either assembler writes it. */
static inline bool is_mov_rsp_rbp(const uint8_t *code)
{
    return code[0] == 0x48 && ((code[1] == 0x89 && code[2] == 0xe5) || (code[1] == 0x8b && code[2] == 0xec));
}

/* push $-1. */
static inline bool is_push_cookie(const uint8_t *code)
{
    return code[0] == 0x68 && code[1] == 0xff && code[2] == 0xff && code[3] == 0xff && code[4] == 0xff;
}

/* pop %rdx, of the return address, behind add $…, %rsp or pop %rbp: for who goes on with an exception in the caller. */
static inline bool is_last_pop(const struct code_bytes *bytes)
{
    return bytes->at[0] == 0x5a && (bytes->before[3] == POP_RBP || (bytes->before[1] == 0x83 && bytes->before[2] == 0xc4));
}

/* The poll between the end of the frame and the return: cmp off(%r15), %rsp; ja …; ret. Before it stands pop %rbp. */
static inline bool is_at_last_poll(const struct code_bytes *bytes)
{
    const uint8_t *at = bytes->at;
    if (bytes->before[3] == POP_RBP && at[0] == 0x49 && at[1] == 0x3b && (at[2] == 0x67 || at[2] == 0xa7))
        return true;
    return at[0] == 0x0f && at[1] == 0x87 && at[6] == RET;
}

#endif
