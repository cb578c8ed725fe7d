/* The recorder's end of the socket: what processes are told, and who gives commands. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "meeting.h"

static void a_process_that_joins_is_told_what_it_may_hold(void **state)
{
    struct meeting *meeting = *state;
    struct link_message told;
    int fd = join(meeting, getpid(), 0);
    assert_true(hear(fd, &told));
    assert_int_equal(told.kind, LINK_STATE);
    assert_int_equal(told.recording, LINK_RECORD);
    assert_true(told.limit_bytes >= LINK_LEAST_BYTES && told.limit_bytes < LIMIT);
    assert_true(told.number > 0);
    assert_int_equal(figures(meeting).live, 1);
    close(fd);
}

static void an_answer_that_changes_nothing_has_the_same_number(void **state)
{
    struct meeting *meeting = *state;
    struct link_message first, second;
    int fd = join(meeting, getpid(), 0);
    assert_true(hear(fd, &first));
    for (int i = 0; i < 3; i++) {
        say(fd, (struct link_message){.kind = LINK_USAGE, .number = first.number, .used_bytes = 4096}, "");
        turn(meeting);
        assert_true(hear(fd, &second));
        assert_int_equal(second.number, first.number);
        assert_int_equal(second.limit_bytes, first.limit_bytes);
    }
    close(fd);
}

static void who_comes_while_it_pauses_pauses(void **state)
{
    struct meeting *meeting = *state;
    struct link_message told, answer;
    int fd = join(meeting, getpid(), 0), ctl = connect_to(meeting->folder);
    say(ctl, (struct link_message){.kind = LINK_COMMAND, .command = LINK_COMMAND_PAUSE}, "");
    turn(meeting);
    assert_true(hear(ctl, &answer));
    assert_int_equal(answer.kind, LINK_ANSWER);
    assert_int_equal(answer.result, 0);
    assert_true(hear(fd, &told));
    assert_int_equal(told.recording, LINK_PAUSE);
    int later = join(meeting, getpid(), 1);
    assert_true(hear(later, &told));
    assert_int_equal(told.recording, LINK_PAUSE);
    say(ctl, (struct link_message){.kind = LINK_COMMAND, .command = LINK_COMMAND_RESUME}, "");
    turn(meeting);
    assert_true(hear(later, &told));
    assert_int_equal(told.recording, LINK_RECORD);
    close(fd);
    close(later);
    close(ctl);
}

static void a_stop_from_outside_ends_the_turns(void **state)
{
    struct meeting *meeting = *state;
    int ctl = connect_to(meeting->folder);
    say(ctl, (struct link_message){.kind = LINK_COMMAND, .command = LINK_COMMAND_STOP}, "");
    assert_false(turn(meeting));
    close(ctl);
}

static void the_status_says_how_much_is_held(void **state)
{
    struct meeting *meeting = *state;
    char packet[sizeof(struct link_message) + LINK_TEXT_MAX] = "";
    int fd = join(meeting, getpid(), 0), ctl = connect_to(meeting->folder);
    say(ctl, (struct link_message){.kind = LINK_COMMAND, .command = LINK_COMMAND_STATUS}, "");
    turn(meeting);
    assert_true(recv(ctl, packet, sizeof packet - 1, MSG_DONTWAIT) > (ssize_t)sizeof(struct link_message));
    assert_non_null(strstr(packet + sizeof(struct link_message), "1 running"));
    assert_non_null(strstr(packet + sizeof(struct link_message), "of 16.0 MiB"));
    close(fd);
    close(ctl);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
#define TEST(name) cmocka_unit_test_setup_teardown(name, meeting_begin, meeting_end)
    const struct CMUnitTest tests[] = {
        TEST(a_process_that_joins_is_told_what_it_may_hold),
        TEST(an_answer_that_changes_nothing_has_the_same_number),
        TEST(who_comes_while_it_pauses_pauses),
        TEST(a_stop_from_outside_ends_the_turns),
        TEST(the_status_says_how_much_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
