/* ELF files, sound and damaged. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include <cmocka.h>
#include <zlib.h>

#include "common/memory.h"
#include "symbols/debug_file.h"
#include "symbols/elf_file.h"
#include "symbols/elf_symbols.h"
#include "symbols/unpack.h"
#include "symbols/vdso.h"

static struct slice bytes_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *bytes = memory_array(size, 1);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    return (struct slice){bytes, size};
}

/* Everything there is to read. */
static void read_all(struct elf_file *file)
{
    struct error error = {0};
    struct slice name, path, id;
    uint32_t crc;
    struct elf_file *mini;
    enum elf_symbol_tables tables;
    uint64_t addresses[200];
    struct elf_symbol found[200];
    for (size_t i = 0; i < 200; i++)
        addresses[i] = 0x1000 + 7 * i;
    for (size_t i = 0; i < elf_file_section_count(file); i++) {
        char section[64];
        snprintf(section, sizeof section, "%.*s", 60, elf_file_section_at(file, i)->name.text);
        assert_int_equal(elf_file_contents(file, section, &name, &error), 0);
    }
    elf_file_debug_link(file, &name, &crc);
    elf_file_alternate_link(file, &path, &id);
    assert_int_equal(elf_file_mini_debug(file, &mini, &error), 0);
    assert_int_equal(elf_symbols_find(file, mini, addresses, 200, found, &tables, &error), 0);
}

static void a_file_says_what_it_is(void **state)
{
    (void)state;
    struct elf_file *file;
    struct error error = {0};
    struct slice text;
    assert_int_equal(elf_file_open(NULL, LABELS, &file, &error), 0);
    assert_string_equal(elf_file_path(file), LABELS);
    assert_true(slice_equal(elf_file_build_id(file), SLICE("\xab\xcd\xef\x01")));
    assert_int_equal(elf_file_image_base(file), 0);
    assert_int_equal(elf_file_contents(file, ".text", &text, &error), 0);
    assert_int_equal(text.length, 192);
    assert_true(elf_file_has(file, ".text"));
    assert_false(elf_file_has(file, ".debug_info"));
    assert_int_equal(elf_file_contents(file, ".debug_info", &text, &error), 0);
    assert_int_equal(text.length, 0);
    elf_file_close(file);
}

static void a_file_that_is_missing_or_no_file_is_an_error(void **state)
{
    (void)state;
    struct elf_file *file;
    struct error missing = {0}, folder = {0}, pipe = {0};
    assert_int_equal(elf_file_open(NULL, "/no/such/file", &file, &missing), -ENOENT);
    assert_int_equal(elf_file_open(NULL, "/", &file, &folder), -EISDIR);
    assert_int_equal(elf_file_open(NULL, "/dev/null", &file, &pipe), -EISDIR);
}

static void a_file_cut_anywhere_costs_what_was_behind_the_cut(void **state)
{
    (void)state;
    struct slice whole = bytes_of(LABELS);
    size_t opened = 0;
    for (size_t length = 0; length <= whole.length; length += length < 2000 || whole.length - length < 3000 ? 1 : 37) {
        /* In memory of just that size, so that reading beyond it is seen. */
        char *copy = memory_array(length, 1);
        memcpy(copy, whole.text, length);
        struct elf_file *file = NULL;
        struct error error = {0};
        int result = elf_file_memory((struct slice){copy, length}, &file, &error);
        if (result == 0)
            read_all(file);
        else
            assert_int_equal(result, -EBADMSG);
        opened += result == 0;
        elf_file_close(file);
        memory_release(copy);
    }
    assert_true(opened > 0);
    memory_release((char *)(uintptr_t)whole.text);
}

static void a_file_with_any_byte_changed_does_no_harm(void **state)
{
    (void)state;
    struct slice whole = bytes_of(LABELS);
    char *copy = memory_array(whole.length, 1);
    static const char changes[] = {1, (char)0x80, (char)0xff};
    for (size_t i = 0; i < whole.length; i++) {
        if (i > 1000 && whole.length - i > 2200)
            continue; /* headers are at both ends */
        for (size_t j = 0; j < sizeof changes; j++) {
            memcpy(copy, whole.text, whole.length);
            copy[i] = (char)(copy[i] ^ changes[j]);
            struct elf_file *file = NULL;
            struct error error = {0};
            if (elf_file_memory((struct slice){copy, whole.length}, &file, &error) == 0)
                read_all(file);
            elf_file_close(file);
        }
    }
    memory_release(copy);
    memory_release((char *)(uintptr_t)whole.text);
}

/* ---- packed sections ---- */

static void packed_bytes_come_back(void **state)
{
    (void)state;
    char plain[1000], packed[2000], *out;
    struct error error = {0};
    uLongf size = sizeof packed;
    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (char)(i * i);
    assert_int_equal(compress((Bytef *)packed, &size, (const Bytef *)plain, sizeof plain), Z_OK);
    assert_int_equal(unpack_zlib((struct slice){packed, size}, sizeof plain, &out, &error), 0);
    assert_memory_equal(out, plain, sizeof plain);
    memory_release(out);
}

static void packed_bytes_of_another_size_are_damaged(void **state)
{
    (void)state;
    char packed[200], *out;
    uLongf size = sizeof packed;
    assert_int_equal(compress((Bytef *)packed, &size, (const Bytef *)"some bytes", 10), Z_OK);
    for (size_t claimed = 0; claimed < 30; claimed++) {
        struct error error = {0};
        if (claimed == 10)
            continue;
        assert_int_equal(unpack_zlib((struct slice){packed, size}, claimed, &out, &error), -EBADMSG);
    }
    for (size_t cut = 0; cut < size; cut++) {
        struct error error = {0};
        assert_int_equal(unpack_zlib((struct slice){packed, cut}, 10, &out, &error), -EBADMSG);
    }
}

/* Asking for the memory would fail otherwise, or worse, succeed. */
static void sizes_that_cannot_be_are_damage_not_lack_of_memory(void **state)
{
    (void)state;
    char packed[200] = "ZLIB", *out;
    static const uint64_t sizes[] = {1 << 20, (uint64_t)1 << 40, UINT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct error zlib = {0}, zstd = {0};
        assert_int_equal(unpack_zlib((struct slice){packed, sizeof packed}, sizes[i], &out, &zlib), -EBADMSG);
        assert_int_equal(unpack_zstd((struct slice){packed, sizeof packed}, sizes[i], &out, &zstd), -EBADMSG);
    }
}

static void what_is_no_xz_stream_is_damaged(void **state)
{
    (void)state;
    char *out;
    size_t size;
    struct error error = {0}, empty = {0};
    assert_int_equal(unpack_xz(SLICE("\xfd"
                                     "7zXZ and then something else"),
                               &out, &size, &error),
                     -EBADMSG);
    assert_int_equal(unpack_xz(SLICE(""), &out, &size, &empty), -EBADMSG);
}

/* ---- the vdso ---- */

static void the_vdso_has_symbols(void **state)
{
    (void)state;
    struct elf_file *file = NULL;
    struct symbol_outcome outcome = {0};
    assert_int_equal(vdso_open(SLICE(""), &file, &outcome), 0);
    if (!file)
        skip(); /* a kernel without one */
    const struct elf_section *symbols = elf_file_section_of_type(file, SHT_DYNSYM);
    assert_non_null(symbols);
    assert_true(symbols->size > 0);
    assert_true(elf_file_build_id(file).length > 0);
    elf_file_close(file);
}

static void the_vdso_is_found_under_both_of_its_names(void **state)
{
    (void)state;
    static const struct symbol_search search;
    const char *const names[] = {"[vdso]", "linux-vdso.so.1"};
    for (size_t i = 0; i < 2; i++) {
        struct symbol_request request = {.path = slice_of(names[i]), .name = slice_of(names[i])};
        struct symbol_outcome outcome = {0};
        struct module_files files = {0};
        struct error error = {0};
        if (getauxval(AT_SYSINFO_EHDR) == 0)
            skip(); /* a kernel without one */
        assert_int_equal(module_files_find(&search, &request, &files, &outcome, &error), 0);
        assert_non_null(files.file);
        module_files_close(&files);
    }
}

static void the_vdso_of_another_kernel_is_not_used(void **state)
{
    (void)state;
    struct elf_file *file = NULL;
    struct symbol_outcome outcome = {0};
    assert_int_equal(vdso_open(SLICE("another kernel"), &file, &outcome), 0);
    assert_null(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_says_what_it_is),
        cmocka_unit_test(a_file_that_is_missing_or_no_file_is_an_error),
        cmocka_unit_test(a_file_cut_anywhere_costs_what_was_behind_the_cut),
        cmocka_unit_test(a_file_with_any_byte_changed_does_no_harm),
        cmocka_unit_test(packed_bytes_come_back),
        cmocka_unit_test(packed_bytes_of_another_size_are_damaged),
        cmocka_unit_test(sizes_that_cannot_be_are_damage_not_lack_of_memory),
        cmocka_unit_test(what_is_no_xz_stream_is_damaged),
        cmocka_unit_test(the_vdso_has_symbols),
        cmocka_unit_test(the_vdso_is_found_under_both_of_its_names),
        cmocka_unit_test(the_vdso_of_another_kernel_is_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
