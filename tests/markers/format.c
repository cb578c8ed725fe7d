#include "vectors.h"

#include "markers/format.h"

#include <math.h>

#define assert_formats(call, expected)                                                                                         \
    do {                                                                                                                       \
        struct text_buffer text = {0};                                                                                         \
        struct text_buffer *out = &text;                                                                                       \
        call;                                                                                                                  \
        text_add_char(&text, '\0');                                                                                            \
        assert_string_equal(text.bytes.items, expected);                                                                       \
        text_free(&text);                                                                                                      \
    } while (0)

static void call_node_numbers_and_percentages_of_the_vectors(void **state)
{
    (void)state;
    struct vectors vectors;
    vectors_open(&vectors);
    size_t count = 0;
    for (VECTOR_EACH(at, vector_top(&vectors, "numbers"))) {
        struct text_buffer text = {0};
        double value = vector_number(vector_find(&vectors, at, "value"));
        if (slice_is(vector_text(&vectors, vector_find(&vectors, at, "fn")), "formatPercent")) {
            format_percentage(&text, value);
        } else {
            enum weight_type type;
            assert_true(weight_type_parse(vector_text(&vectors, vector_find(&vectors, at, "weightType")), &type));
            format_weight(&text, value, type);
        }
        struct slice expected = vector_text(&vectors, vector_find(&vectors, at, "expected"));
        if (!slice_equal(text_slice(&text), expected))
            fail_msg("%s gives %.*s", vector_json(&vectors, at), (int)text.bytes.count, text.bytes.items);
        text_free(&text);
        count++;
    }
    assert_int_equal(count, 63);
    vectors_close(&vectors);
}

static void very_large_and_very_small_numbers(void **state)
{
    (void)state;
    assert_formats(format_number(out, 1e21, 3, 2), "1,000,000,000,000,000,000,000");
    assert_formats(format_number(out, 123456789012345680000.0, 3, 2), "123,456,789,012,345,680,000");
    assert_formats(format_number(out, 5e-324, 3, 2), "0.00");
    assert_formats(format_number(out, -1e-9, 3, 2), "-0.00");
    assert_formats(format_number(out, INFINITY, 3, 2), "∞");
    assert_formats(format_number(out, -INFINITY, 3, 2), "-∞");
    assert_formats(format_number(out, NAN, 3, 2), "<invalid>");
}

static void fixed_decimals_round_half_away_from_zero(void **state)
{
    (void)state;
    assert_formats(format_fixed(out, 0.05, 1), "0.1");
    assert_formats(format_fixed(out, -2.5, 0), "-3");
    assert_formats(format_fixed(out, 1.005, 2), "1.01");
    assert_formats(format_fixed(out, 999.95, 1), "1,000.0");
    assert_formats(format_fixed(out, 0.04, 1), "0.0");
}

static void memory_running_out_leaves_a_short_text_that_says_so(void **state)
{
    (void)state;
    struct text_buffer text = {0};
    memory_fail_after(1);
    format_duration(&text, 1234.5);
    memory_fail_after(0);
    assert_true(text.failed);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_node_numbers_and_percentages_of_the_vectors),
        cmocka_unit_test(very_large_and_very_small_numbers),
        cmocka_unit_test(fixed_decimals_round_half_away_from_zero),
        cmocka_unit_test(memory_running_out_leaves_a_short_text_that_says_so),
    };
    return cmocka_run_group_tests_name("markers/format", tests, NULL, NULL);
}
