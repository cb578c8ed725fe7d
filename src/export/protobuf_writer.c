#include "export/protobuf_writer.h"

enum { WIRE_NUMBER = 0, WIRE_BYTES = 2, LONGEST_NUMBER = 10 };

static size_t encode(uint64_t number, char bytes[LONGEST_NUMBER])
{
    size_t length = 0;
    for (; number >= 0x80; number >>= 7)
        bytes[length++] = (char)(number | 0x80);
    bytes[length++] = (char)number;
    return length;
}

static void put(struct text_buffer *message, uint64_t number)
{
    char bytes[LONGEST_NUMBER];
    text_add(message, (struct slice){bytes, encode(number, bytes)});
}

void protobuf_put_number(struct text_buffer *message, unsigned field, uint64_t number)
{
    if (number == 0)
        return;
    put(message, field << 3 | WIRE_NUMBER);
    put(message, number);
}

void protobuf_put_bytes(struct text_buffer *message, unsigned field, struct slice bytes)
{
    put(message, field << 3 | WIRE_BYTES);
    put(message, bytes.length);
    text_add(message, bytes);
}

void protobuf_put_packed(struct text_buffer *message, unsigned field, const uint64_t *numbers, size_t count)
{
    char bytes[LONGEST_NUMBER];
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += encode(numbers[i], bytes);
    put(message, field << 3 | WIRE_BYTES);
    put(message, length);
    for (size_t i = 0; i < count; i++)
        put(message, numbers[i]);
}
