/* Processes that tell the recorder nonsense, talk without end, or are somebody else's. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/count.h"
#include "common/memory.h"
#include "meeting.h"

static void what_makes_no_sense_is_hung_up_on(void **state)
{
    struct meeting *meeting = *state;
    static const struct link_message wrong[] = {
        {.kind = 0},
        {.kind = 99, .version = LINK_VERSION},
        {.kind = LINK_JOIN, .version = LINK_VERSION + 1, .pid = 5},
        {.kind = LINK_JOIN, .version = LINK_VERSION, .pid = -5},
        {.kind = LINK_JOIN, .version = LINK_VERSION, .pid = 5, .image = UINT32_MAX},
        {.kind = LINK_JOIN, .version = LINK_VERSION, .pid = 5, .text_bytes = 100},
        {.kind = LINK_USAGE, .version = LINK_VERSION},
        {.kind = LINK_CHILD, .version = LINK_VERSION, .pid = 5},
        {.kind = LINK_STATE, .version = LINK_VERSION},
        {.kind = LINK_ANSWER, .version = LINK_VERSION},
        {.kind = LINK_COMMAND, .version = LINK_VERSION, .command = 77},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        int fd = connect_to(meeting->folder);
        assert_int_equal(send(fd, &wrong[i], sizeof wrong[i], MSG_NOSIGNAL), sizeof wrong[i]);
        turn(meeting);
        assert_true(is_hung_up(fd));
        close(fd);
    }
    static const size_t lengths[] = {1, sizeof(struct link_message) - 1, sizeof(struct link_message) + LINK_TEXT_MAX + 1,
                                     60000};
    static char bytes[60000];
    for (size_t i = 0; i < COUNT(lengths); i++) {
        int fd = connect_to(meeting->folder);
        assert_int_equal(send(fd, bytes, lengths[i], MSG_NOSIGNAL), lengths[i]);
        turn(meeting);
        assert_true(is_hung_up(fd));
        close(fd);
    }
    turn(meeting);
    assert_int_equal(figures(meeting).joined, 0);
}

static void nobody_joins_twice_or_as_another(void **state)
{
    struct meeting *meeting = *state;
    int first = join(meeting, getpid(), 0), second = join(meeting, getpid(), 0);
    assert_true(is_hung_up(second));
    assert_false(is_hung_up(first));
    say(first, (struct link_message){.kind = LINK_JOIN, .pid = getpid(), .image = 1}, "");
    turn(meeting);
    assert_true(is_hung_up(first));
    close(first);
    close(second);
}

static void a_process_whose_connection_was_closed_may_come_again(void **state)
{
    struct meeting *meeting = *state;
    int fd = join(meeting, getpid(), 0);
    close(fd);
    turn(meeting);
    assert_int_equal(figures(meeting).live, 0);
    fd = join(meeting, getpid(), 0);
    assert_false(is_hung_up(fd));
    assert_int_equal(figures(meeting).live, 1);
    close(fd);
}

static void a_flood_does_not_keep_others_from_their_turn(void **state)
{
    struct meeting *meeting = *state;
    int flood = join(meeting, getpid(), 0), other = connect_to(meeting->folder);
    struct link_message message = {
        .kind = LINK_USAGE, .version = LINK_VERSION, .used_bytes = UINT64_MAX, .wanted_bytes = UINT64_MAX};
    unsigned sent = 0;
    while (sent < 100000 && send(flood, &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
        sent++;
    assert_true(sent > 50);
    say(other, (struct link_message){.kind = LINK_JOIN, .pid = getpid(), .image = 1}, "");
    /* As many turns as it takes to notice the other one and to hear it, and no more. */
    for (int i = 0; i < 3; i++)
        assert_true(coordinator_turn(meeting->coordinator));
    struct link_message told;
    assert_true(hear(other, &told));
    close(flood);
    close(other);
}

static void an_empty_heap_costs_a_connection_and_no_more(void **state)
{
    struct meeting *meeting = *state;
    for (unsigned long n = 1; n < 12; n++) {
        int fd = connect_to(meeting->folder);
        say(fd, (struct link_message){.kind = LINK_JOIN, .pid = getpid(), .image = (uint32_t)n}, "");
        say(fd, (struct link_message){.kind = LINK_CHILD, .pid = 1000}, "/bin/sh");
        memory_fail_after(n);
        turn(meeting);
        memory_fail_after(0);
        turn(meeting);
        close(fd);
        turn(meeting);
    }
    int fd = join(meeting, getpid(), 100);
    struct link_message told;
    assert_true(hear(fd, &told));
    close(fd);
    struct error error = {0};
    struct coordinator_options options = {.folder = meeting->folder, .limit_bytes = LIMIT, .interval_ns = 1000000};
    memory_fail_after(1);
    assert_null(coordinator_open(&options, &error));
    memory_fail_after(0);
    assert_int_equal(error.code, -ENOMEM);
}

static void somebody_else_is_hung_up_on(void **state)
{
    struct meeting *meeting = *state;
    if (geteuid() != 0)
        skip();
    /* Even where the folder would let them in. */
    char socket_path[128];
    snprintf(socket_path, sizeof socket_path, "%s/" LINK_NAME, meeting->folder);
    struct stat status;
    assert_int_equal(stat(socket_path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(DEADLINE_SECONDS);
        if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            _exit(1);
        _exit(connect_to(meeting->folder) < 0 ? 0 : 2);
    }
    int ended;
    assert_int_equal(waitpid(pid, &ended, 0), pid);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);

    assert_int_equal(chmod(meeting->folder, 0777) + chmod(socket_path, 0777), 0);
    pid = fork();
    if (pid == 0) {
        alarm(DEADLINE_SECONDS);
        if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            _exit(1);
        int fd = connect_to(meeting->folder);
        struct link_message message = {.kind = LINK_JOIN, .version = LINK_VERSION, .pid = getpid()};
        if (fd < 0)
            _exit(2);
        (void)!send(fd, &message, sizeof message, MSG_NOSIGNAL);
        ssize_t length = recv(fd, &message, sizeof message, 0);
        _exit(length == 0 || (length < 0 && errno == ECONNRESET) ? 0 : 3);
    }
    for (int i = 0; i < 500 && waitpid(pid, &ended, WNOHANG) == 0; i++)
        turn(meeting);
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), 0);
    assert_int_equal(figures(meeting).joined, 0);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
#define TEST(name) cmocka_unit_test_setup_teardown(name, meeting_begin, meeting_end)
    const struct CMUnitTest tests[] = {
        TEST(what_makes_no_sense_is_hung_up_on),
        TEST(nobody_joins_twice_or_as_another),
        TEST(a_process_whose_connection_was_closed_may_come_again),
        TEST(a_flood_does_not_keep_others_from_their_turn),
        TEST(an_empty_heap_costs_a_connection_and_no_more),
        TEST(somebody_else_is_hung_up_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
