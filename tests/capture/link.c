/* A process and its recorder, which the test plays: joining, the limit, pauses, and recorders that misbehave. The process hears
 * its recorder when it does its housekeeping, which the test asks for. */
#include "capture/recorder/link.h"

#include "fake_recorder.h"

#define SONDE_LINKED_BASE
#include "ipc/quota.h"
#include "session/format.h"
#include "sonde/sonde.h"
#include "support/session_draw.h"
#include "support/session_dump.h"

#include <dirent.h>
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

#ifdef __SANITIZE_THREAD__
#define THREAD_SANITIZER 1
#else
#define THREAD_SANITIZER 0
#endif

enum { PATIENCE_MS = 20000, BUFFER = 8 << 20 };

struct meeting {
    char root[64];
    char folder[PATH_MAX];
    int listener, fd; /* -1 = none */
};

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
    snprintf(control, sizeof control, "%s/" QUOTA_NAME, meeting->folder);
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

/* Housekeeping until there is something to hear. */
static struct link_message await_message(struct meeting *meeting)
{
    struct link_message message;
    for (int i = 0; i < PATIENCE_MS; i++) {
        link_housekeep();
        if (fake_recorder_receive(meeting->fd, &message, NULL, 1))
            return message;
    }
    fail_msg("nothing was heard");
    return message;
}

/* The next LINK_USAGE that goes by this number. All before it are answered. */
static struct link_message await_usage(struct meeting *meeting, uint32_t number, uint64_t limit, enum link_recording recording)
{
    struct link_message usage;
    do {
        usage = await_message(meeting);
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

static void await_limit(uint64_t bytes)
{
    for (int i = 0; i < PATIENCE_MS && info().bytes_limit != bytes; i++) {
        link_housekeep();
        usleep(1000);
    }
    assert_int_equal(info().bytes_limit, bytes);
}

/* It has looked for messages again and again. */
static void keep_house(void)
{
    for (int i = 0; i < 10; i++) {
        usleep(20000);
        link_housekeep();
    }
}

/* What the recorder shares with all its processes. To be closed. */
static struct quota *make_quota(struct meeting *meeting)
{
    int folder = open(meeting->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct quota *quota = quota_make(folder);
    close(folder);
    assert_non_null(quota);
    static char name[PATH_MAX]; /* which stays */
    link_tell_children_of(strcpy(name, meeting->folder));
    return quota;
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
    struct quota *quota = make_quota(meeting);
    quota_put(quota, 6 << 20);
    meet(meeting);
    mark(4000);
    assert_true(file_bytes(meeting) > 3 << 20);
    assert_int_equal(info().chunks_recycled, 0);
    uint64_t taken = (6 << 20) - quota_free(quota);
    assert_true(taken > 3 << 20);

    /* It says so, and a limit that was given before holds for the rest. */
    fake_recorder_send_state(meeting->fd, 1, 1 << 20, LINK_RECORD);
    struct link_message usage = await_usage(meeting, 1, 1 << 20, LINK_RECORD);
    taken = (6 << 20) - quota_free(quota);
    assert_int_equal(usage.taken_bytes, taken);
    assert_int_equal(info().bytes_limit, (1 << 20) + taken);
    quota_close(quota);
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
    print_message("at most %llu KiB\n", (unsigned long long)most >> 10);
    /* They, this thread, and what is kept for good. */
    assert_true(most <= SESSION_HEADER_BYTES + LIMIT_BYTES + (WRITERS + 2) * CHUNK_BYTES);
    assert_true(most > LIMIT_BYTES / 2);
}

static unsigned markers_named(const struct meeting *meeting, const char *name)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%d-0.sonde", meeting->folder, getpid());
    char *text = session_dump(path, NULL);
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, name)); at += strlen(name))
        count++;
    free(text);
    return count;
}

static void nothing_is_recorded_while_the_recorder_pauses_or_after_it_has_ended_the_session(void **state)
{
    struct meeting *meeting = *state;
    struct quota *quota = make_quota(meeting);
    quota_put(quota, 1 << 20);
    meet(meeting);
    sonde_marker_instant("before", OTHER);
    quota_set_paused(quota, true);
    sonde_marker_instant("meanwhile", OTHER);
    quota_set_paused(quota, false);
    sonde_marker_instant("after", OTHER);
    quota_set_over(quota);
    sonde_marker_instant("too late", OTHER);
    assert_int_equal(markers_named(meeting, "before"), 1);
    assert_int_equal(markers_named(meeting, "meanwhile"), 0);
    assert_int_equal(markers_named(meeting, "after"), 1);
    assert_int_equal(markers_named(meeting, "too late"), 0);
    sonde_stop();
    quota_close(quota);
}

static void a_session_of_its_own_is_not_paused_by_a_recorder(void **state)
{
    struct meeting *meeting = *state;
    struct quota *quota = make_quota(meeting);
    quota_set_paused(quota, true);
    char own[64];
    struct sonde_start_options options = {.size = sizeof options, .session = session_folder_make(own)};
    assert_int_equal(sonde_start(&options), 0);
    sonde_marker_instant("mine", OTHER);
    assert_int_equal(info().bytes_limit > 0, 1);
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%d-0.sonde", own, getpid());
    char *text = session_dump(path, NULL);
    assert_non_null(strstr(text, "mine"));
    free(text);
    sonde_stop();
    session_folder_remove(own);
    quota_close(quota);
}

static void there_is_no_thread_of_ours_where_there_is_a_recorder(void **state)
{
    struct meeting *meeting = *state;
    meet(meeting);
    unsigned threads = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (const struct dirent *entry; (entry = readdir(tasks));)
        threads += entry->d_name[0] != '.';
    closedir(tasks);
    /* ThreadSanitizer has one of its own. */
    assert_true(threads == 1 || (THREAD_SANITIZER && threads == 2));
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
    keep_house();
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
    await_limit(BUFFER);
}

static void a_recorder_that_does_nothing_holds_up_nobody(void **state)
{
    struct meeting *meeting = *state;
    start(meeting);
    keep_house();
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
    /* But for what the background thread has supplied for samples. */
    assert_in_range(info().bytes_limit, BUFFER / 2, BUFFER);
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
            link_housekeep(); /* its queue is full */
    }
    keep_house();
    assert_int_equal(info().bytes_limit, 1 << 20);
    assert_true(__atomic_load_n(sonde_api_1.state, __ATOMIC_RELAXED) & SONDE_STATE_ACTIVE);
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

/* The last one: from the first counter on each session has a thread for them. */
static void bandwidth_is_counted_where_there_is_a_recorder(void **state)
{
    struct meeting *meeting = *state;
    struct sonde_start_options options = {.size = sizeof options, .session = meeting->folder, .features = "bandwidth"};
    assert_int_equal(sonde_start(&options), 0);
    meeting->fd = fake_recorder_accept(meeting->listener, PATIENCE_MS);
    sonde_bandwidth_add(1234);
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%d-0.sonde", meeting->folder, getpid());
    bool found = false;
    for (int i = 0; i < PATIENCE_MS && !found; i++) {
        usleep(1000);
        char *text = session_dump(path, NULL);
        found = strstr(text, "bandwidth") != NULL && strstr(text, "1234") != NULL;
        free(text);
    }
    assert_true(found);
}

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
        TEST(nothing_is_recorded_while_the_recorder_pauses_or_after_it_has_ended_the_session),
        TEST(a_session_of_its_own_is_not_paused_by_a_recorder),
        TEST(there_is_no_thread_of_ours_where_there_is_a_recorder),
        TEST(when_the_recorder_dies_recording_goes_on_with_the_last_limit),
        TEST(a_recorder_that_dies_before_it_said_anything_leaves_the_limit_of_the_options),
        TEST(a_recorder_that_does_nothing_holds_up_nobody),
        TEST(without_a_recorder_the_limit_is_that_of_the_options),
        TEST(a_recorder_that_talks_nonsense_changes_nothing),
        TEST(a_limit_of_nothing_is_the_least_and_one_beyond_the_options_is_theirs),
        TEST(a_folder_may_have_a_longer_name_than_a_socket),
        TEST(bandwidth_is_counted_where_there_is_a_recorder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
