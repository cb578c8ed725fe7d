#include "server/websocket_frame.h"

#include "common/json_text.h"

enum {
    FIN = 0x80,
    RESERVED = 0x70,
    OPCODE = 0x0f,
    MASKED = 0x80,
    LENGTH = 0x7f,
    SHORT_MOST = 125,
    LENGTH_16 = 126,
    LENGTH_64 = 127
};

static bool is_control(unsigned char first)
{
    return (first & 8) != 0;
}

static enum websocket_event fail(struct websocket_reader *reader, unsigned code)
{
    reader->failed = true;
    reader->code = code;
    return WEBSOCKET_FAILED;
}

static uint64_t big_endian(const unsigned char *bytes, size_t count)
{
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++)
        number = number << 8 | bytes[i];
    return number;
}

static bool is_utf8(struct slice text)
{
    return text.length == 0 || utf8_check(text.text, text.text + text.length) == text.text + text.length;
}

/* ---- the head of a frame ---- */

/* How long the head is, as far as can be told from the bytes of it that are there. */
static size_t head_length(const struct websocket_reader *reader)
{
    if (reader->head_length < 2)
        return 2;
    unsigned length = reader->head[1] & LENGTH;
    return 2 + (length == LENGTH_16 ? 2 : length == LENGTH_64 ? 8 : 0) + 4;
}

static uint64_t announced_length(const struct websocket_reader *reader)
{
    unsigned length = reader->head[1] & LENGTH;
    return length == LENGTH_16   ? big_endian(reader->head + 2, 2)
           : length == LENGTH_64 ? big_endian(reader->head + 2, 8)
                                 : length;
}

/* The close code of what is wrong with a head, before its length is known; 0 = nothing. */
static unsigned check_start(const struct websocket_reader *reader)
{
    unsigned char first = reader->head[0];
    unsigned opcode = first & OPCODE, length = reader->head[1] & LENGTH;
    bool is_known = opcode <= WEBSOCKET_BINARY || (opcode >= WEBSOCKET_CLOSE && opcode <= WEBSOCKET_PONG);
    bool is_right =
        is_control(first) ? (first & FIN) && length <= SHORT_MOST : reader->in_message == (opcode == WEBSOCKET_CONTINUATION);
    return is_known && is_right && !(first & RESERVED) && (reader->head[1] & MASKED) ? 0 : WEBSOCKET_PROTOCOL_ERROR;
}

/* A length is written as short as it can be, and its highest bit is 0. */
static unsigned check_length(const struct websocket_reader *reader, uint64_t length)
{
    unsigned written = reader->head[1] & LENGTH;
    if ((written == LENGTH_16 && length <= SHORT_MOST) ||
        (written == LENGTH_64 && (length <= UINT16_MAX || length > INT64_MAX)))
        return WEBSOCKET_PROTOCOL_ERROR;
    bool fits = is_control(reader->head[0]) || length <= reader->most - reader->message.bytes.count;
    return fits ? 0 : WEBSOCKET_TOO_LARGE;
}

/* The close code of what is wrong, or 0. */
static unsigned begin_payload(struct websocket_reader *reader)
{
    uint64_t length = announced_length(reader);
    unsigned code = check_length(reader, length);
    if (code)
        return code;
    reader->in_payload = true;
    reader->left = length;
    reader->mask_at = 0;
    if (is_control(reader->head[0])) {
        reader->control_length = 0;
    } else {
        if (!reader->in_message)
            reader->is_text = (reader->head[0] & OPCODE) == WEBSOCKET_TEXT;
        reader->in_message = true;
    }
    return 0;
}

static unsigned take_head(struct websocket_reader *reader, struct slice *bytes)
{
    while (bytes->length > 0 && !reader->in_payload) {
        reader->head[reader->head_length++] = (unsigned char)*bytes->text;
        *bytes = slice_from(*bytes, 1);
        unsigned code = reader->head_length == 2 ? check_start(reader) : 0;
        if (!code && reader->head_length == head_length(reader))
            code = begin_payload(reader);
        if (code)
            return code;
    }
    return 0;
}

/* ---- the payload ---- */

static void unmask(struct websocket_reader *reader, unsigned char *out, struct slice bytes)
{
    const unsigned char *mask = reader->head + reader->head_length - 4;
    for (size_t i = 0; i < bytes.length; i++)
        out[i] = (unsigned char)((unsigned char)bytes.text[i] ^ mask[(reader->mask_at + i) % 4]);
    reader->mask_at = (unsigned)((reader->mask_at + bytes.length) % 4);
}

static unsigned take_payload(struct websocket_reader *reader, struct slice *bytes)
{
    struct slice part = slice_until(*bytes, bytes->length < reader->left ? bytes->length : (size_t)reader->left);
    if (is_control(reader->head[0])) {
        unmask(reader, reader->control + reader->control_length, part);
        reader->control_length += part.length;
    } else if (part.length > 0) {
        size_t before = reader->message.bytes.count;
        text_add(&reader->message, part);
        if (reader->message.failed)
            return WEBSOCKET_OUR_ERROR;
        unmask(reader, (unsigned char *)reader->message.bytes.items + before, part);
    }
    *bytes = slice_from(*bytes, part.length);
    reader->left -= part.length;
    return 0;
}

/* Codes that an endpoint may send. */
static bool is_close_code(unsigned code)
{
    return (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006) || (code >= 3000 && code <= 4999);
}

static enum websocket_event read_close(struct websocket_reader *reader)
{
    reader->code = WEBSOCKET_NO_CODE;
    if (reader->control_length == 0)
        return WEBSOCKET_CLOSED;
    reader->code = reader->control_length >= 2 ? (unsigned)big_endian(reader->control, 2) : 0;
    if (!is_close_code(reader->code))
        return fail(reader, WEBSOCKET_PROTOCOL_ERROR);
    return is_utf8(slice_from(reader->payload, 2)) ? WEBSOCKET_CLOSED : fail(reader, WEBSOCKET_NOT_UTF8);
}

/* The frame is complete. */
static enum websocket_event finish_frame(struct websocket_reader *reader)
{
    unsigned char first = reader->head[0];
    reader->head_length = 0;
    reader->in_payload = false;
    if (is_control(first)) {
        reader->payload = (struct slice){(const char *)reader->control, reader->control_length};
        switch (first & OPCODE) {
        case WEBSOCKET_PING:
            return WEBSOCKET_PINGED;
        case WEBSOCKET_PONG:
            return WEBSOCKET_PONGED;
        default:
            return read_close(reader);
        }
    }
    if (!(first & FIN))
        return WEBSOCKET_NOTHING_YET;
    reader->in_message = false;
    reader->done = true;
    reader->payload = text_slice(&reader->message);
    return reader->is_text && !is_utf8(reader->payload) ? fail(reader, WEBSOCKET_NOT_UTF8) : WEBSOCKET_MESSAGE;
}

/* ---- */

enum websocket_event websocket_read(struct websocket_reader *reader, struct slice *bytes)
{
    enum websocket_event event = WEBSOCKET_NOTHING_YET;
    if (reader->failed)
        return WEBSOCKET_FAILED;
    if (reader->done)
        text_cut(&reader->message, 0);
    reader->done = false;
    while (bytes->length > 0 && event == WEBSOCKET_NOTHING_YET) {
        unsigned code = take_head(reader, bytes);
        if (!code && reader->in_payload)
            code = take_payload(reader, bytes);
        if (code)
            return fail(reader, code);
        if (reader->in_payload && reader->left == 0)
            event = finish_frame(reader);
    }
    return event;
}

void websocket_reader_free(struct websocket_reader *reader)
{
    text_free(&reader->message);
}

void websocket_write(enum websocket_opcode opcode, struct slice payload, struct text_buffer *out)
{
    unsigned written = payload.length <= SHORT_MOST   ? (unsigned)payload.length
                       : payload.length <= UINT16_MAX ? LENGTH_16
                                                      : LENGTH_64;
    text_add_char(out, (char)(unsigned char)(FIN | opcode));
    text_add_char(out, (char)(unsigned char)written);
    for (int bits = written == LENGTH_16 ? 16 : written == LENGTH_64 ? 64 : 0; bits > 0; bits -= 8)
        text_add_char(out, (char)(unsigned char)((uint64_t)payload.length >> (bits - 8)));
    text_add(out, payload);
}

void websocket_write_close(unsigned code, struct text_buffer *out)
{
    char bytes[2] = {(char)(unsigned char)(code >> 8), (char)(unsigned char)code};
    websocket_write(WEBSOCKET_CLOSE, (struct slice){bytes, code == WEBSOCKET_NO_CODE ? 0 : 2}, out);
}
