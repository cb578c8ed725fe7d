/* A process and its recorder, which the test plays: joining, the limit, control, and recorders that misbehave. */
#include "fake_recorder.h"

#define SONDE_LINKED_BASE
#include "session/format.h"
#include "session/room.h"
#include "sonde/sonde.h"
#include "support/session_draw.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_MS = 20000, BUFFER = 8 << 20 };

struct meeting {
    char root[64];
    char folder[PATH_MAX];
    int listener, fd; /* -1 = none */
};

static uint64_t state_bits(void)
{
    return __atomic_load_n(sonde_api_1.state, __ATOMIC_RELAXED);
}

static void start(struct meeting *meeting)
{
    struct sonde_start_options options = {
        .size = sizeof options, .interval_ms = 1, .session = meeting->folder, .buffer_bytes = BUFFER};
    assert_int_equal(sonde_start(&options), 0);
}

static int set_up(void **state)
{
    struct meeting *meeting = calloc(1, sizeof *meeting);
    strcpy(meeting->folder, session_folder_make(meeting->root));
    meeting->listener = fake_recorder_open(meeting->folder);
    meeting->fd = -1;
    *state = meeting;
    return 0;
}

static int tear_down(void **state)
{
    struct meeting *meeting = *state;
    sonde_stop();
    if (meeting->fd >= 0)
        close(meeting->fd);
    if (meeting->listener >= 0)
        close(meeting->listener);
    char control[PATH_MAX + 16];
    snprintf(control, sizeof control, "%s/" LINK_NAME, meeting->folder);
    unlink(control);
    snprintf(control, sizeof control, "%s/" ROOM_NAME, meeting->folder);
    unlink(control);
    session_folder_remove(meeting->folder);
    if (strcmp(meeting->folder, meeting->root) != 0)
        session_folder_remove(meeting->root);
    free(meeting);
    return 0;
}

/* Starts a session, and takes its LINK_JOIN. */
static void meet(struct meeting *meeting)
{
    struct link_message join;
    start(meeting);
    meeting->fd = fake_recorder_accept(meeting->listener, PATIENCE_MS);
    assert_true(meeting->fd >= 0);
    assert_true(fake_recorder_receive(meeting->fd, &join, NULL, PATIENCE_MS));
    assert_int_equal(join.kind, LINK_JOIN);
    assert_int_equal(join.pid, getpid());
    assert_int_equal(join.image, 0);
}

/* The next LINK_USAGE that goes by this number. All before it are answered. */
static struct link_message await_usage(struct meeting *meeting, uint32_t number, uint64_t limit, enum link_recording recording)
{
    struct link_message usage;
    do {
        if (!fake_recorder_receive(meeting->fd, &usage, NULL, PATIENCE_MS))
            fail_msg("nothing was heard");
        assert_int_equal(usage.kind, LINK_USAGE);
        fake_recorder_send_state(meeting->fd, number, limit, recording);
    } while (usage.number != number);
    return usage;
}

static struct sonde_buffer_info info(void)
{
    struct sonde_buffer_info now = {.size = sizeof now};
    sonde_get_buffer_info(&now);
    return now;
}

static void await_ticks(uint64_t count)
{
    uint64_t before = info().ticks;
    for (int i = 0; i < PATIENCE_MS && info().ticks < before + count; i++)
        usleep(1000);
    assert_true(info().ticks >= before + count);
}

static uint64_t file_bytes(const struct meeting *meeting)
{
    char path[PATH_MAX + 32];
    struct stat status;
    snprintf(path, sizeof path, "%s/%d-0.sonde", meeting->folder, getpid());
    assert_int_equal(stat(path, &status), 0);
    return (uint64_t)status.st_blocks * 512;
}

static void mark(unsigned kib)
{
    for (unsigned i = 0; i < kib; i++) {
        static const char text[] = "a marker that says quite a lot about nothing at all, so that a few of them fill a chunk";
        for (int j = 0; j < 10; j++)
            sonde_marker_instant(text, OTHER);
    }
}

static void a_process_joins_and_holds_the_least_until_it_is_told(void **state)
{
    struct meeting *meeting = *state;
    meet(meeting);
    assert_int_equal(info().bytes_limit, LINK_LEAST_BYTES);
    fake_recorder_send_state(meeting->fd, 1, 4 << 20, LINK_RECORD);
    struct link_message usage = await_usage(meeting, 1, 4 << 20, LINK_RECORD);
    assert_int_equal(info().bytes_limit, 4 << 20);
    assert_true(usage.used_bytes > 0);
}

static void what_is_held_is_said_and_how_old_it_is(void **state)
{
    struct meeting *meeting = *state;
    meet(meeting);
    fake_recorder_send_state(meeting->fd, 1, 4 << 20, LINK_RECORD);
    await_usage(meeting, 1, 4 << 20, LINK_RECORD);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    mark(1000);
    struct link_message usage;
    do
        usage = await_usage(meeting, 1, 4 << 20, LINK_RECORD);
    while (usage.done_bytes < 512 << 10);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(usage.used_bytes + usage.done_bytes <= file_bytes(meeting));
    assert_in_range(usage.oldest_ns, (uint64_t)before.tv_sec * 1000000000 + (uint64_t)before.tv_nsec,
                    (uint64_t)after.tv_sec * 1000000000 + (uint64_t)after.tv_nsec);
    assert_int_equal(usage.wanted_bytes, 0);
}

static void at_the_limit_it_says_that_it_wants_more(void **state)
{
    struct meeting *meeting = *state;
    meet(meeting);
    fake_recorder_send_state(meeting->fd, 1, 256 << 10, LINK_RECORD);
    await_usage(meeting, 1, 256 << 10, LINK_RECORD);
    mark(1000);
    struct link_message usage;
    do
        usage = await_usage(meeting, 1, 256 << 10, LINK_RECORD);
    while (usage.wanted_bytes == 0);
}

static void a_burst_before_the_first_answer_takes_what_the_session_has_left(void **state)
{
    struct meeting *meeting = *state;
    int folder = open(meeting->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct room *room = room_make(folder);
    close(folder);
    assert_non_null(room);
    room_put(room, 6 << 20);
    meet(meeting);
    mark(4000);
    assert_true(file_bytes(meeting) > 3 << 20);
    assert_int_equal(info().chunks_recycled, 0);
    uint64_t taken = (6 << 20) - room_free(room);
    assert_true(taken > 3 << 20);

    /* It says so, and a limit that was given before holds for the rest. */
    fake_recorder_send_state(meeting->fd, 1, 1 << 20, LINK_RECORD);
    struct link_message usage = await_usage(meeting, 1, 1 << 20, LINK_RECORD);
    taken = (6 << 20) - room_free(room);
    assert_int_equal(usage.taken_bytes, taken);
    assert_int_equal(info().bytes_limit, (1 << 20) + taken);
    room_close(room);
}

static void a_lower_limit_is_obeyed_before_it_is_said_to_be(void **state)
{
    struct meeting *meeting = *state;
    meet(meeting);
    fake_recorder_send_state(meeting->fd, 1, 4 << 20, LINK_RECORD);
    await_usage(meeting, 1, 4 << 20, LINK_RECORD);
    mark(3000);
    assert_true(file_bytes(meeting) > 2 << 20);
    fake_recorder_send_state(meeting->fd, 2, 512 << 10, LINK_RECORD);
    struct link_message usage = await_usage(meeting, 2, 512 << 10, LINK_RECORD);
    assert_true(usage.used_bytes + usage.done_bytes <= 512 << 10);
    assert_true(file_bytes(meeting) <= SESSION_HEADER_BYTES + (512 << 10));
    assert_true(usage.done_bytes > 0);
}

static _Atomic bool enough;

static void *keep_marking(void *unused)
{
    (void)unused;
    sonde_thread_register("marks");
    while (!enough)
        mark(10);
    sonde_thread_unregister();
    return NULL;
}

static void the_limit_holds_while_threads_write_within_a_chunk_for_each(void **state)
{
    struct meeting *meeting = *state;
    enum { WRITERS = 3, LIMIT_BYTES = 512 << 10 };
    meet(meeting);
    fake_recorder_send_state(meeting->fd, 1, LIMIT_BYTES, LINK_RECORD);
    pthread_t threads[WRITERS];
    enough = false;
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, keep_marking, NULL), 0);
    uint64_t most = 0;
    for (int i = 0; i < 300; i++) {
        uint64_t now = file_bytes(meeting);
        most = now > most ? now : most;
        usleep(1000);
    }
    enough = true;
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    /* They, the sampler, and what is kept for good. */
    assert_true(most <= SESSION_HEADER_BYTES + LIMIT_BYTES + (WRITERS + 2) * CHUNK_BYTES);
    assert_true(most > LIMIT_BYTES / 2);
}

static void await_state(uint64_t bits, uint64_t wanted)
{
    for (int i = 0; i < PATIENCE_MS && (state_bits() & bits) != wanted; i++)
        usleep(1000);
    assert_true((state_bits() & bits) == wanted);
}

static void a_process_pauses_goes_on_and_stops_as_it_is_told(void **state)
{
    struct meeting *meeting = *state;
    meet(meeting);
    fake_recorder_send_state(meeting->fd, 1, 1 << 20, LINK_RECORD);
    await_usage(meeting, 1, 1 << 20, LINK_RECORD);
    fake_recorder_send_state(meeting->fd, 2, 1 << 20, LINK_PAUSE);
    await_usage(meeting, 2, 1 << 20, LINK_PAUSE);
    assert_true(state_bits() & SONDE_STATE_PAUSED);
    fake_recorder_send_state(meeting->fd, 3, 1 << 20, LINK_RECORD);
    await_usage(meeting, 3, 1 << 20, LINK_RECORD);
    assert_false(state_bits() & SONDE_STATE_PAUSED);
    await_ticks(3);
    fake_recorder_send_state(meeting->fd, 4, 1 << 20, LINK_STOP);
    await_state(SONDE_STATE_ACTIVE, 0);
    struct link_message message;
    /* It hangs up. */
    while (fake_recorder_receive(meeting->fd, &message, NULL, PATIENCE_MS))
        continue;
    char byte;
    assert_int_equal(recv(meeting->fd, &byte, 1, MSG_DONTWAIT), 0);
}

static void a_process_that_the_limit_has_no_room_for_stops(void **state)
{
    struct meeting *meeting = *state;
    meet(meeting);
    struct link_message message = {.kind = LINK_STATE,
                                   .version = LINK_VERSION,
                                   .number = 1,
                                   .limit_bytes = LINK_LEAST_BYTES,
                                   .recording = LINK_STOP,
                                   .result = -ENOSPC};
    assert_int_equal(send(meeting->fd, &message, sizeof message, MSG_NOSIGNAL), sizeof message);
    await_state(SONDE_STATE_ACTIVE, 0);
}

static void what_a_program_does_itself_is_not_undone_by_every_answer(void **state)
{
    struct meeting *meeting = *state;
    meet(meeting);
    fake_recorder_send_state(meeting->fd, 1, 1 << 20, LINK_RECORD);
    await_usage(meeting, 1, 1 << 20, LINK_RECORD);
    sonde_pause();
    fake_recorder_send_state(meeting->fd, 2, 2 << 20, LINK_RECORD);
    await_usage(meeting, 2, 2 << 20, LINK_RECORD);
    assert_true(state_bits() & SONDE_STATE_PAUSED);
}

static void when_the_recorder_dies_recording_goes_on_with_the_last_limit(void **state)
{
    struct meeting *meeting = *state;
    meet(meeting);
    fake_recorder_send_state(meeting->fd, 1, 1 << 20, LINK_RECORD);
    await_usage(meeting, 1, 1 << 20, LINK_RECORD);
    close(meeting->fd);
    close(meeting->listener);
    meeting->fd = meeting->listener = -1;
    await_ticks(20);
    assert_int_equal(info().bytes_limit, 1 << 20);
    mark(3000);
    assert_true(file_bytes(meeting) <= SESSION_HEADER_BYTES + (1 << 20) + 3 * CHUNK_BYTES);
}

static void a_recorder_that_dies_before_it_said_anything_leaves_the_limit_of_the_options(void **state)
{
    struct meeting *meeting = *state;
    meet(meeting);
    close(meeting->fd);
    close(meeting->listener);
    meeting->fd = meeting->listener = -1;
    await_ticks(20);
    assert_int_equal(info().bytes_limit, BUFFER);
}

static void a_recorder_that_does_nothing_holds_up_nobody(void **state)
{
    struct meeting *meeting = *state;
    start(meeting);
    await_ticks(20);
    mark(500);
    assert_int_equal(info().bytes_limit, LINK_LEAST_BYTES);
    sonde_stop();
}

static void without_a_recorder_the_limit_is_that_of_the_options(void **state)
{
    struct meeting *meeting = *state;
    char control[PATH_MAX + 16];
    snprintf(control, sizeof control, "%s/" LINK_NAME, meeting->folder);
    unlink(control);
    start(meeting);
    assert_int_equal(info().bytes_limit, BUFFER);
}

static void a_recorder_that_talks_nonsense_changes_nothing(void **state)
{
    struct meeting *meeting = *state;
    meet(meeting);
    fake_recorder_send_state(meeting->fd, 1, 1 << 20, LINK_RECORD);
    await_usage(meeting, 1, 1 << 20, LINK_RECORD);
    uint32_t seed = 12345;
    static char noise[8192];
    for (int i = 0; i < 2000; i++) {
        struct link_message message = {.kind = LINK_STATE, .version = LINK_VERSION, .number = 7, .recording = LINK_STOP};
        size_t length = sizeof message;
        seed = seed * 1664525 + 1013904223;
        for (size_t j = 0; j < sizeof noise; j += 4)
            memcpy(noise + j, &seed, 4);
        switch (i % 6) {
        case 0:
            message.version = 99;
            break;
        case 1:
            message.kind = LINK_USAGE;
            break;
        case 2:
            message.recording = 3 + seed % 1000;
            break;
        case 3:
            length -= 1 + seed % (sizeof message - 1);
            break;
        default:
            break;
        }
        const void *packet = i % 6 < 4 ? (const void *)&message : noise;
        length = i % 6 < 4 ? length : sizeof message + 1 + seed % 4000;
        if (send(meeting->fd, packet, length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
            usleep(1000); /* its queue is full */
    }
    await_ticks(20);
    assert_int_equal(info().bytes_limit, 1 << 20);
    assert_true(state_bits() & SONDE_STATE_ACTIVE);
    fake_recorder_send_state(meeting->fd, 2, 2 << 20, LINK_RECORD);
    await_usage(meeting, 2, 2 << 20, LINK_RECORD);
    assert_int_equal(info().bytes_limit, 2 << 20);
}

static void a_limit_of_nothing_is_the_least_and_one_beyond_the_options_is_theirs(void **state)
{
    struct meeting *meeting = *state;
    meet(meeting);
    fake_recorder_send_state(meeting->fd, 1, 0, LINK_RECORD);
    await_usage(meeting, 1, 0, LINK_RECORD);
    assert_int_equal(info().bytes_limit, LINK_LEAST_BYTES);
    fake_recorder_send_state(meeting->fd, 2, UINT64_MAX, LINK_RECORD);
    await_usage(meeting, 2, UINT64_MAX, LINK_RECORD);
    assert_int_equal(info().bytes_limit, BUFFER);
}

static void a_folder_may_have_a_longer_name_than_a_socket(void **state)
{
    struct meeting *meeting = *state;
    close(meeting->listener);
    char control[PATH_MAX + 16], deeper[200];
    snprintf(control, sizeof control, "%s/" LINK_NAME, meeting->folder);
    unlink(control);
    memset(deeper, 'x', sizeof deeper);
    deeper[0] = '/';
    deeper[sizeof deeper - 1] = '\0';
    strcat(meeting->folder, deeper);
    assert_int_equal(mkdir(meeting->folder, 0700), 0);
    meeting->listener = fake_recorder_open(meeting->folder);
    meet(meeting);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    alarm(250);
    const struct CMUnitTest tests[] = {
        TEST(a_process_joins_and_holds_the_least_until_it_is_told),
        TEST(what_is_held_is_said_and_how_old_it_is),
        TEST(at_the_limit_it_says_that_it_wants_more),
        TEST(a_burst_before_the_first_answer_takes_what_the_session_has_left),
        TEST(a_lower_limit_is_obeyed_before_it_is_said_to_be),
        TEST(the_limit_holds_while_threads_write_within_a_chunk_for_each),
        TEST(a_process_pauses_goes_on_and_stops_as_it_is_told),
        TEST(a_process_that_the_limit_has_no_room_for_stops),
        TEST(what_a_program_does_itself_is_not_undone_by_every_answer),
        TEST(when_the_recorder_dies_recording_goes_on_with_the_last_limit),
        TEST(a_recorder_that_dies_before_it_said_anything_leaves_the_limit_of_the_options),
        TEST(a_recorder_that_does_nothing_holds_up_nobody),
        TEST(without_a_recorder_the_limit_is_that_of_the_options),
        TEST(a_recorder_that_talks_nonsense_changes_nothing),
        TEST(a_limit_of_nothing_is_the_least_and_one_beyond_the_options_is_theirs),
        TEST(a_folder_may_have_a_longer_name_than_a_socket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
