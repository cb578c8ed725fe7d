#include "import/session_state.h"
#include "profile/module_ids.h"

#include <stdlib.h>

bool session_add_module(struct session_import *import, const struct module_entry *entry)
{
    if (entry->start >= entry->end)
        return true;
    struct session_module module = {
        .number = entry->module,
        .loaded = entry->time,
        .unloaded = UINT64_MAX,
        .start = entry->start,
        .end = entry->end,
        .path = session_text(import, entry->path),
        .build_id = session_text(import, entry->build_id),
        .lib = lib_none(),
        .resource = resource_none(),
    };
    return string_exists(module.path) && string_exists(module.build_id) && vec_push(&import->process.modules.rows, module);
}

void session_end_module(struct session_import *import, const struct module_end_entry *entry)
{
    struct session_modules *modules = &import->process.modules;
    for (size_t i = 0; i < modules->rows.count; i++)
        if (modules->rows.items[i].number == entry->module)
            modules->rows.items[i].unloaded = entry->time;
}

static int compare_modules(const void *a, const void *b)
{
    const struct session_module *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->loaded < y->loaded ? -1 : x->loaded > y->loaded;
}

void session_sort_modules(struct session_import *import)
{
    struct session_modules *modules = &import->process.modules;
    size_t count = modules->rows.count;
    if (count > 0)
        qsort(modules->rows.items, count, sizeof *modules->rows.items, compare_modules);
    for (size_t i = 1; i < count; i++)
        modules->overlap |= modules->rows.items[i].start < modules->rows.items[i - 1].end;
}

static bool contains(const struct session_module *module, uint64_t address)
{
    return module->start <= address && address < module->end;
}

/* Of several that were at this address one after the other: the one that was there at the time, else the last before it. The
 * time is that of the tick, and a module may be loaded between that and the sample. */
static uint32_t find_in_time(const struct session_modules *modules, uint64_t address, uint64_t time)
{
    uint32_t best = INDEX_NONE;
    for (size_t i = 0; i < modules->rows.count && modules->rows.items[i].start <= address; i++) {
        const struct session_module *module = &modules->rows.items[i];
        if (!contains(module, address))
            continue;
        if (module->loaded <= time && time < module->unloaded)
            return (uint32_t)i;
        if (best == INDEX_NONE || module->loaded <= time)
            best = (uint32_t)i;
    }
    return best;
}

uint32_t session_find_module(const struct session_import *import, uint64_t address, uint64_t time)
{
    const struct session_modules *modules = &import->process.modules;
    if (modules->overlap)
        return find_in_time(modules, address, time);
    size_t low = 0, high = modules->rows.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (modules->rows.items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && contains(&modules->rows.items[low - 1], address) ? (uint32_t)(low - 1) : INDEX_NONE;
}

static struct slice file_name(struct slice path)
{
    const char *slash = path.length > 0 ? memrchr(path.text, '/', path.length) : NULL;
    return slash ? slice_from(path, (size_t)(slash + 1 - path.text)) : path;
}

/* A library has as many names as there are links to it, and who tells of a module tells any of them: the linker's where the
 * process does, the file's own where the recorder does. By its build id it is one. */
static struct lib_index lib_of_code_id(const struct lib_table *libs, struct string_index code_id)
{
    for (uint32_t i = 0; i < libs->rows.count; i++)
        if (string_same(libs->rows.items[i].code_id, code_id))
            return lib_at(i);
    return lib_none();
}

static struct lib_index add_lib(struct session_import *import, const struct lib *lib)
{
    struct lib_table *libs = &import->profile->libs;
    struct lib_index known = lib->code_id.i == import->no_text.i ? lib_none() : lib_of_code_id(libs, lib->code_id);
    return lib_exists(known) ? known : lib_table_add(libs, lib);
}

bool session_use_module(struct session_import *import, struct session_module *module)
{
    struct profile *profile = import->profile;
    if (lib_exists(module->lib))
        return true;
    struct slice build_id = profile_text(profile, module->build_id);
    struct lib lib = {.path = module->path, .debug_path = module->path, .arch = import->no_text};
    lib.name = lib.debug_name = session_text(import, file_name(profile_text(profile, module->path)));
    char breakpad_id[2 * BREAKPAD_ID_BYTES + 2], code_id[2 * MODULE_ID_BYTES + 1];
    lib.breakpad_id = session_text(import, module_breakpad_id(build_id, breakpad_id));
    lib.code_id = build_id.length > 0 ? session_text(import, module_code_id(build_id, code_id)) : import->no_text;
    if (!string_exists(lib.name) || !string_exists(lib.breakpad_id) || !string_exists(lib.code_id))
        return false;
    struct lib_index added = add_lib(import, &lib);
    if (!lib_exists(added))
        return false;
    struct resource resource = {profile->libs.rows.items[added.i].name, STRING_NONE, RESOURCE_LIBRARY};
    module->resource = resource_table_add(&profile->resources, &resource);
    module->lib = resource_exists(module->resource) ? added : lib_none();
    return lib_exists(module->lib);
}
