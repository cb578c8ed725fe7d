/* WebSocket frames and the handshake, without sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/websocket_accept.h"
#include "server/websocket_frame.h"

#include <stdlib.h>

enum { MOST = 70000 };

static struct websocket_reader reader;
static struct text_buffer bytes;

static int begin(void **state)
{
    (void)state;
    reader = (struct websocket_reader){.most = MOST};
    return 0;
}

static int end(void **state)
{
    (void)state;
    websocket_reader_free(&reader);
    text_free(&bytes);
    return 0;
}

/* A frame as a client writes it: `first` is the opcode with its bits, `length` how its length is written: 0, 16 or 64 bits. */
static void add_frame(unsigned first, struct slice payload, unsigned bits)
{
    static const unsigned char mask[] = {0x37, 0xfa, 0x21, 0x3d};
    text_add_char(&bytes, (char)first);
    text_add_char(&bytes, (char)(0x80 | (bits == 64 ? 127 : bits == 16 ? 126 : payload.length)));
    for (unsigned i = bits; i > 0; i -= 8)
        text_add_char(&bytes, (char)((uint64_t)payload.length >> (i - 8)));
    text_add(&bytes, (struct slice){(const char *)mask, 4});
    for (size_t i = 0; i < payload.length; i++)
        text_add_char(&bytes, (char)((unsigned char)payload.text[i] ^ mask[i % 4]));
}

/* All at once; the first event. */
static enum websocket_event read_bytes(void)
{
    struct slice rest = text_slice(&bytes);
    return websocket_read(&reader, &rest);
}

static void assert_fails(unsigned code)
{
    assert_int_equal(read_bytes(), WEBSOCKET_FAILED);
    assert_int_equal(reader.code, code);
    /* And stays so. */
    struct slice more = SLICE("\x81\x80\0\0\0\0");
    assert_int_equal(websocket_read(&reader, &more), WEBSOCKET_FAILED);
}

#define FIRST(opcode) (0x80u | (opcode))

static void a_message_is_read_whatever_pieces_it_comes_in(void **state)
{
    (void)state;
    add_frame(WEBSOCKET_TEXT, SLICE("{\"v\""), 0);
    add_frame(FIRST(WEBSOCKET_PING), SLICE("still there?"), 0);
    add_frame(WEBSOCKET_CONTINUATION, SLICE(""), 0);
    add_frame(FIRST(WEBSOCKET_CONTINUATION), SLICE(": 1}"), 0);
    add_frame(FIRST(WEBSOCKET_BINARY), SLICE("\0\1"), 0);
    for (size_t piece = 1; piece < bytes.bytes.count; piece++) {
        struct slice all = text_slice(&bytes);
        unsigned pings = 0, messages = 0;
        while (all.length > 0) {
            struct slice part = slice_until(all, all.length < piece ? all.length : piece);
            all = slice_from(all, part.length);
            for (enum websocket_event event; (event = websocket_read(&reader, &part)) != WEBSOCKET_NOTHING_YET;) {
                if (event == WEBSOCKET_PINGED) {
                    pings++;
                    assert_true(messages == 0 && slice_is(reader.payload, "still there?"));
                } else {
                    assert_int_equal(event, WEBSOCKET_MESSAGE);
                    assert_true(messages == 0 ? reader.is_text && slice_is(reader.payload, "{\"v\": 1}")
                                              : !reader.is_text && slice_is(reader.payload, "\0\1"));
                    messages++;
                }
            }
        }
        assert_int_equal(pings, 1);
        assert_int_equal(messages, 2);
    }
}

static void what_is_written_is_as_short_as_can_be(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 125, 126, 65535, 65536}, heads[] = {2, 2, 4, 4, 10};
    static char zeros[65536];
    for (size_t i = 0; i < 5; i++) {
        struct text_buffer out = {0};
        websocket_write(WEBSOCKET_BINARY, (struct slice){zeros, lengths[i]}, &out);
        assert_int_equal(out.bytes.count, heads[i] + lengths[i]);
        assert_int_equal((unsigned char)out.bytes.items[0], 0x82);
        text_free(&out);
    }
    struct text_buffer out = {0};
    websocket_write_close(WEBSOCKET_GOING_AWAY, &out);
    websocket_write_close(WEBSOCKET_NO_CODE, &out);
    assert_true(slice_is(text_slice(&out), "\x88\x02\x03\xe9\x88\x00"));
    text_free(&out);
}

static void lengths_of_all_three_forms_are_read(void **state)
{
    (void)state;
    static char text[MOST];
    memset(text, 'x', sizeof text);
    static const struct {
        size_t length;
        unsigned bits;
    } forms[] = {{125, 0}, {126, 16}, {65535, 16}, {65536, 64}, {MOST, 64}};
    for (size_t i = 0; i < 5; i++) {
        text_free(&bytes);
        add_frame(FIRST(WEBSOCKET_TEXT), (struct slice){text, forms[i].length}, forms[i].bits);
        assert_int_equal(read_bytes(), WEBSOCKET_MESSAGE);
        assert_int_equal(reader.payload.length, forms[i].length);
    }
}

static void lengths_written_longer_than_needed_are_refused(void **state)
{
    (void)state;
    add_frame(FIRST(WEBSOCKET_TEXT), SLICE("short"), 16);
    assert_fails(WEBSOCKET_PROTOCOL_ERROR);
    end(NULL);
    begin(NULL);
    add_frame(FIRST(WEBSOCKET_TEXT), SLICE("short"), 64);
    assert_fails(WEBSOCKET_PROTOCOL_ERROR);
}

static void too_large_a_message_is_refused_before_it_comes(void **state)
{
    (void)state;
    text_add(&bytes, SLICE("\x82\xff\0\0\0\0\0\1\x11\x71\1\2\3\4"));
    assert_fails(WEBSOCKET_TOO_LARGE);
    end(NULL);
    begin(NULL);
    /* In fragments, too. */
    reader.most = 10;
    add_frame(WEBSOCKET_BINARY, SLICE("123456"), 0);
    add_frame(FIRST(WEBSOCKET_CONTINUATION), SLICE("78901"), 0);
    assert_fails(WEBSOCKET_TOO_LARGE);
    end(NULL);
    begin(NULL);
    text_add(&bytes, SLICE("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\2\3\4"));
    assert_fails(WEBSOCKET_PROTOCOL_ERROR);
}

static void heads_that_are_wrong_are_refused(void **state)
{
    (void)state;
    static const struct slice wrong[] = {
        SLICE("\x81\x01x"),                        /* not masked */
        SLICE("\xc1\x81\0\0\0\0x"),                /* a reserved bit */
        SLICE("\x83\x80\0\0\0\0"),                 /* opcodes that are none */
        SLICE("\x8b\x80\0\0\0\0"),                 /* */
        SLICE("\x09\x80\0\0\0\0"),                 /* a ping in fragments */
        SLICE("\x89\xfe\0\x80\0\0\0\0"),           /* a long ping */
        SLICE("\x80\x80\0\0\0\0"),                 /* a continuation of nothing */
        SLICE("\x01\x80\0\0\0\0\x81\x80\0\0\0\0"), /* a message within a message */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        end(NULL);
        begin(NULL);
        text_add(&bytes, wrong[i]);
        assert_fails(WEBSOCKET_PROTOCOL_ERROR);
    }
}

static void texts_are_utf8(void **state)
{
    (void)state;
    add_frame(FIRST(WEBSOCKET_TEXT), SLICE("a\xc3\xa4"), 0);
    assert_int_equal(read_bytes(), WEBSOCKET_MESSAGE);
    text_free(&bytes);
    add_frame(FIRST(WEBSOCKET_BINARY), SLICE("\xff"), 0);
    assert_int_equal(read_bytes(), WEBSOCKET_MESSAGE);
    text_free(&bytes);
    add_frame(FIRST(WEBSOCKET_TEXT), SLICE("a\xc3"), 0);
    assert_fails(WEBSOCKET_NOT_UTF8);
}

static void close_frames_have_a_code_or_nothing(void **state)
{
    (void)state;
    static const struct {
        struct slice payload;
        unsigned code;
        bool fails;
    } frames[] = {
        {SLICE(""), WEBSOCKET_NO_CODE, false},
        {SLICE("\x03\xe8"), WEBSOCKET_NORMAL, false},
        {SLICE("\x03\xe9\xc3\xa4"), WEBSOCKET_GOING_AWAY, false},
        {SLICE("\x0f\xa0"), 4000, false},
        {SLICE("\x03"), WEBSOCKET_PROTOCOL_ERROR, true},
        {SLICE("\x03\xed"), WEBSOCKET_PROTOCOL_ERROR, true}, /* 1005 */
        {SLICE("\0\0"), WEBSOCKET_PROTOCOL_ERROR, true},
        {SLICE("\x03\xe8\xff"), WEBSOCKET_NOT_UTF8, true},
    };
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        end(NULL);
        begin(NULL);
        add_frame(FIRST(WEBSOCKET_CLOSE), frames[i].payload, 0);
        assert_int_equal(read_bytes(), frames[i].fails ? WEBSOCKET_FAILED : WEBSOCKET_CLOSED);
        assert_int_equal(reader.code, frames[i].code);
    }
}

static void memory_that_runs_out_ends_the_connection(void **state)
{
    (void)state;
    add_frame(FIRST(WEBSOCKET_TEXT), SLICE("text"), 0);
    memory_fail_after(1);
    enum websocket_event event = read_bytes();
    memory_fail_after(0);
    assert_int_equal(event, WEBSOCKET_FAILED);
    assert_int_equal(reader.code, WEBSOCKET_OUR_ERROR);
}

static void the_key_of_the_RFC_is_answered_as_there(void **state)
{
    (void)state;
    char accept[WEBSOCKET_ACCEPT_LENGTH + 1];
    assert_true(websocket_is_key(SLICE("dGhlIHNhbXBsZSBub25jZQ==")));
    websocket_accept(SLICE("dGhlIHNhbXBsZSBub25jZQ=="), accept);
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

static void what_is_no_key_is_known(void **state)
{
    (void)state;
    static const struct slice wrong[] = {
        SLICE(""),
        SLICE("dGhlIHNhbXBsZSBub25jZQ="),
        SLICE("dGhlIHNhbXBsZSBub25jZQ==="),
        SLICE("dGhlIHNhbXBsZSBub25jZQAA"),
        SLICE("dGhlIHNhbXBsZSBub25j Q=="),
        SLICE("dGhlIHNhbXBsZSBub25j\0Q=="),
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(websocket_is_key(wrong[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_message_is_read_whatever_pieces_it_comes_in, begin, end),
        cmocka_unit_test(what_is_written_is_as_short_as_can_be),
        cmocka_unit_test_setup_teardown(lengths_of_all_three_forms_are_read, begin, end),
        cmocka_unit_test_setup_teardown(lengths_written_longer_than_needed_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(too_large_a_message_is_refused_before_it_comes, begin, end),
        cmocka_unit_test_setup_teardown(heads_that_are_wrong_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(texts_are_utf8, begin, end),
        cmocka_unit_test_setup_teardown(close_frames_have_a_code_or_nothing, begin, end),
        cmocka_unit_test_setup_teardown(memory_that_runs_out_ends_the_connection, begin, end),
        cmocka_unit_test(the_key_of_the_RFC_is_answered_as_there),
        cmocka_unit_test(what_is_no_key_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
