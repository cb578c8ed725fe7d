/* Looks at the threads of this process, by its own background thread: what the recorder does from outside for the programs that
 * it starts. */
#include "capture/core/clock.h"
#include "capture/core/core.h"
#include "capture/core/full.h"
#include "capture/core/pages.h"
#include "capture/sampler/module_watch.h"
#include "capture/sampler/registration.h"
#include "ipc/feature_set.h"
#include "looker/look.h"
#include "looker/look_policy.h"
#include "looker/look_writer.h"

#include <string.h>
#include <unistd.h>

/* More threads are not looked at: they have their samples all the same. */
enum { LOOKED_MAX = 4096 };

struct looked {
    bool is_used, is_there;
    struct look_turn turn;
    struct look_thread thread;
    struct look same; /* look_note() */
};

/* Guarded by the core lock; the background thread's. */
static bool on;
static struct looker *looker;
static struct look_target *target;
static struct look_policy policy;
static struct looked *looked; /* LOOKED_MAX of them, mapped when first needed */
static size_t looked_count;

static void end_thread(struct looked *each)
{
    look_policy_remove(&policy, &each->turn);
    look_thread_close(target, &each->thread);
    each->is_used = false;
}

static void end(void)
{
    for (size_t i = 0; i < looked_count; i++)
        if (looked[i].is_used)
            end_thread(&looked[i]);
    looked_count = 0;
    if (on) {
        look_target_close(target);
        looker_free(looker);
        look_policy_free(&policy);
    }
    on = false;
}

/* When it is first needed: under `sonde record` it never is. */
static bool prepare(uint64_t now_ns)
{
    struct error error = {0};
    if (on)
        return true;
    if (!looked)
        looked = pages_map(LOOKED_MAX * sizeof *looked);
    looker = looked ? looker_create(0) : NULL;
    target = looker ? look_target_open(looker, getpid(), &error) : NULL;
    if (!target) {
        looker_free(looker);
        return false;
    }
    look_policy_init(&policy, 0, clock_origin + now_ns, now_ns);
    on = true;
    return true;
}

static struct looked *find(pid_t tid)
{
    struct looked *unused = NULL;
    for (size_t i = 0; i < looked_count; i++) {
        if (looked[i].is_used && looked[i].thread.tid == tid)
            return &looked[i];
        if (!looked[i].is_used && !unused)
            unused = &looked[i];
    }
    if (!unused && looked_count < LOOKED_MAX)
        unused = &looked[looked_count++];
    return unused;
}

/* Threads come and go. */
static void update_threads(uint64_t now_ns)
{
    for (size_t i = 0; i < looked_count; i++)
        looked[i].is_there = false;
    for (struct registration *thread = NULL; (thread = full_base->next_thread(thread));) {
        struct looked *each = find(thread->info.tid);
        if (!each)
            break;
        each->is_there = true;
        if (each->is_used)
            continue;
        look_thread_init(&each->thread, thread->info.tid, (uintptr_t)&thread->labels, (uintptr_t)thread->info.handle);
        each->same.time_ns = 0;
        each->is_used = look_policy_add(&policy, &each->turn, now_ns);
    }
    for (size_t i = 0; i < looked_count; i++)
        if (looked[i].is_used && !looked[i].is_there)
            end_thread(&looked[i]);
}

static struct looked *looked_of(struct look_turn *turn)
{
    return (struct looked *)(void *)((char *)turn - offsetof(struct looked, turn));
}

ENTRY_WRITER(look)

/* A call into the kernel is made by code of some file. In an emulator it is the emulator's, of which this process knows
 * nothing: neither the place nor the registers are those of the program. */
static bool is_place_of_program(const struct look *look)
{
    const struct unwind *unwind = module_watch_unwind();
    size_t i = look->count;
    while (i > 0 && look->frames[i - 1].kind != FRAME_NATIVE)
        i--;
    if (i == 0 || !unwind)
        return true;
    const struct unwind_module_list *modules = unwind_modules_enter(unwind->modules);
    bool found = unwind_module_find(modules, look->frames[i - 1].address) != NULL;
    unwind_modules_leave(unwind->modules);
    return found;
}

static void put_look(void *looked_thread, const struct look *seen)
{
    const struct looked *each = looked_thread;
    struct look without = *seen;
    without.count = 0;
    const struct look *look = is_place_of_program(seen) ? seen : &without;
    static uint8_t bytes[ENTRY_MAX];
    struct look_entry entry;
    if (look_entry_make(&each->thread, look, clock_origin, bytes, sizeof bytes - LOOK_HEAD_MAX, &entry) &&
        full_base->put(false, LOOK_HEAD_MAX + entry.stack.frames.bytes.length, write_look, &entry))
        full_base->statistic_add(STATISTIC_LOOKS, 1);
}

uint64_t looks_take(uint64_t now_ns)
{
    struct look_turn *turn;
    if (!prepare(now_ns))
        return UINT64_MAX;
    uint64_t before = clock_read(CLOCK_THREAD_CPUTIME_ID);
    static uint64_t spent_ns;
    update_threads(now_ns);
    while (look_policy_next(&policy, clock_now(), &turn)) {
        struct looked *each = looked_of(turn);
        struct look look;
        if (!look_take(target, &each->thread, &look))
            end_thread(each);
        else
            look_note(&each->same, &look, look_policy_taken(&policy, turn, &look), put_look, each);
    }
    spent_ns += clock_read(CLOCK_THREAD_CPUTIME_ID) - before;
    look_policy_spent(&policy, clock_now(), spent_ns);
    return look_policy_wake(&policy);
}

const struct full_part looks_part = {.end = end};
