/* Programs that were started in a session and left no recording are named. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "meeting.h"

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

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
#define TEST(name) cmocka_unit_test_setup_teardown(name, meeting_begin, meeting_end)
    const struct CMUnitTest tests[] = {
        TEST(programs_that_left_no_recording_are_named_with_the_reason),
        TEST(what_was_said_before_hanging_up_is_heard_even_where_the_answer_was_not),
        TEST(of_many_programs_a_few_are_named),
        TEST(the_name_of_a_program_does_nothing_to_a_terminal),
        TEST(what_is_not_there_was_not_started),
        TEST(thousands_of_programs_that_were_recorded_are_not_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
