/* Programs that were started in a session and left no recording are named. */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ipc/quota.h"
#include "meeting.h"
#include "session/format.h"
#include "support/session_draw.h"

static void programs_that_left_no_recording_are_named_with_the_reason(void **state)
{
    struct meeting *meeting = *state;
    int fd = join(meeting, getpid(), 0);
    struct link_message child = {.kind = LINK_CHILD, .reason = LINK_REASON_UNKNOWN};
    for (int pid = 100; pid < 112; pid++) {
        child.pid = pid;
        say(fd, child, STATIC_PROGRAM);
    }
    child.pid = 200;
    child.reason = LINK_REASON_ENVIRONMENT;
    say(fd, child, "/bin/sh");
    /* It becomes a program that can be recorded, and is. */
    child.pid = getpid();
    say(fd, child, "/bin/ls");
    turn(meeting);
    int next = join(meeting, getpid(), 1);
    struct lines lines = {0};
    coordinator_notes(meeting->coordinator, add_line, &lines);
    assert_int_equal(lines.count, 2);
    const char *of_static = strstr(lines.text[0], "static") ? lines.text[0] : lines.text[1];
    const char *of_shell = of_static == lines.text[0] ? lines.text[1] : lines.text[0];
    assert_non_null(strstr(of_static, STATIC_PROGRAM " (12 times) was not recorded: statically linked"));
    assert_string_equal(of_shell, "/bin/sh was not recorded: started with an environment of its own");
    close(fd);
    close(next);
}

static void what_was_said_before_hanging_up_is_heard_even_where_the_answer_was_not(void **state)
{
    struct meeting *meeting = *state;
    int fd = join(meeting, getpid(), 0);
    say(fd, (struct link_message){.kind = LINK_CHILD, .pid = 1000, .reason = LINK_REASON_ENVIRONMENT}, "/bin/sh");
    close(fd);
    turn(meeting);
    struct lines lines = {0};
    coordinator_notes(meeting->coordinator, add_line, &lines);
    assert_int_equal(lines.count, 1);
}

static void of_many_programs_a_few_are_named(void **state)
{
    struct meeting *meeting = *state;
    int fd = join(meeting, getpid(), 0);
    char path[128] = "/bin/";
    for (int i = 0; i < 40; i++) {
        char program[160];
        snprintf(program, sizeof program, "%ssh", path);
        strcat(path, "./");
        say(fd, (struct link_message){.kind = LINK_CHILD, .pid = 1000 + i, .reason = LINK_REASON_ENVIRONMENT}, program);
        turn(meeting);
    }
    struct lines lines = {0};
    coordinator_notes(meeting->coordinator, add_line, &lines);
    assert_int_equal(lines.count, 11);
    assert_string_equal(lines.text[10], "… and 30 more");
    close(fd);
}

static void the_name_of_a_program_does_nothing_to_a_terminal(void **state)
{
    struct meeting *meeting = *state;
    int fd = join(meeting, getpid(), 0);
    char path[128];
    snprintf(path, sizeof path, "%s/a\x1b[2Jb", meeting->folder);
    assert_int_equal(symlink("/bin/sh", path), 0);
    say(fd, (struct link_message){.kind = LINK_CHILD, .pid = 1000, .reason = LINK_REASON_ENVIRONMENT}, path);
    turn(meeting);
    struct lines lines = {0};
    coordinator_notes(meeting->coordinator, add_line, &lines);
    assert_int_equal(lines.count, 1);
    assert_non_null(strstr(lines.text[0], "a?[2Jb was not recorded"));
    unlink(path);
    close(fd);
}

static void a_program_in_the_root_has_one_slash(void **state)
{
    struct meeting *meeting = *state;
    char before[PATH_MAX];
    int fd = join(meeting, getpid(), 0);
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir("/"), 0);
    say(fd, (struct link_message){.kind = LINK_CHILD, .pid = getpid(), .image = 5, .reason = LINK_REASON_ENVIRONMENT},
        "bin/sh");
    turn(meeting);
    assert_int_equal(chdir(before), 0);
    struct lines lines = {0};
    coordinator_notes(meeting->coordinator, add_line, &lines);
    assert_int_equal(lines.count, 1);
    assert_non_null(strstr(lines.text[0], "/bin/sh was not recorded"));
    assert_null(strstr(lines.text[0], "//"));
    close(fd);
}

static void what_is_not_there_was_not_started(void **state)
{
    struct meeting *meeting = *state;
    int fd = join(meeting, getpid(), 0);
    say(fd, (struct link_message){.kind = LINK_CHILD, .pid = 1000, .reason = LINK_REASON_ENVIRONMENT}, "/no/such/program");
    turn(meeting);
    struct lines lines = {0};
    coordinator_notes(meeting->coordinator, add_line, &lines);
    assert_int_equal(lines.count, 0);
    close(fd);
}

static void thousands_of_programs_that_were_recorded_are_not_missing(void **state)
{
    struct meeting *meeting = *state;
    int fd = join(meeting, getpid(), 0);
    for (uint32_t i = 1; i < 6000; i++) {
        say(fd, (struct link_message){.kind = LINK_CHILD, .pid = getpid(), .image = i}, "/bin/sh");
        int next = connect_to(meeting->folder);
        say(next, (struct link_message){.kind = LINK_JOIN, .pid = getpid(), .image = i}, "");
        close(fd);
        fd = next;
        /* Accepts, reads. */
        assert_true(coordinator_turn(meeting->coordinator));
        assert_true(coordinator_turn(meeting->coordinator));
    }
    struct lines lines = {0};
    coordinator_notes(meeting->coordinator, add_line, &lines);
    assert_int_equal(lines.count, 0);
    assert_int_equal(figures(meeting).joined, 6000);
    assert_int_equal(figures(meeting).live, 1);
    close(fd);
}

/* ---- told by notices ---- */

static void say_why_in_room(struct meeting *meeting, int pid, uint32_t image, uint32_t reason, const char *path)
{
    struct quota *quota = quota_open(meeting->folder);
    assert_true(quota_tell_start(quota, &(struct start_notice){pid, image, reason, path}));
    quota_close(quota);
}

static void say_in_room(struct meeting *meeting, int pid, uint32_t image, const char *path)
{
    say_why_in_room(meeting, pid, image, LINK_REASON_ENVIRONMENT, path);
}

static int lines_in_the_end(struct meeting *meeting, struct lines *lines)
{
    *lines = (struct lines){0};
    coordinator_stop(meeting->coordinator);
    coordinator_notes(meeting->coordinator, add_line, lines);
    return lines->count;
}

static void what_is_told_through_the_room_is_heard_until_the_end(void **state)
{
    struct meeting *meeting = *state;
    struct lines lines;
    say_in_room(meeting, 100, 0, STATIC_PROGRAM);
    assert_true(coordinator_turn(meeting->coordinator));
    coordinator_stop(meeting->coordinator);
    say_in_room(meeting, 101, 0, "/bin/sh");
    assert_int_equal(lines_in_the_end(meeting, &lines), 2);
}

/* A forked child of a program that is recorded says so itself: it has the quota, and not the folder. */
static void who_cannot_reach_the_folder_is_named_with_the_reason(void **state)
{
    struct meeting *meeting = *state;
    struct lines lines;
    say_why_in_room(meeting, 100, 0, LINK_REASON_FOLDER, "/bin/sh");
    say_why_in_room(meeting, 101, 0, LINK_REASON_FOLDER, "/bin/ls");
    say_why_in_room(meeting, 102, 0, 1000, "/bin/cat"); /* a reason that there is not */
    int fd = join(meeting, 101, 0);                     /* it could, after all */
    assert_int_equal(lines_in_the_end(meeting, &lines), 2);
    assert_string_equal(lines.text[0],
                        "/bin/cat was not recorded: it did not join: it was killed first, could not be executed, or runs as "
                        "another user, in another root folder, or in valgrind");
    assert_string_equal(lines.text[1], "/bin/sh was not recorded: it cannot reach the recording from where it runs (another "
                                       "root folder, or another user)");
    close(fd);
}

/* Who tells of a start wakes nobody, and there are few slots. */
static void while_programs_are_started_the_next_turn_is_soon(void **state)
{
    struct meeting *meeting = *state;
    struct pollfd ready = {coordinator_fd(meeting->coordinator), POLLIN, 0};
    for (int i = 0; i < 3; i++) {
        say_in_room(meeting, 100 + i, 0, "/bin/sh");
        assert_true(coordinator_turn(meeting->coordinator));
        assert_int_equal(poll(&ready, 1, 600), 1);
    }
    for (int i = 0; i < START_SLOTS; i++)
        say_in_room(meeting, 200 + i, 0, "/bin/sh");
    assert_true(coordinator_turn(meeting->coordinator));
    assert_true(coordinator_pause_ms(meeting->coordinator) < 50);
    assert_int_equal(poll(&ready, 1, 600), 1);
}

static void whoever_joins_before_or_after_is_not_missing(void **state)
{
    struct meeting *meeting = *state;
    struct lines lines;
    int before = join(meeting, 100, 0);
    say_in_room(meeting, 100, 0, "/bin/sh");
    say_in_room(meeting, 101, 0, "/bin/sh");
    assert_true(coordinator_turn(meeting->coordinator));
    int after = join(meeting, 101, 0);
    assert_int_equal(lines_in_the_end(meeting, &lines), 0);
    close(before);
    close(after);
}

/* As one leaves that was too short to join. */
static void leave_file(struct meeting *meeting, int pid)
{
    struct session_draw *draw =
        session_draw_open_with(&(struct chunk_manager_options){.folder = meeting->folder, .pid = pid, .limit_bytes = 1 << 20});
    session_draw_header(draw)->end_ns = 1;
    session_draw_close(draw);
}

static void whoever_left_a_file_is_not_missing_and_counts(void **state)
{
    struct meeting *meeting = *state;
    struct lines lines;
    say_in_room(meeting, 100, 0, "/bin/sh");
    say_in_room(meeting, 101, 0, "/bin/sh");
    leave_file(meeting, 100);
    assert_int_equal(figures(meeting).joined, 1);
    assert_int_equal(figures(meeting).ended, 1);
    assert_int_equal(figures(meeting).live, 0);
    assert_int_equal(lines_in_the_end(meeting, &lines), 1);
    assert_string_equal(lines.text[0], "/bin/sh was not recorded: started with an environment of its own");
}

/* The least of it. */
static void leave_header(struct meeting *meeting, int pid)
{
    char path[128];
    struct session_file_header header = {.version = SESSION_VERSION, .pid = pid, .end_ns = 1};
    memcpy(header.magic, SESSION_MAGIC, sizeof header.magic);
    snprintf(path, sizeof path, "%s/%d-0.sonde", meeting->folder, pid);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && write(fd, &header, sizeof header) == sizeof header);
    close(fd);
}

static void more_than_can_be_kept_are_not_missing_where_they_left_files(void **state)
{
    struct meeting *meeting = *state;
    struct lines lines;
    enum { PROCESSES = 6000, AT_ONCE = 100 };
    for (int i = 1; i <= PROCESSES; i++) {
        say_in_room(meeting, i, 0, "/bin/sh");
        leave_header(meeting, i);
        if (i % AT_ONCE == 0) {
            usleep(5000);
            assert_true(coordinator_turn(meeting->coordinator));
        }
    }
    assert_int_equal(lines_in_the_end(meeting, &lines), 0);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
#define TEST(name) cmocka_unit_test_setup_teardown(name, meeting_begin, meeting_end)
    const struct CMUnitTest tests[] = {
        TEST(programs_that_left_no_recording_are_named_with_the_reason),
        TEST(what_was_said_before_hanging_up_is_heard_even_where_the_answer_was_not),
        TEST(of_many_programs_a_few_are_named),
        TEST(the_name_of_a_program_does_nothing_to_a_terminal),
        TEST(a_program_in_the_root_has_one_slash),
        TEST(what_is_not_there_was_not_started),
        TEST(thousands_of_programs_that_were_recorded_are_not_missing),
        TEST(what_is_told_through_the_room_is_heard_until_the_end),
        TEST(who_cannot_reach_the_folder_is_named_with_the_reason),
        TEST(while_programs_are_started_the_next_turn_is_soon),
        TEST(whoever_joins_before_or_after_is_not_missing),
        TEST(whoever_left_a_file_is_not_missing_and_counts),
        TEST(more_than_can_be_kept_are_not_missing_where_they_left_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
