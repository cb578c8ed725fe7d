/* Two counters of memory, in bytes: what is resident, without the session's own chunks; and what the program's allocator has
 * given out. */
#include "capture/core/feature_set.h"
#include "capture/core/full.h"
#include "capture/counters/pace.h"
#include "session/descriptor.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

static struct sonde_counter resident = {"RSS", "Memory", "Memory of the process that is resident", NULL};
static struct sonde_counter allocated = {"malloc", "Memory", "Amount of allocated memory", NULL};
static bool on;
static struct descriptor statm = {.fd = -1}; /* /proc/self/statm */
static struct pace allocator_pace;

/* Older C libraries have none. */
extern struct mallinfo2 mallinfo2(void) __attribute__((weak));

static void set(struct sonde_counter *counter, int64_t value)
{
    __atomic_store_n(&counter->cell->count, value, __ATOMIC_RELAXED);
}

static void end(void)
{
    on = false;
    descriptor_close(&statm);
}

static void begin(uint64_t features, uint64_t now_ns)
{
    (void)now_ns;
    end();
    on = features & FEATURE_BIT(FEATURE_MEMORY);
    if (!on)
        return;
    statm = descriptor_keep(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
    full_base->api->counter_register(&resident);
    if (mallinfo2)
        full_base->api->counter_register(&allocated);
    allocator_pace = (struct pace){0};
}

/* "size resident shared …", in pages. -1 where it cannot be read. */
static int64_t resident_pages(void)
{
    char text[128];
    int file = descriptor_get(&statm);
    ssize_t length = file >= 0 ? pread(file, text, sizeof text, 0) : -1;
    int64_t pages = 0;
    ssize_t at = 0;
    while (at < length && text[at] != ' ')
        at++;
    for (at++; at < length && text[at] >= '0' && text[at] <= '9'; at++)
        pages = pages * 10 + (text[at] - '0');
    return at < length ? pages : -1;
}

static void loop(uint64_t now_ns)
{
    (void)now_ns;
    int64_t pages = on ? resident_pages() : -1;
    if (pages < 0)
        return;
    int64_t own = (int64_t)full_base->session_bytes(), bytes = pages * sysconf(_SC_PAGESIZE);
    set(&resident, bytes > own ? bytes - own : 0);
}

/* Here and not in loop(), where the core lock is held: the allocator has locks of its own, and a thread that holds one may be
 * waiting for ours. It walks all its free memory, so not every time: at most one hundredth of the time. */
static void after_loop(uint64_t now_ns)
{
    if (!on || !mallinfo2 || !pace_begin(&allocator_pace, now_ns))
        return;
    struct mallinfo2 info = mallinfo2();
    set(&allocated, (int64_t)(info.uordblks + info.hblkhd));
    pace_end(&allocator_pace, 100, 0);
}

const struct full_part counter_memory_part = {
    .begin = begin, .loop = loop, .after_loop = after_loop, .end = end, .forked = end};
