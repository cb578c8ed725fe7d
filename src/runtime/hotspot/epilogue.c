#include "runtime/hotspot/epilogue.h"

#include "runtime/hotspot/instructions.h"

#if defined(__x86_64__)

enum { JMP = 0xe9 };

/* The instructions that wrappers have behind their frame, and those of polls. */
static const struct {
    uint8_t bytes[3];
    uint8_t compared, length;
} known[] = {
    {{0x41, 0xf6, 0x47}, 3, 5}, /* testb $…, …(%r15): poll */
    {{0x49, 0x3b, 0xa7}, 3, 7}, /* cmp …(%r15), %rsp: poll */
    {{0x49, 0x3b, 0x67}, 3, 4}, /* the same */
    {{0x49, 0x81, 0x7f}, 3, 8}, /* cmpq $…, …(%r15): exception? */
    {{0x49, 0x83, 0x7f}, 3, 5}, /* the same */
    {{0x74}, 1, 2},             /* je, over what stops */
    {{0x0f, 0x85}, 2, 6},       /* jne */
    {{0x0f, 0x87}, 2, 6},       /* ja */
    {{0x49, 0xba}, 2, 10},      /* mov $…, %r10 */
    {{0x4d, 0x89, 0x97}, 3, 7}, /* mov %r10, …(%r15) */
    {{RET}, 1, 1},
    {{JMP}, 1, 5},
};

/* 0: none of them. */
static size_t length_of(const uint8_t *code)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (memcmp(code, known[i].bytes, known[i].compared) == 0)
            return known[i].length;
    return 0;
}

/* From a `leave` on nothing but such instructions leads to the pc. */
static bool is_behind_leave(struct hotspot_reader *reader, const struct hotspot_blob *blob, uint64_t pc)
{
    enum { BACK = 64, READ_ON = 3 };
    uint8_t code[BACK + READ_ON];
    uint64_t length = pc - blob->code < BACK ? pc - blob->code : BACK;
    if (!hotspot_read(reader, pc - length, code, length + READ_ON) || length_of(code + length) == 0)
        return false;
    for (uint64_t i = length; i-- > 0;) {
        if (code[i] != LEAVE)
            continue;
        uint64_t at = i + 1;
        for (size_t next; at < length && (next = length_of(code + at)) > 0; at += next)
            ;
        if (at == length)
            return true;
    }
    return false;
}

/* The stub of a poll, of which two instructions may have been executed. */
static bool is_in_poll_stub(struct hotspot_reader *reader, uint64_t pc)
{
    enum { FIRST = 10, SECOND = 7, BYTES = FIRST + SECOND + 1 };
    static const uint64_t done[] = {0, FIRST, FIRST + SECOND};
    for (size_t i = 0; i < sizeof done / sizeof *done; i++) {
        uint8_t code[BYTES];
        if (hotspot_read(reader, pc - done[i], code, sizeof code) && code[0] == 0x49 && code[1] == 0xba &&
            memcmp(code + FIRST, (uint8_t[]){0x4d, 0x89, 0x97}, 3) == 0 && code[FIRST + SECOND] == JMP)
            return true;
    }
    return false;
}

bool hotspot_frame_is_gone(struct hotspot_reader *reader, const struct hotspot_blob *blob, uint64_t pc)
{
    struct code_bytes bytes;
    hotspot_read_bytes(reader, pc, &bytes);
    return bytes.at[0] == RET || is_at_last_poll(&bytes) || (bytes.before[3] == POP_RBP && bytes.at[0] == JMP) ||
           is_in_poll_stub(reader, pc) || (blob->kind == BLOB_NATIVE_WRAPPER && is_behind_leave(reader, blob, pc));
}

#endif
