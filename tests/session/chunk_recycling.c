/* What a chunk manager throws away, and what it passes on, when its limit is reached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "managed.h"

static void below_the_limit_nothing_is_recycled(void **state)
{
    struct managed *managed = *state;
    for (uint64_t i = 1; i <= LIMIT; i++)
        use_one(managed->manager, CHUNK_MARKERS, i);
    assert_int_equal(recycled(managed->manager), 0);
    assert_int_equal(held_chunks(managed->manager), LIMIT);
}

static void at_the_limit_the_chunk_done_first_is_recycled_first(void **state)
{
    struct managed *managed = *state;
    struct chunk *chunks[LIMIT];
    for (size_t i = 0; i < LIMIT; i++)
        chunks[i] = take_whole(managed->manager, CHUNK_MARKERS, i);
    /* Given back in another order than taken, and not in the order of their times either. */
    static const size_t by_age[LIMIT] = {7, 3, 19, 0, 12, 5, 11, 1, 18, 2, 4, 6, 8, 9, 10, 13, 14, 15, 16, 17};
    uint64_t age[LIMIT];
    for (size_t i = 0; i < LIMIT; i++)
        age[by_age[i]] = i;
    for (size_t i = 0; i < LIMIT; i++)
        chunk_manager_give_back(managed->manager, chunks[i], 1000 + age[i]);
    for (size_t i = 0; i < LIMIT; i++) {
        assert_ptr_equal(chunk_manager_take(managed->manager, CHUNK_MARKERS, 2000), chunks[by_age[i]]);
        assert_int_equal(recycled(managed->manager), i + 1);
    }
    assert_int_equal(held_chunks(managed->manager), LIMIT);
}

static void a_hundred_chunks_given_back_in_any_order_are_recycled_by_age(void **state)
{
    struct managed *managed = *state;
    struct chunk_manager *manager = managed_create(managed, 100);
    struct chunk *chunks[100];
    for (size_t i = 0; i < 100; i++)
        chunks[i] = take_whole(manager, CHUNK_MARKERS, 1);
    for (size_t i = 0; i < 100; i++)
        chunk_manager_give_back(manager, chunks[i], 1 + i * 37 % 100);
    for (uint64_t time = 1; time <= 100; time++) {
        struct chunk *chunk = chunk_manager_take(manager, CHUNK_MARKERS, 200);
        size_t i = 0;
        while (1 + i * 37 % 100 != time)
            i++;
        assert_ptr_equal(chunk, chunks[i]);
    }
    chunk_manager_free(manager);
}

static void a_recycled_chunk_is_as_new(void **state)
{
    struct managed *managed = *state;
    for (uint64_t i = 1; i <= LIMIT; i++) {
        struct chunk *chunk = take_whole(managed->manager, CHUNK_MARKERS, i);
        chunk_reserve(chunk, 10);
        chunk_commit(chunk, 10, 10);
        chunk_manager_give_back(managed->manager, chunk, i);
    }
    struct chunk *chunk = chunk_manager_take(managed->manager, CHUNK_SAMPLES, 99);
    assert_int_equal(recycled(managed->manager), 1);
    assert_int_equal(atomic_load(&chunk->header.used), 0);
    assert_int_equal(atomic_load(&chunk->header.done_ns), 0);
    assert_int_equal(atomic_load(&chunk->header.start_ns), 99);
    assert_int_equal(atomic_load(&chunk->header.kind), CHUNK_SAMPLES);
    assert_int_equal(sequence_of(chunk), LIMIT + 1);
}

/* Only a few go at a time. */
static void obey(struct chunk_manager *manager)
{
    for (int i = 0; i < 100 && !chunk_manager_obey(manager); i++)
        continue;
}

static void shrink(struct chunk_manager *manager, uint64_t chunks)
{
    chunk_manager_set_limit(manager, chunks * CHUNK_BYTES);
    obey(manager);
}

static void kept_chunks_are_never_recycled(void **state)
{
    struct managed *managed = *state;
    struct chunk *kept[3];
    for (size_t i = 0; i < 3; i++)
        kept[i] = use_one(managed->manager, CHUNK_KEPT, 1);
    for (uint64_t i = 2; i < 200; i++)
        use_one(managed->manager, CHUNK_MARKERS, i);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(sequence_of(kept[i]), i + 1);
    assert_int_equal(held_chunks(managed->manager), LIMIT);
    shrink(managed->manager, 0);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(sequence_of(kept[i]), i + 1);
    assert_int_equal(held_chunks(managed->manager), 3);
}

static void chunks_in_use_are_never_taken_away_even_beyond_the_limit(void **state)
{
    struct managed *managed = *state;
    enum { WRITERS = 50 };
    struct chunk *chunks[WRITERS];
    for (size_t i = 0; i < WRITERS; i++) {
        chunks[i] = take_whole(managed->manager, CHUNK_MARKERS, i);
        assert_non_null(chunks[i]);
    }
    for (size_t i = 0; i < WRITERS; i++)
        assert_int_equal(sequence_of(chunks[i]), i + 1);
    assert_int_equal(held_chunks(managed->manager), WRITERS);
    uint32_t count = chunk_count(managed->manager);
    /* Once they are given back the file grows no more. */
    for (size_t i = 0; i < WRITERS; i++)
        chunk_manager_give_back(managed->manager, chunks[i], 100);
    for (uint64_t i = 0; i < 200; i++)
        use_one(managed->manager, CHUNK_MARKERS, 200 + i);
    assert_int_equal(chunk_count(managed->manager), count);
}

static void write_bytes(struct chunk *chunk, size_t bytes)
{
    uint8_t *out = chunk_reserve(chunk, bytes);
    assert_non_null(out);
    memset(out, 7, bytes);
    chunk_commit(chunk, bytes, bytes);
}

static void a_chunk_that_was_passed_on_goes_to_another_writer_with_what_is_in_it(void **state)
{
    struct managed *managed = *state;
    assert_null(chunk_manager_take_begun(managed->manager));
    struct chunk *chunk = chunk_manager_take(managed->manager, CHUNK_MARKERS, 5);
    write_bytes(chunk, 100);
    uint64_t sequence = sequence_of(chunk);
    uint32_t used = atomic_load(&chunk->header.used);
    chunk_manager_pass_on(managed->manager, chunk, 6);
    /* Still being written, as far as readers and recycling are concerned. */
    assert_int_equal(atomic_load(&chunk->header.done_ns), 0);
    for (uint64_t i = 0; i < LIMIT * 2; i++)
        use_one(managed->manager, CHUNK_MARKERS, 10 + i);
    assert_ptr_equal(chunk_manager_take_begun(managed->manager), chunk);
    assert_null(chunk_manager_take_begun(managed->manager));
    assert_int_equal(sequence_of(chunk), sequence);
    assert_int_equal(atomic_load(&chunk->header.used), used);
}

static void a_chunk_with_little_room_is_done_when_it_is_passed_on(void **state)
{
    struct managed *managed = *state;
    struct chunk *chunk = take_whole(managed->manager, CHUNK_MARKERS, 5);
    write_bytes(chunk, sizeof chunk->bytes * 4 / 5);
    chunk_manager_pass_on(managed->manager, chunk, 6);
    assert_int_equal(atomic_load(&chunk->header.done_ns), 6);
    assert_null(chunk_manager_take_begun(managed->manager));
}

static void of_many_chunks_that_were_passed_on_few_wait_and_the_others_are_done(void **state)
{
    struct managed *managed = *state;
    enum { MANY = 50 };
    struct chunk *chunks[MANY];
    for (size_t i = 0; i < MANY; i++)
        chunks[i] = take_whole(managed->manager, CHUNK_MARKERS, i);
    size_t done = 0, waiting = 0;
    for (size_t i = 0; i < MANY; i++) {
        chunk_manager_pass_on(managed->manager, chunks[i], 100);
        done += atomic_load(&chunks[i]->header.done_ns) != 0;
    }
    while (chunk_manager_take_begun(managed->manager))
        waiting++;
    assert_in_range(waiting, 1, LIMIT);
    assert_int_equal(waiting + done, MANY);
}

static void the_first_chunks_have_little_disk_space_at_first(void **state)
{
    struct managed *managed = *state;
    struct chunk *chunk = chunk_manager_take(managed->manager, CHUNK_MARKERS, 1);
    assert_in_range(chunk_room(chunk), 1, sizeof chunk->bytes / 2);
    assert_null(chunk_reserve(chunk, sizeof chunk->bytes / 2));
    assert_int_equal(held_chunks(managed->manager), 0);
    assert_in_range(disk_bytes(chunk_manager_path(managed->manager)), 1, CHUNK_BYTES);
    assert_true(chunk_manager_extend(managed->manager, chunk));
    assert_non_null(chunk_reserve(chunk, sizeof chunk->bytes / 2));
    assert_false(chunk_manager_extend(managed->manager, chunk));
    assert_int_equal(held_chunks(managed->manager), 1);
}

static void under_a_low_limit_chunks_stay_short(void **state)
{
    struct managed *managed = *state;
    struct chunk_manager *manager = managed_create(managed, 2);
    struct chunk_manager_usage usage;
    for (uint64_t i = 1; i <= 100; i++) {
        struct chunk *chunk = chunk_manager_take(manager, CHUNK_MARKERS, i);
        write_bytes(chunk, 10000);
        chunk_manager_prepare(manager);
        chunk_manager_usage(manager, &usage);
        if (i > 10)
            assert_false(chunk_manager_extend(manager, chunk));
        chunk_manager_give_back(manager, chunk, i);
        assert_true(usage.bytes_held <= 2 * CHUNK_BYTES);
    }
    assert_true(usage.bytes_done >= CHUNK_BYTES);
    assert_in_range(recycled(manager), 90, 97);
    /* One that has to be longer is. */
    struct chunk *chunk = take_whole(manager, CHUNK_MARKERS, 200);
    write_bytes(chunk, ENTRY_MAX);
    chunk_manager_free(manager);
}

static void where_there_are_only_samples_the_limit_holds_all_the_same(void **state)
{
    struct managed *managed = *state;
    for (uint64_t i = 1; i <= 100; i++)
        use_one(managed->manager, CHUNK_SAMPLES, i);
    assert_int_equal(held_chunks(managed->manager), LIMIT);
    assert_int_equal(recycled(managed->manager), 100 - LIMIT);
}

static void of_samples_and_markers_the_one_done_first_goes_first(void **state)
{
    struct managed *managed = *state;
    struct chunk_manager *manager = managed->manager;
    struct chunk *chunks[LIMIT];
    for (uint64_t i = 0; i < LIMIT; i++)
        chunks[i] = use_one(manager, i % 3 ? CHUNK_MARKERS : CHUNK_SAMPLES, i + 1);
    for (uint64_t gone = 1; gone <= LIMIT; gone++) {
        assert_non_null(chunk_manager_take(manager, CHUNK_KEPT, 100));
        for (uint64_t i = gone; i < LIMIT; i++)
            assert_int_equal(sequence_of(chunks[i]), i + 1);
        assert_int_equal(recycled(manager), gone);
    }
}

static void a_lower_limit_throws_away_the_oldest_and_gives_their_disk_space_back(void **state)
{
    struct managed *managed = *state;
    struct chunk_manager *manager = managed->manager;
    struct chunk *chunks[LIMIT];
    for (uint64_t i = 0; i < LIMIT; i++)
        chunks[i] = use_one(manager, CHUNK_MARKERS, i + 1);
    off_t before = disk_bytes(chunk_manager_path(manager));
    shrink(manager, 5);
    assert_true(disk_bytes(chunk_manager_path(manager)) <= before - 15 * CHUNK_BYTES);
    for (uint64_t i = 0; i < LIMIT; i++)
        assert_int_equal(sequence_of(chunks[i]), i < 15 ? 0 : i + 1);
    struct chunk_manager_usage usage;
    chunk_manager_usage(manager, &usage);
    assert_int_equal(usage.bytes_done, 5 * CHUNK_BYTES);
    assert_int_equal(usage.oldest_start_ns, 16);
    assert_int_equal(usage.oldest_done_ns, 16);
    /* They are used again, with disk space again, before anything is recycled. */
    chunk_manager_set_limit(manager, LIMIT * CHUNK_BYTES);
    uint64_t gone = recycled(manager);
    for (uint64_t i = 0; i < 15; i++)
        assert_true(sequence_of(use_one(manager, CHUNK_MARKERS, 100 + i)) > LIMIT);
    assert_int_equal(recycled(manager), gone);
    assert_true(disk_bytes(chunk_manager_path(manager)) >= before);
    assert_int_equal(held_chunks(manager), LIMIT);
}

static void a_lower_limit_leaves_what_is_in_use(void **state)
{
    struct managed *managed = *state;
    struct chunk *chunk = chunk_manager_take(managed->manager, CHUNK_MARKERS, 1);
    shrink(managed->manager, 0);
    assert_int_equal(sequence_of(chunk), 1);
    chunk_reserve(chunk, 10);
    chunk_commit(chunk, 10, 10);
    assert_non_null(chunk_manager_take(managed->manager, CHUNK_MARKERS, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(below_the_limit_nothing_is_recycled),
        TEST(at_the_limit_the_chunk_done_first_is_recycled_first),
        TEST(a_hundred_chunks_given_back_in_any_order_are_recycled_by_age),
        TEST(a_recycled_chunk_is_as_new),
        TEST(kept_chunks_are_never_recycled),
        TEST(chunks_in_use_are_never_taken_away_even_beyond_the_limit),
        TEST(a_chunk_that_was_passed_on_goes_to_another_writer_with_what_is_in_it),
        TEST(a_chunk_with_little_room_is_done_when_it_is_passed_on),
        TEST(of_many_chunks_that_were_passed_on_few_wait_and_the_others_are_done),
        TEST(the_first_chunks_have_little_disk_space_at_first),
        TEST(under_a_low_limit_chunks_stay_short),
        TEST(where_there_are_only_samples_the_limit_holds_all_the_same),
        TEST(of_samples_and_markers_the_one_done_first_goes_first),
        TEST(a_lower_limit_throws_away_the_oldest_and_gives_their_disk_space_back),
        TEST(a_lower_limit_leaves_what_is_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
