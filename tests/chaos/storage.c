/* Nowhere to put the recording, or no room for it, or an end without warning: the program does not notice, and what is there
 * can be read.
 *
 *     storage TALKATIVE [full | read-only FOLDER]        the second form: one test, on a file system of its own */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "left_behind.h"
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *talkative;

/* Runs the program recorded into `folder`. */
static void run_recorded(const char *folder, uint64_t file_limit, unsigned kill_after_us, struct ended *ended)
{
    char session[300];
    snprintf(session, sizeof session, "SONDE_SESSION=%s", folder);
    const char *words[] = {talkative, NULL};
    const char *settings[] = {"LD_PRELOAD=" PRELOAD, "SONDE_STARTUP=1", session, NULL};
    program_run(&(struct program){words, settings, file_limit, kill_after_us}, ended);
}

static void assert_not_noticed(const struct ended *recorded)
{
    struct ended plain;
    const char *words[] = {talkative, NULL};
    program_run(&(struct program){.words = words}, &plain);
    assert_string_equal(status_text(plain.status), "exit status 0");
    if (recorded->status != plain.status)
        fail_msg("%s\n%s%s", status_text(recorded->status), recorded->output, recorded->errors);
    assert_string_equal(recorded->output, plain.output);
    ended_free(&plain);
}

static void files_that_may_not_grow_limit_the_recording_and_not_the_program(void **state)
{
    (void)state;
    static const uint64_t limits[] = {4096, 70000, 1 << 20, 4 << 20};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        char folder[200];
        folder_make(folder, sizeof folder);
        struct ended ended;
        run_recorded(folder, limits[i], 0, &ended);
        assert_not_noticed(&ended);
        struct left_behind left;
        left_behind_read(folder, &left);
        print_message("note: at most %lu bytes: %lu files, %lu samples, %lu markers\n", limits[i], left.files, left.samples,
                      left.markers);
        assert_true(left.bytes <= limits[i]);
        assert_true(left.files == 0 || left.markers > 0);
        folder_remove(folder);
        ended_free(&ended);
    }
}

/* A file system of its own, of `size`, over `folder`. False where this user may not. */
static bool mount_small(const char *folder, const char *options, unsigned long flags)
{
    int uid = (int)getuid();
    if (unshare(CLONE_NEWNS) != 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
            return false;
        char map[40];
        snprintf(map, sizeof map, "0 %d 1", uid);
        int fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
        bool mapped = fd >= 0 && write(fd, map, strlen(map)) > 0;
        close(fd);
        if (!mapped)
            return false;
    }
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mount("small", folder, "tmpfs", flags, options) == 0;
}

/* Runs one of the tests below in a process of its own, so that the mount goes with it. */
static void on_small_file_system(const char *test, const char *options, unsigned long flags)
{
    char folder[200];
    folder_make(folder, sizeof folder);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (!mount_small(folder, options, flags))
            _exit(77);
        execl("/proc/self/exe", "storage", talkative, test, folder, (char *)NULL);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    folder_remove(folder);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

static void the_small_disk_is_full_in_the_end(void **state)
{
    struct ended ended;
    run_recorded(*state, 0, 0, &ended);
    assert_not_noticed(&ended);
    struct left_behind left;
    left_behind_read(*state, &left);
    print_message("note: a disk of 3 MiB: %lu samples, %lu markers\n", left.samples, left.markers);
    assert_int_equal(left.states[SESSION_DISK_FULL], 1);
    assert_true(left.markers > 0);
    ended_free(&ended);
}

static void a_full_disk_ends_the_recording_and_not_the_program(void **state)
{
    (void)state;
    on_small_file_system("full", "size=3m", 0);
}

static void nothing_can_be_written(void **state)
{
    struct ended ended;
    run_recorded(*state, 0, 0, &ended);
    assert_not_noticed(&ended);
    ended_free(&ended);
}

static void a_read_only_folder_leaves_the_program_alone(void **state)
{
    (void)state;
    on_small_file_system("read-only", "size=1m", MS_RDONLY);
}

static void a_folder_that_takes_no_files_leaves_the_program_alone(void **state)
{
    (void)state;
    static const char *const folders[] = {"/proc/self", "/dev/null", "/proc/nowhere/at/all"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct ended ended;
        run_recorded(folders[i], 0, 0, &ended);
        assert_not_noticed(&ended);
        ended_free(&ended);
    }
}

static void a_program_that_is_killed_leaves_a_session_that_can_be_read(void **state)
{
    (void)state;
    unsigned with_markers = 0;
    srandom(1);
    for (unsigned i = 0; i < 25; i++) {
        char folder[200];
        folder_make(folder, sizeof folder);
        struct ended ended;
        run_recorded(folder, 0, 1 + (unsigned)random() % 80000, &ended);
        assert_true(WIFSIGNALED(ended.status) || WIFEXITED(ended.status));
        struct left_behind left;
        left_behind_read(folder, &left);
        with_markers += left.markers > 0;
        folder_remove(folder);
        ended_free(&ended);
    }
    print_message("note: %u of 25 were killed late enough to have said something\n", with_markers);
    assert_true(with_markers > 0);
}

static void a_session_that_is_removed_meanwhile_leaves_the_program_alone(void **state)
{
    (void)state;
    char folder[200];
    folder_make(folder, sizeof folder);
    fflush(NULL);
    pid_t remover = fork();
    assert_true(remover >= 0);
    if (remover == 0) {
        for (unsigned i = 0; i < 20; i++) {
            usleep(20000);
            folder_remove(folder);
        }
        _exit(0);
    }
    struct ended ended;
    run_recorded(folder, 0, 0, &ended);
    assert_not_noticed(&ended);
    ended_free(&ended);
    assert_int_equal(waitpid(remover, NULL, 0), remover);
    folder_remove(folder);
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 4) {
        fputs("usage: storage TALKATIVE\n", stderr);
        return 2;
    }
    talkative = argv[1];
    if (argc == 4) {
        const struct CMUnitTest full = cmocka_unit_test_prestate(the_small_disk_is_full_in_the_end, argv[3]);
        const struct CMUnitTest read_only = cmocka_unit_test_prestate(nothing_can_be_written, argv[3]);
        const struct CMUnitTest tests[] = {strcmp(argv[2], "full") == 0 ? full : read_only};
        return cmocka_run_group_tests(tests, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_may_not_grow_limit_the_recording_and_not_the_program),
        cmocka_unit_test(a_full_disk_ends_the_recording_and_not_the_program),
        cmocka_unit_test(a_read_only_folder_leaves_the_program_alone),
        cmocka_unit_test(a_folder_that_takes_no_files_leaves_the_program_alone),
        cmocka_unit_test(a_program_that_is_killed_leaves_a_session_that_can_be_read),
        cmocka_unit_test(a_session_that_is_removed_meanwhile_leaves_the_program_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
