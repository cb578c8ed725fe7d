/* SESSION/looks: chunks about many processes in one file, each of which is found by its owner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/looks_file.h"
#include "session/reader.h"
#include "support/session_draw.h"

struct looks {
    char folder[64], path[128];
    struct looks_file file;
    struct error error;
};

static int begin(void **state)
{
    struct looks *looks = calloc(1, sizeof *looks);
    session_folder_make(looks->folder);
    snprintf(looks->path, sizeof looks->path, "%s/" LOOKS_NAME, looks->folder);
    assert_int_equal(looks_file_make(&looks->file, looks->folder, 64 * CHUNK_BYTES, &looks->error), 0);
    *state = looks;
    return 0;
}

static int end(void **state)
{
    struct looks *looks = *state;
    looks_file_close(&looks->file);
    session_folder_remove(looks->folder);
    free(looks);
    return 0;
}

static size_t write_look(uint8_t *out, size_t room, const void *entry)
{
    return entry_write_look(out, room, entry);
}

static size_t write_counter(uint8_t *out, size_t room, const void *entry)
{
    return entry_write_counter(out, room, entry);
}

static bool put_look(struct looks *looks, struct looks_of_process *process, uint64_t time)
{
    struct look_entry entry = {.tid = (int32_t)(process->owner >> 32), .time = time, .state = LOOK_RUNNING};
    return looks_file_put(&looks->file, process, false, ENTRY_NUMBERS_MAX, write_look, &entry);
}

struct seen {
    int32_t tid;
    uint64_t looks, counters, last;
};

static int see(void *data, const struct any_entry *entry, struct error *error)
{
    struct seen *seen = data;
    if (entry->kind == ENTRY_COUNTER) {
        seen->counters++;
        return 0;
    }
    if (entry->kind != ENTRY_LOOK || entry->look.tid != seen->tid || entry->look.time <= seen->last)
        return error_set(error, -1, "not in order, or about somebody else");
    seen->looks++;
    seen->last = entry->look.time;
    return 0;
}

static struct seen read_of(struct looks *looks, int pid, uint32_t image)
{
    struct seen seen = {.tid = pid};
    struct session_reading reading = {0};
    struct session_file *file = session_file_open(looks->path, &looks->error);
    assert_non_null(file);
    if (session_file_visit_owner(file, session_owner(pid, image), &(struct session_visitor){.entry = see}, &seen, &reading,
                                 &looks->error) != 0)
        fail_msg("%s", looks->error.message);
    assert_int_equal(reading.bad_entries, 0);
    session_file_close(file);
    return seen;
}

static void each_process_finds_its_own(void **state)
{
    struct looks *looks = *state;
    enum { PROCESSES = 5, LOOKS = 2000 };
    struct looks_of_process processes[PROCESSES] = {0};
    for (int i = 0; i < PROCESSES; i++)
        processes[i].owner = session_owner(100 + i, (uint32_t)i);
    for (uint64_t time = 1; time <= LOOKS; time++)
        for (int i = 0; i < PROCESSES; i++)
            assert_true(put_look(looks, &processes[i], time));
    struct counter_entry counter = {.counter = 1, .name = SLICE("processCPU")};
    assert_true(looks_file_put(&looks->file, &processes[2], true, 256, write_counter, &counter));
    for (int i = 0; i < PROCESSES; i++) {
        struct seen seen = read_of(looks, 100 + i, (uint32_t)i);
        assert_int_equal(seen.looks, LOOKS);
        assert_int_equal(seen.counters, i == 2);
    }
    assert_int_equal(read_of(looks, 100, 1).looks, 0); /* another image */
}

static void the_first_entry_of_a_chunk_is_said_to_be_new(void **state)
{
    struct looks *looks = *state;
    struct looks_of_process process = {.owner = session_owner(100, 0)};
    assert_true(put_look(looks, &process, 1));
    assert_true(process.samples.is_new);
    process.samples.is_new = false;
    const struct chunk *chunk = process.samples.chunk;
    uint64_t time = 1;
    while (process.samples.chunk == chunk) {
        assert_false(process.samples.is_new);
        assert_true(put_look(looks, &process, ++time));
    }
    assert_true(process.samples.is_new);
    process.samples.is_new = false;
    /* What others refer to is in a chunk of its own. */
    struct counter_entry counter = {.counter = 1, .name = SLICE("processCPU")};
    assert_true(looks_file_put(&looks->file, &process, true, 256, write_counter, &counter));
    assert_false(process.samples.is_new);
    assert_ptr_not_equal(process.kept.chunk, process.samples.chunk);
}

static void at_the_limit_the_oldest_looks_go_and_what_is_kept_stays(void **state)
{
    struct looks *looks = *state;
    struct looks_of_process process = {.owner = session_owner(100, 0)};
    struct counter_entry counter = {.counter = 1, .name = SLICE("processCPU")};
    assert_true(looks_file_put(&looks->file, &process, true, 256, write_counter, &counter));
    enum { LOOKS = 1000000 };
    for (uint64_t time = 1; time <= LOOKS; time++)
        assert_true(put_look(looks, &process, time));
    struct seen seen = read_of(looks, 100, 0);
    assert_int_equal(seen.counters, 1);
    assert_int_equal(seen.last, LOOKS);
    assert_in_range(seen.looks, 1000, LOOKS - 1);
    assert_true(disk_bytes(looks->path) <= SESSION_HEADER_BYTES + 66 * CHUNK_BYTES);
}

static void the_chunks_of_one_that_has_ended_are_done(void **state)
{
    struct looks *looks = *state;
    struct looks_of_process process = {.owner = session_owner(100, 0)};
    assert_true(put_look(looks, &process, 1));
    const struct chunk *chunk = process.samples.chunk;
    assert_int_equal(atomic_load(&chunk->header.done_ns), 0);
    assert_int_equal(chunk->header.owner, session_owner(100, 0));
    looks_file_end(&looks->file, &process);
    assert_null(process.samples.chunk);
    assert_null(process.kept.chunk);
    assert_int_not_equal(atomic_load(&chunk->header.done_ns), 0);
    assert_int_equal(read_of(looks, 100, 0).looks, 1);
    looks_file_end(&looks->file, &process); /* nothing is left to end */
}

static size_t write_nothing(uint8_t *out, size_t room, const void *entry)
{
    (void)out, (void)room, (void)entry;
    return 0;
}

static void what_does_not_fit_is_not_written(void **state)
{
    struct looks *looks = *state;
    struct looks_of_process process = {.owner = session_owner(100, 0)};
    assert_false(looks_file_put(&looks->file, &process, false, ENTRY_MAX + 1, write_look, &(struct look_entry){.tid = 100}));
    assert_false(looks_file_put(&looks->file, &process, false, 64, write_nothing, NULL));
    assert_true(put_look(looks, &process, 1));
    assert_int_equal(read_of(looks, 100, 0).looks, 1);
}

static void a_folder_has_one_such_file(void **state)
{
    struct looks *looks = *state;
    struct looks_file again;
    assert_true(looks_file_make(&again, looks->folder, 64 * CHUNK_BYTES, &looks->error) < 0);
    assert_non_null(strstr(looks->error.message, "/" LOOKS_NAME));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(each_process_finds_its_own),
        TEST(the_first_entry_of_a_chunk_is_said_to_be_new),
        TEST(at_the_limit_the_oldest_looks_go_and_what_is_kept_stays),
        TEST(the_chunks_of_one_that_has_ended_are_done),
        TEST(what_does_not_fit_is_not_written),
        TEST(a_folder_has_one_such_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
