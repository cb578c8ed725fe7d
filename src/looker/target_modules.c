#include "looker/target_modules.h"

#include "common/map.h"
#include "common/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MODULES_MAX = 4096,
    LINES_BYTES = 64 << 10,      /* read at once; a line is shorter than a page and some */
    MAPS_BYTES_MOST = 64 << 20,  /* of a process that maps without end */
    CHECK_LEAST_NS = 2000000000, /* after a change the list is read again so soon … */
    MISS_LEAST_NS = 1000000,     /* … or if an address is missed; twice as late each time that nothing had changed … */
    MISS_MOST_NS = 1000000000,   /* … but no later than this */
};
#define CHECK_MOST_NS UINT64_C(60000000000)

struct target_module {
    struct unwind_module module;
    struct image *image;
    char path[];
};

struct target_modules {
    struct image_cache *cache;
    struct unwind unwind; /* its list is the one below */
    struct unwind_module_list *list;
    uint32_t next_id;
    bool read_once;
    uint64_t fingerprint; /* of the mappings that modules were made of */
    uint64_t read_ns, check_delay_ns, miss_delay_ns;
    target_modules_changed *changed;
    void *data;
};

/* A mapping of code, and where the first byte of its file is. */
struct seen_code {
    struct maps_line line; /* without path … */
    size_t path_at;        /* … which is here in `paths` */
    uint64_t base;
};

struct scan {
    VEC(struct seen_code) code;
    VEC(char) paths;
    uint64_t fingerprint;
    /* The last mapping of a file's first byte: those of a module follow each other. */
    uint64_t device, inode, base;
    bool out_of_memory;
};

/* Modules are listed as constant; only this file changes them. */
static struct target_module *target_module_of(const struct unwind_module *module)
{
    return (struct target_module *)((uintptr_t)module - offsetof(struct target_module, module));
}

static const struct unwind_module_list empty_list = {0};

struct target_modules *target_modules_create(struct image_cache *cache)
{
    struct target_modules *modules = memory_zeroed(1, sizeof *modules);
    struct unwind_cache *rules =
        mmap(NULL, sizeof *rules, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* mostly never touched */
    if (!modules || rules == MAP_FAILED) {
        if (rules != MAP_FAILED)
            munmap(rules, sizeof *rules);
        memory_release(modules);
        return NULL;
    }
    *modules = (struct target_modules){
        .cache = cache,
        .unwind = {.cache = rules, .list = &empty_list, .generation = 1},
        .next_id = 1,
        .check_delay_ns = CHECK_LEAST_NS,
        .miss_delay_ns = MISS_LEAST_NS,
    };
    return modules;
}

static void module_free(struct target_modules *modules, const struct unwind_module *module)
{
    struct target_module *target = target_module_of(module);
    image_release(modules->cache, target->image);
    memory_release(target);
}

void target_modules_free(struct target_modules *modules)
{
    if (!modules)
        return;
    for (size_t i = 0; i < modules->unwind.list->count; i++)
        module_free(modules, modules->unwind.list->modules[i]);
    memory_release(modules->list);
    munmap(modules->unwind.cache, sizeof *modules->unwind.cache);
    memory_release(modules);
}

void target_modules_on_change(struct target_modules *modules, target_modules_changed *changed, void *data)
{
    modules->changed = changed;
    modules->data = data;
    for (size_t i = 0; changed && i < modules->unwind.list->count; i++)
        changed(data, modules->unwind.list->modules[i], true);
}

const struct unwind *target_modules_unwind(const struct target_modules *modules)
{
    return &modules->unwind;
}

/* --- what is mapped ------------------------------------------------------------------------------------------------------ */

static void scan_line(struct scan *scan, struct slice text)
{
    struct maps_line line;
    if (!maps_line_parse(text, &line))
        return;
    bool is_vdso = slice_is(line.path, "[vdso]");
    if (line.inode == 0 && !is_vdso)
        return;
    if (line.offset == 0) {
        scan->device = line.device;
        scan->inode = line.inode;
        scan->base = line.start;
    }
    /* A file whose first byte is not mapped below its code is no module. */
    if (!line.executable || scan->base == 0 || scan->device != line.device || scan->inode != line.inode ||
        scan->code.count == MODULES_MAX)
        return;
    uint64_t hash = hash_combine(hash_combine(line.start, line.end), hash_combine(line.inode, line.device));
    scan->fingerprint = hash_combine(scan->fingerprint, hash_combine(hash, line.offset));
    struct seen_code seen = {.line = line, .path_at = scan->paths.count, .base = scan->base};
    size_t paths = scan->paths.count + line.path.length;
    if (!vec_reserve(&scan->paths, paths) || !vec_push(&scan->code, seen)) {
        scan->out_of_memory = true;
        return;
    }
    if (line.path.length > 0)
        memcpy(scan->paths.items + scan->paths.count, line.path.text, line.path.length);
    scan->paths.count = paths;
}

/* False where it cannot be read: the process is gone, or does not allow it. */
static bool scan_maps(struct scan *scan, pid_t pid)
{
    char path[64], *lines = memory_array(LINES_BYTES, 1);
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    int file = lines ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) {
        memory_release(lines);
        return false;
    }
    size_t held = 0, all = 0;
    ssize_t got;
    while (all < MAPS_BYTES_MOST && !scan->out_of_memory &&
           ((got = read(file, lines + held, LINES_BYTES - held)) > 0 || (got < 0 && errno == EINTR))) {
        if (got < 0)
            continue;
        held += (size_t)got;
        all += (size_t)got;
        size_t at = 0;
        for (char *end; (end = memchr(lines + at, '\n', held - at)); at = (size_t)(end - lines) + 1)
            scan_line(scan, (struct slice){lines + at, (size_t)(end - lines) - at});
        if (at == 0 && held == LINES_BYTES)
            at = held; /* no line is so long */
        memmove(lines, lines + at, held - at);
        held -= at;
    }
    close(file);
    memory_release(lines);
    return all > 0 && !scan->out_of_memory;
}

/* --- a new list ---------------------------------------------------------------------------------------------------------- */

static bool same_module(const struct target_module *module, const struct image *image, uint64_t bias, struct slice path)
{
    return module->image == image && module->module.bias == bias && slice_equal(slice_of(module->module.path), path);
}

/* Takes over the image, unless it returns NULL: no memory. */
static struct target_module *module_create(struct image *image, uint64_t bias, struct slice path, uint32_t id)
{
    struct target_module *made = memory_zeroed(1, sizeof *made + path.length + 1);
    if (!made)
        return NULL;
    memcpy(made->path, path.text, path.length);
    made->image = image;
    made->module = (struct unwind_module){
        .start = bias + image->elf.start,
        .end = bias + image->elf.end,
        .bias = bias,
        .id = id,
        .path = made->path,
        .build_id_length = image->build_id_length,
        .eh_frame = elf_tables_mapped(&image->tables, &image->elf, bias),
    };
    memcpy(made->module.build_id, image->build_id, image->build_id_length);
    return made;
}

/* One mapping of code: mostly a module of its own. False when there is no memory. */
static bool list_add(struct target_modules *modules, struct unwind_module_list *made, const struct seen_code *seen, pid_t pid)
{
    const struct unwind_module *listed = unwind_module_find(made, seen->line.start);
    if (listed && target_module_of(listed)->image->inode == seen->line.inode)
        return true; /* more code of the same module */
    bool no_memory = false;
    struct image *image = image_get(modules->cache, &seen->line, pid, seen->base, &no_memory);
    uint64_t bias;
    if (!image)
        return !no_memory;
    if (!elf_image_bias(&image->elf, seen->line.start, seen->line.offset, &bias)) {
        image_release(modules->cache, image);
        return true;
    }
    const struct unwind_module *old = unwind_module_find(modules->unwind.list, bias + image->elf.start);
    if (old && same_module(target_module_of(old), image, bias, seen->line.path)) {
        image_release(modules->cache, image); /* the module has it already */
        if (!unwind_module_list_has(made, old))
            unwind_module_list_insert(made, old);
        return true;
    }
    struct target_module *target = module_create(image, bias, seen->line.path, modules->next_id);
    if (!target) {
        image_release(modules->cache, image);
        return false;
    }
    if (unwind_module_list_insert(made, &target->module))
        modules->next_id++;
    else
        module_free(modules, &target->module);
    return true;
}

static void publish(struct target_modules *modules, struct unwind_module_list *made)
{
    const struct unwind_module_list *old = modules->unwind.list;
    bool any_gone = false;
    for (size_t i = 0; i < old->count; i++) {
        if (unwind_module_list_has(made, old->modules[i]))
            continue;
        any_gone = true;
        if (modules->changed)
            modules->changed(modules->data, old->modules[i], false);
    }
    for (size_t i = 0; modules->changed && i < made->count; i++)
        if (!unwind_module_list_has(old, made->modules[i]))
            modules->changed(modules->data, made->modules[i], true);
    for (size_t i = 0; i < old->count; i++)
        if (!unwind_module_list_has(made, old->modules[i]))
            module_free(modules, old->modules[i]);
    memory_release(modules->list);
    modules->unwind.list = modules->list = made;
    modules->unwind.generation += any_gone;
}

/* False when there is no memory. */
static bool list_make(struct target_modules *modules, struct scan *scan, pid_t pid)
{
    struct unwind_module_list *made = memory_zeroed(1, sizeof *made + scan->code.count * sizeof *made->modules);
    bool ok = made;
    for (size_t i = 0; ok && i < scan->code.count; i++) {
        struct seen_code *seen = &scan->code.items[i];
        seen->line.path.text = scan->paths.items + seen->path_at;
        ok = list_add(modules, made, seen, pid);
    }
    if (ok) {
        publish(modules, made);
        return true;
    }
    for (size_t i = 0; made && i < made->count; i++)
        if (!unwind_module_list_has(modules->unwind.list, made->modules[i]))
            module_free(modules, made->modules[i]);
    memory_release(made);
    return false;
}

static uint64_t twice(uint64_t delay, uint64_t most)
{
    return delay < most / 2 ? delay * 2 : most;
}

static bool is_due(const struct target_modules *modules, uint64_t now_ns, enum target_modules_reason reason)
{
    uint64_t since = now_ns - modules->read_ns;
    if (!modules->read_once || reason == MODULES_TOLD)
        return true;
    return since >= (reason == MODULES_MISSED ? modules->miss_delay_ns : modules->check_delay_ns);
}

bool target_modules_refresh(struct target_modules *modules, pid_t pid, uint64_t now_ns, enum target_modules_reason reason)
{
    if (!is_due(modules, now_ns, reason))
        return false;
    struct scan scan = {0};
    bool changed = scan_maps(&scan, pid) && (!modules->read_once || scan.fingerprint != modules->fingerprint) &&
                   list_make(modules, &scan, pid);
    vec_free(&scan.code);
    vec_free(&scan.paths);
    modules->read_ns = now_ns;
    if (changed) {
        modules->read_once = true;
        modules->fingerprint = scan.fingerprint;
        modules->check_delay_ns = CHECK_LEAST_NS;
        modules->miss_delay_ns = MISS_LEAST_NS;
    } else {
        modules->check_delay_ns = twice(modules->check_delay_ns, CHECK_MOST_NS);
        modules->miss_delay_ns = twice(modules->miss_delay_ns, MISS_MOST_NS);
    }
    return changed;
}
