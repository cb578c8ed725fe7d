#include "capture/module_watch.h"

#include "capture/kept.h"
#include "capture/linker_rest.h"
#include "capture/pages.h"
#include "unwind/table_files.h"

#include <stdatomic.h>

enum { MODULE_HEAD_MAX = 128 };

static struct unwind_modules *modules;
static struct table_files files; /* for the modules, from the loading of libsonde on */
static struct unwind unwind;     /* filled in before `ready` */
static _Atomic bool ready;
static uint64_t time_now;
static bool is_shut_in;

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

static bool make_list(void)
{
    struct unwind_cache *cache = pages_map(sizeof *cache);
    struct unwind_modules *list = cache ? unwind_modules_create(&files, full_base->program()) : NULL;
    if (!list && cache)
        pages_unmap(cache, sizeof *cache);
    if (list) {
        unwind_cache_touch(cache, 0, 1 << UNWIND_CACHE_LEAST_BITS);
        unwind = (struct unwind){list, cache};
    }
    if (list && is_shut_in)
        unwind_modules_complete(list);
    modules = list;
    return list;
}

void module_watch_begin(uint64_t now_ns)
{
    if (modules || !make_list())
        return;
    time_now = now_ns;
    unwind_modules_refresh(modules, tell, NULL);
    /* Release: see module_watch_unwind. */
    atomic_store_explicit(&ready, true, memory_order_release);
}

static void tick(uint64_t now_ns)
{
    time_now = now_ns;
    if (modules)
        unwind_modules_refresh(modules, tell, NULL);
    else
        module_watch_begin(now_ns);
}

bool module_watch_expect(uint64_t now_ns, const void *context)
{
    if (linker_rests(context))
        tick(now_ns);
    return modules;
}

void module_watch_shut_in(void)
{
    is_shut_in = true;
    if (modules)
        unwind_modules_complete(modules);
}

/* A session begins: it has to be told of every module, also of those that an earlier session knew. */
static void begin(uint64_t features, uint64_t now_ns)
{
    (void)features;
    time_now = now_ns;
    if (!modules) {
        if (full_is_loading && files.count == 0)
            table_files_map(&files, TABLE_FILES_LARGE);
        /* Else the sampler looks for them when it first looks at anybody. */
        if (!full_base->may_wait())
            module_watch_begin(now_ns);
        return;
    }
    /* The first tick does it; this may be a signal handler (alone.h). */
    if (!full_base->may_wait())
        unwind_modules_refresh(modules, NULL, NULL);
    const struct unwind_module_list *list = unwind_modules_enter(modules);
    for (size_t i = 0; i < list->count; i++)
        tell(NULL, list->modules[i], true);
    unwind_modules_leave(modules);
}

const struct full_part module_watch = {.begin = begin, .tick = tick};
