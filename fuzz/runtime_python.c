/* The memory of a CPython in which anything may be wrong: a drawn one with bytes changed.
 *
 *     byte 0     which version
 *     byte 1     how many offsets of the layout are changed, up to 7: {which, two bytes}
 *     the rest   bytes of its memory: {two bytes of place, value}
 *
 * The stack is walked twice, the second time with what the first learnt. */
#include "target.h"

#include "runtime/walk_all.h"
#include "support/drawn_python.h"

#include <string.h>

static const uint8_t *change_layout(unsigned count, const uint8_t *data, const uint8_t *end)
{
    uint16_t offsets[sizeof(struct python_offsets) / sizeof(uint16_t)];
    struct python_offsets *of_layout = &drawn_python_layout()->offsets;
    memcpy(offsets, of_layout, sizeof offsets);
    for (; count > 0 && end - data >= 3; count--, data += 3)
        offsets[data[0] % (sizeof offsets / sizeof *offsets)] = (uint16_t)(data[1] | data[2] << 8);
    memcpy(of_layout, offsets, sizeof offsets);
    return data;
}

static void check_text(const struct raw_stack *raw, struct raw_text text)
{
    fuzz_check(text.start <= raw->text_used && text.length <= raw->text_used - text.start);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = data + size;
    if (size < 2)
        return 0;
    draw_python(DRAWN_PYTHON_FIRST + data[0] % (DRAWN_PYTHON_LAST - DRAWN_PYTHON_FIRST + 1), false);
    data = change_layout(data[1] % 8, data + 2, end);
    if (!runtime_layout_check(drawn_python_layout(), sizeof *drawn_python_layout()))
        return 0;
    for (; end - data >= 3; data += 3)
        *drawn_python_byte(data[0] | (size_t)data[1] << 8) = data[2];
    for (size_t i = 0; i < 2; i++) {
        const struct raw_stack *raw = walk_drawn_python();
        fuzz_check(raw->runtime_count <= RAW_RUNTIME_MAX && raw->text_used <= RAW_TEXT_BYTES);
        for (uint32_t j = 0; j < raw->runtime_count; j++) {
            fuzz_check(j == 0 || raw->runtime[j].stack_address >= raw->runtime[j - 1].stack_address);
            check_text(raw, raw->runtime[j].function);
            check_text(raw, raw->runtime[j].file);
        }
    }
    return 0;
}
