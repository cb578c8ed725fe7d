#include "import/protobuf.h"

static bool read_varint(struct slice bytes, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < bytes.length; shift += 7) {
        uint8_t byte = (uint8_t)bytes.text[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

bool protobuf_next(struct slice message, size_t *at, struct protobuf_field *field)
{
    size_t next = *at;
    uint64_t tag, value;
    if (!read_varint(message, &next, &tag) || !read_varint(message, &next, &value))
        return false;
    *field = (struct protobuf_field){.field = tag >> 3, .wire = tag & 7, .number = value};
    if (field->wire == PROTOBUF_BYTES) {
        size_t left = message.length - next;
        field->is_cut = value > left;
        field->bytes = slice_until(slice_from(message, next), field->is_cut ? left : (size_t)value);
        next += field->bytes.length;
    } else if (field->wire != PROTOBUF_NUMBER) {
        return false;
    }
    *at = next;
    return true;
}

bool protobuf_next_number(const struct protobuf_field *field, size_t *at, uint64_t *number)
{
    if (field->wire == PROTOBUF_BYTES)
        return read_varint(field->bytes, at, number);
    *number = field->number;
    return (*at)++ == 0;
}

bool protobuf_is_binary(struct slice start)
{
    enum { LOOKED_AT = 256 };
    for (size_t i = 0; i < start.length && i < LOOKED_AT; i++)
        if ((unsigned char)start.text[i] < '\t')
            return true;
    return false;
}
