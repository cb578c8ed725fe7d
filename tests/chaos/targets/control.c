/* Controls the library from several threads at once, as fast as it goes, while others say all they can. It ends well if every
 * call came back.
 *
 *     control SECONDS SESSION        the folder where some of the recordings go */
#include "check.h"

#define SONDE_LINKED
#include "sonde/sonde.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static atomic_bool over;
static atomic_uint started, begun, wrong;
static const char *session;

SONDE_MARKER_TYPE(turn, "Turn", SONDE_FIELD_STRING(what), SONDE_FIELD_INTEGER(number));
static SONDE_COUNTER(turns, "Turns", "Chaos", "Turns of all threads");

static void pause_for(long microseconds)
{
    struct timespec time = {0, microseconds * 1000};
    nanosleep(&time, NULL);
}

static void count_starts(void *data, enum sonde_state_change change)
{
    (void)data;
    if (change == SONDE_STARTED)
        atomic_fetch_add(&begun, 1);
}

/* On and off every ten milliseconds: by stop, by another start, by ensure_started with the same and with other options. */
static void *switch_on_and_off(void *argument)
{
    (void)argument;
    for (unsigned i = 0; !atomic_load(&over); i++) {
        struct sonde_start_options options = {
            .size = sizeof options,
            .interval_ms = i % 3 ? 1 : 0.2,
            .session = i % 5 == 0 ? session : NULL,
            .threads = i % 7 == 0 ? "marks" : NULL,
        };
        int result = i % 4 == 3 ? sonde_ensure_started(&options) : sonde_start(&options);
        if (result != 0) {
            fprintf(stderr, "start: %s\n", strerror(-result));
            atomic_fetch_add(&wrong, 1);
        }
        atomic_fetch_add(&started, 1);
        pause_for(10000);
        if (i % 4 != 2)
            sonde_stop();
    }
    sonde_stop();
    return NULL;
}

static void sampled(void *data, enum sonde_sampling state)
{
    (void)state;
    atomic_fetch_add((atomic_uint *)data, 1);
}

static void *pause_and_ask(void *argument)
{
    (void)argument;
    static atomic_uint promised, kept;
    while (!atomic_load(&over)) {
        sonde_pause();
        pause_for(300);
        sonde_resume();
        sonde_pause_sampling();
        if (sonde_after_sampling(sampled, &kept))
            atomic_fetch_add(&promised, 1);
        sonde_resume_sampling();
        pause_for(2000);
        struct sonde_buffer_info info = {.size = sizeof info};
        sonde_get_buffer_info(&info);
        if (info.bytes_limit && info.bytes_used > 2 * info.bytes_limit)
            atomic_fetch_add(&wrong, 1);
    }
    /* What was promised is kept, if only by "just stopped". */
    for (unsigned i = 0; i < 5000 && atomic_load(&kept) < atomic_load(&promised); i++)
        pause_for(1000);
    if (atomic_load(&kept) != atomic_load(&promised)) {
        fprintf(stderr, "%u of %u calls after sampling came\n", atomic_load(&kept), atomic_load(&promised));
        atomic_fetch_add(&wrong, 1);
    }
    return NULL;
}

static void say_all(unsigned number)
{
    SONDE_LABEL("chaos", OTHER);
    SONDE_LABEL_DYNAMIC("turn", number % 2 ? "odd" : "even", OTHER);
    SONDE_MARKER_SCOPE("turn", "text");
    sonde_counter_add(&turns, 1);
    sonde_marker_instant("instant", OTHER);
    SONDE_MARKER(turn, "typed", OTHER, .what = "something", .number = (int)number);
    if (number % 16 == 0) {
        sonde_backtrace *backtrace = sonde_backtrace_capture(SONDE_FULL_STACK);
        struct sonde_marker_options options = {.phase = SONDE_INSTANT, .backtrace = backtrace};
        sonde_marker_add(NULL, "with a stack", SONDE_CATEGORY_OTHER, &options, NULL);
        sonde_backtrace_free(backtrace);
    }
    compute(number, 2000);
}

static void *say_always(void *argument)
{
    (void)argument;
    sonde_thread_register("marks");
    for (unsigned i = 0; !atomic_load(&over); i++)
        say_all(i);
    sonde_thread_unregister();
    return NULL;
}

static void *live_shortly(void *argument)
{
    sonde_thread_register("short");
    say_all((unsigned)(uintptr_t)argument);
    sonde_thread_register("nested");
    sonde_thread_rename("renamed");
    sonde_thread_sleep();
    pause_for(100);
    sonde_thread_wake();
    sonde_thread_unregister();
    say_all((unsigned)(uintptr_t)argument);
    sonde_thread_unregister();
    return NULL;
}

static void *make_threads(void *argument)
{
    (void)argument;
    for (unsigned i = 0; !atomic_load(&over); i++) {
        pthread_t threads[4];
        for (unsigned j = 0; j < 4; j++)
            check(pthread_create(&threads[j], NULL, live_shortly, (void *)(uintptr_t)i) == 0);
        for (unsigned j = 0; j < 4; j++)
            check(pthread_join(threads[j], NULL) == 0);
    }
    return NULL;
}

/* A profile of a session that may end at any moment. */
static void *write_profiles(void *argument)
{
    (void)argument;
    while (!atomic_load(&over)) {
        int fd = memfd_create("profile", MFD_CLOEXEC);
        check(fd >= 0);
        if (sonde_write(fd, NULL, NULL) == 0) {
            char first = 0, last = 0;
            off_t size = lseek(fd, 0, SEEK_END);
            check(size > 2 && pread(fd, &first, 1, 0) == 1 && first == '{');
            do
                check(pread(fd, &last, 1, --size) == 1);
            while (last == '\n');
            check(last == '}');
        }
        close(fd);
        pause_for(20000);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    check(argc == 3);
    unsigned seconds = (unsigned)atoi(argv[1]);
    session = argv[2];
    alarm(60 + seconds);
    check(sonde_add_state_callback(1u << SONDE_STARTED, count_starts, NULL, 1) == 0);
    static void *(*const starts[])(void *) = {switch_on_and_off, pause_and_ask, say_always,
                                              say_always,        make_threads,  write_profiles};
    enum { COUNT = sizeof starts / sizeof *starts };
    pthread_t threads[COUNT];
    for (unsigned i = 0; i < COUNT; i++)
        check(pthread_create(&threads[i], NULL, starts[i], NULL) == 0);
    unsigned interrupted = 0;
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += seconds;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
        interrupted++;
    atomic_store(&over, true);
    for (unsigned i = 0; i < COUNT; i++)
        check(pthread_join(threads[i], NULL) == 0);
    sonde_remove_state_callback(1);
    fprintf(stderr, "note: %u starts, the main thread's sleep was interrupted %u times\n", atomic_load(&started), interrupted);
    check(atomic_load(&wrong) == 0);
    check(atomic_load(&started) > 0 && atomic_load(&begun) > 0);
    return 0;
}
