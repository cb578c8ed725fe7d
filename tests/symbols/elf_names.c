/* Names of functions in the test itself and in the C library. */
#include <dlfcn.h>
#include <elf.h>
#include <getopt.h>
#include <limits.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/elf_names.h"

/* The file that `function` is in, and where it is in that file. */
static struct slice file_of(void *function, uint64_t *address)
{
    static char path[PATH_MAX];
    Dl_info info;
    struct link_map *map;
    assert_true(dladdr1(function, &info, (void **)&map, RTLD_DL_LINKMAP));
    assert_non_null(realpath(*map->l_name ? map->l_name : "/proc/self/exe", path));
    *address = (uintptr_t)function - map->l_addr;
    return slice_of(path);
}

static bool find(struct slice path, struct slice build_id, uint64_t address, struct address_name *found, char name[200])
{
    struct elf_names *names = elf_names_open();
    struct address_names interface = elf_names_interface(names);
    bool known = interface.find(interface.data, path, build_id, address, found);
    if (known) {
        assert_true(found->name.length < 200);
        memcpy(name, found->name.text, found->name.length);
        name[found->name.length] = '\0';
    }
    elf_names_close(names);
    return known;
}

static __attribute__((noinline)) int local_function(int n)
{
    return n * 3;
}

/* As the C++ compiler would name it. */
int mangled(int n) __asm__("_ZN5scene4drawEi");
__attribute__((noinline)) int mangled(int n)
{
    return n * 5;
}

static void a_function_of_the_program_is_found_by_any_address_in_it(void **state)
{
    (void)state;
    uint64_t address;
    struct address_name found;
    char name[200];
    struct slice path = file_of((void *)(uintptr_t)local_function, &address);
    assert_true(find(path, SLICE(""), address, &found, name));
    assert_string_equal(name, "local_function");
    assert_int_equal(found.start, address);
    assert_true(found.size > 0);
    assert_true(find(path, SLICE(""), address + found.size - 1, &found, name));
    assert_string_equal(name, "local_function");
}

static void names_of_c_plus_plus_are_shown_as_they_were_written(void **state)
{
    (void)state;
    uint64_t address;
    struct address_name found;
    char name[200];
    struct slice path = file_of((void *)(uintptr_t)mangled, &address);
    assert_true(find(path, SLICE(""), address, &found, name));
    assert_string_equal(name, "scene::draw(int)");
}

static void a_stripped_library_still_has_the_names_it_exports(void **state)
{
    (void)state;
    uint64_t address;
    struct address_name found;
    char name[200];
    struct slice path = file_of((void *)(uintptr_t)getopt_long, &address);
    assert_true(find(path, SLICE(""), address, &found, name));
    assert_non_null(strstr(name, "getopt_long"));
}

static void another_build_of_the_file_gives_no_names(void **state)
{
    (void)state;
    uint64_t address;
    struct address_name found;
    char name[200];
    struct slice path = file_of((void *)(uintptr_t)getopt_long, &address);
    assert_false(find(path, SLICE("some other build"), address, &found, name));
}

static int find_build_id(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct slice *build_id = data;
    if (!strstr(info->dlpi_name, "libc.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr), *end = at + segment->p_filesz;
        while (segment->p_type == PT_NOTE && at < end) {
            ElfW(Nhdr) note;
            memcpy(&note, at, sizeof note);
            const char *name = at + sizeof note, *content = name + (note.n_namesz + 3u) / 4 * 4;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0)
                *build_id = (struct slice){content, note.n_descsz};
            at = content + (note.n_descsz + 3u) / 4 * 4;
        }
    }
    return 1;
}

static void the_same_build_of_the_file_gives_names(void **state)
{
    (void)state;
    uint64_t address;
    struct address_name found;
    char name[200];
    struct slice path = file_of((void *)(uintptr_t)getopt_long, &address), build_id = {0};
    dl_iterate_phdr(find_build_id, &build_id);
    assert_true(build_id.length > 0);
    assert_true(find(path, build_id, address, &found, name));
}

static void what_is_no_library_has_no_names(void **state)
{
    (void)state;
    struct address_name found;
    char name[200];
    assert_false(find(SLICE("[vdso]"), SLICE(""), 0x1000, &found, name));
    assert_false(find(SLICE("/no/such/file"), SLICE(""), 0x1000, &found, name));
    assert_false(find(SLICE("/etc/passwd"), SLICE(""), 0, &found, name));
    assert_false(find(SLICE(""), SLICE(""), 0, &found, name));
}

int main(void)
{
    assert_true(local_function(1) + mangled(1) == 8);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_of_the_program_is_found_by_any_address_in_it),
        cmocka_unit_test(names_of_c_plus_plus_are_shown_as_they_were_written),
        cmocka_unit_test(a_stripped_library_still_has_the_names_it_exports),
        cmocka_unit_test(another_build_of_the_file_gives_no_names),
        cmocka_unit_test(the_same_build_of_the_file_gives_names),
        cmocka_unit_test(what_is_no_library_has_no_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
