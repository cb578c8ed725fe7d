#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unwind/memory.h"
#include "unwind/modules.h"
#include "walker.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static struct unwind_modules *modules;

struct changes {
    unsigned loaded, gone;
    char last[512];
    uint32_t last_id;
};

static void note(void *data, const struct unwind_module *module, bool loaded)
{
    struct changes *changes = data;
    *(loaded ? &changes->loaded : &changes->gone) += 1;
    snprintf(changes->last, sizeof changes->last, "%s", module->path);
    changes->last_id = module->id;
}

static struct changes refresh(void)
{
    struct changes changes = {0};
    assert_int_equal(unwind_modules_refresh(modules, note, &changes), 0);
    return changes;
}

static int set_up(void **state)
{
    (void)state;
    modules = unwind_modules_create(false, NULL);
    return modules ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    unwind_modules_free(modules);
    return 0;
}

static int main_function(void)
{
    return 0;
}

static void before_the_first_refresh_there_are_no_modules(void **state)
{
    (void)state;
    const struct unwind_module_list *list = unwind_modules_enter(modules);
    assert_int_equal(list->count, 0);
    assert_null(unwind_module_find(list, (uint64_t)(uintptr_t)main_function));
    unwind_modules_leave(modules);
}

static void the_program_and_its_libraries_are_found_by_address(void **state)
{
    (void)state;
    char self[512] = "";
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    assert_true(refresh().loaded >= 3);
    const struct unwind_module_list *list = unwind_modules_enter(modules);
    const struct unwind_module *program = unwind_module_find(list, (uint64_t)(uintptr_t)main_function);
    assert_non_null(program);
    assert_string_equal(program->path, self);
    const struct unwind_module *libc =
        unwind_module_find(list, (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version"));
    assert_non_null(libc);
    assert_non_null(strstr(libc->path, "libc"));
    assert_null(unwind_module_find(list, 0));
    assert_null(unwind_module_find(list, UINT64_MAX));
    assert_null(unwind_module_find(list, (uint64_t)(uintptr_t)&list)); /* the stack */
    unwind_modules_leave(modules);
}

static void the_vdso_is_a_module_with_tables(void **state)
{
    (void)state;
    uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
    if (vdso == 0)
        skip(); /* not every machine has one */
    refresh();
    const struct unwind_module_list *list = unwind_modules_enter(modules);
    const struct unwind_module *module = unwind_module_find(list, vdso);
    assert_non_null(module);
    assert_string_equal(module->path, "[vdso]");
    assert_true(module->eh_frame.index_count > 0);
    unwind_modules_leave(modules);
}

static void modules_are_sorted_and_do_not_overlap(void **state)
{
    (void)state;
    refresh();
    const struct unwind_module_list *list = unwind_modules_enter(modules);
    assert_true(list->count >= 3);
    for (size_t i = 0; i < list->count; i++) {
        assert_true(list->modules[i]->start < list->modules[i]->end);
        if (i > 0)
            assert_true(list->modules[i - 1]->end <= list->modules[i]->start);
        assert_ptr_equal(unwind_module_find(list, list->modules[i]->start), list->modules[i]);
        assert_ptr_equal(unwind_module_find(list, list->modules[i]->end - 1), list->modules[i]);
    }
    unwind_modules_leave(modules);
}

/* What the linker was told to write into the test library. */
static void build_ids_are_those_of_the_files(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0xab, 0xcd, 0xef, 0x01, 0x23};
    void *library = dlopen(PLUGIN, RTLD_NOW);
    assert_non_null(library);
    refresh();
    const struct unwind_module_list *list = unwind_modules_enter(modules);
    const struct unwind_module *module = unwind_module_find(list, (uint64_t)(uintptr_t)dlsym(library, "plugin_call"));
    assert_non_null(module);
    assert_string_equal(module->path, PLUGIN);
    assert_int_equal(module->build_id_length, sizeof expected);
    assert_memory_equal(module->build_id, expected, sizeof expected);
    unwind_modules_leave(modules);
    dlclose(library);
}

static void nothing_new_is_nothing_changed(void **state)
{
    (void)state;
    refresh();
    const struct unwind_module_list *before = unwind_modules_enter(modules);
    struct changes changes = refresh();
    const struct unwind_module_list *after = unwind_modules_enter(modules);
    assert_int_equal(changes.loaded + changes.gone, 0);
    assert_ptr_equal(before, after);
    unwind_modules_leave(modules);
    unwind_modules_leave(modules);
}

static void what_is_loaded_and_unloaded_is_told(void **state)
{
    (void)state;
    refresh();
    uint64_t generation = unwind_modules_generation(modules);
    void *library = dlopen(PLUGIN, RTLD_NOW);
    assert_non_null(library);
    struct changes loaded = refresh();
    assert_int_equal(loaded.loaded, 1);
    assert_int_equal(loaded.gone, 0);
    assert_string_equal(loaded.last, PLUGIN);
    assert_true(unwind_modules_generation(modules) == generation);

    dlclose(library);
    struct changes gone = refresh();
    assert_int_equal(gone.loaded, 0);
    assert_int_equal(gone.gone, 1);
    assert_string_equal(gone.last, PLUGIN);
    assert_int_equal(gone.last_id, loaded.last_id);
    assert_true(unwind_modules_generation(modules) == generation + 1);

    library = dlopen(PLUGIN, RTLD_NOW);
    assert_non_null(library);
    assert_true(refresh().last_id > loaded.last_id);
    dlclose(library);
}

static void copies_of_tables_end_with_the_last_entry(void **state)
{
    (void)state;
    size_t copies = 0;
    void *library = dlopen(PLUGIN, RTLD_NOW);
    assert_non_null(library);
    refresh();
    const struct unwind_module_list *list = unwind_modules_enter(modules);
    for (size_t i = 0; i < list->count; i++) {
        const struct eh_frame_table *table = &list->modules[i]->eh_frame;
        uint64_t last = 0;
        if ((uintptr_t)table->bytes == table->address)
            continue; /* not a copy: it ends with the segment */
        copies++;
        assert_true(table->index_count > 0);
        for (size_t row = 0; row < table->index_count; row++) {
            uint64_t offset = table->index_address + (uint64_t)table->index[row].fde - table->address;
            last = offset > last ? offset : last;
        }
        size_t end;
        assert_true(eh_frame_entry(table, (size_t)last, &end) == EH_FRAME_FDE);
        assert_int_equal(end, table->length);
    }
    unwind_modules_leave(modules);
    assert_true(copies >= 1); /* what can be unloaded */
    dlclose(library);
}

static void modules_that_stay_keep_their_tables(void **state)
{
    (void)state;
    refresh();
    const struct unwind_module *before = unwind_module_find(unwind_modules_enter(modules), (uint64_t)(uintptr_t)main_function);
    unwind_modules_leave(modules);
    void *library = dlopen(PLUGIN, RTLD_NOW);
    assert_int_equal(refresh().loaded, 1);
    const struct unwind_module *after = unwind_module_find(unwind_modules_enter(modules), (uint64_t)(uintptr_t)main_function);
    unwind_modules_leave(modules);
    assert_ptr_equal(before, after);
    dlclose(library);
}

static void a_reader_keeps_what_it_sees(void **state)
{
    (void)state;
    refresh();
    void *library = dlopen(PLUGIN, RTLD_NOW);
    assert_non_null(library);
    uint64_t address = (uint64_t)(uintptr_t)dlsym(library, "plugin_call");
    refresh();
    const struct unwind_module_list *list = unwind_modules_enter(modules);
    const struct unwind_module *module = unwind_module_find(list, address);
    assert_non_null(module);
    dlclose(library);
    assert_int_equal(refresh().gone, 1);
    /* The module has gone; its copy has not. */
    struct frame_description description;
    assert_string_equal(module->path, PLUGIN);
    assert_true(eh_frame_find(&module->eh_frame, address, &description));
    unwind_modules_leave(modules);
    assert_null(unwind_module_find(unwind_modules_enter(modules), address));
    unwind_modules_leave(modules);
}

/* All functions of all modules, by both. */
static void tables_that_are_copied_or_left_in_place_are_the_same(void **state)
{
    (void)state;
    void *library = dlopen(PLUGIN, RTLD_NOW);
    assert_non_null(library);
    struct unwind_modules *staying = unwind_modules_create(true, NULL);
    assert_non_null(staying);
    assert_int_equal(unwind_modules_refresh(staying, NULL, NULL), 0);
    refresh();
    const struct unwind_module_list *there = unwind_modules_enter(staying), *some = unwind_modules_enter(modules);
    assert_int_equal(there->count, some->count);
    size_t found = 0, in_place = 0, copied = 0;
    for (size_t i = 0; i < there->count; i++) {
        const struct eh_frame_table *one = &there->modules[i]->eh_frame, *other = &some->modules[i]->eh_frame;
        in_place += (uintptr_t)other->bytes == other->address;
        copied += (uintptr_t)one->bytes == one->address && (uintptr_t)other->bytes != other->address;
        assert_int_equal(one->index_count, other->index_count);
        for (size_t row = 0; row < one->index_count; row++) {
            struct frame_description expected, description;
            uint64_t address = one->index_address + (uint64_t)one->index[row].function;
            bool known = eh_frame_find(one, address, &expected);
            assert_int_equal(eh_frame_find(other, address, &description), known);
            if (!known)
                continue;
            found++;
            assert_true(description.start == expected.start && description.length == expected.length);
            assert_int_equal(byte_reader_left(&description.program), byte_reader_left(&expected.program));
            assert_memory_equal(description.program.at, expected.program.at, byte_reader_left(&expected.program));
            assert_int_equal(byte_reader_left(&description.common_program), byte_reader_left(&expected.common_program));
            assert_memory_equal(description.common_program.at, expected.common_program.at,
                                byte_reader_left(&expected.common_program));
        }
    }
    assert_true(found > 1000);  /* the C library has more */
    assert_true(in_place >= 3); /* the program, the dynamic linker, the C library */
    assert_true(copied >= 1);   /* the plugin, at least */
    unwind_modules_leave(modules);
    unwind_modules_leave(staying);
    unwind_modules_free(staying);
    dlclose(library);
}

/* Whoever says that all stay means those of the first refresh. */
static void what_is_loaded_later_is_copied_even_where_all_that_was_there_stays(void **state)
{
    (void)state;
    unwind_modules_free(modules);
    modules = unwind_modules_create(true, NULL);
    refresh();
    void *library = dlopen(PLUGIN, RTLD_NOW);
    assert_non_null(library);
    uint64_t address = (uint64_t)(uintptr_t)dlsym(library, "plugin_call");
    refresh();
    const struct unwind_module *module = unwind_module_find(unwind_modules_enter(modules), address);
    assert_non_null(module);
    assert_true((uintptr_t)module->eh_frame.bytes != module->eh_frame.address);
    dlclose(library);
    /* Nobody has looked at the copy before the module went. */
    struct frame_description description;
    assert_true(eh_frame_find(&module->eh_frame, address, &description));
    unwind_modules_leave(modules);
}

static bool can_be_read(const void *at)
{
    char byte;
    return unwind_memory_copy(&byte, (uintptr_t)at, 1) == 1;
}

static void the_copy_of_a_module_that_went_is_freed_when_nobody_reads_it(void **state)
{
    (void)state;
    void *library = dlopen(PLUGIN, RTLD_NOW);
    assert_non_null(library);
    uint64_t address = (uint64_t)(uintptr_t)dlsym(library, "plugin_call");
    refresh();
    const struct unwind_module *module = unwind_module_find(unwind_modules_enter(modules), address);
    assert_non_null(module);
    const uint8_t *copy = module->eh_frame.bytes;
    dlclose(library);
    assert_int_equal(refresh().gone, 1);
    assert_true(can_be_read(copy)); /* somebody may still be reading */
    unwind_modules_leave(modules);
    refresh();
    assert_false(can_be_read(copy));
}

static const char *path_of_module_at(const void *address)
{
    const struct unwind_module *module = unwind_module_find(unwind_modules_enter(modules), (uint64_t)(uintptr_t)address);
    unwind_modules_leave(modules);
    return module ? module->path : NULL;
}

static void the_program_has_the_path_that_the_caller_knows(void **state)
{
    (void)state;
    unwind_modules_free(modules);
    modules = unwind_modules_create(false, "/where/it/is");
    refresh();
    assert_string_equal(path_of_module_at((void *)(uintptr_t)main_function), "/where/it/is");
}

static void a_relative_path_follows_the_folder(void **state)
{
    (void)state;
    char before[PATH_MAX], folder[PATH_MAX], name[256], expected[2 * PATH_MAX];
    snprintf(folder, sizeof folder, "%s", PLUGIN);
    snprintf(name, sizeof name, "./%s", strrchr(folder, '/') + 1);
    *strrchr(folder, '/') = '\0';
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    void *library = dlopen(name, RTLD_NOW);
    assert_non_null(library);
    refresh();
    assert_non_null(getcwd(folder, sizeof folder));
    snprintf(expected, sizeof expected, "%s/%s", folder, name);
    assert_string_equal(path_of_module_at(dlsym(library, "plugin_call")), expected);
    dlclose(library);
    assert_int_equal(chdir(before), 0);
}

/* A copy of the plugin, deep down below `folder`; the path is the caller's to free. */
static void *load_copy(const char *folder, int number, char **path)
{
    enum { NAME = 200 };
    char *command;
    assert_true(asprintf(path, "%s/%0*d/%0*d/%0*d/%0*d/p.so", folder, NAME, number, NAME, number, NAME, number, NAME, number) >
                0);
    assert_true(asprintf(&command, "install -D %s %s", PLUGIN, *path) > 0);
    assert_int_equal(system(command), 0);
    free(command);
    return dlopen(*path, RTLD_NOW);
}

/* More than there is room for at first. */
static void many_modules_with_long_paths_are_all_found(void **state)
{
    (void)state;
    enum { COUNT = 24 };
    void *libraries[COUNT];
    char *paths[COUNT], folder[] = "/tmp/sonde-modules-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < COUNT; i++)
        assert_non_null(libraries[i] = load_copy(folder, i, &paths[i]));
    assert_true(refresh().loaded > COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_string_equal(path_of_module_at(dlsym(libraries[i], "plugin_call")), paths[i]);
    for (int i = 0; i < COUNT; i++) {
        dlclose(libraries[i]);
        free(paths[i]);
    }
    assert_int_equal(refresh().gone, COUNT);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void raise_signal(void)
{
    raise(SIGUSR1);
}

/* Linked without .eh_frame_hdr: the index is made from the section itself. */
static void a_module_without_an_index_gets_one(void **state)
{
    (void)state;
    void *library = dlopen(PLUGIN_WITHOUT_INDEX, RTLD_NOW);
    assert_non_null(library);
    void (*call)(void (*)(void), int) = NULL;
    *(void **)&call = dlsym(library, "plugin_call");
    assert_non_null(call);
    refresh();
    const struct unwind_module *module = unwind_module_find(unwind_modules_enter(modules), (uint64_t)(uintptr_t)call);
    assert_non_null(module);
    assert_true(module->eh_frame.index_count > 0);
    unwind_modules_leave(modules);

    struct unwind_modules *before = walker_use_modules(modules);
    walker_catch_from_context(SIGUSR1, 0);
    call(raise_signal, 3);
    walker_use_modules(before);
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
    assert_non_null(strstr(walked_names(&walker_result, "plugin_call"), "plugin_call plugin_call plugin_call "));
    dlclose(library);
}

int main(void)
{
    walker_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(before_the_first_refresh_there_are_no_modules, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_program_and_its_libraries_are_found_by_address, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_vdso_is_a_module_with_tables, set_up, tear_down),
        cmocka_unit_test_setup_teardown(modules_are_sorted_and_do_not_overlap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(build_ids_are_those_of_the_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_new_is_nothing_changed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_loaded_and_unloaded_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(copies_of_tables_end_with_the_last_entry, set_up, tear_down),
        cmocka_unit_test_setup_teardown(modules_that_stay_keep_their_tables, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reader_keeps_what_it_sees, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_that_are_copied_or_left_in_place_are_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_loaded_later_is_copied_even_where_all_that_was_there_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_copy_of_a_module_that_went_is_freed_when_nobody_reads_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_program_has_the_path_that_the_caller_knows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_relative_path_follows_the_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_modules_with_long_paths_are_all_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_module_without_an_index_gets_one, set_up, tear_down),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    walker_stop();
    return failed;
}
