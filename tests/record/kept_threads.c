/* Which threads a process says it has, read from its file while it writes on. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/kept_threads.h"
#include "support/session_draw.h"

struct told {
    char folder[64];
    struct session_draw *draw;
    struct supply supply; /* from outside */
    struct kept_threads reader;
    char text[4096]; /* what was found since it was last compared: "tid:labels …" */
};

static int begin(void **state)
{
    struct told *told = calloc(1, sizeof *told);
    told->draw = session_draw_open(session_folder_make(told->folder));
    assert_int_equal(supply_open(&told->supply, open(session_draw_path(told->draw), O_RDWR | O_CLOEXEC)), 0);
    alarm(60);
    *state = told;
    return 0;
}

static int end(void **state)
{
    struct told *told = *state;
    supply_end(&told->supply);
    session_draw_close(told->draw);
    session_folder_remove(told->folder);
    free(told);
    alarm(0);
    return 0;
}

static void add(void *data, const struct any_entry *entry)
{
    struct told *told = data;
    const struct thread_entry *thread = &entry->thread;
    assert_int_equal(entry->kind, ENTRY_THREAD);
    size_t length = strlen(told->text);
    snprintf(told->text + length, sizeof told->text - length, "%d:%llx ", thread->tid, (unsigned long long)thread->labels);
}

static const char *read_more(struct told *told)
{
    told->text[0] = '\0';
    kept_threads_read(&told->reader, &told->supply, add, told);
    return told->text;
}

static void each_thread_is_told_once(void **state)
{
    struct told *told = *state;
    assert_string_equal(read_more(told), "");
    session_draw_text(told->draw, "process app\nthread 1 Main tid=101 main sampled labels=0x7000\n");
    assert_string_equal(read_more(told), "101:7000 ");
    assert_string_equal(read_more(told), "");
    session_draw_text(told->draw, "module 1 /bin/app 0x1000-0x5000\nthread 2 Worker tid=102 sampled\n"
                                  "thread-name 1 New\nthread 3 \"A name with blanks\" tid=103 labels=0x9\n");
    assert_string_equal(read_more(told), "102:0 103:9 ");
    assert_string_equal(read_more(told), "");
}

static void a_thread_that_is_told_again_is_found_again(void **state)
{
    struct told *told = *state;
    session_draw_text(told->draw, "thread 1 Main tid=101 main\n");
    assert_string_equal(read_more(told), "101:0 ");
    session_draw_text(told->draw, "thread 1 Main tid=101 main sampled labels=0x70\n");
    assert_string_equal(read_more(told), "101:70 ");
}

static void chunk_follows_chunk_in_the_order_of_their_numbers(void **state)
{
    struct told *told = *state;
    session_draw_text(told->draw, "thread 1 a tid=1\nsample 1 1ms 0x1\nmarker 1 x instant=1ms\n"
                                  "chunk kept\nthread 2 b tid=2\nchunk samples\nsample 1 2ms 0x1\n"
                                  "chunk kept\nthread 3 c tid=3\n");
    assert_string_equal(read_more(told), "1:0 2:0 3:0 ");
    session_draw_text(told->draw, "thread 4 d tid=4\nchunk kept\nthread 5 e tid=5\n");
    assert_string_equal(read_more(told), "4:0 5:0 ");
}

static void threads_with_long_names_are_found(void **state)
{
    struct told *told = *state;
    char name[3000], text[3100];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text, "thread 1 %s tid=1\nthread 2 b tid=2\n", name);
    session_draw_text(told->draw, text);
    assert_string_equal(read_more(told), "1:0 2:0 ");
}

static void chunks_of_samples_that_are_supplied_are_not_looked_at(void **state)
{
    struct told *told = *state;
    struct chunk_manager *manager = session_draw_manager(told->draw);
    session_draw_text(told->draw, "thread 1 a tid=1\n");
    supply_turn(&told->supply);
    struct chunk *chunk = chunk_manager_take_supplied(manager, NULL, 1);
    assert_non_null(chunk);
    struct thread_entry thread = {.thread = 9, .tid = 9};
    uint8_t *out = chunk_reserve(chunk, ENTRY_NUMBERS_MAX);
    chunk_commit(chunk, ENTRY_NUMBERS_MAX, entry_write_thread(out, ENTRY_NUMBERS_MAX, &thread));
    atomic_store(&chunk->header.kind, CHUNK_KEPT); /* which is a lie */
    assert_string_equal(read_more(told), "1:0 ");
}

/* --- bytes that nobody vouches for ------------------------------------------------------------------------------------ */

static struct chunk *kept_chunk(struct told *told)
{
    session_draw_text(told->draw, "thread 1 a tid=1\n");
    assert_string_equal(read_more(told), "1:0 ");
    return told->supply.view.chunks + told->reader.chunk;
}

static void an_entry_that_is_longer_than_what_is_there_ends_its_chunk(void **state)
{
    struct told *told = *state;
    struct chunk *chunk = kept_chunk(told);
    uint32_t used = atomic_load(&chunk->header.used);
    static const uint8_t bad[] = {0xff, 0xff, 0x7f, ENTRY_THREAD};
    memcpy(chunk->bytes + used, bad, sizeof bad);
    atomic_store(&chunk->header.used, used + (uint32_t)sizeof bad);
    assert_string_equal(read_more(told), "");
    /* The others go on. */
    session_draw_text(told->draw, "chunk kept\nthread 2 b tid=2\n");
    assert_string_equal(read_more(told), "2:0 ");
}

static void lengths_that_cannot_be_are_left_out(void **state)
{
    struct told *told = *state;
    struct chunk *chunk = kept_chunk(told);
    uint32_t used = atomic_load(&chunk->header.used);
    atomic_store(&chunk->header.used, UINT32_MAX);
    assert_string_equal(read_more(told), "");
    atomic_store(&chunk->header.used, (uint32_t)sizeof chunk->bytes + 1);
    assert_string_equal(read_more(told), "");
    atomic_store(&chunk->header.used, 0); /* less than before */
    assert_string_equal(read_more(told), "");
    atomic_store(&chunk->header.used, used);
    session_draw_text(told->draw, "thread 2 b tid=2\n");
    assert_string_equal(read_more(told), "2:0 ");
}

static void a_count_that_is_too_large_is_not_believed(void **state)
{
    struct told *told = *state;
    (void)kept_chunk(told);
    atomic_store(&session_draw_header(told->draw)->chunk_count, UINT32_MAX);
    assert_string_equal(read_more(told), "");
}

static void a_file_that_was_cut_off_is_read_as_far_as_it_goes(void **state)
{
    struct told *told = *state;
    (void)kept_chunk(told);
    session_draw_text(told->draw, "chunk kept\nthread 2 b tid=2\n");
    assert_int_equal(truncate(session_draw_path(told->draw), SESSION_HEADER_BYTES), 0);
    assert_string_equal(read_more(told), "");
}

static void any_bytes_do_no_harm(void **state)
{
    struct told *told = *state;
    struct chunk *chunk = kept_chunk(told);
    uint32_t random = 1;
    for (int round = 0; round < 300; round++) {
        for (size_t i = 0; i < 2000; i++) {
            random = random * 1664525 + 1013904223;
            /* Mostly small lengths and entries of this kind, so that some make sense. */
            chunk->bytes[i] = random >> 30 ? (uint8_t)(random >> 16) % 24 : (uint8_t)(random >> 16);
        }
        atomic_store(&chunk->header.used, 2000);
        told->reader = (struct kept_threads){0};
        (void)read_more(told);
        assert_true(told->reader.offset <= 2000);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(each_thread_is_told_once),
        TEST(a_thread_that_is_told_again_is_found_again),
        TEST(chunk_follows_chunk_in_the_order_of_their_numbers),
        TEST(threads_with_long_names_are_found),
        TEST(chunks_of_samples_that_are_supplied_are_not_looked_at),
        TEST(an_entry_that_is_longer_than_what_is_there_ends_its_chunk),
        TEST(lengths_that_cannot_be_are_left_out),
        TEST(a_count_that_is_too_large_is_not_believed),
        TEST(a_file_that_was_cut_off_is_read_as_far_as_it_goes),
        TEST(any_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
