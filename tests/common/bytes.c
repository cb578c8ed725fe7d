#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/byte_sink.h"
#include "common/byte_source.h"
#include "common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- a folder for files, and files in it --- */

static char folder[] = "/tmp/sonde-bytes-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Everything a source gives, to be freed; its last answer (0 or an error) in `*end`. */
static struct slice read_all(struct byte_source *source, size_t capacity, ssize_t *end, struct error *error)
{
    char *bytes = malloc(8 << 20);
    size_t count = 0;
    ssize_t got;
    while ((got = source->read(source, bytes + count, capacity, error)) > 0)
        count += (size_t)got;
    *end = got;
    return (struct slice){bytes, count};
}

static void assert_source_gives(struct byte_source *source, size_t capacity, struct slice expected)
{
    struct error error = {0};
    ssize_t end;
    assert_non_null(source);
    struct slice bytes = read_all(source, capacity, &end, &error);
    assert_int_equal(end, 0);
    assert_true(slice_equal(bytes, expected));
    free((void *)(uintptr_t)bytes.text);
    byte_source_close(source);
}

static void assert_file_holds(const char *path, struct slice expected)
{
    struct error error = {0};
    assert_source_gives(byte_source_open(path, NULL, &error), 1000, expected);
}

static void write_file(const char *path, enum byte_packing packing, struct slice bytes)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_create(path, packing, &error);
    assert_non_null(sink);
    assert_int_equal(byte_sink_write(sink, bytes, &error), 0);
    assert_int_equal(byte_sink_close(sink, true, &error), 0);
}

/* The file as it is, not unpacked. To be freed. */
static struct slice raw_file(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    size_t size = (size_t)status.st_size;
    char *bytes = malloc(size + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, bytes, size), size);
    close(fd);
    return (struct slice){bytes, size};
}

/* Text that packs to about a tenth. To be freed. */
static struct slice sample(size_t lines)
{
    char *text = malloc(lines * 32 + 1);
    size_t length = 0;
    for (size_t i = 0; i < lines; i++)
        length += (size_t)sprintf(text + length, "[%zu,%zu.%zu],\n", i, i * 7919 % 1000, i * 104729 % 997);
    return (struct slice){text, length};
}

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

static void release(struct slice bytes)
{
    free((void *)(uintptr_t)bytes.text);
}

/* --- sources --- */

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
    assert_null(byte_source_open(folder, NULL, &error));
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

/* --- sinks --- */

static void files_are_packed_as_asked_for(void **state)
{
    (void)state;
    struct slice text = sample(30000);
    for (enum byte_packing packing = PACKING_NONE; packing <= PACKING_ZSTD; packing++) {
        const char *path = path_of("packed");
        write_file(path, packing, text);
        assert_file_holds(path, text);
        struct slice raw = raw_file(path);
        assert_int_equal(raw.length < text.length / 2, packing != PACKING_NONE);
        release(raw);
    }
    release(text);
}

static void the_name_tells_the_packing(void **state)
{
    (void)state;
    assert_int_equal(byte_packing_of_name("a.json"), PACKING_NONE);
    assert_int_equal(byte_packing_of_name("a.json.gz"), PACKING_GZIP);
    assert_int_equal(byte_packing_of_name("a.json.zst"), PACKING_ZSTD);
    assert_int_equal(byte_packing_of_name("gz"), PACKING_NONE);
    assert_int_equal(byte_packing_of_name("-"), PACKING_NONE);
}

static unsigned files_in_folder(void)
{
    char command[64];
    snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    FILE *out = popen(command, "r");
    unsigned count = 0;
    assert_int_equal(fscanf(out, "%u", &count), 1);
    pclose(out);
    return count;
}

static void a_file_appears_only_when_it_is_complete(void **state)
{
    (void)state;
    struct error error = {0};
    for (enum byte_packing packing = PACKING_NONE; packing <= PACKING_ZSTD; packing++) {
        const char *path = path_of("kept");
        write_file(path, PACKING_NONE, SLICE("old"));
        unsigned before = files_in_folder();
        struct byte_sink *sink = byte_sink_create(path, packing, &error);
        assert_int_equal(byte_sink_write(sink, SLICE("new"), &error), 0);
        assert_file_holds(path, SLICE("old"));
        assert_int_equal(byte_sink_close(sink, false, &error), 0);
        assert_file_holds(path, SLICE("old"));
        assert_int_equal(files_in_folder(), before);
        sink = byte_sink_create(path, packing, &error);
        assert_int_equal(byte_sink_write(sink, SLICE("new"), &error), 0);
        assert_int_equal(byte_sink_close(sink, true, &error), 0);
        assert_file_holds(path, SLICE("new"));
        assert_int_equal(files_in_folder(), before);
        unlink(path);
    }
    assert_int_equal(byte_sink_close(NULL, true, &error), 0);
}

/* Linux has files without a name on nearly all of its file systems; that of this folder may be one of the others. */
static void whoever_is_killed_leaves_nothing_behind(void **state)
{
    (void)state;
    struct error error = {0};
    int unnamed = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    if (unnamed < 0)
        skip();
    close(unnamed);
    unsigned before = files_in_folder();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct byte_sink *sink = byte_sink_create(path_of("killed"), PACKING_NONE, &error);
        if (sink && byte_sink_write(sink, SLICE("half"), &error) == 0)
            kill(getpid(), SIGKILL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(files_in_folder(), before);
}

static void a_replaced_file_keeps_its_permissions_and_links(void **state)
{
    (void)state;
    char link[256], target[256];
    snprintf(link, sizeof link, "%s", path_of("link"));
    snprintf(target, sizeof target, "%s", path_of("target"));
    write_file(target, PACKING_NONE, SLICE("old"));
    assert_int_equal(chmod(target, 0640), 0);
    assert_int_equal(symlink("target", link), 0);
    write_file(link, PACKING_NONE, SLICE("new"));
    assert_file_holds(target, SLICE("new"));
    struct stat status;
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(target, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
}

static void a_device_is_written_in_place(void **state)
{
    (void)state;
    write_file("/dev/null", PACKING_NONE, SLICE("gone"));
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

static void a_file_that_cannot_be_created_is_an_error(void **state)
{
    (void)state;
    struct error error = {0};
    assert_null(byte_sink_create(path_of("no/such/folder"), PACKING_NONE, &error));
    assert_int_equal(error.code, -ENOENT);
    assert_string_equal(error.message, "cannot create: No such file or directory");
}

static void a_full_disk_is_an_error_and_nothing_is_kept(void **state)
{
    (void)state;
    struct error error = {0};
    struct byte_sink *sink = byte_sink_create("/dev/full", PACKING_NONE, &error);
    assert_non_null(sink);
    assert_int_equal(byte_sink_write(sink, SLICE("x"), &error), -ENOSPC);
    assert_string_equal(error.message, "cannot write: No space left on device");
    assert_int_equal(byte_sink_close(sink, true, &error), -ENOSPC);
}

static void a_closed_pipe_is_an_ordinary_error(void **state)
{
    (void)state;
    struct error error = {0};
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    struct byte_sink *sink = byte_sink_create("-", PACKING_NONE, &error);
    int result = byte_sink_write(sink, SLICE("x"), &error);
    int closed = byte_sink_close(sink, true, &error);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    signal(SIGPIPE, before);
    assert_int_equal(result, -EPIPE);
    assert_int_equal(closed, -EPIPE);
}

static void memory_keeps_what_was_written(void **state)
{
    (void)state;
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_int_equal(byte_sink_memory_bytes(sink).length, 0);
    assert_int_equal(byte_sink_write(sink, SLICE("ab"), &error), 0);
    assert_int_equal(byte_sink_write(sink, SLICE(""), &error), 0);
    assert_int_equal(byte_sink_write(sink, SLICE("c"), &error), 0);
    assert_true(slice_is(byte_sink_memory_bytes(sink), "abc"));
    assert_int_equal(byte_sink_close(sink, true, &error), 0);
}

/* --- failing allocations --- */

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

static void a_failing_allocation_while_writing_is_a_clean_error(void **state)
{
    (void)state;
    unsigned before = files_in_folder();
    for (enum byte_packing packing = PACKING_NONE; packing <= PACKING_ZSTD; packing++) {
        bool done = false;
        for (unsigned long n = 1; !done; n++) {
            struct error error = {0};
            char path[256];
            snprintf(path, sizeof path, "%s", path_of("never"));
            memory_fail_after(n);
            struct byte_sink *sink = byte_sink_create(path, packing, &error);
            done = sink && byte_sink_write(sink, SLICE("abc"), &error) == 0;
            byte_sink_close(sink, false, &error);
            memory_fail_after(0);
            if (!done)
                assert_int_equal(error.code, -ENOMEM);
        }
    }
    assert_int_equal(files_in_folder(), before);
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
        cmocka_unit_test(files_are_packed_as_asked_for),
        cmocka_unit_test(the_name_tells_the_packing),
        cmocka_unit_test(a_file_appears_only_when_it_is_complete),
        cmocka_unit_test(whoever_is_killed_leaves_nothing_behind),
        cmocka_unit_test(a_replaced_file_keeps_its_permissions_and_links),
        cmocka_unit_test(a_device_is_written_in_place),
        cmocka_unit_test(a_file_that_cannot_be_created_is_an_error),
        cmocka_unit_test(a_full_disk_is_an_error_and_nothing_is_kept),
        cmocka_unit_test(a_closed_pipe_is_an_ordinary_error),
        cmocka_unit_test(memory_keeps_what_was_written),
        cmocka_unit_test(a_failing_allocation_while_reading_is_a_clean_error),
        cmocka_unit_test(a_failing_allocation_while_writing_is_a_clean_error),
    };
    return cmocka_run_group_tests_name("bytes", tests, make_folder, remove_folder);
}
