/* libsonde is loaded while a session of libsonde-base runs, in a program that marks all the time. This test is the program. */
#include "session/reader.h"
#include "sonde/api.h"
#include "support/gecko_document.h"
#include "support/session_draw.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MARKERS_MAX = 1 << 20, ENOUGH_SAMPLES = 30 };

static _Atomic bool enough;
static uint32_t marked; /* by the worker; the main thread reads it when the worker has ended */

static __thread volatile int sink;

static void *mark_and_work(void *unused)
{
    (void)unused;
    sonde_api_1.thread_register("worker");
    struct sonde_marker_options options = {.phase = SONDE_INSTANT};
    while (!enough && marked < MARKERS_MAX) {
        char name[16];
        int length = snprintf(name, sizeof name, "m%u", marked++);
        sonde_api_1.marker_add(NULL, name, (size_t)length, SONDE_CATEGORY_TEST, &options, NULL);
        for (int i = 0; i < 20000; i++)
            sink = i;
    }
    return NULL;
}

static uint64_t cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Works on the main thread, too: for as much CPU time as the kernel's slowest ticks (10 ms) take for so many samples, so that
 * both threads have some. */
static void work_for_samples(uint64_t count)
{
    enum { TICK_NS = 10000000 };
    struct sonde_buffer_info info = {.size = sizeof info};
    sonde_api_1.buffer_info(&info);
    uint64_t until = info.samples + count, until_ns = cpu_ns() + count * TICK_NS;
    while (info.samples < until || cpu_ns() < until_ns) {
        for (int i = 0; i < 100000; i++)
            sink = i;
        sonde_api_1.buffer_info(&info);
    }
}

static struct {
    uint64_t before_ns, after_ns; /* around loading libsonde */
    uint8_t *seen;                /* how often each marker is there */
    unsigned processes, configurations, handover_starts, handover_ends;
    uint64_t handover_start_ns, handover_end_ns;
    uint32_t main, worker; /* numbers of the threads */
    unsigned main_before, main_after, worker_after;
    uint32_t longest_before, longest_after; /* native stacks of the main thread */
    unsigned marked_at_once;
    uint32_t frames_at_once; /* of the marker that was made as soon as libsonde was there */
} found;

static void note_thread(const struct thread_entry *thread)
{
    if (thread->main)
        found.main = thread->thread;
    else if (slice_is(thread->name, "worker"))
        found.worker = thread->thread;
}

static void note_marker(const struct marker_entry *marker)
{
    if (slice_is(marker->name, "Profilers handover")) {
        bool start = marker->phase == MARKER_START;
        found.handover_starts += start;
        found.handover_ends += !start;
        *(start ? &found.handover_start_ns : &found.handover_end_ns) = start ? marker->start : marker->end;
    } else if (slice_is(marker->name, "at once")) {
        found.marked_at_once++;
        found.frames_at_once = marker->stack.count;
    } else if (marker->name.length > 1 && marker->name.text[0] == 'm') {
        /* The name ends where it says, not at a byte that is no digit. */
        uint32_t number = 0;
        for (size_t i = 1; i < marker->name.length; i++)
            number = number * 10 + (uint32_t)(marker->name.text[i] - '0');
        if (number < marked)
            found.seen[number]++;
    }
}

static void note_sample(const struct sample_entry *sample)
{
    bool before = sample->time<found.before_ns, after = sample->time> found.after_ns;
    if (sample->thread == found.worker)
        found.worker_after += after;
    if (sample->thread != found.main)
        return;
    found.main_before += before;
    found.main_after += after;
    uint32_t length = sample->stack.shared + sample->stack.frames.count;
    if (before && length > found.longest_before)
        found.longest_before = length;
    if (after && length > found.longest_after)
        found.longest_after = length;
}

static int note(void *data, const struct any_entry *entry, struct error *error)
{
    (void)data;
    (void)error;
    switch (entry->kind) {
    case ENTRY_PROCESS:
        found.processes++;
        break;
    case ENTRY_CONFIGURATION:
        found.configurations++;
        break;
    case ENTRY_THREAD:
        note_thread(&entry->thread);
        break;
    case ENTRY_SAMPLE:
        note_sample(&entry->sample);
        break;
    case ENTRY_MARKER:
        note_marker(&entry->marker);
        break;
    default:
        break;
    }
    return 0;
}

static void find_file(const char *folder, char *path, size_t room)
{
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    unsigned files = 0;
    for (struct dirent *entry; (entry = readdir(stream));) {
        if (strstr(entry->d_name, ".sonde")) {
            files++;
            snprintf(path, room, "%s/%s", folder, entry->d_name);
        }
    }
    closedir(stream);
    assert_int_equal(files, 1);
}

static char folder[64], path[PATH_MAX];

static int record_the_handover(void **state)
{
    (void)state;
    struct sonde_start_options options = {.size = sizeof options, .session = session_folder_make(folder)};
    assert_int_equal(sonde_api_1.start(&options), 0);
    pthread_t worker;
    assert_int_equal(pthread_create(&worker, NULL, mark_and_work, NULL), 0);
    work_for_samples(ENOUGH_SAMPLES);
    found.before_ns = sonde_api_1.now();
    assert_non_null(dlopen(LIBSONDE, RTLD_NOW));
    struct sonde_marker_options with_stack = {.phase = SONDE_INSTANT, .capture = SONDE_FULL_STACK};
    sonde_api_1.marker_add(NULL, "at once", strlen("at once"), SONDE_CATEGORY_TEST, &with_stack, NULL);
    found.after_ns = sonde_api_1.now();
    work_for_samples(ENOUGH_SAMPLES);
    enough = true;
    pthread_join(worker, NULL);
    sonde_api_1.stop();

    found.seen = calloc(marked, 1);
    find_file(folder, path, sizeof path);
    struct error error = {0};
    struct session_file *file = session_file_open(path, &error);
    assert_non_null(file);
    struct session_reading reading;
    assert_int_equal(session_file_visit(file, &(struct session_visitor){.entry = note}, NULL, &reading, &error), 0);
    assert_int_equal(reading.bad_entries, 0);
    session_file_close(file);
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    free(found.seen);
    session_folder_remove(folder);
    return 0;
}

static void it_is_one_session_with_one_beginning(void **state)
{
    (void)state;
    assert_int_equal(found.processes, 1);
    assert_int_equal(found.configurations, 1);
}

static void every_marker_before_during_and_after_is_there_exactly_once(void **state)
{
    (void)state;
    assert_true(marked > 10);
    for (uint32_t i = 0; i < marked; i++)
        if (found.seen[i] != 1)
            fail_msg("marker %u of %u is there %u times", i, marked, found.seen[i]);
}

static void samples_go_on_and_have_whole_stacks_from_then_on(void **state)
{
    (void)state;
    assert_true(found.main_before > 0);
    assert_true(found.main_after > 0);
    assert_int_equal(found.longest_before, 1);
    assert_true(found.longest_after > 2);
}

static void markers_have_whole_stacks_at_once(void **state)
{
    (void)state;
    assert_int_equal(found.marked_at_once, 1);
    assert_true(found.frames_at_once > 2);
}

static void threads_that_were_registered_before_are_sampled(void **state)
{
    (void)state;
    assert_true(found.worker > 0);
    assert_true(found.worker_after > 0);
}

static void an_interval_says_when_it_was(void **state)
{
    (void)state;
    assert_int_equal(found.handover_starts, 1);
    assert_int_equal(found.handover_ends, 1);
    assert_in_range(found.handover_start_ns, found.before_ns, found.handover_end_ns);
    assert_in_range(found.handover_end_ns, found.handover_start_ns, found.after_ns);
}

static void it_becomes_one_valid_profile(void **state)
{
    (void)state;
    struct gecko_document document;
    gecko_document_open(&document, path, NULL);
    assert_non_null(gecko_at(&document, "threads/1"));
    assert_gecko_absent(&document, "threads/2");
    gecko_document_close(&document);
}

int main(void)
{
    alarm(100);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_one_session_with_one_beginning),
        cmocka_unit_test(every_marker_before_during_and_after_is_there_exactly_once),
        cmocka_unit_test(samples_go_on_and_have_whole_stacks_from_then_on),
        cmocka_unit_test(markers_have_whole_stacks_at_once),
        cmocka_unit_test(threads_that_were_registered_before_are_sampled),
        cmocka_unit_test(an_interval_says_when_it_was),
        cmocka_unit_test(it_becomes_one_valid_profile),
    };
    return cmocka_run_group_tests(tests, record_the_handover, clean_up);
}
