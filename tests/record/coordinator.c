/* The recorder's end of the socket, with processes that are played here: good ones, wrong ones, and those of somebody else. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/count.h"
#include "common/memory.h"
#include "record/coordinator.h"
#include "session/chunk_manager.h"
#include "session/reader.h"
#include "support/session_draw.h"

enum { DEADLINE_SECONDS = 60, LIMIT = 16 << 20, TIGHT = 1 << 20, NOBODY = 65534 };
enum { FIT = 13 }; /* processes of LINK_LEAST_BYTES, where it is tight */

struct meeting {
    char folder[64];
    struct coordinator *coordinator;
};

static int begin_with(void **state, uint64_t limit)
{
    struct meeting *meeting = calloc(1, sizeof *meeting);
    struct error error = {0};
    session_folder_make(meeting->folder);
    meeting->coordinator = coordinator_open(meeting->folder, limit, &error);
    assert_non_null(meeting->coordinator);
    alarm(DEADLINE_SECONDS);
    *state = meeting;
    return 0;
}

static int begin(void **state)
{
    return begin_with(state, LIMIT);
}

/* In a session of the least size. */
static int begin_tight(void **state)
{
    return begin_with(state, TIGHT);
}

static int end(void **state)
{
    struct meeting *meeting = *state;
    coordinator_close(meeting->coordinator);
    session_folder_remove(meeting->folder);
    alarm(0);
    free(meeting);
    return 0;
}

static int connect_to(const char *folder)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/" LINK_NAME, folder);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Turns, until there is something to do no more. */
static bool turn(struct meeting *meeting)
{
    bool goes_on = true;
    struct pollfd ready = {coordinator_fd(meeting->coordinator), POLLIN, 0};
    while (goes_on && poll(&ready, 1, 20) > 0)
        goes_on = coordinator_turn(meeting->coordinator);
    return goes_on;
}

static struct coordinator_figures figures(const struct meeting *meeting)
{
    struct coordinator_figures figures;
    coordinator_figures(meeting->coordinator, &figures);
    return figures;
}

static void say(int fd, struct link_message message, const char *text)
{
    char packet[sizeof message + LINK_TEXT_MAX];
    message.version = LINK_VERSION;
    message.text_bytes = (uint32_t)strlen(text);
    memcpy(packet, &message, sizeof message);
    memcpy(packet + sizeof message, text, message.text_bytes);
    (void)!send(fd, packet, sizeof message + message.text_bytes, MSG_NOSIGNAL);
}

/* The latest that was said to it; false: it was hung up on, or nothing was said. */
static bool hear(int fd, struct link_message *message)
{
    bool heard = false;
    while (recv(fd, message, sizeof *message, MSG_DONTWAIT) == sizeof *message)
        heard = true;
    return heard;
}

static bool is_hung_up(int fd)
{
    char byte[1];
    ssize_t length;
    while ((length = recv(fd, byte, sizeof byte, MSG_DONTWAIT)) > 0)
        ;
    return length == 0 || errno == ECONNRESET;
}

/* What there is to say in the end. */
struct lines {
    char text[20][400];
    int count;
};

static void add_line(void *data, const char *line)
{
    struct lines *lines = data;
    assert_true(lines->count < (int)COUNT(lines->text));
    snprintf(lines->text[lines->count++], sizeof lines->text[0], "%s", line);
}

static int join(struct meeting *meeting, int pid, uint32_t image)
{
    int fd = connect_to(meeting->folder);
    assert_true(fd >= 0);
    say(fd, (struct link_message){.kind = LINK_JOIN, .pid = pid, .image = image}, "");
    turn(meeting);
    return fd;
}

/* ---- good ones ---- */

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

/* ---- the end of a process ---- */

/* A child that leaves a file with chunks, joins or not, and lives until it is killed. */
static pid_t start_child_that(struct meeting *meeting, bool joins, size_t chunks, int *joined)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(DEADLINE_SECONDS);
        struct error error = {0};
        struct timespec now;
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
    char byte;
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    *joined = ends[0];
    turn(meeting);
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

static off_t disk_bytes(const struct meeting *meeting, pid_t pid)
{
    char path[128];
    struct stat status;
    snprintf(path, sizeof path, "%s/%d-0.sonde", meeting->folder, pid);
    return stat(path, &status) == 0 ? status.st_blocks * 512 : 0;
}

static void what_a_killed_process_left_unused_goes_back_to_the_system(void **state)
{
    struct meeting *meeting = *state;
    int joined;
    pid_t pid = start_child(meeting, 1, &joined);
    assert_int_equal(figures(meeting).live, 1);
    off_t before = disk_bytes(meeting, pid);
    kill_child(pid, joined);
    wait_for_ended(meeting, 1);
    assert_int_equal(figures(meeting).live, 0);
    assert_true(disk_bytes(meeting, pid) < before);
    assert_true((uint64_t)disk_bytes(meeting, pid) == figures(meeting).held_bytes);
}

static void a_process_that_lives_is_not_touched_when_it_hangs_up(void **state)
{
    struct meeting *meeting = *state;
    int joined;
    pid_t pid = start_child(meeting, 3, &joined);
    /* This process says it is the one; the kernel knows better, and the file is not its own. */
    int fd = join(meeting, pid, 1);
    off_t before = disk_bytes(meeting, pid);
    close(fd);
    for (int i = 0; i < 10; i++)
        turn(meeting);
    assert_int_equal(disk_bytes(meeting, pid), before);
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
        off_t all = 0;
        for (size_t j = 0; j <= i; j++)
            all += disk_bytes(meeting, pids[j]);
        assert_true(all <= LIMIT);
    }
    assert_int_equal(disk_bytes(meeting, pids[0]), 0);
    assert_true(figures(meeting).expired >= 1);
    assert_true(disk_bytes(meeting, pids[CHILDREN - 1]) > 4 << 20);
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
    struct session_draw *draw =
        session_draw_open_with(&(struct chunk_manager_options){.folder = meeting->folder, .pid = 4711, .limit_bytes = 1 << 20});
    for (int i = 0; i < 200 && figures(meeting).held_bytes == 0; i++)
        turn(meeting);
    assert_int_equal(figures(meeting).held_bytes, disk_bytes(meeting, 4711));
    assert_int_equal(figures(meeting).ended, 0);
    session_draw_header(draw)->end_ns = 1;
    session_draw_close(draw);
    wait_for_ended(meeting, 1);
    assert_int_equal(figures(meeting).held_bytes, disk_bytes(meeting, 4711));
}

static void a_file_of_one_that_was_killed_before_it_joined_is_that_of_one_that_ended(void **state)
{
    struct meeting *meeting = *state;
    int joined;
    pid_t pid = start_child_that(meeting, false, 3, &joined);
    for (int i = 0; i < 200 && figures(meeting).held_bytes == 0; i++)
        turn(meeting);
    assert_int_equal(figures(meeting).held_bytes, disk_bytes(meeting, pid));
    /* It still may come. */
    assert_int_equal(figures(meeting).ended, 0);
    off_t before = disk_bytes(meeting, pid);
    kill_child(pid, joined);
    wait_for_ended(meeting, 1);
    assert_true(disk_bytes(meeting, pid) < before);
    assert_int_equal(figures(meeting).held_bytes, disk_bytes(meeting, pid));
}

/* ---- more than there is room for ---- */

static void processes_that_the_limit_has_no_room_for_are_counted_and_leave_nothing(void **state)
{
    struct meeting *meeting = *state;
    enum { MORE = 5 };
    pid_t pids[FIT + MORE];
    int joined[FIT + MORE];
    for (int i = 0; i < FIT + MORE; i++)
        pids[i] = start_child(meeting, 0, &joined[i]);
    assert_int_equal(figures(meeting).no_room, MORE);
    for (int i = FIT; i < FIT + MORE; i++)
        kill_child(pids[i], joined[i]);
    kill_child(pids[0], joined[0]);
    wait_for_ended(meeting, 1);
    for (int i = 0; i < 200 && disk_bytes(meeting, pids[FIT + MORE - 1]) > 0; i++)
        turn(meeting);
    for (int i = FIT; i < FIT + MORE; i++)
        assert_int_equal(disk_bytes(meeting, pids[i]), 0);
    /* One is gone, so another may come. */
    pids[0] = start_child(meeting, 0, &joined[0]);
    assert_int_equal(figures(meeting).no_room, MORE);
    for (int i = 0; i < FIT; i++)
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

/* ---- wrong ones ---- */

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
    memory_fail_after(1);
    assert_null(coordinator_open(meeting->folder, LIMIT, &error));
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

/* ---- programs without a recording ---- */

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
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
#define TIGHT_TEST(name) cmocka_unit_test_setup_teardown(name, begin_tight, end)
    const struct CMUnitTest tests[] = {
        TEST(a_process_that_joins_is_told_what_it_may_hold),
        TEST(an_answer_that_changes_nothing_has_the_same_number),
        TEST(who_comes_while_it_pauses_pauses),
        TEST(a_stop_from_outside_ends_the_turns),
        TEST(the_status_says_how_much_is_held),
        TEST(what_a_killed_process_left_unused_goes_back_to_the_system),
        TEST(a_process_that_lives_is_not_touched_when_it_hangs_up),
        TEST(a_file_that_says_it_is_complete_is_not_touched_before_nobody_has_it),
        TEST(the_oldest_ended_process_goes_when_there_is_no_more_room),
        TEST(stopping_does_not_wait_for_a_process_that_is_stopped),
        TEST(a_file_of_a_process_that_did_not_join_counts_and_goes_in_its_turn),
        TEST(a_file_of_one_that_was_killed_before_it_joined_is_that_of_one_that_ended),
        TIGHT_TEST(processes_that_the_limit_has_no_room_for_are_counted_and_leave_nothing),
        TIGHT_TEST(who_is_left_out_is_told_to_stop_and_why),
        TEST(what_makes_no_sense_is_hung_up_on),
        TEST(nobody_joins_twice_or_as_another),
        TEST(a_process_whose_connection_was_closed_may_come_again),
        TEST(a_flood_does_not_keep_others_from_their_turn),
        TEST(an_empty_heap_costs_a_connection_and_no_more),
        TEST(somebody_else_is_hung_up_on),
        TEST(programs_that_left_no_recording_are_named_with_the_reason),
        TEST(what_was_said_before_hanging_up_is_heard_even_where_the_answer_was_not),
        TEST(of_many_programs_a_few_are_named),
        TEST(the_name_of_a_program_does_nothing_to_a_terminal),
        TEST(what_is_not_there_was_not_started),
        TEST(thousands_of_programs_that_were_recorded_are_not_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
