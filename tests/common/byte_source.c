#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bytes_support.h"
#include "common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* `text` packed, `parts` members or frames one after the other. To be freed. */
static struct slice packed(struct slice text, enum byte_packing packing, size_t parts)
{
    char *bytes = malloc(text.length * 2 + 4096);
    size_t length = 0;
    for (size_t i = 0; i < parts; i++) {
        size_t from = text.length * i / parts, to = text.length * (i + 1) / parts;
        const char *path = path_of("part");
        write_file(path, packing, (struct slice){text.text + from, to - from});
        struct slice part = raw_file(path);
        memcpy(bytes + length, part.text, part.length);
        length += part.length;
        free((void *)(uintptr_t)part.text);
    }
    return (struct slice){bytes, length};
}

static void memory_is_handed_out_in_pieces(void **state)
{
    (void)state;
    struct error error = {0};
    char buffer[10];
    struct byte_source *source = byte_source_memory(SLICE("abcdefg"), 3, false, &error);
    assert_int_equal(source->read(source, buffer, 10, &error), 3);
    assert_memory_equal(buffer, "abc", 3);
    assert_int_equal(source->read(source, buffer, 2, &error), 2);
    assert_int_equal(source->read(source, buffer, 10, &error), 2);
    assert_memory_equal(buffer, "fg", 2);
    assert_int_equal(source->read(source, buffer, 10, &error), 0);
    assert_int_equal(source->read(source, buffer, 10, &error), 0);
    byte_source_close(source);
    assert_source_gives(byte_source_memory(SLICE("abcdefg"), 0, false, &error), 10, SLICE("abcdefg"));
    byte_source_close(NULL);
}

static void plain_bytes_pass_through_unpacking(void **state)
{
    (void)state;
    struct error error = {0};
    static const char *const texts[] = {"", "a", "\x1f", "abc", "\x28\xb5\x2f", "[1,2,3]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t piece = 0; piece < 4; piece++)
            assert_source_gives(byte_source_memory(slice_of(texts[i]), piece, true, &error), 2, slice_of(texts[i]));
}

static void packed_bytes_are_unpacked_however_they_are_cut(void **state)
{
    (void)state;
    struct error error = {0};
    struct slice text = sample(5000);
    for (enum byte_packing packing = PACKING_GZIP; packing <= PACKING_ZSTD; packing++)
        for (size_t parts = 1; parts <= 3; parts++) {
            struct slice bytes = packed(text, packing, parts);
            static const size_t pieces[] = {0, 1, 7, 1000};
            for (size_t i = 0; i < 4; i++) {
                assert_source_gives(byte_source_memory(bytes, pieces[i], true, &error), 1000000, text);
                assert_source_gives(byte_source_memory(bytes, pieces[i], true, &error), 13, text);
            }
            release(bytes);
        }
    release(text);
}

static void empty_members_and_frames_are_passed_over(void **state)
{
    (void)state;
    struct error error = {0};
    for (enum byte_packing packing = PACKING_GZIP; packing <= PACKING_ZSTD; packing++) {
        struct slice bytes = packed(SLICE("ab"), packing, 6);
        assert_source_gives(byte_source_memory(bytes, 0, true, &error), 100, SLICE("ab"));
        release(bytes);
        bytes = packed(SLICE(""), packing, 1);
        assert_source_gives(byte_source_memory(bytes, 0, true, &error), 100, SLICE(""));
        release(bytes);
    }
}

static void packed_bytes_cut_anywhere_are_an_error(void **state)
{
    (void)state;
    struct slice text = sample(50);
    for (enum byte_packing packing = PACKING_GZIP; packing <= PACKING_ZSTD; packing++) {
        struct slice bytes = packed(text, packing, 1);
        for (size_t length = 4; length < bytes.length; length++) {
            struct error error = {0};
            ssize_t end;
            char expected[100];
            struct byte_source *source = byte_source_memory((struct slice){bytes.text, length}, 0, true, &error);
            struct slice got = read_all(source, 64, &end, &error);
            assert_int_equal(end, -EBADMSG);
            snprintf(expected, sizeof expected, "truncated %s data at byte %zu", packing == PACKING_GZIP ? "gzip" : "zstd",
                     length);
            assert_string_equal(error.message, expected);
            release(got);
            byte_source_close(source);
        }
        release(bytes);
    }
    release(text);
}

static void damaged_packed_bytes_are_an_error_with_the_offset(void **state)
{
    (void)state;
    struct slice text = sample(500);
    for (enum byte_packing packing = PACKING_GZIP; packing <= PACKING_ZSTD; packing++) {
        struct slice bytes = packed(text, packing, 1);
        ((char *)(uintptr_t)bytes.text)[bytes.length / 2] ^= 0x55;
        struct error error = {0};
        ssize_t end;
        struct byte_source *source = byte_source_memory(bytes, 0, true, &error);
        struct slice got = read_all(source, 100000, &end, &error);
        assert_int_equal(end, -EBADMSG);
        assert_memory_equal(error.message, "damaged ", 8);
        assert_non_null(strstr(error.message, "data at byte "));
        release(got);
        byte_source_close(source);
        release(bytes);
    }
    release(text);
}

static void zeros_behind_gzip_data_are_padding_but_nothing_else_is(void **state)
{
    (void)state;
    struct error error = {0};
    struct slice bytes = packed(SLICE("abc"), PACKING_GZIP, 1);
    size_t length = bytes.length;
    char *grown = realloc((void *)(uintptr_t)bytes.text, length + 10);
    memset(grown + length, 0, 10);
    assert_source_gives(byte_source_memory((struct slice){grown, length + 10}, 3, true, &error), 100, SLICE("abc"));
    grown[length] = 'x';
    struct byte_source *source = byte_source_memory((struct slice){grown, length + 1}, 0, true, &error);
    ssize_t end;
    struct slice got = read_all(source, 100, &end, &error);
    assert_int_equal(end, -EBADMSG);
    assert_non_null(strstr(error.message, "something else follows"));
    release(got);
    byte_source_close(source);
    free(grown);
}

static void a_file_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct error error = {0};
    assert_null(byte_source_open(path_of("missing"), NULL, &error));
    assert_int_equal(error.code, -ENOENT);
    assert_string_equal(error.message, "cannot open: No such file or directory");
    error = (struct error){0};
    assert_null(byte_source_open(bytes_folder, NULL, &error));
    assert_int_equal(error.code, -EISDIR);
}

struct seen {
    uint64_t done;
    uint64_t total;
    unsigned calls;
};

static void see(void *data, uint64_t done, uint64_t total)
{
    struct seen *seen = data;
    assert_true(done >= seen->done);
    *seen = (struct seen){done, total, seen->calls + 1};
}

static void progress_counts_the_bytes_of_the_file(void **state)
{
    (void)state;
    struct error error = {0};
    struct slice text = sample(20000);
    const char *path = path_of("progress.gz");
    write_file(path, PACKING_GZIP, text);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    struct seen seen = {0};
    struct byte_progress progress = {see, &seen};
    assert_source_gives(byte_source_open(path, &progress, &error), 1000, text);
    assert_int_equal(seen.done, status.st_size);
    assert_int_equal(seen.total, status.st_size);
    assert_true(seen.calls > 1);
    release(text);
}

static void standard_input_is_read_under_the_name_minus(void **state)
{
    (void)state;
    struct error error = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "from a pipe", 11), 11);
    close(ends[1]);
    int saved = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    assert_source_gives(byte_source_open("-", NULL, &error), 4, SLICE("from a pipe"));
    dup2(saved, STDIN_FILENO);
    close(saved);
}

/* --- large packed files, which are unpacked ahead of the reader --- */

enum { MANY_LINES = 200000 }; /* some MB */

static void a_large_packed_file_reads_whole(void **state)
{
    (void)state;
    struct error error = {0};
    struct slice text = sample(MANY_LINES);
    for (enum byte_packing packing = PACKING_GZIP; packing <= PACKING_ZSTD; packing++) {
        const char *path = path_of("large");
        write_file(path, packing, text);
        assert_source_gives(byte_source_open(path, NULL, &error), 100000, text);
        assert_source_gives(byte_source_open(path, NULL, &error), 4000000, text);
    }
    release(text);
}

static void a_large_packed_file_may_be_closed_at_any_point(void **state)
{
    (void)state;
    struct error error = {0};
    struct slice text = sample(MANY_LINES);
    const char *path = path_of("large");
    write_file(path, PACKING_ZSTD, text);
    char *buffer = malloc(300000);
    for (size_t reads = 0; reads < 16; reads++) {
        struct byte_source *source = byte_source_open(path, NULL, &error);
        size_t count = 0;
        for (size_t i = 0; i < reads; i++) {
            ssize_t got = source->read(source, buffer, 300000, &error);
            assert_true(got > 0 || count == text.length);
            assert_memory_equal(buffer, text.text + count, (size_t)got);
            count += (size_t)got;
        }
        byte_source_close(source);
    }
    free(buffer);
    release(text);
}

static void a_large_packed_file_that_is_cut_is_an_error(void **state)
{
    (void)state;
    struct slice text = sample(MANY_LINES);
    const char *path = path_of("large");
    write_file(path, PACKING_GZIP, text);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(truncate(path, status.st_size - 10), 0);
    struct error error = {0};
    struct byte_source *source = byte_source_open(path, NULL, &error);
    ssize_t end;
    struct slice got = read_all(source, 100000, &end, &error);
    char expected[100], again;
    snprintf(expected, sizeof expected, "truncated gzip data at byte %lld", (long long)status.st_size - 10);
    assert_int_equal(end, -EBADMSG);
    assert_string_equal(error.message, expected);
    assert_int_equal(source->read(source, &again, 1, &error), -EBADMSG);
    byte_source_close(source);
    release(got);
    release(text);
}

static void a_large_packed_file_reads_without_memory_for_a_thread(void **state)
{
    (void)state;
    struct error error = {0};
    struct slice text = sample(MANY_LINES);
    const char *path = path_of("large");
    write_file(path, PACKING_ZSTD, text);
    struct byte_source *source = byte_source_open(path, NULL, &error);
    memory_fail_after(1);
    assert_source_gives(source, 100000, text);
    memory_fail_after(0);
    release(text);
}

static void a_failing_allocation_while_reading_is_a_clean_error(void **state)
{
    (void)state;
    struct slice text = sample(3000);
    struct slice bytes = packed(text, PACKING_GZIP, 2);
    bool done = false;
    unsigned long n = 1;
    for (; !done; n++) {
        struct error error = {0};
        memory_fail_after(n);
        struct byte_source *source = byte_source_memory(bytes, 0, true, &error);
        if (source) {
            ssize_t end;
            struct slice got = read_all(source, 1000, &end, &error);
            done = end == 0;
            assert_true(!done || slice_equal(got, text));
            release(got);
        }
        byte_source_close(source);
        memory_fail_after(0);
        if (!done)
            assert_int_equal(error.code, -ENOMEM);
    }
    assert_true(n > 4);
    release(bytes);
    release(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_handed_out_in_pieces),
        cmocka_unit_test(plain_bytes_pass_through_unpacking),
        cmocka_unit_test(packed_bytes_are_unpacked_however_they_are_cut),
        cmocka_unit_test(empty_members_and_frames_are_passed_over),
        cmocka_unit_test(packed_bytes_cut_anywhere_are_an_error),
        cmocka_unit_test(damaged_packed_bytes_are_an_error_with_the_offset),
        cmocka_unit_test(zeros_behind_gzip_data_are_padding_but_nothing_else_is),
        cmocka_unit_test(a_file_that_is_not_there_is_an_error),
        cmocka_unit_test(progress_counts_the_bytes_of_the_file),
        cmocka_unit_test(standard_input_is_read_under_the_name_minus),
        cmocka_unit_test(a_large_packed_file_reads_whole),
        cmocka_unit_test(a_large_packed_file_may_be_closed_at_any_point),
        cmocka_unit_test(a_large_packed_file_that_is_cut_is_an_error),
        cmocka_unit_test(a_large_packed_file_reads_without_memory_for_a_thread),
        cmocka_unit_test(a_failing_allocation_while_reading_is_a_clean_error),
    };
    return cmocka_run_group_tests_name("common/byte_source", tests, make_folder, remove_folder);
}
