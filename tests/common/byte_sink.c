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

static void assert_file_holds(const char *path, struct slice expected)
{
    struct error error = {0};
    assert_source_gives(byte_source_open(path, NULL, &error), 1000, expected);
}

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
    snprintf(command, sizeof command, "ls -A %s | wc -l", bytes_folder);
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
    int unnamed = open(bytes_folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
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

static void a_link_to_a_file_that_is_not_there_yet_stays_a_link(void **state)
{
    (void)state;
    char link[256], target[256];
    snprintf(link, sizeof link, "%s", path_of("early_link"));
    snprintf(target, sizeof target, "%s", path_of("later"));
    assert_int_equal(symlink("later", link), 0);
    write_file(link, PACKING_NONE, SLICE("new"));
    assert_file_holds(target, SLICE("new"));
    struct stat status;
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(symlink("round", path_of("round")), 0);
    struct error error = {0};
    assert_null(byte_sink_create(path_of("round"), PACKING_NONE, &error));
    assert_int_equal(error.code, -ELOOP);
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
        cmocka_unit_test(files_are_packed_as_asked_for),
        cmocka_unit_test(the_name_tells_the_packing),
        cmocka_unit_test(a_file_appears_only_when_it_is_complete),
        cmocka_unit_test(whoever_is_killed_leaves_nothing_behind),
        cmocka_unit_test(a_replaced_file_keeps_its_permissions_and_links),
        cmocka_unit_test(a_link_to_a_file_that_is_not_there_yet_stays_a_link),
        cmocka_unit_test(a_device_is_written_in_place),
        cmocka_unit_test(a_file_that_cannot_be_created_is_an_error),
        cmocka_unit_test(a_full_disk_is_an_error_and_nothing_is_kept),
        cmocka_unit_test(a_closed_pipe_is_an_ordinary_error),
        cmocka_unit_test(memory_keeps_what_was_written),
        cmocka_unit_test(a_failing_allocation_while_writing_is_a_clean_error),
    };
    return cmocka_run_group_tests_name("common/byte_sink", tests, make_folder, remove_folder);
}
