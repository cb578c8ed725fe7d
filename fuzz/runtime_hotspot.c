/* The memory of a HotSpot in which anything may be wrong: a drawn one with bytes changed.
 *
 *     byte 0     whose tables: 17's or 25's
 *     byte 1     where the thread was interrupted
 *     then       up to 16 registers and fields of the layout: {which, two bytes}
 *     the rest   bytes of its memory: {three bytes of place, value}
 *
 * The stack is walked twice, the second time with what the first learnt; methods that were met, and what is in registers, are
 * named. */
#include "target.h"

#include "support/drawn_hotspot.h"

#include <string.h>

enum { CHANGES = 16, METHODS = 3 };

static uint64_t methods[METHODS], codes[5];

/* Interpreted code called compiled code with inlined calls, which called a stub. */
static void draw_scene(bool later)
{
    draw_vm(later ? DRAWN_25 : DRAWN_17);
    for (size_t i = 0; i < METHODS; i++)
        methods[i] = draw_method("a/B$$Lambda$1+0x1234", "run", "(I[Ljava/lang/Object;)V", "B.java", 20);
    draw_lines(methods[0], (const uint8_t *)"\x19\x2a\xff\xc8\x02\x03\x19", 8);
    codes[0] = draw_code(&(struct drawn_code){.blob = "nmethod",
                                              .frame_words = 6,
                                              .frame_complete = 5,
                                              .method = methods[1],
                                              .level = 4,
                                              .bytes = "55 48 83 ec 20 90 90 48 83 c4 20 5d 49 3b 67 18 0f 87 00 00 00 00 c3",
                                              .deopt = 90,
                                              .pc = 40,
                                              .scopes = {{methods[2], 5}, {methods[1], 300}}});
    codes[1] = draw_code(&(struct drawn_code){.blob = "stub", .frame_words = 4, .bytes = "55 48 8b ec"});
    codes[2] = draw_code(&(struct drawn_code){.blob = "vtable chunks"});
    codes[3] = draw_code(&(struct drawn_code){.blob = "I2C/C2I adapters"});
    codes[4] = draw_code(&(struct drawn_code){.blob = "native nmethod", .frame_words = 6, .method = methods[2]});
    draw_word(7, codes[0] + 40); /* the stub's frame: words 4 to 7 */
    draw_word(13, drawn_interpreter() + 5);
    draw_word(12, drawn_stack(30)); /* compiled code's: 8 to 13 */
    draw_word(22, drawn_bytecodes(methods[0]) + 3);
    draw_word(27, methods[0]);
    draw_word(29, drawn_stack(34));
    draw_word(30, drawn_stack(50));
    draw_word(31, later ? drawn_continuation() : drawn_call_stub());
    draw_word(43, drawn_call_stub()); /* what entered a virtual thread: 34 to 43 */
    draw_word(42, drawn_stack(50));
}

static struct drawn_registers place(unsigned which)
{
    struct drawn_registers registers = {
        .sp = drawn_stack(8), .fp = drawn_stack(30), .rbx = methods[0], .r13 = drawn_stack(8), .r15 = drawn_stack(60)};
    switch (which % 8) {
    case 0:
        registers.pc = drawn_interpreter();
        break;
    case 1:
        registers.pc = drawn_method_entry() + which / 8;
        registers.rax = codes[0] + 40;
        break;
    case 2:
        registers.sp = drawn_stack(4);
        registers.pc = codes[1] + which / 8;
        break;
    case 3:
    case 4:
        registers.sp = drawn_stack(7);
        registers.pc = codes[which % 8 - 1] + which / 8;
        break;
    case 5:
        registers.pc = codes[4] + which / 8;
        break;
    default:
        registers.pc = codes[0] + which / 8 * 2;
    }
    return registers;
}

static const uint8_t *change_state(const uint8_t *data, const uint8_t *end, struct drawn_registers *registers)
{
    struct hotspot_layout *layout = drawn_layout();
    uint64_t *values[] = {&registers->pc,  &registers->sp,  &registers->fp, &registers->rax,
                          &registers->rbx, &registers->r13, &registers->r15};
    for (size_t i = 0; i < CHANGES && end - data >= 3; i++, data += 3) {
        uint16_t value = (uint16_t)(data[1] | data[2] << 8);
        if (data[0] < sizeof values / sizeof *values)
            *values[data[0]] += (uint64_t)(int64_t)(int16_t)value;
        else if (data[0] >= 128 && data[0] < 128 + HOTSPOT_FIELD_COUNT)
            layout->field[data[0] - 128] =
                (struct hotspot_field_place){.offset = value % 4096, .bytes = (uint8_t)(1 << value / 4096 % 4)};
        else if (data[0] == 255)
            layout->version = value;
        else if (data[0] == 254)
            layout->size[value % HOTSPOT_SIZE_COUNT] = value / 16;
    }
    fuzz_check(hotspot_layout_check(layout));
    return data;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hotspot_name name;
    const uint8_t *end = data + size;
    if (size < 2)
        return 0;
    draw_scene(data[0] & 1);
    struct drawn_registers registers = place(data[1]);
    data = change_state(data + 2, end, &registers);
    for (; end - data >= 4; data += 4)
        draw_byte(data[0] | (size_t)data[1] << 8 | (size_t)(data[2] & 1) << 16, data[3]);
    for (size_t i = 0; i < 2; i++) {
        walk_drawn(&registers);
        fuzz_check(drawn_native_count <= DRAWN_FRAMES);
        for (size_t j = 1; j < drawn_native_count; j++)
            fuzz_check(drawn_native[j].sp > drawn_native[j - 1].sp);
    }
    uint32_t at = 0;
    const struct hotspot_known_method *method;
    while ((method = hotspot_methods_next(drawn_methods(), &at)) != NULL) {
        hotspot_method_name(drawn_reader(), method->method, &name);
        fuzz_check(name.line_count <= HOTSPOT_LINES_ROOM && strlen(name.name) < sizeof name.name);
    }
    hotspot_method_name(drawn_reader(), registers.rbx, &name);
    return 0;
}
