#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/leb128.h"
#include "session/chunk.h"

static struct chunk chunk;

static int begin_anew(void **state)
{
    (void)state;
    memset(&chunk, 0, sizeof chunk);
    atomic_store(&chunk.header.kind, CHUNK_MARKERS);
    atomic_store(&chunk.header.sequence, 1);
    return 0;
}

static uint32_t used(void)
{
    return atomic_load(&chunk.header.used);
}

static void an_entry_is_its_size_and_its_bytes(void **state)
{
    (void)state;
    uint8_t *room = chunk_reserve(&chunk, 200);
    assert_ptr_equal(room, chunk.bytes + 2);
    memcpy(room, "abc", 3);
    assert_int_equal(used(), 0);
    chunk_commit(&chunk, 200, 3);
    assert_int_equal(used(), 5);
    assert_memory_equal(chunk.bytes,
                        "\x83\x00"
                        "abc",
                        5);
}

static void a_size_reads_back_whatever_room_was_asked_for(void **state)
{
    (void)state;
    static const size_t rooms[] = {1, 127, 128, 16383, 16384, ENTRY_MAX};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        for (size_t k = 0; k <= i; k++) {
            begin_anew(NULL);
            assert_non_null(chunk_reserve(&chunk, rooms[i]));
            chunk_commit(&chunk, rooms[i], rooms[k]);
            uint64_t size;
            size_t prefix = leb128_read(chunk.bytes, chunk.bytes + 3, &size);
            assert_int_equal(size, rooms[k]);
            assert_int_equal(prefix, rooms[i] < 128 ? 1 : rooms[i] < 16384 ? 2 : 3);
            assert_int_equal(used(), prefix + rooms[k]);
        }
}

static void an_entry_that_fits_exactly_is_taken(void **state)
{
    (void)state;
    assert_non_null(chunk_reserve(&chunk, ENTRY_MAX));
    chunk_commit(&chunk, ENTRY_MAX, ENTRY_MAX);
    assert_int_equal(used(), sizeof chunk.bytes);
    assert_null(chunk_reserve(&chunk, 0));
}

static void one_byte_too_many_is_not_taken_and_changes_nothing(void **state)
{
    (void)state;
    assert_null(chunk_reserve(&chunk, ENTRY_MAX + 1));
    assert_null(chunk_reserve(&chunk, SIZE_MAX));
    assert_int_equal(used(), 0);
    assert_non_null(chunk_reserve(&chunk, ENTRY_MAX));
}

static void the_rest_of_a_chunk_takes_what_fits(void **state)
{
    (void)state;
    chunk_reserve(&chunk, ENTRY_MAX - 100);
    chunk_commit(&chunk, ENTRY_MAX - 100, ENTRY_MAX - 100);
    assert_null(chunk_reserve(&chunk, 100));
    assert_non_null(chunk_reserve(&chunk, 99));
    chunk_commit(&chunk, 99, 99);
    assert_int_equal(used(), sizeof chunk.bytes);
}

static void what_is_reserved_and_not_committed_is_not_there(void **state)
{
    (void)state;
    uint8_t *room = chunk_reserve(&chunk, 50);
    assert_ptr_equal(chunk_reserve(&chunk, 50), room);
    assert_int_equal(used(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_entry_is_its_size_and_its_bytes, begin_anew),
        cmocka_unit_test_setup(a_size_reads_back_whatever_room_was_asked_for, begin_anew),
        cmocka_unit_test_setup(an_entry_that_fits_exactly_is_taken, begin_anew),
        cmocka_unit_test_setup(one_byte_too_many_is_not_taken_and_changes_nothing, begin_anew),
        cmocka_unit_test_setup(the_rest_of_a_chunk_takes_what_fits, begin_anew),
        cmocka_unit_test_setup(what_is_reserved_and_not_committed_is_not_there, begin_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
