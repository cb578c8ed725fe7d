#include "capture/runtime/providers.h"

#include "capture/core/clock.h"
#include "capture/core/core.h"
#include "capture/core/full.h"
#include "capture/core/pages.h"
#include "capture/runtime/v8.h"
#include "runtime/hotspot/debug_places.h"
#include "runtime/hotspot/tables.h"
#include "runtime/hotspot/told.h"
#include "runtime/module_names.h"
#include "runtime/python/layout.h"
#include "runtime/walk_all.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

union any_layout {
    struct runtime_layout head;
    struct python_layout python;
    struct v8_layout v8;
    struct hotspot_layout hotspot;
};

/* Filled in before it is published; never changed or given back while anybody may read it. One whose module has gone is passed
 * over and its place used again only for a module that comes later. */
static union any_layout layouts[RUNTIMES_MAX];
static const struct runtime_layout *_Atomic published[RUNTIMES_MAX];
static _Atomic uint32_t count;
static _Atomic bool wanted;

/* A process has at most one VM for Java, which stays. */
static struct hotspot_state *_Atomic hotspot;
static union any_layout *v8_place;        /* of the one V8 that a process has: NULL = none */
static struct hotspot_told *hotspot_told; /* guarded by the core lock; NULL in a forked child, where the VM does not run on */

/* --- telling the session ------------------------------------------------------------------------------------------------ */

ENTRY_WRITER(runtime)

static struct runtime_entry entry_of(const struct runtime_layout *layout, uint64_t now_ns)
{
    return (struct runtime_entry){.time = now_ns,
                                  .runtime = (uint8_t)layout->kind,
                                  .is_known = layout->is_known,
                                  .name = slice_of(layout->name),
                                  .layout = {(const char *)layout, layout->length}};
}

static size_t most_bytes(const struct runtime_entry *entry)
{
    return ENTRY_NUMBERS_MAX + entry->name.length + entry->layout.length;
}

static void tell(const struct runtime_layout *layout, uint64_t now_ns)
{
    struct runtime_entry entry = entry_of(layout, now_ns);
    full_base->put(true, most_bytes(&entry), write_runtime, &entry);
}

void providers_begin(uint64_t features, uint64_t now_ns)
{
    atomic_store_explicit(&wanted, (features & FEATURE_BIT(FEATURE_JS)) != 0, memory_order_relaxed);
    if (hotspot_told)
        hotspot_told_forget(hotspot_told);
    for (uint32_t i = 0; i < atomic_load_explicit(&count, memory_order_relaxed); i++) {
        const struct runtime_layout *layout = atomic_load_explicit(&published[i], memory_order_relaxed);
        if (layout)
            tell(layout, now_ns);
    }
}

/* --- finding ----------------------------------------------------------------------------------------------------------------
 */

static bool make_python(union any_layout *layout, const struct module_names *names)
{
    struct python_symbols symbols;
    if (!python_symbols_find(&symbols, names))
        return false;
    python_layout_make(&layout->python, &symbols, names->memory);
    return true;
}

static uint64_t address_of(void *names, const char *name)
{
    return module_names_find(names, name, NULL);
}

/* Before the VM has compiled anything, and mostly before it has read its options, which may say otherwise: it is found when the
 * launcher makes the thread that it begins in. */
static void want_places(struct hotspot_reader *reader)
{
    uint64_t address = hotspot_debug_places_find(reader);
    if (address && atomic_load_explicit(&wanted, memory_order_relaxed))
        hotspot_debug_places_on(address);
}

static bool begin_hotspot(union any_layout *layout, struct module_names *names, struct hotspot_reader *reader)
{
    if (!hotspot_layout_make(&layout->hotspot, reader, address_of, names))
        return false;
    struct hotspot_state *state = layout->head.is_known ? pages_map(sizeof *state) : NULL;
    hotspot_told = state ? pages_map(sizeof *hotspot_told) : NULL;
    if (!hotspot_told) {
        pages_unmap(state, state ? sizeof *state : 0);
        return true;
    }
    state->layout = &layout->hotspot;
    state->code.is_own = true;
    reader->layout = &layout->hotspot;
    want_places(reader);
    /* Release: with the pointer comes what is behind it. */
    atomic_store_explicit(&hotspot, state, memory_order_release);
    return true;
}

/* While the program waits for it, so pages of the VM's tables are copied once. */
static bool make_hotspot(union any_layout *layout, struct module_names *names)
{
    if (atomic_load_explicit(&hotspot, memory_order_relaxed) || !address_of(names, "gHotSpotVMStructs"))
        return false;
    struct hotspot_reader reader = {.memory = names->memory, .pages = pages_map(sizeof *reader.pages)};
    bool made = begin_hotspot(layout, names, &reader);
    pages_unmap(reader.pages, reader.pages ? sizeof *reader.pages : 0);
    return made;
}

/* Published when it has told where the code of its interpreter is: providers_note_v8(). */
static bool make_v8(union any_layout *layout, const struct module_names *names)
{
    if (v8_place || !v8_found(names, layout->head.module_start, layout->head.module_end))
        return false;
    v8_place = layout;
    return true;
}

void providers_note_v8(const struct v8_layout *layout)
{
    v8_place->v8 = *layout;
    /* Release: with the pointer comes what is behind it. */
    atomic_store_explicit(&published[v8_place - layouts], &v8_place->head, memory_order_release);
    struct runtime_entry entry = entry_of(&v8_place->head, clock_now());
    full_base->put_alone(most_bytes(&entry), write_runtime, &entry);
}

static void add(const struct unwind_module *module, uint64_t now_ns)
{
    uint32_t number = atomic_load_explicit(&count, memory_order_relaxed);
    uint8_t copy[UNWIND_COPY_BYTES];
    /* What the program is loaded with cannot go meanwhile. */
    struct unwind_memory memory = {.start = module->start, .end = full_is_loading ? module->end : module->start, .copy = copy};
    struct module_names names;
    if (number == RUNTIMES_MAX || sandbox_is_closed() || !module_names_open(&names, module->start, module->end, &memory))
        return;
    union any_layout *layout = &layouts[number];
    layout->head.module_start = module->start;
    layout->head.module_end = module->end;
    if (make_v8(layout, &names)) {
        atomic_store_explicit(&count, number + 1, memory_order_release);
        return;
    }
    if (!make_python(layout, &names) && !make_hotspot(layout, &names))
        return;
    layout->head.module_start = module->start;
    layout->head.module_end = module->end;
    /* Release: with the pointer and the count comes what is behind them. */
    atomic_store_explicit(&published[number], &layout->head, memory_order_release);
    atomic_store_explicit(&count, number + 1, memory_order_release);
    tell(&layout->head, now_ns);
}

static void forget(const struct unwind_module *module)
{
    v8_gone(module->start, module->end);
    for (uint32_t i = 0; i < atomic_load_explicit(&count, memory_order_relaxed); i++)
        if (layouts[i].head.module_start == module->start && layouts[i].head.module_end == module->end)
            atomic_store_explicit(&published[i], NULL, memory_order_relaxed);
}

void providers_note_module(const struct unwind_module *module, bool loaded, uint64_t now_ns)
{
    if (loaded)
        add(module, now_ns);
    else
        forget(module);
}

/* --- methods of Java ------------------------------------------------------------------------------------------------------ */

ENTRY_WRITER(code)

static void put_code(void *data, const struct code_entry *entry)
{
    (void)data;
    full_base->put(true, ENTRY_NUMBERS_MAX + entry->name.length + entry->file.length + entry->lines.length, write_code, entry);
}

static void tell_methods(size_t most)
{
    struct unwind_memory memory = {0};
    uint8_t copy[UNWIND_COPY_BYTES];
    memory.copy = copy;
    if (hotspot_told && !sandbox_is_closed() && atomic_load_explicit(&wanted, memory_order_relaxed))
        hotspot_tell(hotspot_told, atomic_load_explicit(&hotspot, memory_order_relaxed), &memory, most, put_code, NULL);
}

bool providers_need_background(void)
{
    return hotspot_told && atomic_load_explicit(&wanted, memory_order_relaxed);
}

void providers_loop(uint64_t now_ns)
{
    enum { MOST_AT_ONCE = 200 }; /* a millisecond or two, in which nobody else has the lock */
    (void)now_ns;
    tell_methods(MOST_AT_ONCE);
}

void providers_end(void)
{
    /* Not in a forked child, which may have no more than a page of stack. */
    if (hotspot_told)
        tell_methods(SIZE_MAX);
}

void providers_forked(void)
{
    atomic_store_explicit(&hotspot, NULL, memory_order_relaxed);
    hotspot_told = NULL;
}

struct unwind_hook providers_hook(struct hotspot_pass *pass, struct raw_stack *raw, struct unwind_memory *memory)
{
    struct hotspot_state *state = atomic_load_explicit(&hotspot, memory_order_acquire);
    if (!state || !atomic_load_explicit(&wanted, memory_order_relaxed))
        return (struct unwind_hook){0};
    return hotspot_pass_begin(pass, state, raw, memory, raw->time);
}

/* --- walking ------------------------------------------------------------------------------------------------------------- */

void providers_walk(struct runtime_walk *walk)
{
    const struct runtime_layout *known[RUNTIMES_MAX];
    size_t used = 0;
    uint32_t number = atomic_load_explicit(&count, memory_order_acquire);
    if (!atomic_load_explicit(&wanted, memory_order_relaxed))
        return;
    for (uint32_t i = 0; i < number; i++) {
        const struct runtime_layout *layout = atomic_load_explicit(&published[i], memory_order_acquire);
        if (layout && layout->is_known)
            known[used++] = layout;
    }
    if (used == 0)
        return;
    walk->thread.copy = v8_copy_of_thread();
    runtime_walk_all(known, used, walk);
}

/* --- asking -------------------------------------------------------------------------------------------------------------- */

void providers_ask(void)
{
    int saved_errno = errno;
    if (!atomic_load_explicit(&wanted, memory_order_relaxed) || sandbox_is_closed())
        return;
    v8_ask();
    errno = saved_errno;
}
