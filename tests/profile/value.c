#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/value.h"

struct packed {
    struct string_table strings;
    struct value_bytes bytes;
};

static void pack(struct packed *packed, struct slice json)
{
    struct error error = {0};
    struct byte_source *source = byte_source_memory(json, 0, false, &error);
    struct json_reader *reader = json_reader_open(source, &error);
    value_from_json(reader, &packed->strings, &packed->bytes);
    json_finish(reader);
    assert_string_equal(error.message, "");
    json_reader_close(reader);
    byte_source_close(source);
}

static void unpack(struct packed *packed)
{
    string_table_free(&packed->strings);
    value_bytes_free(&packed->bytes);
}

static void assert_comes_back(struct slice json)
{
    struct packed packed = {0};
    pack(&packed, json);
    assert_ptr_equal(value_skip(packed.bytes.bytes.items), packed.bytes.bytes.items + packed.bytes.bytes.count);
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    struct json_writer *writer = json_writer_open(sink, 0, &error);
    value_to_json(packed.bytes.bytes.items, &packed.strings, writer);
    assert_int_equal(json_writer_close(writer), 0);
    struct slice written = byte_sink_memory_bytes(sink);
    assert_int_equal(written.length, json.length);
    assert_memory_equal(written.text, json.text, json.length);
    byte_sink_close(sink, false, &error);
    unpack(&packed);
}

static void every_kind_of_value_comes_back(void **state)
{
    (void)state;
    assert_comes_back(SLICE("null"));
    assert_comes_back(SLICE("true"));
    assert_comes_back(SLICE("[false,0,-1,63,64,-9007199254740991,12.345678,0.1,1e+300,\"\",\"a\\\"b\"]"));
    assert_comes_back(SLICE("{}"));
    assert_comes_back(SLICE("{\"type\":\"Text\",\"name\":\"x\",\"nested\":{\"a\":[[],{}]}}"));
}

static void groups_with_many_items_get_a_longer_head(void **state)
{
    (void)state;
    static char json[4001];
    json[0] = '[';
    for (size_t i = 0; i < 2000; i++) {
        json[1 + 2 * i] = '7';
        json[2 + 2 * i] = ',';
    }
    json[4000] = ']';
    assert_comes_back((struct slice){json, sizeof json});
}

static void a_value_is_found_by_its_key(void **state)
{
    (void)state;
    struct packed packed = {0};
    pack(&packed, SLICE("{\"a\":[1,{\"b\":2}],\"b\":3.5}"));
    const uint8_t *object = packed.bytes.bytes.items;
    const uint8_t *at = value_find(object, string_table_find(&packed.strings, SLICE("b")));
    assert_non_null(at);
    struct value value = value_read(at);
    double number;
    assert_true(value_as_number(&value, &number));
    assert_true(number == 3.5);
    assert_null(value_find(object, string_table_find(&packed.strings, SLICE("c"))));
    assert_null(value_find(at, string_table_find(&packed.strings, SLICE("b"))));
    unpack(&packed);
}

static void typical_payloads_are_small(void **state)
{
    (void)state;
    struct packed packed = {0};
    pack(&packed, SLICE("{\"type\":\"Text\",\"name\":\"update\",\"duration\":12.345678,\"count\":7}"));
    assert_in_range(packed.bytes.bytes.count, 1, 16);
    unpack(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_comes_back),
        cmocka_unit_test(groups_with_many_items_get_a_longer_head),
        cmocka_unit_test(a_value_is_found_by_its_key),
        cmocka_unit_test(typical_payloads_are_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
