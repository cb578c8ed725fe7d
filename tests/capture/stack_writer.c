/* What stands in the file, drawn as in session_draw.h: `stack 1 +2 0x30` shares two frames with the STACK before. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/pages.h"
#include "capture/stack_writer.h"
#include "support/session_draw.h"
#include "support/session_dump.h"

struct fixture {
    char folder[64], path[PATH_MAX];
    struct chunk_manager *chunks;
    struct stack_writer *writer;
    struct registration *one, *two;
};

static int open_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error error = {0};
    struct chunk_manager_options options = {
        .folder = session_folder_make(fixture->folder), .pid = 1, .limit_bytes = 16 * CHUNK_BYTES, .interval_ns = 1000000};
    fixture->chunks = chunk_manager_create(&options, &error);
    assert_non_null(fixture->chunks);
    strcpy(fixture->path, chunk_manager_path(fixture->chunks));
    fixture->writer = pages_map(sizeof *fixture->writer);
    fixture->writer->chunks = fixture->chunks;
    fixture->one = pages_map(sizeof *fixture->one);
    fixture->one->info.number = 1;
    fixture->two = pages_map(sizeof *fixture->two);
    fixture->two->info.number = 2;
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    pages_unmap(fixture->writer, sizeof *fixture->writer);
    pages_unmap(fixture->one, sizeof *fixture->one);
    pages_unmap(fixture->two, sizeof *fixture->two);
    chunk_manager_free(fixture->chunks);
    session_folder_remove(fixture->folder);
    free(fixture);
    return 0;
}

/* Words: addresses, or labels. */
static void write_stack(struct fixture *fixture, struct registration *thread, const char *drawing)
{
    struct frame_entry frames[16];
    char words[256], *rest = words;
    size_t count = 0;
    strcpy(words, drawing);
    for (char *word; (word = strsep(&rest, " "));) {
        if (word[0] == '0')
            frames[count++] = (struct frame_entry){.kind = FRAME_NATIVE, .address = strtoull(word, NULL, 16)};
        else if (*word)
            frames[count++] = (struct frame_entry){.kind = FRAME_LABEL, .text = slice_of(word)};
    }
    assert_true(stack_writer_stack(fixture->writer, 5, thread, frames, count, false));
    /* What was given is not needed any more. */
    memset(words, '?', sizeof words);
}

static size_t write_filler(uint8_t *out, size_t room, const void *entry)
{
    (void)entry;
    struct stack_entry filler = {.thread = 99};
    size_t length = entry_write_stack(out, room, &filler);
    return length;
}

/* Fills the present chunk until less than `left` bytes are free. */
static void fill_chunk(struct fixture *fixture, size_t left)
{
    chunk_manager_extend(fixture->chunks, fixture->writer->chunk);
    while (chunk_reserve(fixture->writer->chunk, left))
        assert_true(stack_writer_put(fixture->writer, 5, left < 16 ? left : 16, write_filler, NULL));
}

static void expect(struct fixture *fixture, const char *expected)
{
    char *text = session_dump(fixture->path, NULL), *out = text;
    /* Without the filler. */
    for (char *line = text; *line;) {
        char *end = strchr(line, '\n') + 1;
        if (strncmp(line, "stack 99", 8) != 0) {
            memmove(out, line, (size_t)(end - line));
            out += end - line;
        }
        line = end;
    }
    *out = '\0';
    assert_string_equal(text, expected);
    free(text);
}

static void only_frames_that_differ_are_written(void **state)
{
    struct fixture *fixture = *state;
    write_stack(fixture, fixture->one, "0x10 0x20 0x30");
    write_stack(fixture, fixture->one, "0x10 0x20 0x31 0x40");
    write_stack(fixture, fixture->one, "0x10");
    write_stack(fixture, fixture->one, "0x11");
    expect(fixture, "stack 1 0x10 0x20 0x30\n"
                    "stack 1 +2 0x31 0x40\n"
                    "stack 1 +1\n"
                    "stack 1 0x11\n");
}

static void a_stack_that_did_not_change_is_not_written(void **state)
{
    struct fixture *fixture = *state;
    write_stack(fixture, fixture->one, "0x10 a 0x20");
    write_stack(fixture, fixture->one, "0x10 a 0x20");
    expect(fixture, "stack 1 0x10 label:a 0x20\n");
}

static void threads_do_not_share(void **state)
{
    struct fixture *fixture = *state;
    write_stack(fixture, fixture->one, "0x10 0x20");
    write_stack(fixture, fixture->two, "0x10 0x20");
    write_stack(fixture, fixture->one, "0x10 0x21");
    expect(fixture, "stack 1 0x10 0x20\n"
                    "stack 2 0x10 0x20\n"
                    "stack 1 +1 0x21\n");
}

static void texts_are_compared_by_what_they_say(void **state)
{
    struct fixture *fixture = *state;
    write_stack(fixture, fixture->one, "main load one 0x10");
    write_stack(fixture, fixture->one, "main load two 0x10");
    write_stack(fixture, fixture->one, "main load two three 0x10");
    expect(fixture, "stack 1 label:main label:load label:one 0x10\n"
                    "stack 1 +2 label:two 0x10\n"
                    "stack 1 +3 label:three 0x10\n");
}

static void the_first_stack_of_a_chunk_is_whole(void **state)
{
    struct fixture *fixture = *state;
    write_stack(fixture, fixture->one, "0x10 0x20 0x30");
    fill_chunk(fixture, 30);
    write_stack(fixture, fixture->one, "0x10 0x20 0x31");
    write_stack(fixture, fixture->one, "0x10 0x20 0x32");
    expect(fixture, "stack 1 0x10 0x20 0x30\n"
                    "chunk samples\n"
                    "stack 1 0x10 0x20 0x31\n"
                    "stack 1 +2 0x32\n");
}

static void an_unchanged_stack_of_an_older_chunk_is_not_written_again(void **state)
{
    struct fixture *fixture = *state;
    write_stack(fixture, fixture->one, "0x10 0x20");
    fill_chunk(fixture, 16);
    write_stack(fixture, fixture->two, "0x50");
    write_stack(fixture, fixture->one, "0x10 0x20");
    expect(fixture, "stack 1 0x10 0x20\n"
                    "chunk samples\n"
                    "stack 2 0x50\n");
}

static void what_only_the_next_victim_says_is_said_again(void **state)
{
    struct fixture *fixture = *state;
    write_stack(fixture, fixture->one, "main 0x10");
    fill_chunk(fixture, 16);
    write_stack(fixture, fixture->two, "0x50");
    uint64_t victim = chunk_manager_next_victim(fixture->chunks, CHUNK_SAMPLES);
    assert_int_not_equal(victim, 0);
    stack_writer_restate(fixture->writer, 6, fixture->one, victim);
    stack_writer_restate(fixture->writer, 6, fixture->two, victim);
    /* Once is enough. */
    stack_writer_restate(fixture->writer, 6, fixture->one, victim);
    expect(fixture, "stack 1 label:main 0x10\n"
                    "chunk samples\n"
                    "stack 2 0x50\n"
                    "stack 1 label:main 0x10\n");
}

static void an_idle_threads_stack_survives_any_number_of_recycled_chunks(void **state)
{
    struct fixture *fixture = *state;
    write_stack(fixture, fixture->one, "main wait 0x10");
    for (unsigned round = 0; round < 64; round++) {
        write_stack(fixture, fixture->two, round % 2 ? "0x50 0x60" : "0x50 0x61");
        fill_chunk(fixture, 16);
        write_stack(fixture, fixture->two, "0x70");
        uint64_t victim = chunk_manager_next_victim(fixture->chunks, CHUNK_SAMPLES);
        stack_writer_restate(fixture->writer, 6, fixture->one, victim);
        stack_writer_restate(fixture->writer, 6, fixture->two, victim);
        chunk_manager_prepare(fixture->chunks);
    }
    struct session_file_header *header = chunk_manager_header(fixture->chunks);
    assert_true(atomic_load(&header->statistics[STATISTIC_CHUNKS_RECYCLED]) > 16);
    assert_int_equal(atomic_load(&header->statistics[STATISTIC_ENTRIES_LOST]), 0);
    char *text = session_dump(fixture->path, NULL);
    assert_non_null(strstr(text, "stack 1 label:main label:wait 0x10\n"));
    free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        TEST(only_frames_that_differ_are_written),
        TEST(a_stack_that_did_not_change_is_not_written),
        TEST(threads_do_not_share),
        TEST(texts_are_compared_by_what_they_say),
        TEST(the_first_stack_of_a_chunk_is_whole),
        TEST(an_unchanged_stack_of_an_older_chunk_is_not_written_again),
        TEST(what_only_the_next_victim_says_is_said_again),
        TEST(an_idle_threads_stack_survives_any_number_of_recycled_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
