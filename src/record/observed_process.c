#include "record/observed_process.h"

#include "common/clock.h"
#include "common/proc_file.h"
#include "ipc/link.h"
#include "looker/cpu_event.h"
#include "looker/look_writer.h"
#include "looker/proc_text.h"
#include "record/ended_file.h"
#include "session/entry.h"
#include "unwind/modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LIST_PAUSE_NS = 10000000,    /* between listings of threads or modules, where the process says that some came or went … */
    LIST_COST_SHARE = 50,        /* … and at most so much of the time */
    LIST_ALWAYS_NS = 1000000000, /* also where it does not say so … */
    LIST_YOUNG_NS = 100000000,   /* … or sooner, as it may live no longer */
    MODULE_HEAD_MAX = 128,
};

/* Before the next listing, after one that took so long. */
static uint64_t pause_after(uint64_t cost_ns)
{
    return cost_ns * LIST_COST_SHARE > LIST_PAUSE_NS ? cost_ns * LIST_COST_SHARE : LIST_PAUSE_NS;
}

/* Where a process does not say that threads came: also the first listing of a short one has to find them. */
static uint64_t list_always_pause(const struct observed_process *process, uint64_t now)
{
    uint64_t age = now > process->origin_ns ? now - process->origin_ns : 0;
    uint64_t pause = age / 2 < LIST_YOUNG_NS ? LIST_YOUNG_NS : age / 2 < LIST_ALWAYS_NS ? age / 2 : LIST_ALWAYS_NS;
    return pause > process->list_pause_ns ? pause : process->list_pause_ns;
}

/* ---- what is written of it ---- */

void observed_process_put(struct observing *observing, struct observed_process *process, bool kept, size_t max,
                          entry_fill *fill, const void *entry)
{
    (void)looks_file_put(&observing->looks, &process->looks, kept, max, fill, entry);
    if (!process->looks.samples.is_new)
        return;
    /* A chunk is to be understood without the others: the next look of each thread tells its whole stack. */
    process->looks.samples.is_new = false;
    for (size_t i = 0; i < process->threads.count; i++)
        look_thread_forget(&process->threads.items[i]->look);
}

ENTRY_WRITER(module)
ENTRY_WRITER(module_end)

/* The numbers are not those of the process, which tells of the same modules. */
enum { MODULE_NUMBERS = 1 << 24 };

static void tell_module(void *data, const struct unwind_module *module, bool loaded)
{
    struct observed_process *process = data;
    uint64_t now = clock_read(CLOCK_MONOTONIC), time = now > process->origin_ns ? now - process->origin_ns : 0;
    if (!loaded) {
        struct module_end_entry end = {MODULE_NUMBERS + module->id, time};
        observed_process_put(process->observing, process, true, MODULE_HEAD_MAX, write_module_end, &end);
        return;
    }
    struct module_entry entry = {.module = MODULE_NUMBERS + module->id,
                                 .time = 0, /* it may have been there since the process began */
                                 .start = module->start,
                                 .end = module->end,
                                 .bias = module->bias,
                                 .path = slice_of(module->path),
                                 .build_id = {(const char *)module->build_id, module->build_id_length}};
    observed_process_put(process->observing, process, true, MODULE_HEAD_MAX + entry.path.length + entry.build_id.length,
                         write_module, &entry);
}

ENTRY_WRITER(code)

static void tell_code(void *data, const struct code_entry *code)
{
    struct observed_process *process = data;
    struct code_entry entry = *code;
    entry.time = code->time > process->origin_ns ? code->time - process->origin_ns : 0;
    observed_process_put(process->observing, process, true,
                         ENTRY_NUMBERS_MAX + entry.name.length + entry.file.length + entry.lines.length, write_code, &entry);
}

ENTRY_WRITER(process)

void observed_process_note_title(struct observing *observing, struct observed_process *process, uint64_t now, bool is_last)
{
    char room[TITLE_WATCH_BYTES];
    struct process_entry entry = {SLICE(""), SLICE(""), SLICE("")};
    if (title_watch_read(&process->title, process->peer, now, is_last, room, &entry.arguments))
        observed_process_put(observing, process, true, 64 + entry.arguments.length, write_process, &entry);
}

/* ---- filters of system calls ---- */

uint32_t observed_filters(pid_t pid, pid_t tid)
{
    char path[64], line[256];
    uint32_t mode = 0, filters = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", pid, tid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "Seccomp", 7) == 0 && sscanf(line, "Seccomp: %u", &mode) != 1)
            (void)sscanf(line, "Seccomp_filters: %u", &filters);
    if (file)
        fclose(file);
    enum { STRICT = 1 };
    return mode == STRICT ? UINT32_MAX : filters;
}

/* Once it has more, our code there makes no system calls any more (capture/core/sandbox.h). */
static void look_for_filters(struct observed_process *process, uint64_t now)
{
    /* To read it costs 30 µs: all processes together are asked 20 times a second. */
    const uint64_t every_ns = 50000000 * (uint64_t)process->observing->processes;
    if (!process->has_run || now - process->filtered_ns < every_ns)
        return;
    process->has_run = false;
    process->filtered_ns = now;
    /* A thread may filter itself alone: they take turns. */
    pid_t tid = process->peer;
    if (process->threads.count > 0)
        tid = process->threads.items[process->filter_turn++ % process->threads.count]->look.tid;
    if (observed_filters(process->peer, tid) > process->observing->filters)
        atomic_store_explicit(&process->supply.view.header->filtered, 1, memory_order_relaxed);
}

/* ---- beginning and end ---- */

struct observed_process *observed_process_open(struct observing *observing, int folder, int pid, uint32_t image, pid_t peer)
{
    char name[ENDED_NAME_MAX];
    struct error error = {0};
    /* Most of a build are gone by now: to map their files for nothing costs more than all else that is done for them. */
    if (kill(peer, 0) != 0 && errno == ESRCH)
        return NULL;
    struct observed_process *process = memory_zeroed(1, sizeof *process);
    if (!process)
        return NULL;
    ended_file_name(name, pid, image);
    int fd = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int failed = fd < 0 ? -errno : supply_open(&process->supply, fd);
    if (failed) {
        memory_release(process);
        errno = -failed;
        return NULL;
    }
    process->pid = pid;
    process->image = image;
    process->peer = peer;
    process->origin_ns = process->supply.view.header->start_monotonic_ns;
    process->looks.owner = (uint64_t)(uint32_t)pid << 32 | image;
    process->observing = observing;
    process->target = look_target_open(observing->looker, peer, &error);
    if (!process->target) {
        supply_end(&process->supply);
        memory_release(process);
        errno = ESRCH;
        return NULL;
    }
    look_target_on_modules(process->target, tell_module, process);
    look_target_on_code(process->target, tell_code, process);
    if (clock_getcpuclockid(peer, &process->cpu_clock) != 0)
        process->cpu_clock = -1;
    return process;
}

static void thread_free(struct observing *observing, struct observed_thread *thread)
{
    look_policy_remove(&observing->policy, &thread->turn);
    look_thread_close(thread->process->target, &thread->look);
    if (thread->event >= 0) {
        close(thread->event);
        observing->events--;
    }
    memory_release(thread);
}

void observed_process_close(struct observing *observing, struct observed_process *process)
{
    for (size_t i = 0; i < process->threads.count; i++)
        thread_free(observing, process->threads.items[i]);
    looks_file_end(&observing->looks, &process->looks);
    look_target_close(process->target);
    supply_end(&process->supply);
    vec_free(&process->threads);
    vec_free(&process->told);
    unregistered_free(&process->unregistered);
    map_free(&process->thread_of_tid);
    map_free(&process->told_of_tid);
    memory_release(process);
}

bool observed_process_is_there(const struct observed_process *process)
{
    return kill(process->peer, 0) == 0 || errno == EPERM;
}

bool observed_process_is_over(const struct observed_process *process)
{
    return atomic_load_explicit(&process->supply.view.header->end_ns, memory_order_relaxed) != 0;
}

void observed_process_end(struct observed_process *process, enum session_state state, uint64_t now)
{
    struct session_file_header *header = process->supply.view.header;
    uint64_t none = 0, end = now > process->origin_ns ? now - process->origin_ns : 1;
    if (atomic_compare_exchange_strong_explicit(&header->end_ns, &none, end, memory_order_relaxed, memory_order_relaxed))
        atomic_store_explicit(&header->state, state, memory_order_relaxed);
}

/* ---- threads ---- */

static void note_thread(struct observed_process *process, const struct thread_entry *thread)
{
    struct told_thread told = {thread->tid, thread->labels, thread->handle, thread->cpu_ns};
    int32_t tid = thread->tid;
    uint32_t row;
    for (struct map_probe probe = map_probe(&process->told_of_tid, hash_u64((uint32_t)tid)); map_probe_next(&probe, &row);)
        if (process->told.items[row].tid == tid) {
            process->told.items[row] = told;
            return;
        }
    row = (uint32_t)process->told.count;
    if (vec_push(&process->told, told))
        (void)map_insert(&process->told_of_tid, hash_u64((uint32_t)tid), row);
}

static void note_told(void *data, const struct any_entry *entry)
{
    struct observed_process *process = data;
    if (entry->kind == ENTRY_THREAD)
        note_thread(process, &entry->thread);
    else
        look_target_add_runtime(process->target, entry->runtime.layout.text, entry->runtime.layout.length);
}

static const struct told_thread *find_told(const struct observed_process *process, int32_t tid)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&process->told_of_tid, hash_u64((uint32_t)tid)); map_probe_next(&probe, &row);)
        if (process->told.items[row].tid == tid)
            return &process->told.items[row];
    return NULL;
}

/* The number of a thread as the process itself sees it: the last of the line NSpid in its status. */
static int32_t inner_tid_of(const struct observed_process *process, pid_t tid)
{
    char path[64], line[256];
    int32_t inner = tid;
    if (process->pid == process->peer)
        return tid;
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", process->peer, tid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "NSpid:", 6) == 0) {
            line[strcspn(line, "\n")] = '\0';
            const char *last = strrchr(line, '\t');
            inner = last ? (int32_t)strtol(last + 1, NULL, 10) : tid;
            break;
        }
    if (file)
        fclose(file);
    return inner;
}

static struct observed_thread *find_thread(const struct observed_process *process, pid_t tid)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&process->thread_of_tid, hash_u64((uint32_t)tid)); map_probe_next(&probe, &row);)
        if (row < process->threads.count && process->threads.items[row]->look.tid == tid)
            return process->threads.items[row];
    return NULL;
}

static void index_threads(struct observed_process *process)
{
    map_clear(&process->thread_of_tid);
    for (size_t i = 0; i < process->threads.count; i++)
        (void)map_insert(&process->thread_of_tid, hash_u64((uint32_t)process->threads.items[i]->look.tid), (uint32_t)i);
}

/* One that the process has registered; false: of others nothing is wanted. */
static bool add_thread(struct observing *observing, struct observed_process *process, pid_t tid, uint64_t now)
{
    int32_t inner = inner_tid_of(process, tid);
    const struct told_thread *told = find_told(process, inner);
    struct observed_thread *thread = told ? memory_zeroed(1, sizeof *thread) : NULL;
    if (!thread)
        return false;
    thread->process = process;
    thread->inner_tid = inner;
    thread->is_there = true;
    thread->event = -1;
    thread->first_cpu_ns = told->cpu_ns;
    look_thread_init(&thread->look, tid, told->labels, told->handle);
    if (!vec_push(&process->threads, thread)) {
        memory_release(thread);
        return true;
    }
    (void)map_insert(&process->thread_of_tid, hash_u64((uint32_t)tid), (uint32_t)(process->threads.count - 1));
    (void)look_policy_add(&observing->policy, &thread->turn, now);
    return true;
}

static void list_tasks(struct observing *observing, struct observed_process *process, uint64_t now)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/task", process->peer);
    DIR *tasks = opendir(path);
    struct session_file_header *header = process->supply.view.header;
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        struct observed_thread *thread = tid > 0 ? find_thread(process, tid) : NULL;
        if (thread)
            thread->is_there = true;
        else if (tid > 0 && add_thread(observing, process, tid, now))
            unregistered_forget(&process->unregistered, tid, header);
        else if (tid > 0)
            unregistered_meet(&process->unregistered, process->peer, tid, header);
    }
    if (tasks)
        closedir(tasks);
}

/* Its own list may never be told: a program that is killed, or calls _exit(), says nothing any more. */
static void list_modules(struct observed_process *process, uint64_t now)
{
    uint32_t changed = atomic_load_explicit(&process->supply.view.header->modules_changed, memory_order_relaxed);
    if (changed == process->modules_changed || now - process->modules_ns < process->modules_pause_ns)
        return;
    process->modules_changed = changed;
    look_target_refresh(process->target);
    process->modules_ns = clock_read(CLOCK_MONOTONIC);
    process->modules_pause_ns = pause_after(process->modules_ns - now);
}

void observed_process_list(struct observing *observing, struct observed_process *process, uint64_t now)
{
    look_for_filters(process, now);
    observed_process_note_title(observing, process, now, false);
    list_modules(process, now);
    unregistered_read(&process->unregistered, process->peer, now, process->supply.view.header);
    uint32_t changed = atomic_load_explicit(&process->supply.view.header->threads_changed, memory_order_relaxed);
    uint64_t since = now - process->listed_ns;
    bool is_due = process->listed_ns == 0 || (changed != process->threads_changed && since >= process->list_pause_ns) ||
                  since >= list_always_pause(process, now);
    if (!is_due)
        return;
    process->threads_changed = changed;
    kept_threads_read(&process->kept, &process->supply, note_told, process);
    for (size_t i = 0; i < process->threads.count; i++)
        process->threads.items[i]->is_there = false;
    list_tasks(observing, process, now);
    size_t kept = 0, before = process->threads.count;
    for (size_t i = 0; i < before; i++) {
        struct observed_thread *thread = process->threads.items[i];
        if (thread->is_there)
            process->threads.items[kept++] = thread;
        else
            thread_free(observing, thread);
    }
    process->threads.count = kept;
    if (kept != before)
        index_threads(process);
    process->listed_ns = clock_read(CLOCK_MONOTONIC);
    process->list_pause_ns = pause_after(process->listed_ns - now);
}

/* ---- looks ---- */

ENTRY_WRITER(look)

static void put_look(void *observed_thread, const struct look *look)
{
    static uint8_t bytes[ENTRY_MAX];
    const struct observed_thread *thread = observed_thread;
    struct observed_process *process = thread->process;
    struct look_entry entry;
    if (!look_entry_make(&thread->look, look, process->origin_ns, bytes, sizeof bytes - LOOK_HEAD_MAX, &entry))
        return;
    entry.tid = thread->inner_tid;
    observed_process_put(process->observing, process, false, LOOK_HEAD_MAX + entry.stack.frames.bytes.length, write_look,
                         &entry);
    _Atomic uint64_t *statistics = process->supply.view.header->statistics;
    atomic_fetch_add_explicit(&statistics[look->refused ? STATISTIC_LOOKS_REFUSED : STATISTIC_LOOKS], 1, memory_order_relaxed);
}

/* ---- events ---- */

static uint64_t next_random(struct observing *observing)
{
    /* xorshift64: never 0 */
    observing->random ^= observing->random << 13;
    observing->random ^= observing->random >> 7;
    observing->random ^= observing->random << 17;
    return observing->random;
}

static void refuse_events(struct observing *observing, struct observed_process *process, int error)
{
    bool is_for_all = error == EACCES || error == EPERM || error == ENOSYS || error == EOPNOTSUPP || error == ENOENT;
    if (is_for_all)
        observing->events_refused = error;
    atomic_store_explicit(&process->supply.view.header->clock_refused, (uint32_t)error, memory_order_relaxed);
}

/* Threads that hardly run are sampled well enough by the kernel's ticks, and need no descriptor. In a young process a sample
 * costs twenty times as much as later, for pages and rules that nobody has needed before: where there are many of them, as in a
 * build, they have only ticks. */
static void open_event(struct observing *observing, struct observed_thread *thread, struct look *look)
{
    const uint64_t used_ns = observing->is_crowded ? 80000000 : 5000000;
    struct observed_process *process = thread->process;
    if (observing->events_refused) {
        refuse_events(observing, process, observing->events_refused);
        return;
    }
    if (look->cpu_ns < thread->first_cpu_ns + used_ns || observing->events >= observing->events_most)
        return;
    uint64_t period = cpu_event_period(observing->interval_ns, next_random(observing));
    int event = cpu_event_open(thread->look.tid, SIGPROF, period);
    if (event < 0) {
        refuse_events(observing, process, -event);
        return;
    }
    thread->event = event;
    look->period_ns = period;
    observing->events++;
    atomic_store_explicit(&process->supply.view.header->clock, SESSION_CLOCK_EVENTS, memory_order_relaxed);
}

/* Now and then in the life of a thread that runs: how much of its time is the kernel's, and another period.
 *
 * What has passed of a period is lost when it is set anew, which has to hit all code alike. A thread that waits would lose it
 * to the code that runs when it wakes up: so one that is found running is preferred. */
static void check_now_and_then(struct observing *observing, struct observed_thread *thread, struct look *look)
{
    enum { PERIODS = 100, PERIODS_MOST = 4 * PERIODS };
    uint64_t since = look->cpu_ns - thread->checked_cpu_ns;
    if (since < PERIODS * observing->interval_ns ||
        (look->state != LOOK_RUNNING && since < PERIODS_MOST * observing->interval_ns))
        return;
    thread->checked_cpu_ns = look->cpu_ns;
    look_at_kernel_time(thread->process->target, &thread->look, look);
    if (thread->event < 0)
        return;
    look->period_ns = cpu_event_period(observing->interval_ns, next_random(observing));
    cpu_event_set_period(thread->event, look->period_ns);
}

/* ---- one look ---- */

static void forget_thread(struct observing *observing, struct observed_thread *thread)
{
    struct observed_process *process = thread->process;
    for (size_t i = 0; i < process->threads.count; i++)
        if (process->threads.items[i] == thread) {
            process->threads.items[i] = process->threads.items[--process->threads.count];
            break;
        }
    thread_free(observing, thread);
    index_threads(process);
}

bool observed_thread_look(struct observing *observing, struct observed_thread *thread, bool written)
{
    struct look look;
    uint64_t before = thread->look.cpu_ns, runs_before = thread->look.runs;
    if (!look_take(thread->process->target, &thread->look, &look)) {
        forget_thread(observing, thread);
        return false;
    }
    /* One that has its CPU to itself is never scheduled anew. */
    thread->process->has_run |= look.runs != runs_before || look.cpu_ns != before || look.state == LOOK_RUNNING;
    if (thread->event < 0)
        open_event(observing, thread, &look);
    check_now_and_then(observing, thread, &look);
    bool is_worth_it = look_policy_taken(&observing->policy, &thread->turn, &look);
    is_worth_it |= written || look.kernel_ns > 0 || look.period_ns > 0;
    look_note(&thread->same, &look, is_worth_it, put_look, thread);
    return true;
}
