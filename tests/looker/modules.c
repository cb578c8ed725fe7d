/* The modules of a child process that loads and unloads libraries. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/memory.h"
#include "looker/target_modules.h"
#include "looker/waiter.h"

static struct waiter waiter;
static unsigned came, went;
static struct unwind_module last_came, last_went;
static char came_path[4096];

static void count_change(void *data, const struct unwind_module *module, bool loaded)
{
    (void)data;
    came += loaded;
    went += !loaded;
    *(loaded ? &last_came : &last_went) = *module;
    if (loaded)
        snprintf(came_path, sizeof came_path, "%s", module->path);
}

static const struct unwind_module *module_at(const struct target_modules *modules, uint64_t address)
{
    return unwind_module_find(target_modules_unwind(modules)->list, address);
}

/* The child does one thing after the other, each when the test says so. */
static void await_step(struct waiter *child, uint32_t step)
{
    while (atomic_load(&child->facts->steps) < step)
        usleep(500);
}

static void await_ready(void)
{
    while (!atomic_load(&waiter.facts->ready))
        usleep(500);
    atomic_store(&waiter.facts->ready, false);
}

/* --- what is loaded at first --------------------------------------------------------------------------------------------- */

static void play_wait(struct waiter *child)
{
    outer(child, wait_in_read);
}

static int check_listed(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    uint64_t start = UINT64_MAX, end = 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        uint64_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, to = from + info->dlpi_phdr[i].p_memsz;
        start = from < start ? from : start;
        end = to > end ? to : end;
    }
    const struct unwind_module *module = module_at(data, start);
    assert_non_null(module);
    assert_int_equal(module->start, start);
    assert_int_equal(module->end, end);
    assert_int_equal(module->bias, info->dlpi_addr);
    assert_non_null(module->eh_frame.index);
    assert_true(module->build_id_length == 0 || module->build_id_length == 20);
    return 0;
}

static void all_modules_of_a_process_are_known(void **state)
{
    (void)state;
    struct image_cache cache;
    image_cache_init(&cache, IMAGE_CACHE_BYTES);
    struct target_modules *modules = target_modules_create(&cache);
    waiter_start(&waiter, play_wait);
    came = went = 0;
    target_modules_on_change(modules, count_change, NULL);
    assert_true(target_modules_refresh(modules, waiter.pid, 1, MODULES_BEFORE_LOOK));
    dl_iterate_phdr(check_listed, modules);
    const struct unwind_module *vdso = module_at(modules, getauxval(AT_SYSINFO_EHDR));
    assert_non_null(vdso);
    assert_string_equal(vdso->path, "[vdso]");
    assert_non_null(vdso->eh_frame.index);
    assert_int_equal(came, target_modules_unwind(modules)->list->count);
    assert_int_equal(went, 0);
    /* Nothing has changed, and nobody has a reason to look. */
    assert_false(target_modules_refresh(modules, waiter.pid, 2, MODULES_BEFORE_LOOK));
    assert_false(target_modules_refresh(modules, waiter.pid, 3, MODULES_TOLD));
    target_modules_free(modules);
    image_cache_free(&cache);
    assert_int_equal(cache.bytes, 0);
    waiter_end(&waiter);
}

static void two_processes_share_the_tables_of_a_file(void **state)
{
    (void)state;
    struct image_cache cache;
    struct waiter other;
    image_cache_init(&cache, IMAGE_CACHE_BYTES);
    struct target_modules *one = target_modules_create(&cache), *two = target_modules_create(&cache);
    waiter_start(&waiter, play_wait);
    waiter_start(&other, play_wait);
    assert_true(target_modules_refresh(one, waiter.pid, 1, MODULES_BEFORE_LOOK));
    size_t bytes = cache.bytes;
    assert_true(target_modules_refresh(two, other.pid, 1, MODULES_BEFORE_LOOK));
    assert_int_equal(cache.bytes, bytes);
    const struct unwind_module *a = module_at(one, (uintptr_t)outer), *b = module_at(two, (uintptr_t)outer);
    assert_ptr_equal(a->eh_frame.bytes, b->eh_frame.bytes);
    target_modules_free(one);
    target_modules_free(two);
    assert_int_equal(cache.bytes, bytes); /* for the next one */
    image_cache_free(&cache);
    waiter_end(&other);
    waiter_end(&waiter);
}

static void tables_that_nobody_uses_are_evicted(void **state)
{
    (void)state;
    struct image_cache cache;
    image_cache_init(&cache, 4096); /* too little for anything */
    struct target_modules *modules = target_modules_create(&cache);
    waiter_start(&waiter, play_wait);
    assert_true(target_modules_refresh(modules, waiter.pid, 1, MODULES_BEFORE_LOOK));
    assert_true(cache.bytes <= 4096);
    const struct unwind_module *module = module_at(modules, (uintptr_t)outer);
    assert_non_null(module); /* known, without tables */
    assert_null(module->eh_frame.index);
    target_modules_free(modules);
    image_cache_free(&cache);
    waiter_end(&waiter);
}

/* --- what comes and goes ------------------------------------------------------------------------------------------------- */

static void play_loading(struct waiter *child)
{
    await_step(child, 1);
    void *library = dlopen(PLUGIN, RTLD_NOW);
    child->facts->address = library ? (uintptr_t)dlsym(library, "plugin_call") : 0;
    atomic_store(&child->facts->ready, true);
    await_step(child, 2);
    dlclose(library);
    atomic_store(&child->facts->ready, true);
    await_step(child, 3);
}

static void modules_that_come_and_go_are_told(void **state)
{
    (void)state;
    struct image_cache cache;
    image_cache_init(&cache, IMAGE_CACHE_BYTES);
    struct target_modules *modules = target_modules_create(&cache);
    waiter_start(&waiter, play_loading);
    assert_true(target_modules_refresh(modules, waiter.pid, 1, MODULES_BEFORE_LOOK));
    came = went = 0;
    target_modules_on_change(modules, count_change, NULL);
    unsigned known = came;
    uint64_t generation = target_modules_unwind(modules)->generation;

    atomic_store(&waiter.facts->steps, 1);
    await_ready();
    assert_true(target_modules_refresh(modules, waiter.pid, 2, MODULES_TOLD));
    assert_int_equal(came, known + 1);
    assert_int_equal(went, 0);
    assert_string_equal(came_path, PLUGIN);
    assert_int_equal(last_came.build_id_length, 5); /* as the linker was told */
    assert_memory_equal(last_came.build_id, "\xab\xcd\xef\x01\x23", 5);
    const struct unwind_module *plugin = module_at(modules, waiter.facts->address);
    assert_non_null(plugin);
    uint32_t id = plugin->id;
    assert_int_equal(target_modules_unwind(modules)->generation, generation);

    atomic_store(&waiter.facts->steps, 2);
    await_ready();
    assert_true(target_modules_refresh(modules, waiter.pid, 3, MODULES_TOLD));
    assert_int_equal(went, 1);
    assert_int_equal(last_went.id, id);
    assert_null(module_at(modules, waiter.facts->address));
    assert_true(target_modules_unwind(modules)->generation > generation);
    target_modules_free(modules);
    image_cache_free(&cache);
    waiter_end(&waiter);
}

static void play_without_index(struct waiter *child)
{
    void *library = dlopen(PLUGIN_WITHOUT_INDEX, RTLD_NOW);
    child->facts->address = library ? (uintptr_t)dlsym(library, "plugin_call") : 0;
    outer(child, wait_in_read);
}

static void a_module_without_an_index_gets_one(void **state)
{
    (void)state;
    struct image_cache cache;
    image_cache_init(&cache, IMAGE_CACHE_BYTES);
    struct target_modules *modules = target_modules_create(&cache);
    waiter_start(&waiter, play_without_index);
    await_ready();
    assert_true(target_modules_refresh(modules, waiter.pid, 1, MODULES_BEFORE_LOOK));
    const struct unwind_module *module = module_at(modules, waiter.facts->address);
    struct frame_description description;
    assert_non_null(module);
    assert_true(eh_frame_find(&module->eh_frame, waiter.facts->address, &description));
    assert_int_equal(description.start, waiter.facts->address);
    target_modules_free(modules);
    image_cache_free(&cache);
    waiter_end(&waiter);
}

/* --- files that are not what is mapped ----------------------------------------------------------------------------------- */

static char copy_path[] = "/tmp/sonde-looker-XXXXXX";

static void copy_file(const char *from, const char *to)
{
    char command[8192];
    snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
    assert_int_equal(system(command), 0);
}

static void play_vanishing(struct waiter *child)
{
    void *library = dlopen(copy_path, RTLD_NOW);
    child->facts->address = library ? (uintptr_t)dlsym(library, "plugin_call") : 0;
    unlink(copy_path);
    outer(child, wait_in_read);
}

static void a_file_that_was_deleted_is_read_from_memory(void **state)
{
    (void)state;
    struct image_cache cache;
    image_cache_init(&cache, IMAGE_CACHE_BYTES);
    struct target_modules *modules = target_modules_create(&cache);
    int fd = mkstemp(copy_path);
    assert_true(fd >= 0);
    close(fd);
    copy_file(PLUGIN, copy_path);
    waiter_start(&waiter, play_vanishing);
    await_ready();
    /* Another file has its name by now. */
    fd = open(copy_path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0 && write(fd, "nothing", 7) == 7);
    close(fd);
    assert_true(target_modules_refresh(modules, waiter.pid, 1, MODULES_BEFORE_LOOK));
    unlink(copy_path);
    const struct unwind_module *module = module_at(modules, waiter.facts->address);
    struct frame_description description;
    assert_non_null(module);
    assert_string_equal(module->path, copy_path);
    assert_int_equal(module->build_id_length, 5);
    assert_true(eh_frame_find(&module->eh_frame, waiter.facts->address, &description));
    target_modules_free(modules);
    image_cache_free(&cache);
    waiter_end(&waiter);
}

/* --- when there is no memory --------------------------------------------------------------------------------------------- */

static void without_memory_the_old_list_stays(void **state)
{
    (void)state;
    struct image_cache cache;
    waiter_start(&waiter, play_wait);
    for (unsigned long n = 1; n < 400; n++) {
        image_cache_init(&cache, IMAGE_CACHE_BYTES);
        memory_fail_after(n);
        struct target_modules *modules = target_modules_create(&cache);
        bool changed = modules && target_modules_refresh(modules, waiter.pid, 1, MODULES_BEFORE_LOOK);
        memory_fail_after(0);
        if (modules && !changed) {
            assert_int_equal(target_modules_unwind(modules)->list->count, 0);
            assert_true(target_modules_refresh(modules, waiter.pid, UINT64_C(5000000000), MODULES_BEFORE_LOOK));
        }
        target_modules_free(modules);
        image_cache_free(&cache);
    }
    waiter_end(&waiter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_modules_of_a_process_are_known),  cmocka_unit_test(two_processes_share_the_tables_of_a_file),
        cmocka_unit_test(tables_that_nobody_uses_are_evicted), cmocka_unit_test(modules_that_come_and_go_are_told),
        cmocka_unit_test(a_module_without_an_index_gets_one),  cmocka_unit_test(a_file_that_was_deleted_is_read_from_memory),
        cmocka_unit_test(without_memory_the_old_list_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
