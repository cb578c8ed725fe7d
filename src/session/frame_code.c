/* Frames, lines of code and values of markers as bytes.
 *
 * A frame starts with a number whose lowest bits say what it is:
 *
 *     distance 0            native: zigzag of the distance to the previous native address, the usual case, 1 to 4 bytes
 *     0 … 0 js kind kind 1  with one of the kinds below:
 *         FRAME_NATIVE      the address in 8 bytes (the distance does not fit, or the frame has the flag)
 *         FRAME_LABEL       category, subcategory, text
 *         FRAME_RUNTIME     category, subcategory, text, file, line, column
 *         FRAME_NUMBERED    runtime * 16 + tier, number, position
 *
 * A line of code is the distance to the offset before it, and the zigzag of the distance to the line before it. */
#include "session/coding.h"
#include "session/entry.h"

enum { FRAME_SPELLED_OUT = 1, FRAME_KIND_SHIFT = 1, FRAME_KIND_MASK = 3, FRAME_JS = 8, FRAME_TAG_MAX = 15 };
enum { NUMBERED_RUNTIME_SHIFT = 4, NUMBERED_TIER_MASK = 15 };
_Static_assert(TIER_COUNT <= NUMBERED_TIER_MASK + 1 && RUNTIME_KIND_COUNT <= 16, "a tier and a runtime fit a byte");

static void frame_put(struct out *out, const struct frame_entry *frame, uint64_t *previous)
{
    if (frame->kind == FRAME_NATIVE) {
        uint64_t distance = zigzag_encode((int64_t)(frame->address - *previous));
        *previous = frame->address;
        if (distance >> 63 == 0 && !frame->relevant_for_js) {
            put_number(out, distance << 1);
            return;
        }
    }
    put_number(out, FRAME_SPELLED_OUT | (unsigned)frame->kind << FRAME_KIND_SHIFT | (frame->relevant_for_js ? FRAME_JS : 0));
    if (frame->kind == FRAME_NATIVE) {
        put_bytes(out, &frame->address, sizeof frame->address);
        return;
    }
    if (frame->kind == FRAME_NUMBERED) {
        put_byte(out, (uint8_t)(frame->runtime << NUMBERED_RUNTIME_SHIFT | frame->tier));
        put_number(out, frame->address);
        put_number(out, frame->position);
        return;
    }
    put_number(out, frame->category);
    put_number(out, frame->subcategory);
    put_text(out, frame->text);
    if (frame->kind == FRAME_RUNTIME) {
        put_text(out, frame->file);
        put_number(out, frame->line);
        put_number(out, frame->column);
    }
}

size_t frame_write(uint8_t *out, size_t room, const struct frame_entry *frame, uint64_t *previous)
{
    struct out bytes = {out, out + room, false};
    uint64_t address = *previous;
    frame_put(&bytes, frame, &address);
    if (!bytes.full)
        *previous = address;
    return out_length(&bytes, out);
}

void frame_reader_init(struct frame_reader *reader, const struct frames_slice *frames)
{
    *reader = (struct frame_reader){frames->bytes, frames->count, 0};
}

static void frame_take(struct in *in, struct frame_entry *frame, uint64_t *previous)
{
    *frame = (struct frame_entry){.text = SLICE(""), .file = SLICE("")};
    uint64_t tag = take_number(in);
    if ((tag & FRAME_SPELLED_OUT) == 0) {
        frame->kind = FRAME_NATIVE;
        frame->address = *previous + (uint64_t)zigzag_decode(tag >> 1);
        *previous = frame->address;
        return;
    }
    unsigned kind = (unsigned)tag >> FRAME_KIND_SHIFT & FRAME_KIND_MASK;
    if (tag > FRAME_TAG_MAX) {
        in_mistake(in);
        return;
    }
    frame->kind = (enum frame_kind)kind;
    frame->relevant_for_js = tag & FRAME_JS;
    if (frame->kind == FRAME_NATIVE) {
        frame->address = take_u64(in);
        *previous = frame->address;
        return;
    }
    if (frame->kind == FRAME_NUMBERED) {
        uint8_t byte = take_byte(in);
        frame->runtime = byte >> NUMBERED_RUNTIME_SHIFT;
        frame->tier = byte & NUMBERED_TIER_MASK;
        frame->address = take_number(in);
        frame->position = take_u32(in);
        if (frame->runtime == 0 || frame->runtime >= RUNTIME_KIND_COUNT || frame->tier >= TIER_COUNT)
            in_mistake(in);
        return;
    }
    frame->category = take_u32(in);
    frame->subcategory = take_u32(in);
    frame->text = take_text(in);
    if (frame->kind == FRAME_RUNTIME) {
        frame->file = take_text(in);
        frame->line = take_u32(in);
        frame->column = take_u32(in);
    }
}

bool frame_reader_next(struct frame_reader *reader, struct frame_entry *frame)
{
    if (reader->left == 0)
        return false;
    const uint8_t *bytes = (const uint8_t *)reader->rest.text;
    struct in in = {bytes, bytes + reader->rest.length, false};
    frame_take(&in, frame, &reader->previous);
    if (in.bad)
        return false;
    reader->rest = take_rest(&in);
    reader->left--;
    return true;
}

size_t code_line_write(uint8_t *out, size_t room, struct code_line line, struct code_line *previous)
{
    struct out bytes = {out, out + room, line.offset < previous->offset};
    put_number(&bytes, line.offset - previous->offset);
    put_signed(&bytes, (int64_t)line.line - previous->line);
    if (!bytes.full)
        *previous = line;
    return out_length(&bytes, out);
}

bool code_line_read(struct slice *lines, struct code_line *line)
{
    const uint8_t *bytes = (const uint8_t *)lines->text;
    struct in in = {bytes, bytes + lines->length, false};
    uint64_t offset = line->offset + take_up_to(&in, UINT32_MAX - line->offset);
    int64_t distance = take_signed(&in);
    if (in.bad || distance < -(int64_t)line->line || distance > (int64_t)(UINT32_MAX - line->line))
        return false;
    *line = (struct code_line){(uint32_t)offset, (uint32_t)(line->line + distance)};
    *lines = take_rest(&in);
    return true;
}

size_t marker_value_write(uint8_t *out, size_t room, const struct marker_value *value)
{
    struct out bytes = {out, out + room, false};
    switch (value->input) {
    case INPUT_TEXT:
        put_text(&bytes, value->text);
        break;
    case INPUT_SIGNED:
        put_signed(&bytes, value->integer);
        break;
    case INPUT_UNSIGNED:
    case INPUT_TIME:
    case INPUT_FLOW:
        put_number(&bytes, value->number);
        break;
    case INPUT_DOUBLE:
        put_bytes(&bytes, &value->real, sizeof value->real);
        break;
    case INPUT_BOOLEAN:
        put_byte(&bytes, value->boolean);
        break;
    case INPUT_COUNT:
        return 0;
    }
    return out_length(&bytes, out);
}

bool marker_value_read(struct slice *values, enum marker_input input, struct marker_value *value)
{
    const uint8_t *bytes = (const uint8_t *)values->text;
    struct in in = {bytes, bytes + values->length, false};
    value->input = input;
    switch (input) {
    case INPUT_TEXT:
        value->text = take_text(&in);
        break;
    case INPUT_SIGNED:
        value->integer = take_signed(&in);
        break;
    case INPUT_UNSIGNED:
    case INPUT_TIME:
    case INPUT_FLOW:
        value->number = take_number(&in);
        break;
    case INPUT_DOUBLE: {
        uint64_t bits = take_u64(&in);
        memcpy(&value->real, &bits, sizeof bits);
        break;
    }
    case INPUT_BOOLEAN: {
        uint8_t boolean = take_byte(&in);
        if (boolean > 1)
            in_mistake(&in);
        value->boolean = boolean == 1;
        break;
    }
    default:
        in_mistake(&in);
    }
    if (in.bad)
        return false;
    *values = take_rest(&in);
    return true;
}
