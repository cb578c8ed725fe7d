/* A chunk manager: its file, its chunks, and those that are ready before they are needed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "managed.h"

/* All chunks that there can be are mapped from the beginning. */
static off_t whole_bytes(struct chunk_manager *manager)
{
    return SESSION_HEADER_BYTES + (off_t)chunk_manager_header(manager)->chunks_most * CHUNK_BYTES;
}

static void a_new_file_says_what_it_is(void **state)
{
    struct managed *managed = *state;
    const struct session_file_header *header = chunk_manager_header(managed->manager);
    assert_memory_equal(header->magic, SESSION_MAGIC, 8);
    assert_int_equal(header->version, SESSION_VERSION);
    assert_int_equal(header->pid, 42);
    assert_int_equal(header->start_monotonic_ns, 1);
    assert_int_equal(header->start_realtime_ns, 2);
    assert_int_equal(header->interval_ns, 3);
    assert_int_equal(header->begin_cpu_ns, 4);
    assert_int_equal(atomic_load(&header->state), SESSION_RECORDING);
    struct stat status;
    assert_int_equal(stat(chunk_manager_path(managed->manager), &status), 0);
    assert_int_equal(status.st_size, whole_bytes(managed->manager));
    assert_int_equal(chunk_count(managed->manager), 1);
    assert_true(header->chunks_most >= LIMIT);
    /* Nobody else reads what a program did. */
    assert_int_equal(status.st_mode & 0777, 0600);
    /* Disk space for the first chunk is there before anybody writes, and for no other. */
    assert_in_range(disk_bytes(chunk_manager_path(managed->manager)), SESSION_HEADER_BYTES + 4096,
                    SESSION_HEADER_BYTES + CHUNK_BYTES);
}

static void two_images_with_one_pid_have_two_files(void **state)
{
    struct managed *managed = *state;
    struct chunk_manager *second = managed_create(managed, LIMIT);
    const char *first_name = strrchr(chunk_manager_path(managed->manager), '/');
    const char *second_name = strrchr(chunk_manager_path(second), '/');
    assert_string_equal(first_name, "/42-0.sonde");
    assert_string_equal(second_name, "/42-1.sonde");
    chunk_manager_free(second);
}

static void a_chunk_is_empty_and_says_when_it_was_taken_and_given_back(void **state)
{
    struct managed *managed = *state;
    struct chunk *chunk = chunk_manager_take(managed->manager, CHUNK_SAMPLES, 100);
    assert_int_equal(atomic_load(&chunk->header.used), 0);
    assert_int_equal(atomic_load(&chunk->header.kind), CHUNK_SAMPLES);
    assert_int_equal(atomic_load(&chunk->header.start_ns), 100);
    assert_int_equal(atomic_load(&chunk->header.done_ns), 0);
    chunk_manager_give_back(managed->manager, chunk, 200);
    assert_int_equal(atomic_load(&chunk->header.done_ns), 200);
}

static void sequence_numbers_rise_over_all_kinds(void **state)
{
    struct managed *managed = *state;
    for (uint64_t i = 1; i <= 100; i++)
        assert_int_equal(sequence_of(use_one(managed->manager, (enum chunk_kind)(CHUNK_SAMPLES + i % 2), i)), i);
}

static void a_chunk_of_samples_names_the_one_before(void **state)
{
    struct managed *managed = *state;
    struct chunk *first = use_one(managed->manager, CHUNK_SAMPLES, 1);
    use_one(managed->manager, CHUNK_MARKERS, 2);
    struct chunk *second = use_one(managed->manager, CHUNK_SAMPLES, 3);
    assert_int_equal(atomic_load(&first->header.previous), 0);
    assert_int_equal(atomic_load(&second->header.previous), sequence_of(first));
}

static void a_chunk_is_ready_after_the_first_preparation_and_more_when_many_are_used(void **state)
{
    struct managed *managed = *state;
    assert_null(chunk_manager_take_ready(managed->manager, CHUNK_MARKERS, 1));
    chunk_manager_prepare(managed->manager);
    assert_non_null(chunk_manager_take_ready(managed->manager, CHUNK_MARKERS, 1));
    assert_null(chunk_manager_take_ready(managed->manager, CHUNK_MARKERS, 1));
    for (uint64_t i = 1; i <= LIMIT; i++)
        use_one(managed->manager, CHUNK_MARKERS, i);
    chunk_manager_prepare(managed->manager);
    for (int i = 0; i < READY; i++)
        assert_non_null(chunk_manager_take_ready(managed->manager, CHUNK_MARKERS, 1));
    assert_null(chunk_manager_take_ready(managed->manager, CHUNK_MARKERS, 1));
    /* The other way still gives some. */
    assert_non_null(chunk_manager_take(managed->manager, CHUNK_MARKERS, 1));
    assert_null(chunk_manager_take_ready(managed->manager, CHUNK_MARKERS, 1));
}

static void preparing_fills_up_what_was_taken(void **state)
{
    struct managed *managed = *state;
    for (uint64_t i = 1; i <= LIMIT; i++)
        use_one(managed->manager, CHUNK_MARKERS, i);
    chunk_manager_prepare(managed->manager);
    for (int round = 0; round < 100; round++) {
        struct chunk *taken[READY];
        for (int i = 0; i < READY; i++) {
            taken[i] = chunk_manager_take_ready(managed->manager, CHUNK_MARKERS, 1);
            assert_non_null(taken[i]);
        }
        assert_null(chunk_manager_take_ready(managed->manager, CHUNK_MARKERS, 1));
        for (int i = 0; i < READY; i++)
            chunk_manager_give_back(managed->manager, taken[i], (uint64_t)round);
        chunk_manager_prepare(managed->manager);
        chunk_manager_prepare(managed->manager);
    }
    assert_int_equal(held_chunks(managed->manager), LIMIT);
}

static void a_ready_chunk_is_nothing_to_a_reader(void **state)
{
    struct managed *managed = *state;
    struct chunk *chunks[LIMIT];
    for (uint64_t i = 0; i < LIMIT; i++)
        chunks[i] = use_one(managed->manager, CHUNK_MARKERS, i + 1);
    chunk_manager_prepare(managed->manager);
    assert_int_equal(recycled(managed->manager), READY);
    for (uint64_t i = 0; i < LIMIT; i++)
        assert_int_equal(sequence_of(chunks[i]), i < READY ? 0 : i + 1);
    struct chunk_manager_usage usage;
    chunk_manager_usage(managed->manager, &usage);
    assert_int_equal(usage.bytes_in_use, 0);
    assert_int_equal(usage.bytes_done, (LIMIT - READY) * CHUNK_BYTES);
}

static void usage_counts_chunks_in_use_and_done(void **state)
{
    struct managed *managed = *state;
    struct chunk_manager_usage usage;
    chunk_manager_usage(managed->manager, &usage);
    assert_int_equal(usage.bytes_in_use, 0);
    assert_int_equal(usage.bytes_done, 0);
    assert_int_equal(usage.bytes_limit, LIMIT * CHUNK_BYTES);
    assert_true(usage.oldest_start_ns == UINT64_MAX);
    use_one(managed->manager, CHUNK_KEPT, 5);
    take_whole(managed->manager, CHUNK_SAMPLES, 10);
    use_one(managed->manager, CHUNK_MARKERS, 20);
    chunk_manager_usage(managed->manager, &usage);
    assert_int_equal(usage.bytes_in_use, 2 * CHUNK_BYTES);
    assert_int_equal(usage.bytes_done, CHUNK_BYTES);
    assert_int_equal(usage.bytes_held, 3 * CHUNK_BYTES);
    assert_int_equal(usage.oldest_start_ns, 10);
    assert_int_equal(usage.oldest_done_ns, 20);
}

static void the_file_stays_when_the_manager_is_gone_without_what_nobody_used(void **state)
{
    struct managed *managed = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/42-1.sonde", managed->folder);
    struct chunk_manager *second = managed_create(managed, LIMIT);
    use_one(second, CHUNK_MARKERS, 1);
    off_t whole = whole_bytes(second);
    chunk_manager_free(second);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, whole);
    assert_in_range(disk_bytes(path), SESSION_HEADER_BYTES + CHUNK_BYTES, SESSION_HEADER_BYTES + 2 * CHUNK_BYTES);
}

static void a_folder_that_is_not_there_is_an_error_that_names_it(void **state)
{
    (void)state;
    struct managed none = {.folder = "/nowhere/at/all"};
    assert_null(managed_create(&none, LIMIT));
    assert_int_equal(none.error.code, -ENOENT);
    assert_string_equal(none.error.message, "/nowhere/at/all/42-0.sonde: cannot be made: No such file or directory");
}

static void a_path_that_is_too_long_is_an_error(void **state)
{
    (void)state;
    static char folder[5000];
    memset(folder, 'x', sizeof folder - 1);
    folder[0] = '/';
    struct error error = {0};
    struct chunk_manager_options options = {.folder = folder, .pid = 1};
    assert_null(chunk_manager_create(&options, &error));
    assert_int_equal(error.code, -ENAMETOOLONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_file_says_what_it_is),
        TEST(two_images_with_one_pid_have_two_files),
        TEST(a_chunk_is_empty_and_says_when_it_was_taken_and_given_back),
        TEST(sequence_numbers_rise_over_all_kinds),
        TEST(a_chunk_of_samples_names_the_one_before),
        TEST(a_chunk_is_ready_after_the_first_preparation_and_more_when_many_are_used),
        TEST(preparing_fills_up_what_was_taken),
        TEST(a_ready_chunk_is_nothing_to_a_reader),
        TEST(usage_counts_chunks_in_use_and_done),
        TEST(the_file_stays_when_the_manager_is_gone_without_what_nobody_used),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error_that_names_it),
        cmocka_unit_test(a_path_that_is_too_long_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
