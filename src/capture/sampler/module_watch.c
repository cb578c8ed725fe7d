#include "capture/sampler/module_watch.h"

#include "capture/core/core.h"
#include "capture/core/pages.h"
#include "capture/core/sandbox.h"
#include "capture/runtime/providers.h"
#include "capture/sampler/registration.h"
#include "unwind/found_module.h"

#include <stdatomic.h>

enum { MODULE_HEAD_MAX = 128 };

static struct unwind_modules *modules;
static struct unwind unwind; /* filled in before `ready` */
static _Atomic bool ready;
static uint64_t time_now;
static bool is_forked;

const struct unwind *module_watch_unwind(void)
{
    /* Acquire: with the flag comes what it is about. */
    return atomic_load_explicit(&ready, memory_order_acquire) ? &unwind : NULL;
}

ENTRY_WRITER(module)
ENTRY_WRITER(module_end)

static void tell(void *data, const struct unwind_module *module, bool loaded)
{
    (void)data;
    if (!loaded) {
        struct module_end_entry entry = {module->id, time_now};
        full_base->put(true, MODULE_HEAD_MAX, write_module_end, &entry);
        return;
    }
    struct module_entry entry = {.module = module->id,
                                 .time = time_now,
                                 .start = module->start,
                                 .end = module->end,
                                 .bias = module->bias,
                                 .path = slice_of(module->path),
                                 .build_id = {(const char *)module->build_id, module->build_id_length}};
    full_base->put(true, MODULE_HEAD_MAX + entry.path.length + entry.build_id.length, write_module, &entry);
}

static void note_change(void *data, const struct unwind_module *module, bool loaded)
{
    tell(data, module, loaded);
    providers_note_module(module, loaded, time_now);
}

/* Those that nobody is told of. */
static void note_quietly(void *data, const struct unwind_module *module, bool loaded)
{
    (void)data;
    providers_note_module(module, loaded, time_now);
}

/* --- what came since ---------------------------------------------------------------------------------------------------- */

/* Nobody in the program says that it has loaded a library, and most programs are not asked again before their end, which may
 * be a sudden one. So a sample that meets one that is not listed asks the recorder to look. */
enum { MET = 256, PAGE_BITS = 12 };
static _Atomic uint64_t met[MET]; /* where they start; one that another one puts out asks once more */

static void forget_met(void)
{
    for (size_t i = 0; i < MET; i++)
        atomic_store_explicit(&met[i], 0, memory_order_relaxed);
}

/* In the signal handler. */
static bool find_unlisted(uint64_t address, struct unwind_module *out)
{
    if (!found_module(address, out))
        return false;
    _Atomic uint64_t *place = &met[(out->start >> PAGE_BITS) % MET];
    if (atomic_load_explicit(place, memory_order_relaxed) != out->start && full_base->modules_changed())
        atomic_store_explicit(place, out->start, memory_order_relaxed);
    return true;
}

static bool make_list(void)
{
    struct unwind_cache *cache = pages_map(sizeof *cache);
    /* While the program is being loaded all modules are those that it began with, which cannot be unloaded. */
    struct unwind_modules *list = cache ? unwind_modules_create(full_is_loading, full_base->program()) : NULL;
    if (!list && cache)
        pages_unmap(cache, sizeof *cache);
    if (list) {
        unwind_cache_touch(cache, 0, 1 << UNWIND_CACHE_LEAST_BITS);
        unwind = (struct unwind){.modules = list, .cache = cache, .find = find_unlisted};
    }
    modules = list;
    return list;
}

void module_watch_refresh(uint64_t now_ns)
{
    time_now = now_ns;
    if (!modules && !make_list())
        return;
    unwind_modules_refresh(modules, note_change, NULL);
    /* Release: see module_watch_unwind. */
    atomic_store_explicit(&ready, true, memory_order_release);
}

/* A session begins: it has to be told of every module, also of those that an earlier session knew. In a forked child the
 * dynamic linker cannot be asked: a thread that is not there any more may have had its lock. */
static void begin(uint64_t features, uint64_t now_ns)
{
    time_now = now_ns;
    forget_met();
    providers_begin(features, now_ns);
    if (!modules) {
        module_watch_refresh(now_ns);
        return;
    }
    if (!is_forked)
        unwind_modules_refresh(modules, note_quietly, NULL);
    const struct unwind_module_list *list = unwind_modules_enter(modules);
    for (size_t i = 0; i < list->count; i++)
        tell(NULL, list->modules[i], true);
    unwind_modules_leave(modules);
}

void module_watch_forked(void)
{
    is_forked = true;
    providers_forked();
}

const struct full_part module_watch = {.begin = begin, .loop = providers_loop, .end = providers_end};

/* --- a thread walks its own native stack ------------------------------------------------------------------------------- */

enum { RED_ZONE = 128 }; /* below the stack pointer, but in use */

void walk_stack(const struct registration *thread, struct unwind_registers *registers, struct raw_stack *raw)
{
    const struct unwind *known = module_watch_unwind();
    uint64_t sp = registers->value[UNWIND_SP];
    if (!known) {
        raw_stack_set_pc(raw, registers, UNWIND_NO_RULE);
        return;
    }
    /* From its stack pointer up, a thread's own stack is there to be read. Anything else (a coroutine's stack, an alternate one
     * of a signal handler, and what lies beyond it) goes through copies, which is a system call: not made once the program has
     * forbidden itself some (sandbox.h). */
    struct unwind_memory memory = {.copy = sandbox_is_closed() ? NULL : raw->copy};
    if (sp >= thread->info.stack_start && sp < thread->info.stack_end) {
        memory.start = sp - thread->info.stack_start > RED_ZONE ? sp - RED_ZONE : thread->info.stack_start;
        memory.end = thread->info.stack_end;
    }
    struct hotspot_pass java;
    struct unwind with_hook = *known;
    with_hook.hook = providers_hook(&java, raw, &memory);
    raw->native_count = (uint32_t)unwind_stack(&with_hook, registers, &memory, raw->native, STACK_FRAMES_MAX, &raw->end);
    struct runtime_walk walk = {.raw = raw,
                                .memory = &memory,
                                .thread = {.handle = (uintptr_t)thread->info.handle,
                                           .stack_start = thread->info.stack_start,
                                           .stack_end = thread->info.stack_end}};
    providers_walk(&walk);
}
