/* The bytes of a client of a WebSocket. How they are cut into pieces changes nothing, and what a message holds, once written as
 * a client would write it, is read again. */
#include "target.h"

#include "server/websocket_frame.h"

enum { MOST = 4096 };

/* What is read of the bytes, as a text: an event a letter, with its payload. */
static void read_all(struct slice bytes, size_t piece, struct text_buffer *events)
{
    struct websocket_reader reader = {.most = MOST};
    for (bool goes_on = true; goes_on && bytes.length > 0;) {
        size_t length = bytes.length < piece ? bytes.length : piece;
        struct slice part = slice_until(bytes, length);
        bytes = slice_from(bytes, length);
        for (enum websocket_event event; goes_on && (event = websocket_read(&reader, &part)) != WEBSOCKET_NOTHING_YET;) {
            text_add_char(events, (char)('a' + event));
            goes_on = event != WEBSOCKET_FAILED && event != WEBSOCKET_CLOSED;
            fuzz_check(!goes_on || reader.payload.length <= MOST);
            if (goes_on)
                text_add(events, reader.payload);
            else
                text_add_char(events, (char)(reader.code - 1000));
        }
        fuzz_check(!goes_on || part.length == 0);
    }
    websocket_reader_free(&reader);
}

/* With a mask of zeros, which is one. */
static void check_written(struct slice payload)
{
    struct text_buffer frame = {0}, masked = {0};
    websocket_write(WEBSOCKET_BINARY, payload, &frame);
    struct slice bytes = text_slice(&frame);
    size_t head = bytes.length - payload.length;
    text_add_char(&masked, bytes.text[0]);
    text_add_char(&masked, (char)(bytes.text[1] | (char)-128));
    text_add(&masked, slice_until(slice_from(bytes, 2), head - 2));
    text_add(&masked, (struct slice){"\0\0\0\0", 4});
    text_add(&masked, payload);
    struct websocket_reader reader = {.most = payload.length};
    struct slice rest = text_slice(&masked);
    fuzz_check(websocket_read(&reader, &rest) == WEBSOCKET_MESSAGE && rest.length == 0);
    fuzz_check(slice_equal(reader.payload, payload) && !reader.is_text);
    websocket_reader_free(&reader);
    text_free(&frame);
    text_free(&masked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice bytes = {(const char *)data, size};
    struct text_buffer whole = {0}, pieces = {0};
    read_all(bytes, size + 1, &whole);
    read_all(bytes, 1 + size % 7, &pieces);
    fuzz_check(slice_equal(text_slice(&whole), text_slice(&pieces)));
    text_free(&whole);
    text_free(&pieces);
    check_written(bytes);
    return 0;
}
