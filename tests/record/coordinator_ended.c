/* What the recorder does with processes that ended, and with those that the limit has no room for. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "meeting.h"
#include "session/chunk_manager.h"
#include "session/reader.h"
#include "support/session_draw.h"

/* A child that leaves a file with chunks, joins or not, once a byte comes through `go`, and lives until it is killed. It has
 * the files open that are open here: whoever wants several to come and go makes all of them before. */
static pid_t make_child(struct meeting *meeting, bool joins, size_t chunks, int *joined, int *go)
{
    int ends[2], starts[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pipe(starts), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(DEADLINE_SECONDS);
        struct error error = {0};
        struct timespec now;
        if (read(starts[0], &byte, 1) != 1)
            _exit(1);
        clock_gettime(CLOCK_MONOTONIC, &now);
        struct chunk_manager_options options = {.folder = meeting->folder, .pid = getpid(), .limit_bytes = 8 << 20};
        options.start_monotonic_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
        struct chunk_manager *manager = chunk_manager_create(&options, &error);
        for (size_t i = 0; manager && i < chunks; i++) {
            struct chunk *chunk = chunk_manager_take(manager, CHUNK_MARKERS, i + 1);
            for (uint8_t *room; (room = chunk_reserve(chunk, 16));)
                chunk_commit(chunk, 16, entry_write_time(room, 16, ENTRY_PAUSE, i));
            chunk_manager_give_back(manager, chunk, i + 1);
        }
        /* And one that is being written, with hardly anything in it. */
        struct chunk *chunk = manager ? chunk_manager_take(manager, CHUNK_MARKERS, chunks + 1) : NULL;
        uint8_t *room = chunk ? chunk_reserve(chunk, 16) : NULL;
        if (room) {
            chunk_commit(chunk, 16, entry_write_time(room, 16, ENTRY_PAUSE, 1));
            chunk_manager_extend(manager, chunk);
        }
        int fd = joins ? connect_to(meeting->folder) : -1;
        struct link_message message = {.kind = LINK_JOIN, .version = LINK_VERSION, .pid = getpid()};
        if (room && (!joins || send(fd, &message, sizeof message, MSG_NOSIGNAL) > 0))
            (void)!write(ends[1], "x", 1);
        for (;;)
            pause();
    }
    close(ends[1]);
    close(starts[0]);
    *joined = ends[0];
    *go = starts[1];
    return pid;
}

static void let_come(struct meeting *meeting, int joined, int go)
{
    char byte = 'x';
    assert_int_equal(write(go, &byte, 1), 1);
    assert_int_equal(read(joined, &byte, 1), 1);
    close(go);
    turn(meeting);
}

static pid_t start_child_that(struct meeting *meeting, bool joins, size_t chunks, int *joined)
{
    int go;
    pid_t pid = make_child(meeting, joins, chunks, joined, &go);
    let_come(meeting, *joined, go);
    return pid;
}

static pid_t start_child(struct meeting *meeting, size_t chunks, int *joined)
{
    return start_child_that(meeting, true, chunks, joined);
}

static void kill_child(pid_t pid, int joined)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(joined);
}

/* Until the recorder has noticed. */
static void wait_for_ended(struct meeting *meeting, size_t count)
{
    for (int i = 0; i < 200 && figures(meeting).ended < count; i++)
        turn(meeting);
    assert_int_equal(figures(meeting).ended, count);
}

/* 0: its file is gone. */
static off_t bytes_of(const struct meeting *meeting, pid_t pid)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%d-0.sonde", meeting->folder, pid);
    return access(path, F_OK) == 0 ? disk_bytes(path) : 0;
}

static void what_a_killed_process_left_unused_goes_back_to_the_system(void **state)
{
    struct meeting *meeting = *state;
    int joined;
    pid_t pid = start_child(meeting, 1, &joined);
    assert_int_equal(figures(meeting).live, 1);
    off_t before = bytes_of(meeting, pid);
    kill_child(pid, joined);
    wait_for_ended(meeting, 1);
    assert_int_equal(figures(meeting).live, 0);
    assert_true(bytes_of(meeting, pid) < before);
    /* And what was seen of it from outside. */
    assert_in_range(figures(meeting).held_bytes, bytes_of(meeting, pid), bytes_of(meeting, pid) + LIMIT / 16);
}

static void a_process_that_lives_is_not_touched_when_it_hangs_up(void **state)
{
    struct meeting *meeting = *state;
    int joined;
    pid_t pid = start_child(meeting, 3, &joined);
    /* This process says it is the one; the kernel knows better, and the file is not its own. */
    int fd = join(meeting, pid, 1);
    off_t before = bytes_of(meeting, pid);
    close(fd);
    for (int i = 0; i < 10; i++)
        turn(meeting);
    assert_int_equal(bytes_of(meeting, pid), before);
    assert_int_equal(figures(meeting).ended, 0);
    kill_child(pid, joined);
    wait_for_ended(meeting, 1);
}

/* One of its threads may be in the middle of a marker when another one ends the recording. */
static void a_file_that_says_it_is_complete_is_not_touched_before_nobody_has_it(void **state)
{
    struct meeting *meeting = *state;
    struct session_draw *draw = session_draw_open_with(
        &(struct chunk_manager_options){.folder = meeting->folder, .pid = getpid(), .limit_bytes = 1 << 20});
    int fd = join(meeting, getpid(), 0);
    session_draw_header(draw)->end_ns = 1;
    close(fd);
    for (int i = 0; i < 10; i++)
        turn(meeting);
    assert_int_equal(figures(meeting).ended, 0);
    session_draw_close(draw);
    wait_for_ended(meeting, 1);
}

static off_t bytes_of_all(const struct meeting *meeting, const pid_t *pids, size_t count)
{
    off_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += bytes_of(meeting, pids[i]);
    return all;
}

static void the_oldest_ended_process_goes_when_there_is_no_more_room(void **state)
{
    struct meeting *meeting = *state;
    enum { CHILDREN = 5 };
    pid_t pids[CHILDREN];
    int joined[CHILDREN];
    /* 5 × 5 MiB */
    for (size_t i = 0; i < CHILDREN; i++) {
        pids[i] = start_child(meeting, 80, &joined[i]);
        kill_child(pids[i], joined[i]);
        for (int turns = 0; turns < 200 && figures(meeting).ended + figures(meeting).expired <= i; turns++)
            turn(meeting);
        for (int turns = 0; turns < 200 && bytes_of_all(meeting, pids, i + 1) > LIMIT; turns++)
            turn(meeting);
        assert_true(bytes_of_all(meeting, pids, i + 1) <= LIMIT);
    }
    assert_int_equal(bytes_of(meeting, pids[0]), 0);
    assert_true(figures(meeting).expired >= 1);
    assert_true(bytes_of(meeting, pids[CHILDREN - 1]) > 4 << 20);
    /* What is left can be read. */
    char path[128];
    snprintf(path, sizeof path, "%s/%d-0.sonde", meeting->folder, pids[CHILDREN - 1]);
    struct error error = {0};
    struct session_file *file = session_file_open(path, &error);
    assert_non_null(file);
    session_file_close(file);
}

static void stopping_does_not_wait_for_a_process_that_is_stopped(void **state)
{
    struct meeting *meeting = *state;
    int joined;
    pid_t pid = start_child(meeting, 1, &joined);
    kill(pid, SIGSTOP);
    assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
    coordinator_stop(meeting->coordinator);
    assert_int_equal(figures(meeting).recording, LINK_STOP);
    kill_child(pid, joined);
}

static void a_file_of_a_process_that_did_not_join_counts_and_goes_in_its_turn(void **state)
{
    struct meeting *meeting = *state;
    uint64_t looks = figures(meeting).held_bytes; /* nobody is looked at */
    struct session_draw *draw =
        session_draw_open_with(&(struct chunk_manager_options){.folder = meeting->folder, .pid = 4711, .limit_bytes = 1 << 20});
    off_t bytes = bytes_of(meeting, 4711);
    for (int i = 0; i < 200 && figures(meeting).held_bytes == looks; i++)
        turn(meeting);
    assert_int_equal(figures(meeting).held_bytes, looks + (uint64_t)bytes);
    assert_int_equal(figures(meeting).ended, 0);
    session_draw_header(draw)->end_ns = 1;
    session_draw_close(draw);
    wait_for_ended(meeting, 1);
    assert_int_equal(figures(meeting).held_bytes, looks + (uint64_t)bytes_of(meeting, 4711));
}

static void a_file_of_one_that_was_killed_before_it_joined_is_that_of_one_that_ended(void **state)
{
    struct meeting *meeting = *state;
    int joined;
    uint64_t looks = figures(meeting).held_bytes;
    pid_t pid = start_child_that(meeting, false, 3, &joined);
    off_t before = bytes_of(meeting, pid);
    for (int i = 0; i < 200 && figures(meeting).held_bytes == looks; i++)
        turn(meeting);
    assert_int_equal(figures(meeting).held_bytes, looks + (uint64_t)before);
    /* It still may come. */
    assert_int_equal(figures(meeting).ended, 0);
    kill_child(pid, joined);
    wait_for_ended(meeting, 1);
    assert_true(bytes_of(meeting, pid) < before);
    assert_int_equal(figures(meeting).held_bytes, looks + (uint64_t)bytes_of(meeting, pid));
}

/* ---- more than there is room for ---- */

static void processes_that_the_limit_has_no_room_for_are_counted_and_leave_nothing(void **state)
{
    struct meeting *meeting = *state;
    enum { MORE = 5 };
    pid_t pids[FIT_OBSERVED + MORE];
    int joined[FIT_OBSERVED + MORE], go[FIT_OBSERVED + MORE];
    for (int i = 0; i < FIT_OBSERVED + MORE; i++)
        pids[i] = make_child(meeting, true, 0, &joined[i], &go[i]);
    for (int i = 0; i < FIT_OBSERVED + MORE; i++)
        let_come(meeting, joined[i], go[i]);
    assert_int_equal(figures(meeting).no_room, MORE);
    for (int i = FIT_OBSERVED; i < FIT_OBSERVED + MORE; i++)
        kill_child(pids[i], joined[i]);
    kill_child(pids[0], joined[0]);
    wait_for_ended(meeting, 1);
    for (int i = 0; i < 200 && bytes_of(meeting, pids[FIT_OBSERVED + MORE - 1]) > 0; i++)
        turn(meeting);
    for (int i = FIT_OBSERVED; i < FIT_OBSERVED + MORE; i++)
        assert_int_equal(bytes_of(meeting, pids[i]), 0);
    /* One is gone, so another may come. */
    pids[0] = start_child(meeting, 0, &joined[0]);
    assert_int_equal(figures(meeting).no_room, MORE);
    for (int i = 0; i < FIT_OBSERVED; i++)
        kill_child(pids[i], joined[i]);
    struct lines lines = {0};
    coordinator_notes(meeting->coordinator, add_line, &lines);
    assert_true(lines.count >= 1);
    assert_string_equal(lines.text[lines.count - 1],
                        "5 processes were not recorded: the memory limit leaves no room (--buffer-size)");
}

static void who_is_left_out_is_told_to_stop_and_why(void **state)
{
    struct meeting *meeting = *state;
    struct link_message told;
    enum { ALL = 2 * FIT };
    int fds[ALL];
    for (int i = 0; i < ALL; i++) {
        fds[i] = join(meeting, getpid(), (uint32_t)i);
        assert_true(hear(fds[i], &told));
        assert_int_equal(told.recording, i < FIT ? LINK_RECORD : LINK_STOP);
        assert_int_equal(told.result, i < FIT ? 0 : -ENOSPC);
    }
    for (int i = 0; i < ALL; i++)
        close(fds[i]);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
#define TEST(name) cmocka_unit_test_setup_teardown(name, meeting_begin, meeting_end)
#define TIGHT_TEST(name) cmocka_unit_test_setup_teardown(name, meeting_begin_tight, meeting_end)
    const struct CMUnitTest tests[] = {
        TEST(what_a_killed_process_left_unused_goes_back_to_the_system),
        TEST(a_process_that_lives_is_not_touched_when_it_hangs_up),
        TEST(a_file_that_says_it_is_complete_is_not_touched_before_nobody_has_it),
        TEST(the_oldest_ended_process_goes_when_there_is_no_more_room),
        TEST(stopping_does_not_wait_for_a_process_that_is_stopped),
        TEST(a_file_of_a_process_that_did_not_join_counts_and_goes_in_its_turn),
        TEST(a_file_of_one_that_was_killed_before_it_joined_is_that_of_one_that_ended),
        TIGHT_TEST(processes_that_the_limit_has_no_room_for_are_counted_and_leave_nothing),
        TIGHT_TEST(who_is_left_out_is_told_to_stop_and_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
