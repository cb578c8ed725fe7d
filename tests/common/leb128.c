#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/leb128.h"

static const uint64_t numbers[] = {0, 1, 127, 128, 300, 16383, 16384, UINT32_MAX, (uint64_t)1 << 63, UINT64_MAX};
enum { COUNT = sizeof numbers / sizeof *numbers };

static void numbers_read_back_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        uint8_t bytes[LEB128_MAX_BYTES];
        size_t length = leb128_write(bytes, numbers[i]);
        uint64_t value = 0;
        assert_int_equal(leb128_read(bytes, bytes + length, &value), length);
        assert_true(value == numbers[i]);
    }
}

static void numbers_cut_off_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        uint8_t bytes[LEB128_MAX_BYTES];
        size_t length = leb128_write(bytes, numbers[i]);
        for (size_t cut = 0; cut < length; cut++) {
            uint64_t value;
            assert_int_equal(leb128_read(bytes, bytes + cut, &value), 0);
        }
    }
}

static void numbers_beyond_64_bits_are_refused(void **state)
{
    (void)state;
    uint64_t value;
    static const uint8_t too_large[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    assert_int_equal(leb128_read(too_large, too_large + sizeof too_large, &value), 0);
    static const uint8_t too_long[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
    assert_int_equal(leb128_read(too_long, too_long + sizeof too_long, &value), 0);
}

static void small_signed_numbers_are_small_unsigned_ones(void **state)
{
    (void)state;
    static const int64_t values[] = {0, -1, 1, -2, 2};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(zigzag_encode(values[i]), i);
    static const int64_t all[] = {0, -1, 1, 63, -64, INT32_MIN, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_true(zigzag_decode(zigzag_encode(all[i])) == all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_read_back_the_same),
        cmocka_unit_test(numbers_cut_off_are_refused),
        cmocka_unit_test(numbers_beyond_64_bits_are_refused),
        cmocka_unit_test(small_signed_numbers_are_small_unsigned_ones),
    };
    return cmocka_run_group_tests_name("leb128", tests, NULL, NULL);
}
