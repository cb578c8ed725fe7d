#include "capture/runtime/providers.h"

#include "capture/core/core.h"
#include "capture/core/full.h"
#include "runtime/module_names.h"
#include "runtime/python/layout.h"
#include "runtime/walk_all.h"

#include <stdatomic.h>
#include <string.h>

union any_layout {
    struct runtime_layout head;
    struct python_layout python;
};

/* Filled in before it is published; never changed or given back while anybody may read it. One whose module has gone is passed
 * over and its place used again only for a module that comes later. */
static union any_layout layouts[RUNTIMES_MAX];
static const struct runtime_layout *_Atomic published[RUNTIMES_MAX];
static _Atomic uint32_t count;
static _Atomic bool wanted;

/* --- telling the session ------------------------------------------------------------------------------------------------ */

ENTRY_WRITER(runtime)

static void tell(const struct runtime_layout *layout, uint64_t now_ns)
{
    struct runtime_entry entry = {.time = now_ns,
                                  .runtime = (uint8_t)layout->kind,
                                  .is_known = layout->is_known,
                                  .name = slice_of(layout->name),
                                  .layout = {(const char *)layout, layout->length}};
    full_base->put(true, ENTRY_NUMBERS_MAX + entry.name.length + entry.layout.length, write_runtime, &entry);
}

void providers_begin(uint64_t features, uint64_t now_ns)
{
    atomic_store_explicit(&wanted, (features & FEATURE_BIT(FEATURE_JS)) != 0, memory_order_relaxed);
    for (uint32_t i = 0; i < atomic_load_explicit(&count, memory_order_relaxed); i++) {
        const struct runtime_layout *layout = atomic_load_explicit(&published[i], memory_order_relaxed);
        if (layout)
            tell(layout, now_ns);
    }
}

/* --- finding ----------------------------------------------------------------------------------------------------------------
 */

static void add(const struct unwind_module *module, uint64_t now_ns)
{
    uint32_t number = atomic_load_explicit(&count, memory_order_relaxed);
    uint8_t copy[UNWIND_COPY_BYTES];
    /* What the program is loaded with cannot go meanwhile. */
    struct unwind_memory memory = {.start = module->start, .end = full_is_loading ? module->end : module->start, .copy = copy};
    struct module_names names;
    struct python_symbols symbols;
    if (number == RUNTIMES_MAX || sandbox_is_closed() || !module_names_open(&names, module->start, module->end, &memory) ||
        !python_symbols_find(&symbols, &names))
        return;
    union any_layout *layout = &layouts[number];
    python_layout_make(&layout->python, &symbols, &memory);
    layout->head.module_start = module->start;
    layout->head.module_end = module->end;
    /* Release: with the pointer and the count comes what is behind them. */
    atomic_store_explicit(&published[number], &layout->head, memory_order_release);
    atomic_store_explicit(&count, number + 1, memory_order_release);
    tell(&layout->head, now_ns);
}

static void forget(const struct unwind_module *module)
{
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
    if (used > 0)
        runtime_walk_all(known, used, walk);
}
