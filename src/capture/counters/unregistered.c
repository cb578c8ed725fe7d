/* Threads of the process that nobody registered, and that are therefore not in the recording.
 *
 * Once a second they are looked for, so that the quality record can say how many there were; not in the first moments, which
 * are all that many processes live for, and in which nobody is counted. With the feature
 * `unregisteredthreads` more often, and what is found stands on the track of the main thread: an interval for the life of each,
 * and its use of the CPU. */
#include "capture/core/full.h"
#include "capture/counters/reading.h"
#include "common/proc_file.h"
#include "ipc/feature_set.h"
#include "session/format.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KNOWN_MAX = 512, NAME_ROOM = 48, FIRST_NS = 250000000, EVERY_NS = 1000000000 };

static struct unregistered {
    int tid;
    bool seen;    /* in this search */
    bool counted; /* when it is seen for the second time: at first it may just not have come to register itself */
    uint64_t cpu_ns;
    char name[NAME_ROOM]; /* "tid 4711 worker" */
} known[KNOWN_MAX];
static size_t known_count;

static bool on, with_markers;
static struct descriptor tasks = {.fd = -1}; /* /proc/self/task */
static struct pace pace;
static uint64_t last_search;

static const struct sonde_field lifetime_fields[] = {{"End Event", NULL, "string", SONDE_TEXT, false, 0}};
static struct sonde_marker_type lifetime_type = {
    "UnregisteredThreadLifetime", {.table_label = "{marker.name}: {marker.data.End Event}"}, lifetime_fields, 1, 0};

struct cpu_values {
    uint64_t cpu_ns;
    double utilization;
};
static const struct sonde_field cpu_fields[] = {
    {"CPU Time", NULL, "nanoseconds", SONDE_UNSIGNED, false, offsetof(struct cpu_values, cpu_ns)},
    {"CPU Utilization", NULL, "percentage", SONDE_DOUBLE, false, offsetof(struct cpu_values, utilization)},
};
static struct sonde_marker_type cpu_type = {
    "UnregisteredThreadCPU", {.table_label = "{marker.name} - Activity: {marker.data.CPU Utilization}"}, cpu_fields, 2, 0};

static void mark(struct sonde_marker_type *type, const char *name, enum sonde_phase phase, uint64_t start, uint64_t end,
                 const void *values)
{
    if (!with_markers)
        return;
    struct sonde_marker_options options = {.phase = phase, .start = start, .end = end};
    full_base->marker(type, name, strlen(name), SONDE_CATEGORY_PROFILER, &options, values);
}

/* --- one thread -------------------------------------------------------------------------------------------------------- */

/* How long it has run, from the scheduler's books; 0 where they are closed. */
static uint64_t cpu_time(int tid)
{
    char path[64], text[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", tid);
    uint64_t ns = 0;
    if (proc_file_read(path, text, sizeof text) > 0)
        number_parse(text, 10, &ns);
    return ns;
}

static void found(struct unregistered *thread, int tid, uint64_t now_ns)
{
    char path[64], comm[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", tid);
    /* No file is opened unasked: the program may rely on getting the lowest descriptor that is free. */
    if (with_markers)
        proc_file_line(path, comm, sizeof comm);
    *thread = (struct unregistered){.tid = tid, .seen = true, .cpu_ns = with_markers ? cpu_time(tid) : 0};
    snprintf(thread->name, sizeof thread->name, "tid %d %s", tid, comm);
    /* It began some time since the last look. */
    uint64_t start = last_search + (now_ns - last_search) / 2;
    const char *none = "";
    mark(&lifetime_type, thread->name, SONDE_START, start, 0, &none);
}

static void found_again(struct unregistered *thread, uint64_t now_ns)
{
    thread->seen = true;
    if (!thread->counted)
        full_base->statistic_add(STATISTIC_THREADS_UNREGISTERED, 1);
    thread->counted = true;
    if (!with_markers)
        return;
    uint64_t cpu_ns = cpu_time(thread->tid);
    if (cpu_ns > thread->cpu_ns) {
        struct cpu_values values = {cpu_ns - thread->cpu_ns,
                                    (double)(cpu_ns - thread->cpu_ns) / (double)(now_ns - last_search)};
        mark(&cpu_type, thread->name, SONDE_INTERVAL, last_search, now_ns, &values);
    }
    thread->cpu_ns = cpu_ns;
}

static void look_at(int tid, uint64_t now_ns)
{
    struct unregistered *thread = known;
    while (thread < known + known_count && thread->tid != tid)
        thread++;
    if (full_base->is_registered(tid)) {
        if (thread < known + known_count) {
            const char *event = "Thread registered itself";
            mark(&lifetime_type, thread->name, SONDE_END, 0, now_ns, &event);
            *thread = known[--known_count];
        }
    } else if (thread < known + known_count) {
        found_again(thread, now_ns);
    } else if (known_count < KNOWN_MAX) {
        found(&known[known_count++], tid, now_ns);
    }
}

static void forget_the_gone(uint64_t now_ns)
{
    for (size_t i = 0; i < known_count;) {
        if (known[i].seen) {
            known[i++].seen = false;
            continue;
        }
        const char *event = "Thread disappeared";
        mark(&lifetime_type, known[i].name, SONDE_END, 0, now_ns, &event);
        known[i] = known[--known_count];
    }
}

/* --- all of them ------------------------------------------------------------------------------------------------------- */

static void search(uint64_t now_ns)
{
    _Alignas(struct dirent64) char buffer[4096]; /* readdir() would allocate */
    int folder = descriptor_get(&tasks), own = gettid();
    if (folder < 0 || lseek(folder, 0, SEEK_SET) != 0) {
        on = false;
        return;
    }
    for (;;) {
        long length = syscall(SYS_getdents64, folder, buffer, sizeof buffer);
        if (length <= 0)
            break;
        for (long at = 0; at < length;) {
            const struct dirent64 *entry = (const void *)(buffer + at);
            uint64_t tid;
            number_parse(entry->d_name, 10, &tid);
            if (tid > 0 && tid != (uint64_t)own) /* not the background thread */
                look_at((int)tid, now_ns);
            at += entry->d_reclen;
        }
    }
    forget_the_gone(now_ns);
    last_search = now_ns;
}

static void end(void)
{
    on = false;
    descriptor_close(&tasks);
    known_count = 0;
}

static void begin(uint64_t features, uint64_t now_ns)
{
    end();
    with_markers = features & FEATURE_BIT(FEATURE_UNREGISTEREDTHREADS);
    if (!with_markers && full_base->is_observed())
        return; /* the recorder counts them */
    tasks = descriptor_keep(open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    on = tasks.fd >= 0;
    last_search = now_ns;
    pace = (struct pace){.next_ns = with_markers ? 0 : now_ns + FIRST_NS};
}

static void after_loop(uint64_t now_ns)
{
    if (!on || !pace_begin(&pace, now_ns))
        return;
    search(now_ns);
    pace_end(&pace, 50, with_markers ? 0 : EVERY_NS);
}

const struct full_part unregistered_part = {.begin = begin, .after_loop = after_loop, .end = end};
