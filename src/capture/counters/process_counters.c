/* Counters of the process: its CPU time, in nanoseconds since the session began; and its memory, in bytes: what is resident,
 * without the session's own chunks, and now and then its fair share of what it shares with others.
 *
 * What the program's allocator has given out is not asked for: mallinfo2() holds the allocator's locks for up to 25 ms, and the
 * program waits meanwhile. The importer counts it where allocations are recorded. */
#include "capture/core/clock.h"
#include "capture/core/full.h"
#include "capture/counters/reading.h"
#include "common/proc_file.h"
#include "ipc/feature_set.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void set(struct sonde_counter *counter, int64_t value)
{
    __atomic_store_n(&counter->cell->count, value, __ATOMIC_RELAXED);
}

/* --- CPU time ------------------------------------------------------------------------------------------------------------ */

static struct sonde_counter cpu = {"processCPU", "CPU", "CPU time of the process", NULL};
static bool with_cpu;
static uint64_t cpu_start, next_cpu_ns;

/* Of threads that run on other CPUs the kernel adds up what they used when its own tick comes, every 4 ms as a rule; to ask it
 * means to go through all threads. */
enum { CPU_EVERY_NS = 4000000 };

static void cpu_begin(uint64_t features, uint64_t now_ns)
{
    next_cpu_ns = now_ns;
    with_cpu = features & FEATURE_BIT(FEATURE_PROCESSCPU) && !full_base->is_observed();
    if (!with_cpu)
        return;
    sonde_api_1.counter_register(&cpu);
    set(&cpu, 0);
    cpu_start = clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

static void cpu_loop(uint64_t now_ns)
{
    if (!with_cpu || now_ns < next_cpu_ns)
        return;
    next_cpu_ns = now_ns + CPU_EVERY_NS;
    set(&cpu, (int64_t)(clock_read(CLOCK_PROCESS_CPUTIME_ID) - cpu_start));
}

const struct full_part counter_cpu_part = {.begin = cpu_begin, .loop = cpu_loop};

/* --- memory -------------------------------------------------------------------------------------------------------------- */

static struct sonde_counter resident = {"RSS", "Memory", "Memory of the process that is resident", NULL};
static struct sonde_counter proportional = {"PSS", "Memory", "Memory of the process, of what is shared its part", NULL};
static bool with_memory;
static struct descriptor statm = {.fd = -1};  /* /proc/self/statm */
static struct descriptor rollup = {.fd = -1}; /* /proc/self/smaps_rollup */
static struct pace rollup_pace;

static void memory_end(void)
{
    with_memory = false;
    descriptor_close(&statm);
    descriptor_close(&rollup);
}

static void memory_begin(uint64_t features, uint64_t now_ns)
{
    (void)now_ns;
    memory_end();
    with_memory = features & FEATURE_BIT(FEATURE_MEMORY);
    if (!with_memory)
        return;
    statm = descriptor_keep(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
    sonde_api_1.counter_register(&resident);
    rollup = descriptor_keep(open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC)); /* none before Linux 4.14 */
    if (descriptor_get(&rollup) >= 0)
        sonde_api_1.counter_register(&proportional);
    rollup_pace = (struct pace){0};
}

/* "size resident shared …", in pages. -1 where it cannot be read. */
static int64_t resident_pages(void)
{
    char text[128];
    uint64_t pages;
    const char *second = file_reread(&statm, text, sizeof text) ? strchr(text, ' ') : NULL;
    return second && number_parse(second + 1, 10, &pages) > second + 1 ? (int64_t)pages : -1;
}

static void memory_loop(uint64_t now_ns)
{
    (void)now_ns;
    int64_t pages = with_memory ? resident_pages() : -1;
    if (pages < 0)
        return;
    int64_t own = (int64_t)full_base->session_bytes(), bytes = pages * sysconf(_SC_PAGESIZE);
    set(&resident, bytes > own ? bytes - own : 0);
}

/* "… Pss: 1234 kB …". -1 where it cannot be read. */
static int64_t proportional_bytes(void)
{
    enum { KIB = 1024 };
    static const char key[] = "\nPss:";
    char text[1024];
    uint64_t kib;
    const char *at = file_reread(&rollup, text, sizeof text) ? strstr(text, key) : NULL;
    if (!at)
        return -1;
    at += strlen(key) + strspn(at + strlen(key), " ");
    return number_parse(at, 10, &kib) > at ? (int64_t)kib * KIB : -1;
}

/* The kernel walks all page tables for it, and who maps memory waits meanwhile: a hundredth of the time, and once a second at
 * most. Here and not in memory_loop(), where the core lock is held: a thread that waits for the kernel may hold up others. */
static void memory_after_loop(uint64_t now_ns)
{
    enum { SECOND_NS = 1000000000 };
    if (!with_memory || descriptor_get(&rollup) < 0 || !pace_begin(&rollup_pace, now_ns))
        return;
    int64_t bytes = proportional_bytes();
    if (bytes >= 0)
        set(&proportional, bytes);
    pace_end(&rollup_pace, 100, SECOND_NS);
}

const struct full_part counter_memory_part = {
    .begin = memory_begin, .loop = memory_loop, .after_loop = memory_after_loop, .end = memory_end};
