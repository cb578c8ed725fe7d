/* A session that is read while it is written, by threads of the same process and from another one; and one whose writer is
 * killed in the middle. Every entry carries what it takes to see that it is whole. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/chunk_manager.h"
#include "session/reader.h"
#include "support/session_draw.h"

/* --- writing ------------------------------------------------------------------------------------------------------- */

enum { MARKING_THREADS = 3, NAME_MAX_LENGTH = 97, THREADS_MAX = 3000 };

/* What the writers share with whoever checks, in memory that outlives them. */
struct shared {
    _Atomic uint32_t stop;
    _Atomic uint64_t markers[MARKING_THREADS]; /* so many are in the file for sure */
    _Atomic uint64_t ticks;
};

struct writer {
    struct shared *shared;
    struct chunk_manager *manager;
    uint32_t number;
};

static uint32_t checksum(uint32_t thread, uint64_t count)
{
    uint64_t mixed = (count * 0x9e3779b97f4a7c15u) ^ ((uint64_t)thread << 32 | thread);
    return (uint32_t)(mixed >> 32 ^ mixed);
}

static void name_fill(char name[static NAME_MAX_LENGTH], uint32_t sum)
{
    for (size_t i = 0; i < NAME_MAX_LENGTH; i++)
        name[i] = (char)(sum >> i % 25);
}

/* Room in the chunk, or in the next one. NULL: no chunk. */
static uint8_t *room_in(struct chunk_manager *manager, struct chunk **chunk, enum chunk_kind kind, size_t max)
{
    uint8_t *room = *chunk ? chunk_reserve(*chunk, max) : NULL;
    if (room)
        return room;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    uint64_t now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    if (*chunk) {
        chunk_manager_give_back(manager, *chunk, now);
        sched_yield();
    }
    *chunk = chunk_manager_take(manager, kind, now);
    return *chunk ? chunk_reserve(*chunk, max) : NULL;
}

static bool write_marker(struct writer *writer, struct chunk **chunk, uint64_t count)
{
    uint32_t sum = checksum(writer->number, count);
    char name[NAME_MAX_LENGTH];
    name_fill(name, sum);
    struct marker_entry marker = {.thread = writer->number,
                                  .type = sum,
                                  .phase = MARKER_INTERVAL,
                                  .start = count,
                                  .end = count + sum,
                                  .name = {name, sum % NAME_MAX_LENGTH}};
    enum { MAX = ENTRY_NUMBERS_MAX + NAME_MAX_LENGTH };
    uint8_t *room = room_in(writer->manager, chunk, CHUNK_MARKERS, MAX);
    if (!room)
        return false;
    chunk_commit(*chunk, MAX, entry_write_marker(room, MAX, &marker));
    return true;
}

static void *write_markers(void *data)
{
    struct writer *writer = data;
    struct chunk *chunk = NULL;
    for (uint64_t count = 1; !atomic_load_explicit(&writer->shared->stop, memory_order_relaxed); count++) {
        if (!write_marker(writer, &chunk, count))
            return "no chunk";
        atomic_store_explicit(&writer->shared->markers[writer->number], count, memory_order_release);
    }
    return NULL;
}

/* A thread is known before it is sampled. */
static void *write_samples(void *data)
{
    struct writer *writer = data;
    struct chunk_manager *manager = writer->manager;
    struct chunk *kept = NULL, *samples = NULL;
    uint32_t thread = 0;
    for (uint64_t tick = 1; !atomic_load_explicit(&writer->shared->stop, memory_order_relaxed); tick++) {
        uint8_t *room;
        if (tick % 50 == 1 && thread < THREADS_MAX) {
            struct thread_entry entry = {.thread = ++thread, .name = SLICE("")};
            if (!(room = room_in(manager, &kept, CHUNK_KEPT, ENTRY_NUMBERS_MAX)))
                return "no chunk";
            chunk_commit(kept, ENTRY_NUMBERS_MAX, entry_write_thread(room, ENTRY_NUMBERS_MAX, &entry));
        }
        if (!(room = room_in(manager, &samples, CHUNK_SAMPLES, ENTRY_NUMBERS_MAX)))
            return "no chunk";
        struct sample_entry sample = {.thread = thread, .time = tick};
        chunk_commit(samples, ENTRY_NUMBERS_MAX, entry_write_sample(room, ENTRY_NUMBERS_MAX, &sample));
        atomic_store_explicit(&writer->shared->ticks, tick, memory_order_release);
        chunk_manager_prepare(manager);
    }
    return NULL;
}

struct writers {
    struct writer each[MARKING_THREADS + 1];
    pthread_t threads[MARKING_THREADS + 1];
};

static struct chunk_manager *create(const char *folder, uint64_t limit)
{
    struct error error = {0};
    struct chunk_manager *manager =
        chunk_manager_create(&(struct chunk_manager_options){.folder = folder, .pid = 1, .limit_bytes = limit}, &error);
    if (!manager)
        fail_msg("%s", error.message);
    return manager;
}

static void writers_start(struct writers *writers, struct shared *shared, struct chunk_manager *manager)
{
    for (uint32_t i = 0; i <= MARKING_THREADS; i++) {
        writers->each[i] = (struct writer){shared, manager, i};
        if (pthread_create(&writers->threads[i], NULL, i < MARKING_THREADS ? write_markers : write_samples, &writers->each[i]))
            abort();
    }
}

static void writers_stop(struct writers *writers, struct shared *shared)
{
    atomic_store_explicit(&shared->stop, 1, memory_order_relaxed);
    for (size_t i = 0; i <= MARKING_THREADS; i++) {
        void *complaint;
        assert_int_equal(pthread_join(writers->threads[i], &complaint), 0);
        assert_null(complaint);
    }
}

/* --- checking ------------------------------------------------------------------------------------------------------ */

struct check {
    uint64_t entries, markers[MARKING_THREADS], holes[MARKING_THREADS];
    uint64_t last_sample, sampled;
    uint32_t threads;
    bool chunk_begins;
};

static int check_marker(struct check *check, const struct marker_entry *marker)
{
    uint32_t sum = checksum(marker->thread, marker->start);
    char name[NAME_MAX_LENGTH];
    name_fill(name, sum);
    if (marker->thread >= MARKING_THREADS || marker->type != sum || marker->end != marker->start + sum ||
        !slice_equal(marker->name, (struct slice){name, sum % NAME_MAX_LENGTH}))
        return 1;
    uint64_t *last = &check->markers[marker->thread];
    if (marker->start <= *last)
        return 2;
    check->holes[marker->thread] += *last != 0 && marker->start != *last + 1;
    *last = marker->start;
    return 0;
}

static int check_entry(void *data, const struct any_entry *entry, struct error *error)
{
    (void)error;
    struct check *check = data;
    check->entries++;
    switch (entry->kind) {
    case ENTRY_MARKER:
        return check_marker(check, &entry->marker);
    case ENTRY_THREAD:
        return entry->thread.thread == ++check->threads ? 0 : 3;
    case ENTRY_SAMPLE:
        /* Samples are only missing between two chunks: those that stood there were recycled. */
        if (entry->sample.time <= check->last_sample || (entry->sample.time != check->last_sample + 1 && !check->chunk_begins))
            return 4;
        check->chunk_begins = false;
        check->sampled++;
        check->last_sample = entry->sample.time;
        return entry->sample.thread <= check->threads ? 0 : 6;
    default:
        return 7;
    }
}

static void check_chunk(void *data)
{
    struct check *check = data;
    check->chunk_begins = true;
}

static void check_once(struct session_file *file, struct check *check, struct session_reading *reading)
{
    static const struct session_visitor visitor = {.entry = check_entry, .chunk_changed = check_chunk};
    struct error error = {0};
    *check = (struct check){0};
    assert_int_equal(session_file_visit(file, &visitor, check, reading, &error), 0);
    assert_int_equal(reading->bad_entries, 0);
}

/* Reads again and again until much was recycled meanwhile. */
static void check_while_written(const char *path)
{
    enum { VISITS = 60, RECYCLED = 1500 };
    struct error error = {0};
    struct session_file *file = session_file_open(path, &error);
    if (!file)
        fail_msg("%s", error.message);
    struct session_file_header header;
    uint64_t visits = 0, markers = 0, samples = 0;
    do {
        struct check check;
        struct session_reading reading;
        check_once(file, &check, &reading);
        for (size_t i = 0; i < MARKING_THREADS; i++)
            markers += check.markers[i] > 0;
        samples += check.sampled;
        visits++;
        session_file_header(file, &header);
    } while (visits < VISITS || header.statistics[STATISTIC_CHUNKS_RECYCLED] < RECYCLED || markers == 0 || samples == 0);
    session_file_close(file);
}

/* Nothing that was in the file when the writers ended is missing, but what was recycled before it. */
static void check_when_ended(const char *path, struct shared *shared)
{
    struct error error = {0};
    struct check check;
    struct session_reading reading;
    struct session_file *file = session_file_open(path, &error);
    check_once(file, &check, &reading);
    session_file_close(file);
    assert_int_equal(reading.chunks_missed, 0);
    unsigned with_markers = 0;
    for (size_t i = 0; i < MARKING_THREADS; i++) {
        /* A thread that had just begun a chunk, and waited while the others wrote on, may have nothing left. */
        if (check.markers[i] == 0)
            continue;
        with_markers++;
        assert_int_equal(check.holes[i], 0);
        assert_in_range(check.markers[i] - atomic_load_explicit(&shared->markers[i], memory_order_acquire), 0, 1);
    }
    assert_true(with_markers > 0);
    /* As with markers: of a thread that waited while the others wrote on, nothing may be left. */
    if (check.sampled > 0)
        assert_in_range(check.last_sample - atomic_load_explicit(&shared->ticks, memory_order_acquire), 0, 1);
}

/* --- the tests ----------------------------------------------------------------------------------------------------- */

static struct shared *shared_make(void)
{
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    return shared;
}

static void a_thread_reads_while_four_others_write_and_chunks_are_recycled(void **state)
{
    (void)state;
    char folder[64];
    struct shared *shared = shared_make();
    struct chunk_manager *manager = create(session_folder_make(folder), 16 * CHUNK_BYTES);
    struct writers writers;
    alarm(110);
    writers_start(&writers, shared, manager);
    check_while_written(chunk_manager_path(manager));
    writers_stop(&writers, shared);
    check_when_ended(chunk_manager_path(manager), shared);
    alarm(0);
    chunk_manager_free(manager);
    session_folder_remove(folder);
    munmap(shared, sizeof *shared);
}

static void another_process_reads_and_the_writer_is_killed_in_the_middle(void **state)
{
    (void)state;
    char folder[64], path[80];
    struct shared *shared = shared_make();
    struct chunk_manager *manager = create(session_folder_make(folder), 16 * CHUNK_BYTES);
    strcpy(path, chunk_manager_path(manager));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(110);
        static struct writers writers;
        writers_start(&writers, shared, manager);
        for (;;)
            pause();
    }
    chunk_manager_forget(manager);
    alarm(110);
    check_while_written(path);
    assert_int_equal(kill(child, SIGKILL), 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    check_when_ended(path, shared);
    alarm(0);
    session_folder_remove(folder);
    munmap(shared, sizeof *shared);
}

enum { PUTTING_THREADS = 32, PUTS = 1024 };

static void *put_all(void *data)
{
    struct writer *writer = data;
    struct chunk *chunk = NULL;
    for (uint64_t count = 1; count <= PUTS; count++)
        if (!write_marker(writer, &chunk, count))
            return "no chunk";
    chunk_manager_give_back(writer->manager, chunk, PUTS);
    return NULL;
}

static int count_puts(void *data, const struct any_entry *entry, struct error *error)
{
    (void)error;
    uint64_t *next = data;
    const struct marker_entry *marker = &entry->marker;
    if (marker->thread >= PUTTING_THREADS || marker->type != checksum(marker->thread, marker->start))
        return 1;
    return marker->start == ++next[marker->thread] ? 0 : 2;
}

static void of_1024_puts_by_each_of_32_threads_none_is_lost(void **state)
{
    (void)state;
    char folder[64];
    struct chunk_manager *manager = create(session_folder_make(folder), 64 << 20);
    struct writer writers[PUTTING_THREADS];
    pthread_t threads[PUTTING_THREADS];
    for (uint32_t i = 0; i < PUTTING_THREADS; i++) {
        writers[i] = (struct writer){NULL, manager, i};
        assert_int_equal(pthread_create(&threads[i], NULL, put_all, &writers[i]), 0);
    }
    for (size_t i = 0; i < PUTTING_THREADS; i++) {
        void *complaint;
        assert_int_equal(pthread_join(threads[i], &complaint), 0);
        assert_null(complaint);
    }
    struct error error = {0};
    struct session_reading reading;
    struct session_file *file = session_file_open(chunk_manager_path(manager), &error);
    uint64_t counts[PUTTING_THREADS] = {0};
    assert_int_equal(session_file_visit(file, &(struct session_visitor){.entry = count_puts}, counts, &reading, &error), 0);
    for (size_t i = 0; i < PUTTING_THREADS; i++)
        assert_int_equal(counts[i], PUTS);
    assert_int_equal(reading.bad_entries + reading.chunks_missed, 0);
    session_file_close(file);
    chunk_manager_free(manager);
    session_folder_remove(folder);
}

/* --- what the program does to its threads -------------------------------------------------------------------------- */

static struct chunk_manager *handlers_manager;
static _Atomic unsigned handled;

static void take_and_give_back(int signal)
{
    struct chunk *chunk = chunk_manager_take(handlers_manager, CHUNK_MARKERS, 1);
    if (chunk)
        chunk_manager_give_back(handlers_manager, chunk, 2);
    atomic_fetch_add_explicit(&handled, signal != 0, memory_order_relaxed);
}

static void a_handler_of_the_program_may_take_a_chunk_at_any_moment(void **state)
{
    (void)state;
    char folder[64];
    handlers_manager = create(session_folder_make(folder), 16 * CHUNK_BYTES);
    struct sigaction action = {.sa_handler = take_and_give_back, .sa_flags = SA_RESTART}, before;
    assert_int_equal(sigaction(SIGVTALRM, &action, &before), 0);
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {0};
    alarm(110);
    setitimer(ITIMER_VIRTUAL, &often, NULL);
    while (atomic_load_explicit(&handled, memory_order_relaxed) < 100)
        take_and_give_back(0);
    setitimer(ITIMER_VIRTUAL, &never, NULL);
    alarm(0);
    sigaction(SIGVTALRM, &before, NULL);
    chunk_manager_free(handlers_manager);
    session_folder_remove(folder);
}

/* Not in the function that is cancelled: AddressSanitizer would miss that its locals are gone. */
static __attribute__((noinline)) void ask_for_usage(struct chunk_manager *manager)
{
    struct chunk_manager_usage usage;
    chunk_manager_usage(manager, &usage);
}

static void *take_until_cancelled(void *data)
{
    struct chunk_manager *manager = data;
    for (;;) {
        struct chunk *chunk = chunk_manager_take(manager, CHUNK_MARKERS, 1);
        if (chunk)
            chunk_manager_give_back(manager, chunk, 2);
        ask_for_usage(manager);
        pthread_testcancel();
    }
    return NULL;
}

static void a_thread_that_is_cancelled_leaves_no_lock_behind(void **state)
{
    (void)state;
    char folder[64];
    struct chunk_manager *manager = create(session_folder_make(folder), 16 * CHUNK_BYTES);
    alarm(110);
    for (int round = 0; round < 200; round++) {
        pthread_t thread;
        void *result;
        assert_int_equal(pthread_create(&thread, NULL, take_until_cancelled, manager), 0);
        if (round % 2)
            sched_yield();
        assert_int_equal(pthread_cancel(thread), 0);
        assert_int_equal(pthread_join(thread, &result), 0);
        assert_ptr_equal(result, PTHREAD_CANCELED);
        struct chunk *chunk = chunk_manager_take(manager, CHUNK_MARKERS, 1);
        assert_non_null(chunk);
        chunk_manager_give_back(manager, chunk, 2);
    }
    alarm(0);
    chunk_manager_free(manager);
    session_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_1024_puts_by_each_of_32_threads_none_is_lost),
        cmocka_unit_test(a_thread_reads_while_four_others_write_and_chunks_are_recycled),
        cmocka_unit_test(another_process_reads_and_the_writer_is_killed_in_the_middle),
        cmocka_unit_test(a_handler_of_the_program_may_take_a_chunk_at_any_moment),
        cmocka_unit_test(a_thread_that_is_cancelled_leaves_no_lock_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
