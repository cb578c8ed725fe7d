#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unwind/memory.h"
#include "unwind/modules.h"
#include "unwind/table_files.h"
#include "walker.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Loaded before the list of modules is made. The tables of the program itself are never mapped. */
static void *library;

/* The file that an address is mapped from. */
static void file_of(const void *address, char path[512])
{
    char line[1024];
    FILE *maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    bool found = false;
    while (!found && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        path[0] = '\0';
        found = sscanf(line, "%lx-%lx %*s %*s %*s %*s %511s", &start, &end, path) >= 2 && (uintptr_t)address >= start &&
                (uintptr_t)address < end;
    }
    fclose(maps);
    assert_true(found);
}

/* The library as the dynamic linker tells of it. */
static int keep_library(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(struct dl_phdr_info *)data = *info;
    return strcmp(info->dlpi_name, PLUGIN) == 0;
}

static struct dl_phdr_info library_info(void)
{
    struct dl_phdr_info info;
    assert_int_equal(dl_iterate_phdr(keep_library, &info), 1);
    return info;
}

static const ElfW(Phdr) * library_index(const struct dl_phdr_info *info)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            return &info->dlpi_phdr[i];
    fail_msg("the library has no index");
    return NULL;
}

static struct unwind_modules *modules_with(struct table_files *files)
{
    struct unwind_modules *made = unwind_modules_create(files, NULL);
    assert_non_null(made);
    assert_int_equal(files->count, 0);
    assert_int_equal(unwind_modules_refresh(made, NULL, NULL), 0);
    return made;
}

static const struct eh_frame_table *library_table(const struct unwind_modules *list)
{
    uint64_t address = (uint64_t)(uintptr_t)dlsym(library, "plugin_call");
    const struct unwind_module *module = unwind_module_find(unwind_modules_enter(list), address);
    assert_non_null(module);
    unwind_modules_leave(list);
    return &module->eh_frame;
}

/* A copy ends with the last entry, a mapping with the segment. */
static void assert_same_rows(const struct eh_frame_table *mapped, const struct eh_frame_table *copied)
{
    assert_true(copied->index_count > 0);
    assert_int_equal(mapped->index_count, copied->index_count);
    assert_true(mapped->index_address == copied->index_address && mapped->address == copied->address);
    assert_memory_equal(mapped->index, copied->index, copied->index_count * sizeof *copied->index);
    assert_true(mapped->length >= copied->length);
    assert_memory_equal(mapped->bytes, copied->bytes, copied->length);
}

static void tables_of_mapped_files_are_the_same_as_copied_ones(void **state)
{
    (void)state;
    char path[512];
    struct table_files files = {0};
    table_files_map(&files, 0);
    assert_true(files.count >= 1);
    struct unwind_modules *mapped = modules_with(&files);
    unwind_modules_complete(mapped);
    unwind_modules_complete(walker_modules());
    const struct unwind_module_list *list = unwind_modules_enter(walker_modules()), *other = unwind_modules_enter(mapped);
    assert_int_equal(list->count, other->count);
    size_t from_files = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct unwind_module *copied = list->modules[i], *same = other->modules[i];
        assert_string_equal(same->path, copied->path);
        assert_int_equal(same->build_id_length, copied->build_id_length);
        assert_memory_equal(same->build_id, copied->build_id, copied->build_id_length);
        file_of(same->eh_frame.bytes, path);
        from_files += path[0] == '/' && (uintptr_t)same->eh_frame.bytes != same->eh_frame.address; /* not in place */
        assert_same_rows(&same->eh_frame, &copied->eh_frame);
    }
    assert_true(from_files >= 1);
    unwind_modules_leave(walker_modules());
    unwind_modules_leave(mapped);
    file_of(library_table(mapped)->bytes, path);
    assert_string_equal(path, PLUGIN);
    file_of(library_table(mapped)->index, path);
    assert_string_equal(path, PLUGIN);
    unwind_modules_free(mapped);
}

static bool is_readable(const struct table_file *file)
{
    uint8_t byte;
    return unwind_memory_copy(&byte, (uintptr_t)file->bytes, 1) == 1;
}

static void files_that_are_not_needed_are_unmapped(void **state)
{
    (void)state;
    struct table_files files = {0};
    struct dl_phdr_info info = library_info();
    assert_true(table_files_add(&files, &info, PLUGIN));
    assert_true(table_files_add(&files, &info, PLUGIN)); /* only one is taken */
    struct table_file both[2] = {files.files[0], files.files[1]};
    assert_true(is_readable(&both[0]) && is_readable(&both[1]));
    struct unwind_modules *mapped = modules_with(&files);
    assert_false(is_readable(&both[1]));
    unwind_modules_free(mapped);
    assert_false(is_readable(&both[0]));
}

static void modules_that_are_never_looked_at_unmap_their_files(void **state)
{
    (void)state;
    struct table_files files = {0};
    struct dl_phdr_info info = library_info();
    assert_true(table_files_add(&files, &info, PLUGIN));
    struct table_file file = files.files[0];
    unwind_modules_free(unwind_modules_create(&files, NULL));
    assert_false(is_readable(&file));
}

static void only_large_tables_are_mapped(void **state)
{
    (void)state;
    struct table_files files = {0};
    table_files_map(&files, SIZE_MAX);
    assert_int_equal(files.count, 0);
    struct dl_phdr_info info = library_info();
    size_t bytes = library_index(&info)->p_memsz;
    table_files_map(&files, bytes);
    struct table_file file;
    uint64_t index = info.dlpi_addr + library_index(&info)->p_vaddr;
    assert_true(table_files_take(&files, index, &file));
    table_file_unmap(&file);
    assert_false(table_files_take(&files, index, &file));
    table_files_unmap(&files);
}

/* As where a library has been replaced since it was loaded. */
static void the_file_of_another_module_is_refused(void **state)
{
    (void)state;
    struct table_files files = {0};
    struct dl_phdr_info info = library_info();
    assert_false(table_files_add(&files, &info, "/proc/self/exe"));
    assert_false(table_files_add(&files, &info, "/dev/null"));
    assert_false(table_files_add(&files, &info, "/nowhere"));
    assert_int_equal(files.count, 0);
}

/* A copy of the library's file, cut to `length` (-1: whole), with one byte at `changed` (-1: none) another. */
static void copy_library(char path[], long length, long changed)
{
    FILE *in = fopen(PLUGIN, "re"), *out = fdopen(mkstemp(path), "w");
    assert_true(in && out);
    int byte;
    for (long at = 0; at != length && (byte = getc(in)) != EOF; at++)
        assert_true(putc(at == changed ? byte ^ 1 : byte, out) != EOF);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static void a_file_that_ends_too_early_is_refused(void **state)
{
    (void)state;
    struct table_files files = {0};
    struct dl_phdr_info info = library_info();
    char path[] = "/tmp/sonde-table-files-XXXXXX";
    copy_library(path, (long)library_index(&info)->p_offset + 100, -1);
    bool added = table_files_add(&files, &info, path);
    unlink(path);
    assert_false(added);
}

static void a_file_with_another_index_is_not_used(void **state)
{
    (void)state;
    struct table_files files = {0};
    struct dl_phdr_info info = library_info();
    char path[] = "/tmp/sonde-table-files-XXXXXX", mapped_from[512];
    copy_library(path, -1, (long)library_index(&info)->p_offset + 16);
    bool added = table_files_add(&files, &info, path);
    unlink(path);
    assert_true(added);
    struct unwind_modules *copied = modules_with(&files);
    unwind_modules_complete(copied);
    file_of(library_table(copied)->bytes, mapped_from);
    assert_string_equal(mapped_from, "");
    assert_same_rows(library_table(copied), library_table(walker_modules()));
    unwind_modules_free(copied);
}

static void the_program_the_linker_and_the_c_library_are_not_mapped(void **state)
{
    (void)state;
    struct table_files files = {0};
    table_files_map(&files, 0);
    const struct unwind_module_list *list = unwind_modules_enter(walker_modules());
    const uint64_t stay[] = {(uintptr_t)library_info, getauxval(AT_BASE), (uintptr_t)dl_iterate_phdr};
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
        const struct unwind_module *module = unwind_module_find(list, stay[i]);
        struct table_file file;
        assert_non_null(module);
        assert_false(table_files_take(&files, module->eh_frame.address, &file));
        assert_true((uintptr_t)module->eh_frame.bytes == module->eh_frame.address);
    }
    unwind_modules_leave(walker_modules());
    table_files_unmap(&files);
}

static void raise_signal(void)
{
    raise(SIGUSR1);
}

static void stacks_are_walked_with_mapped_tables(void **state)
{
    (void)state;
    struct table_files files = {0};
    table_files_map(&files, 0);
    struct unwind_modules *mapped = modules_with(&files), *before = walker_use_modules(mapped);
    walker_catch_from_context(SIGUSR1, 0);
    void (*call)(void (*)(void), int);
    *(void **)&call = dlsym(library, "plugin_call");
    call(raise_signal, 3);
    walker_use_modules(before);
    unwind_modules_free(mapped);
    assert_int_equal(walker_result.end, UNWIND_COMPLETE);
    assert_non_null(strstr(walked_names(&walker_result, "plugin_call"), "plugin_call plugin_call plugin_call "));
}

int main(void)
{
    library = dlopen(PLUGIN, RTLD_NOW);
    walker_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_mapped_files_are_the_same_as_copied_ones),
        cmocka_unit_test(files_that_are_not_needed_are_unmapped),
        cmocka_unit_test(modules_that_are_never_looked_at_unmap_their_files),
        cmocka_unit_test(only_large_tables_are_mapped),
        cmocka_unit_test(the_file_of_another_module_is_refused),
        cmocka_unit_test(a_file_that_ends_too_early_is_refused),
        cmocka_unit_test(a_file_with_another_index_is_not_used),
        cmocka_unit_test(the_program_the_linker_and_the_c_library_are_not_mapped),
        cmocka_unit_test(stacks_are_walked_with_mapped_tables),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    walker_stop();
    return failed;
}
