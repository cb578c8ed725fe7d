/* A program that is killed at any moment, with its children: threads make markers and are sampled, and write down how far they
 * got with both (kill_log.h).
 *
 *     kill_target LOG SEED MS CHILDREN        works for MS milliseconds; CHILDREN = how deep the tree of its children gets */
#include "check.h"

#include "chaos/kill_log.h"
#include "sonde/sonde.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

enum {
    WORKERS = 2,
    MOST_MARKERS = 40000, /* of a thread */
    BRIEF_MARKERS = 400,  /* of one that ends soon */
    BURST = 64,           /* so many as fast as it can, then a pause: */
    PAUSE_US = 500,
    LONG_PAUSE_US = 70000,
    WORK_ROUNDS = 100000, /* to be sampled in, now and then */
    CHILDREN_AT_ONCE = 3,
};

static struct kill_log *kill_log;
static const char *log_path;
static unsigned depth; /* of the tree below this process */
static struct timespec end;
static uint32_t process;  /* its number in the log */
static unsigned pause_us; /* between bursts */
static bool works;        /* between markers, and so has more samples; else it has many more markers */

SONDE_MARKER_TYPE(counted, "Counted", SONDE_FIELD_INTEGER(stream), SONDE_FIELD_INTEGER(number));

static bool time_is_up(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec);
}

static long left_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long ms = (end.tv_sec - now.tv_sec) * 1000 + (end.tv_nsec - now.tv_nsec) / 1000000;
    return ms > 0 ? ms : 0;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- samples ---- */

/* In the handler. */
static uint64_t number_sample(void *stream)
{
    struct kill_stream *mine = stream;
    uint32_t number = atomic_fetch_add(&mine->samples_begun, 1) + 1;
    return (uint64_t)(mine - kill_log->streams) << KILL_SAMPLE_BITS | number;
}

/* No handler runs on this thread, so all that were begun are written or lost. */
static void note_samples(struct kill_stream *stream)
{
    struct sonde_buffer_info info = {.size = sizeof info};
    uint32_t begun = atomic_load(&stream->samples_begun);
    _Atomic uint64_t *lost = &kill_log->processes[process].lost;
    sonde_get_buffer_info(&info);
    for (uint64_t before = atomic_load(lost); before < info.samples_lost;)
        if (atomic_compare_exchange_weak(lost, &before, info.samples_lost))
            break;
    if (sonde_is_recording()) /* else nobody says how many are lost */
        atomic_store(&stream->samples_published, begun);
}

/* ---- markers ---- */

/* The same in two ways, the second with a text of another length each time, so that entries end anywhere in a chunk. */
static void make_marker(unsigned stream, unsigned number)
{
    static const char filler[] =
        "................................................................................................";
    if (number % 2)
        SONDE_MARKER(counted, "counted", OTHER, .stream = (int)stream, .number = (int)number);
    else
        SONDE_MARKER_TEXT("text", OTHER, "%u %u %.*s", stream, number, (int)(number * 7 % (sizeof filler - 1)), filler);
}

/* Sequentially consistent, as nothing here has to be fast: the marker lies between the two. False when it is not recorded. */
static bool count_marker(uint32_t index, unsigned number)
{
    struct kill_stream *stream = &kill_log->streams[index];
    atomic_store(&stream->begun, number);
    make_marker(index, number);
    /* A recorder that lives longer than the program stops the recordings of the children that are left. */
    if (!sonde_is_recording()) {
        atomic_store(&stream->stopped, 1);
        return false;
    }
    atomic_store(&stream->published, number);
    static volatile uint32_t sink;
    if (works && number % 16 == 0)
        sink ^= compute(number, WORK_ROUNDS);
    return true;
}

/* Some markers as fast as it can, then a pause. False when there are no more. */
static __attribute__((noinline)) bool burst(uint32_t index, unsigned *number, unsigned most)
{
    uint32_t burst_index = atomic_fetch_add(&kill_log->burst_count, 1);
    if (burst_index >= KILL_BURSTS)
        return false;
    struct kill_burst *out = &kill_log->bursts[burst_index];
    char name[20];
    snprintf(name, sizeof name, "%u", burst_index);
    atomic_store(&out->stream, index);
    atomic_store(&out->begin_ns, now_ns());
    bool more = true;
    {
        SONDE_LABEL_DYNAMIC("burst", name, OTHER);
        for (unsigned i = 0; i < BURST && more; i++)
            more = *number < most && !time_is_up() && count_marker(index, ++*number);
        if (more && pause_us > 0)
            usleep(pause_us);
    }
    atomic_store(&out->end_ns, now_ns());
    return more;
}

/* NULL: the log is full. */
static struct kill_stream *count_markers(unsigned most)
{
    uint32_t index = atomic_fetch_add(&kill_log->stream_count, 1);
    if (index >= KILL_STREAMS)
        return NULL;
    struct kill_stream *stream = &kill_log->streams[index];
    atomic_store(&stream->process, process);
    atomic_store(&stream->tid, gettid());
    atomic_store(&stream->pid, getpid());
    atomic_store(&stream->begin_ns, now_ns());
    unsigned number = 0;
    sonde_thread_set_event_delay(number_sample, stream);
    while (burst(index, &number, most))
        note_samples(stream);
    sonde_thread_set_event_delay(NULL, NULL);
    note_samples(stream);
    atomic_store(&stream->end_ns, now_ns());
    return stream;
}

static void *work(void *argument)
{
    (void)argument;
    count_markers(MOST_MARKERS);
    return NULL;
}

static void *work_briefly(void *argument)
{
    (void)argument;
    return count_markers(BRIEF_MARKERS);
}

/* ---- processes ---- */

/* When the clock of the recording was 0: what it shows, less what ours does, as closely as that can be known. */
static uint64_t zero_of_clock(void)
{
    uint64_t zero = 0, best = UINT64_MAX;
    for (unsigned i = 0; i < 20; i++) {
        uint64_t before = now_ns(), theirs = sonde_now(), took = now_ns() - before;
        if (took < best) {
            best = took;
            zero = before - theirs;
        }
    }
    return zero;
}

static void say_number(void)
{
    process = atomic_fetch_add(&kill_log->process_count, 1);
    check(process < KILL_PROCESSES);
    atomic_store(&kill_log->processes[process].pid, getpid());
    atomic_store(&kill_log->processes[process].zero_ns, zero_of_clock());
}

static void run_process(unsigned ms);

/* The command line of a process that works for `ms`; valid until the next call. */
static char **words_of(unsigned ms)
{
    static char seed[20], time[20], below[20];
    static char *words[] = {"/proc/self/exe", NULL, seed, time, below, NULL};
    words[1] = (char *)log_path;
    snprintf(seed, sizeof seed, "%ld", random());
    snprintf(time, sizeof time, "%u", ms);
    snprintf(below, sizeof below, "%u", depth);
    return words;
}

/* None of which loses anything. */
static void end_somehow(unsigned way)
{
    switch (way % 4) {
    case 0:
        exit(0);
    case 1:
        _exit(0);
    case 2:
        quick_exit(0);
    default:
        kill(getpid(), SIGKILL);
    }
}

static struct kill_stream *stream_at(uint32_t index)
{
    return index < atomic_load(&kill_log->stream_count) && index < KILL_STREAMS ? &kill_log->streams[index] : NULL;
}

static void become_another(unsigned ms)
{
    for (uint32_t i = 0; stream_at(i); i++)
        if (atomic_load(&stream_at(i)->pid) == getpid())
            atomic_store(&stream_at(i)->before_exec, atomic_load(&stream_at(i)->published) + 1);
    char **words = words_of(ms);
    execv(words[0], words);
    _exit(1);
}

/* In the middle of what its other threads do. */
static void *become_another_later(void *argument)
{
    unsigned ms = *(const unsigned *)argument / 2;
    usleep(ms * 1000);
    become_another(ms);
    return NULL;
}

enum way { FORKED, EXECUTED, EXECUTED_LATER, SPAWNED, WAYS };

_Noreturn static void live(enum way way, unsigned ms)
{
    say_number();
    depth--;
    srandom((unsigned)(getpid() + random()));
    if (way == EXECUTED)
        become_another(ms);
    pthread_t thread;
    if (way == EXECUTED_LATER)
        check(pthread_create(&thread, NULL, become_another_later, &ms) == 0);
    run_process(ms);
    if (way == EXECUTED_LATER)
        pthread_join(thread, NULL);
    end_somehow((unsigned)random());
    _exit(1);
}

/* By fork alone, by fork and exec at once or later, and by posix_spawn. */
static pid_t make_child(void)
{
    enum way way = (enum way)(random() % WAYS);
    unsigned ms = 1 + (unsigned)random() % 120;
    if ((long)ms > left_ms())
        ms = (unsigned)left_ms() + 1;
    atomic_fetch_add(&kill_log->children_begun, 1);
    pid_t pid = -1;
    if (way == SPAWNED) {
        char **words = words_of(ms);
        snprintf(words[4], 20, "%u", depth - 1);
        check(posix_spawn(&pid, words[0], NULL, NULL, words, environ) == 0);
    } else {
        pid = fork();
        if (pid == 0)
            live(way, ms);
    }
    check(pid > 0);
    return pid;
}

static void *make_children(void *argument)
{
    (void)argument;
    unsigned count = 0;
    while (!time_is_up()) {
        if (count < CHILDREN_AT_ONCE) {
            make_child();
            count++;
        }
        while (count > 0 && waitpid(-1, NULL, count < CHILDREN_AT_ONCE ? WNOHANG : 0) > 0)
            count--;
        usleep((unsigned)random() % 5000);
    }
    while (count > 0 && waitpid(-1, NULL, 0) > 0)
        count--;
    return NULL;
}

static void write_life(struct kill_stream *stream, uint64_t made_ns, uint64_t gone_ns)
{
    atomic_store(&stream->made_ns, made_ns);
    atomic_store(&stream->gone_ns, gone_ns);
}

static void run_process(unsigned ms)
{
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += ms / 1000;
    end.tv_nsec += (long)(ms % 1000) * 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    static const unsigned pauses[] = {0, 0, PAUSE_US, LONG_PAUSE_US};
    pause_us = pauses[random() % 4];
    works = random() % 2;
    pthread_t workers[WORKERS], maker;
    for (unsigned i = 0; i < WORKERS; i++)
        check(pthread_create(&workers[i], NULL, work, NULL) == 0);
    if (depth > 0)
        check(pthread_create(&maker, NULL, make_children, NULL) == 0);
    while (!time_is_up()) {
        pthread_t brief;
        void *stream;
        uint64_t made_ns = now_ns();
        errno = pthread_create(&brief, NULL, work_briefly, NULL);
        check(errno == 0);
        count_markers(BRIEF_MARKERS);
        check(pthread_join(brief, &stream) == 0);
        if (stream)
            write_life(stream, made_ns, now_ns());
        usleep(2000);
    }
    for (unsigned i = 0; i < WORKERS; i++)
        check(pthread_join(workers[i], NULL) == 0);
    if (depth > 0)
        check(pthread_join(maker, NULL) == 0);
}

int main(int argc, char **argv)
{
    alarm(240);
    check(argc == 5);
    log_path = argv[1];
    srandom((unsigned)strtoul(argv[2], NULL, 10));
    depth = (unsigned)strtoul(argv[4], NULL, 10);
    int fd = open(log_path, O_RDWR | O_CLOEXEC);
    check(fd >= 0);
    kill_log = mmap(NULL, sizeof *kill_log, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check(kill_log != MAP_FAILED);
    close(fd);
    say_number();
    run_process((unsigned)strtoul(argv[3], NULL, 10));
    if (atomic_load(&kill_log->processes[0].pid) == getpid()) {
        atomic_store(&kill_log->end_ns, now_ns());
        for (uint32_t i = 0; stream_at(i); i++) {
            struct kill_stream *stream = stream_at(i);
            if (atomic_load(&stream->stopped) && !atomic_load(&stream->before_exec))
                atomic_fetch_add(&kill_log->stopped_early, 1);
            atomic_store(&stream->before_end, atomic_load(&stream->published) + 1);
            atomic_store(&stream->samples_before_end, atomic_load(&stream->samples_published) + 1);
        }
    }
    return 0;
}
