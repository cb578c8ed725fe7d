/* What V8 says of its code, and stacks of it in which anything may be wrong.
 *
 *     byte 0       how long the name of code is
 *     the name
 *     24 bytes     struct v8_words: where the words of a frame are, and how values are tagged. Zeros stand for the usual ones
 *     the rest     the stack, in words. Those with bit 3 set begin a native frame, and say by their other bits in which code */
#include "target.h"

#include "runtime/v8/code_name.h"
#include "runtime/v8/layout.h"
#include "runtime/walk_all.h"

#include <string.h>

enum { ENTRY = 0x10000, HANDLERS = 0x20000, OTHER_CODE = 0x30000, RESUME = 0x40000, CODE_BYTES = 0x1000, WORDS_MOST = 512 };

static void check_part(struct slice part, struct slice whole)
{
    fuzz_check(part.length <= whole.length);
    fuzz_check(part.length == 0 || (part.text >= whole.text && part.text + part.length <= whole.text + whole.length) ||
               whole.length == 0);
}

static void read_name(struct slice text)
{
    for (unsigned is_wasm = 0; is_wasm < 2; is_wasm++) {
        struct v8_code_name name;
        char address[64];
        if (!v8_code_name_read(text, is_wasm, &name))
            continue;
        check_part(name.name, text);
        check_part(name.place, text);
        check_part(name.file, text);
        fuzz_check(v8_script_address(name.file, address, sizeof address) <= sizeof address);
    }
}

static struct v8_layout make_layout(const uint8_t *bytes)
{
    struct v8_layout layout = {
        .head = {.kind = RUNTIME_V8, .length = sizeof layout, .is_known = true},
        .words = {.context_or_type = -8,
                  .bytecode_array = -32,
                  .bytecode_offset = -40,
                  .object_tag = 1,
                  .object_tag_mask = 3,
                  .smi_shift = 32},
        .places = {{{ENTRY, ENTRY + CODE_BYTES}, {HANDLERS, HANDLERS + CODE_BYTES}, {RESUME}}},
    };
    static const struct v8_words usual; /* zeros */
    if (memcmp(bytes, &usual, sizeof usual) != 0)
        memcpy(&layout.words, bytes, sizeof layout.words);
    return layout;
}

static void draw_frames(struct raw_stack *raw, const uint64_t *stack, size_t count)
{
    static const uint64_t codes[] = {ENTRY, HANDLERS, OTHER_CODE, RESUME};
    raw->native_count = raw->runtime_count = raw->text_used = 0;
    raw->cut = false;
    for (size_t i = 0; i < count && raw->native_count < STACK_FRAMES_MAX; i++)
        if (stack[i] & 8)
            raw->native[raw->native_count++] =
                (struct unwind_frame){.pc = codes[stack[i] & 3] + (stack[i] >> 56 & 1),
                                      .sp = ((uintptr_t)&stack[i] + (stack[i] >> 48 & 0xff)) & INT64_MAX,
                                      .exact = stack[i] >> 4 & 1};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint64_t stack[WORDS_MOST];
    static struct raw_stack raw;
    static uint8_t copy[UNWIND_COPY_BYTES];
    if (size < 1 || size - 1 < data[0])
        return 0;
    read_name((struct slice){(const char *)data + 1, data[0]});
    size -= 1 + (size_t)data[0];
    data += 1 + (size_t)data[0];
    if (size < sizeof(struct v8_words))
        return 0;
    struct v8_layout layout = make_layout(data);
    size_t count = (size - sizeof layout.words) / sizeof *stack;
    count = count < WORDS_MOST ? count : WORDS_MOST;
    memcpy(stack, data + sizeof layout.words, count * sizeof *stack);
    if (!runtime_layout_check(&layout, sizeof layout))
        return 0;
    draw_frames(&raw, stack, count);
    struct unwind_memory memory = {.start = (uintptr_t)stack, .end = (uintptr_t)(stack + count), .copy = copy};
    struct runtime_walk walk = {.raw = &raw, .memory = &memory};
    const struct runtime_layout *all[] = {&layout.head};
    runtime_walk_all(all, 1, &walk);
    fuzz_check(raw.runtime_count <= RAW_RUNTIME_MAX && raw.runtime_count <= raw.native_count);
    for (uint32_t i = 0; i < raw.runtime_count; i++)
        fuzz_check(raw.runtime[i].runtime == RUNTIME_V8 && raw.runtime[i].number != 0);
    return 0;
}
