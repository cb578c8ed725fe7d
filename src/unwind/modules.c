#include "unwind/modules.h"

#include "unwind/memory.h"
#include "unwind/module_load.h"

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

struct module_list {
    struct mapping mapping;
    struct unwind_module_list list;
};

enum { PATH_ROOM = 4096 };

struct snapshot_bytes {
    struct mapping mapping;
    _Alignas(16) char bytes[];
};

/* The modules as seen, one behind the other, in a mapping that grows, and stays: to unmap something, all CPUs that the program
 * runs on have to be interrupted. */
struct snapshot {
    struct snapshot_bytes *seen;
    size_t room, used;
    const char *program; /* its path; NULL: not known */
    size_t count;
    uint64_t vdso;
    bool vdso_seen;
    bool all_stay;
    int error;
};

/* Readers count themselves, then look at the list; the writer publishes a list, then looks at the count. All four are
 * sequentially consistent, so one of the two sees the other: where the writer sees nobody, whoever comes later sees its list.
 */
struct unwind_modules {
    struct mapping mapping;
    _Atomic(const struct unwind_module_list *) list;
    _Atomic uint32_t readers;
    _Atomic uint64_t generation;
    /* The rest is the writer's alone. */
    bool read_once;
    uint64_t adds, subs; /* the dynamic linker's counts of what was loaded and unloaded, as last seen */
    uint32_t next_id;
    bool all_stay;                  /* those of the first refresh */
    struct module_list *owned_list; /* NULL while nothing was published */
    struct snapshot snapshot;       /* of the last refresh */
    struct mapping *retired;
};

static const struct unwind_module_list empty_list = {0};

struct unwind_modules *unwind_modules_create(bool all_stay, const char *program)
{
    struct unwind_modules *modules = mapping_create_small(sizeof *modules);
    if (!modules)
        return NULL;
    modules->next_id = 1;
    modules->snapshot.program = program;
    atomic_init(&modules->generation, 1);
    atomic_init(&modules->list, &empty_list);
    modules->all_stay = all_stay;
    return modules;
}

static void retire(struct unwind_modules *modules, struct mapping *mapping)
{
    mapping->next_retired = modules->retired;
    modules->retired = mapping;
}

static void free_retired(struct unwind_modules *modules)
{
    while (modules->retired) {
        struct mapping *mapping = modules->retired;
        modules->retired = mapping->next_retired;
        mapping_free(mapping);
    }
}

/* What a module is a part of. Lists show modules as constant; only the writer comes here. */
static struct loaded_module *loaded_of(const struct unwind_module *module)
{
    return (struct loaded_module *)((uintptr_t)module - offsetof(struct loaded_module, module));
}

void unwind_modules_free(struct unwind_modules *modules)
{
    if (!modules)
        return;
    if (modules->owned_list) {
        for (size_t i = 0; i < modules->owned_list->list.count; i++)
            retire(modules, &loaded_of(modules->owned_list->list.modules[i])->mapping);
        retire(modules, &modules->owned_list->mapping);
    }
    free_retired(modules);
    if (modules->snapshot.seen)
        mapping_free(&modules->snapshot.seen->mapping);
    mapping_free(&modules->mapping);
}

uint64_t unwind_modules_generation(const struct unwind_modules *modules)
{
    /* Acquire: the list that is read later is not older than the generation. */
    return atomic_load_explicit(&modules->generation, memory_order_acquire);
}

const struct unwind_module_list *unwind_modules_enter(const struct unwind_modules *modules)
{
    /* Counting readers changes nothing that a caller could see. */
    atomic_fetch_add(&((struct unwind_modules *)(uintptr_t)modules)->readers, 1);
    return atomic_load(&modules->list);
}

void unwind_modules_leave(const struct unwind_modules *modules)
{
    /* Release: what was read inside was read before the writer can see this reader gone. */
    atomic_fetch_sub_explicit(&((struct unwind_modules *)(uintptr_t)modules)->readers, 1, memory_order_release);
}

/* --- what the dynamic linker says -------------------------------------------------------------------------------------- */

static bool snapshot_grow(struct snapshot *snapshot)
{
    enum { FIRST_ROOM = 24 << 10 }; /* for some 40 modules */
    struct snapshot_bytes *before = snapshot->seen, *grown;
    size_t room = before ? snapshot->room * 2 : FIRST_ROOM;
    grown = before ? mapping_create(sizeof *grown + room) : mapping_create_small(sizeof *grown + room);
    if (!grown)
        return false;
    if (before) {
        memcpy(grown->bytes, before->bytes, snapshot->used);
        mapping_free(&before->mapping);
    }
    snapshot->seen = grown;
    snapshot->room = room;
    return true;
}

/* Room for one more, with the longest path there can be. */
static struct seen_module *snapshot_reserve(struct snapshot *snapshot)
{
    enum { MOST = SEEN_MODULE_MOST + 2 * PATH_ROOM };
    if (snapshot->room - snapshot->used < MOST && !snapshot_grow(snapshot)) {
        snapshot->error = -ENOMEM;
        return NULL;
    }
    return (struct seen_module *)(void *)(snapshot->seen->bytes + snapshot->used);
}

static size_t seen_size(const struct seen_module *seen)
{
    size_t bytes = (size_t)(seen_module_path(seen) - (const char *)seen) + seen->path_length + 1;
    return (bytes + 15) & ~(size_t)15;
}

/* The name is the loader's, under a lock of its own that no sanitizer knows of. */
__attribute__((no_sanitize("thread"))) static size_t copy_name(char *out, size_t room, const char *name)
{
    size_t length = 0;
    for (; length < room - 1 && name[length]; length++)
        out[length] = name[length];
    out[length] = '\0';
    return length;
}

static size_t copy_program_path(char *out, const char *program)
{
    if (program)
        return copy_name(out, PATH_ROOM, program);
    ssize_t got = readlink("/proc/self/exe", out, PATH_ROOM - 1);
    size_t length = got > 0 ? (size_t)got : 0;
    out[length] = '\0';
    return length;
}

/* Rare; not within the function below, whose stack has no page yet for so much text. There is room for both. */
__attribute__((noinline)) static size_t put_folder_before(char *path, size_t length)
{
    char folder[PATH_ROOM];
    if (!getcwd(folder, sizeof folder))
        return length;
    size_t before = strlen(folder);
    folder[before++] = '/'; /* instead of the 0 */
    memmove(path + before, path, length + 1);
    memcpy(path, folder, before);
    return before + length;
}

static void add_module(struct snapshot *snapshot, const struct dl_phdr_info *module, const char *name)
{
    struct seen_module *seen = snapshot_reserve(snapshot);
    if (!seen || !seen_module_read(seen, module->dlpi_addr, module->dlpi_phdr, module->dlpi_phnum))
        return;
    seen->stays = snapshot->all_stay || module_stays(module);
    char *path = seen_module_path(seen);
    size_t length = copy_name(path, PATH_ROOM, name);
    if (length == 0)
        length = copy_program_path(path, snapshot->program);
    else if (path[0] != '/' && path[0] != '[')
        length = put_folder_before(path, length);
    seen->path_length = (uint16_t)length;
    snapshot->used += seen_size(seen);
    snapshot->count++;
}

static int note_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct snapshot *snapshot = data;
    uint64_t first = 0;
    for (size_t i = 0; i < info->dlpi_phnum && first == 0; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    bool is_vdso = snapshot->vdso && first == snapshot->vdso;
    snapshot->vdso_seen |= is_vdso;
    add_module(snapshot, info, is_vdso ? "[vdso]" : info->dlpi_name);
    return snapshot->error;
}

/* Static programs do not list it. */
static void add_vdso(struct snapshot *snapshot)
{
    if (!snapshot->vdso || snapshot->vdso_seen)
        return;
    const ElfW(Ehdr) *header = (const void *)(uintptr_t)snapshot->vdso;
    const ElfW(Phdr) *headers = (const void *)(uintptr_t)(snapshot->vdso + header->e_phoff);
    for (size_t i = 0; i < header->e_phnum; i++) {
        if (headers[i].p_type != PT_LOAD)
            continue;
        struct dl_phdr_info info = {
            .dlpi_addr = snapshot->vdso - headers[i].p_vaddr, .dlpi_phdr = headers, .dlpi_phnum = header->e_phnum};
        add_module(snapshot, &info, "[vdso]");
        return;
    }
}

static int note_counts(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    uint64_t *counts = data;
    counts[0] = info->dlpi_adds;
    counts[1] = info->dlpi_subs;
    return 1;
}

/* --- refresh ----------------------------------------------------------------------------------------------------------- */

/* A new list of what was seen; modules of the old one are taken over. NULL when there is no memory. */
static struct module_list *list_make(struct unwind_modules *modules, struct snapshot *snapshot)
{
    const struct unwind_module_list *old = atomic_load_explicit(&modules->list, memory_order_relaxed);
    struct module_list *made = mapping_create_small(sizeof *made + snapshot->count * sizeof *made->list.modules);
    if (!made)
        return NULL;
    size_t at = 0;
    for (size_t i = 0; i < snapshot->count; i++) {
        struct seen_module *seen = (struct seen_module *)(void *)(snapshot->seen->bytes + at);
        at += seen_size(seen);
        const struct unwind_module *same = unwind_module_find(old, seen->start);
        if (same && module_is(same, seen)) {
            unwind_module_list_insert(&made->list, same);
            continue;
        }
        struct loaded_module *loaded = module_load(seen, modules->next_id);
        if (!loaded)
            goto fail;
        modules->next_id++;
        if (!unwind_module_list_insert(&made->list, &loaded->module))
            mapping_free(&loaded->mapping);
    }
    return made;
fail:
    for (size_t i = 0; i < made->list.count; i++)
        if (!unwind_module_list_has(old, made->list.modules[i]))
            mapping_free(&loaded_of(made->list.modules[i])->mapping);
    mapping_free(&made->mapping);
    return NULL;
}

static void publish(struct unwind_modules *modules, struct module_list *made,
                    void (*changed)(void *data, const struct unwind_module *module, bool loaded), void *data)
{
    struct module_list *gone = modules->owned_list;
    const struct unwind_module_list *old = gone ? &gone->list : &empty_list;
    modules->owned_list = made;
    atomic_store(&modules->list, &made->list);
    bool any_gone = false;
    for (size_t i = 0; i < old->count; i++) {
        if (unwind_module_list_has(&made->list, old->modules[i]))
            continue;
        any_gone = true;
        if (changed)
            changed(data, old->modules[i], false);
        retire(modules, &loaded_of(old->modules[i])->mapping);
    }
    /* Release: whoever sees the new generation sees the new list. */
    if (any_gone)
        atomic_fetch_add_explicit(&modules->generation, 1, memory_order_release);
    for (size_t i = 0; changed && i < made->list.count; i++)
        if (!unwind_module_list_has(old, made->list.modules[i]))
            changed(data, made->list.modules[i], true);
    if (gone)
        retire(modules, &gone->mapping);
}

int unwind_modules_refresh(struct unwind_modules *modules,
                           void (*changed)(void *data, const struct unwind_module *module, bool loaded), void *data)
{
    /* What readers kept from being freed last time. */
    if (modules->retired && atomic_load(&modules->readers) == 0)
        free_retired(modules);
    uint64_t counts[2] = {0};
    dl_iterate_phdr(note_counts, counts);
    if (modules->read_once && counts[0] == modules->adds && counts[1] == modules->subs)
        return 0;

    /* The counts are from before the modules: what changes in between is seen next time. */
    struct snapshot *snapshot = &modules->snapshot;
    *snapshot = (struct snapshot){
        .seen = snapshot->seen,
        .room = snapshot->room,
        .program = snapshot->program,
        .all_stay = modules->all_stay && !modules->read_once,
        .vdso = getauxval(AT_SYSINFO_EHDR),
    };
    dl_iterate_phdr(note_module, snapshot);
    add_vdso(snapshot);
    struct module_list *made = snapshot->error ? NULL : list_make(modules, snapshot);
    if (!made)
        return -ENOMEM;
    modules->read_once = true;
    modules->adds = counts[0];
    modules->subs = counts[1];
    publish(modules, made, changed, data);
    if (atomic_load(&modules->readers) == 0)
        free_retired(modules);
    return 0;
}
