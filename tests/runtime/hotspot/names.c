/* What methods are called, and which are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/hotspot/tables.h"
#include "support/drawn_hotspot.h"

#include <string.h>
#include <sys/mman.h>

static int begin(void **state)
{
    draw_vm(*state && strcmp(*state, "17") == 0 ? DRAWN_17 : DRAWN_25);
    return 0;
}

static struct hotspot_name name;

static void a_method_is_called_by_class_name_and_parameters(void **state)
{
    (void)state;
    uint64_t method = draw_method("java/util/HashMap", "put", "(Ljava/lang/Object;[[I)V", "HashMap.java", 9);
    assert_true(hotspot_method_name(drawn_reader(), method, &name));
    assert_string_equal(name.name, "java.util.HashMap.put(Object, int[][])");
    assert_string_equal(name.file, "java/util/HashMap.java");
    assert_int_equal(name.line_count, 0);
}

static void without_a_source_file_there_is_none(void **state)
{
    (void)state;
    uint64_t method = draw_method("Main", "main", "()V", NULL, 9);
    assert_true(hotspot_method_name(drawn_reader(), method, &name));
    assert_string_equal(name.name, "Main.main()");
    assert_string_equal(name.file, "");
}

static void expect_class(const char *internal, const char *expected)
{
    char out[64];
    hotspot_class_text(internal, out, sizeof out);
    assert_string_equal(out, expected);
}

static void what_differs_between_runs_is_cut_from_names_of_classes(void **state)
{
    (void)state;
    expect_class("a/b/C", "a.b.C");
    expect_class("a/C$$Lambda$14+0x0000000800c01000", "a.C$$Lambda");
    expect_class("a/C$$Lambda$14/0x0000000800c01000", "a.C$$Lambda");
    expect_class("a/C$$Lambda+0x0000000800c01000", "a.C$$Lambda");
    expect_class("a/C$$Lambda", "a.C$$Lambda");
    expect_class("a/C$$LambdaThing", "a.C$$LambdaThing");
    expect_class("java/lang/invoke/LambdaForm$MH+0x00007f", "java.lang.invoke.LambdaForm$MH");
    expect_class("", "");
}

static void expect_parameters(const char *signature, const char *expected)
{
    char out[64];
    hotspot_parameters_text(signature, out, sizeof out);
    assert_string_equal(out, expected);
}

static void signatures_are_readable(void **state)
{
    (void)state;
    expect_parameters("()V", "()");
    expect_parameters("(BCDFIJSZ)I", "(byte, char, double, float, int, long, short, boolean)");
    expect_parameters("(Ljava/util/Map$Entry;[LFoo;)V", "(Map$Entry, Foo[])");
    expect_parameters("(Lnever", "()");
    expect_parameters("(?I)V", "()");
    expect_parameters("no", "");
}

static void lines_stand_behind_the_bytecodes(void **state)
{
    (void)state;
    uint64_t method = draw_method("Main", "main", "()V", NULL, 9);
    /* {0, +5}, {3, +1}; then with an escape {+100, +50} and {+1, −2}, as numbers of the VM's. */
    const bool later = drawn_layout()->version >= 20;
    const uint8_t table[] = {0x05,
                             0x19,
                             0xff,
                             (uint8_t)((later ? 192 : 192) + (200 - (later ? 191 : 192)) % 64),
                             (uint8_t)later,
                             (uint8_t)(100 + later),
                             0xff,
                             (uint8_t)(2 + later),
                             (uint8_t)(3 + later),
                             0};
    draw_lines(method, table, sizeof table);
    assert_true(hotspot_method_name(drawn_reader(), method, &name));
    assert_int_equal(name.line_count, 4);
    const struct hotspot_line expected[] = {{0, 5}, {3, 6}, {103, 56}, {104, 54}};
    assert_memory_equal(name.lines, expected, sizeof expected);
}

static void what_is_no_method_has_no_name(void **state)
{
    (void)state;
    assert_false(hotspot_method_name(drawn_reader(), drawn_stack(3), &name));
    assert_false(hotspot_method_name(drawn_reader(), 8, &name));
}

static void a_method_is_told_once(void **state)
{
    (void)state;
    uint64_t method = draw_method("Main", "main", "()V", NULL, 9);
    uint32_t at = 0;
    assert_null(hotspot_methods_next(drawn_methods(), &at));
    assert_non_null(hotspot_method_meet(drawn_reader(), drawn_methods(), method, 5, false));
    assert_non_null(hotspot_method_meet(drawn_reader(), drawn_methods(), method, 6, false));
    const struct hotspot_known_method *told = hotspot_methods_next(drawn_methods(), &at);
    assert_non_null(told);
    assert_int_equal(told->method, method);
    assert_int_equal(told->since, 5);
    assert_null(hotspot_methods_next(drawn_methods(), &at));
}

/* The class of the first one is gone, and its memory was used again. */
static void another_method_at_the_same_address_is_told_again(void **state)
{
    (void)state;
    uint64_t method = draw_method("Main", "main", "()V", NULL, 9);
    uint32_t at = 0;
    hotspot_method_meet(drawn_reader(), drawn_methods(), method, 5, false);
    hotspot_methods_next(drawn_methods(), &at);
    draw_bytecodes_elsewhere(method);
    hotspot_method_meet(drawn_reader(), drawn_methods(), method, 7, false);
    assert_null(hotspot_methods_next(drawn_methods(), &at));
    hotspot_method_meet(drawn_reader(), drawn_methods(), method, 8, true);
    const struct hotspot_known_method *told = hotspot_methods_next(drawn_methods(), &at);
    assert_non_null(told);
    assert_int_equal(told->since, 8);
}

static void numbers_are_unpacked(void **state)
{
    (void)state;
    struct hotspot_layout layout = {.version = 17};
    const uint8_t bytes[] = {191, 192, 0, 255, 255, 255, 255, 255, 5};
    size_t at = 0;
    uint32_t value;
    assert_true(hotspot_unpack(&layout, bytes, sizeof bytes, &at, &value));
    assert_int_equal(value, 191);
    assert_true(hotspot_unpack(&layout, bytes, sizeof bytes, &at, &value));
    assert_int_equal(value, 192);
    assert_true(hotspot_unpack(&layout, bytes, sizeof bytes, &at, &value)); /* never more than five bytes */
    assert_int_equal(at, 8);
    layout.version = 21;
    at = 0;
    assert_true(hotspot_unpack(&layout, bytes, sizeof bytes, &at, &value));
    assert_int_equal(value, 190);
    assert_false(hotspot_unpack(&layout, bytes, sizeof bytes, &at, &value)); /* no byte is 0 there */
    assert_false(hotspot_unpack(&layout, bytes, 0, &(size_t){0}, &value));
}

/* --- tables -------------------------------------------------------------------------------------------------------------- */

/* As libjvm exports them, in an order of our own. */
struct row {
    const char *type, *field, *field_type;
    int32_t is_static;
    uint64_t offset;
    const void *address;
};

static uint64_t variable_at;
static int version = 17;
static const struct row rows[] = {
    {"CodeCache", "_heaps", "GrowableArray<CodeHeap*>*", 1, 0, &variable_at},
    {"CodeBlob", "_frame_size", "int", 0, 28, NULL},
    {"CodeBlob", "_frame_complete_offset", "int16_t", 0, 54, NULL},
    {"Abstract_VM_Version", "_vm_major_version", "int", 1, 0, &version},
    {"Another", "_frame_size", "int", 0, 99, NULL},
    {NULL, NULL, NULL, 0, 0, NULL},
};
static const struct row *const table = rows;
static const uint64_t stride = sizeof *rows, column[] = {offsetof(struct row, type),       offsetof(struct row, field),
                                                         offsetof(struct row, field_type), offsetof(struct row, is_static),
                                                         offsetof(struct row, offset),     offsetof(struct row, address)};

static uint64_t address_of(void *data, const char *wanted)
{
    static const char *const names[] = {"TypeNameOffset", "FieldNameOffset", "TypeStringOffset",
                                        "IsStaticOffset", "OffsetOffset",    "AddressOffset"};
    (void)data;
    if (strcmp(wanted, "gHotSpotVMStructs") == 0)
        return (uintptr_t)&table;
    if (strcmp(wanted, "gHotSpotVMStructEntryArrayStride") == 0)
        return (uintptr_t)&stride;
    const char start[] = "gHotSpotVMStructEntry";
    if (strncmp(wanted, start, sizeof start - 1) != 0)
        return 0;
    for (size_t i = 0; i < 6; i++)
        if (strcmp(wanted + sizeof start - 1, names[i]) == 0)
            return (uintptr_t)&column[i];
    return 0;
}

static void a_layout_is_read_from_the_tables_of_the_vm(void **state)
{
    (void)state;
    uint8_t copy[UNWIND_COPY_BYTES];
    struct unwind_memory memory = {.copy = copy};
    struct hotspot_layout layout = {.head = {.module_start = 4096, .module_end = 8192}};
    struct hotspot_reader reader = {.memory = &memory};
    assert_true(hotspot_layout_make(&layout, &reader, address_of, NULL));
    assert_string_equal(layout.head.name, "HotSpot 17");
    assert_int_equal(layout.field[BLOB_FRAME_WORDS].offset, 28);
    assert_int_equal(layout.field[BLOB_FRAME_WORDS].bytes, 4);
    assert_int_equal(layout.field[BLOB_FRAME_COMPLETE].bytes, 2);
    assert_true(layout.field[BLOB_FRAME_COMPLETE].is_signed);
    assert_false(hotspot_has(&layout, BLOB_NAME));
    assert_int_equal(layout.variable[VARIABLE_HEAPS], (uintptr_t)&variable_at);
    assert_int_equal(layout.head.module_end, 8192);
    assert_false(layout.head.is_known); /* most of it is missing */
    assert_true(hotspot_layout_check(&layout));
}

static void a_layout_is_the_same_by_copies_of_pages(void **state)
{
    static struct hotspot_pages pages;
    uint8_t copy[UNWIND_COPY_BYTES];
    struct unwind_memory memory = {.copy = copy};
    struct hotspot_layout plain = {0}, by_pages = {0};
    struct hotspot_reader reader = {.memory = &memory};
    (void)state;
    assert_true(hotspot_layout_make(&plain, &reader, address_of, NULL));
    reader.pages = &pages;
    assert_true(hotspot_layout_make(&by_pages, &reader, address_of, NULL));
    assert_memory_equal(&plain, &by_pages, sizeof plain);
    assert_int_equal(by_pages.version, 17);
}

static void a_page_is_copied_once(void **state)
{
    enum { BYTES = 3 * HOTSPOT_PAGE_BYTES, ACROSS = HOTSPOT_PAGE_BYTES - 3 };
    static struct hotspot_pages pages;
    struct unwind_memory memory = {0};
    char *area = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), out[8];
    (void)state;
    assert_ptr_not_equal(area, MAP_FAILED);
    assert_int_equal(mprotect(area + 2 * (size_t)HOTSPOT_PAGE_BYTES, HOTSPOT_PAGE_BYTES, PROT_NONE), 0);
    memcpy(area + ACROSS, "before", sizeof "before");
    assert_true(hotspot_pages_read(&pages, &memory, (uintptr_t)area + ACROSS, out, sizeof "before"));
    assert_string_equal(out, "before");
    memcpy(area + ACROSS, "behind", sizeof "behind");
    assert_true(hotspot_pages_read(&pages, &memory, (uintptr_t)area + ACROSS, out, sizeof "before"));
    assert_string_equal(out, "before");
    assert_false(hotspot_pages_read(&pages, &memory, (uintptr_t)area + HOTSPOT_PAGE_BYTES + ACROSS, out, sizeof out));
    assert_false(hotspot_pages_read(&pages, &memory, 8, out, sizeof out));
    munmap(area, BYTES);
}

static uint64_t nowhere(void *data, const char *wanted)
{
    (void)data;
    (void)wanted;
    return 0;
}

static void a_module_without_tables_is_no_hotspot(void **state)
{
    (void)state;
    struct unwind_memory memory = {0};
    struct hotspot_layout layout = {0};
    struct hotspot_reader reader = {.memory = &memory};
    assert_false(hotspot_layout_make(&layout, &reader, nowhere, NULL));
}

static void a_layout_of_another_process_is_checked(void **state)
{
    (void)state;
    assert_true(hotspot_layout_check(drawn_layout()));
    struct hotspot_layout layout = *drawn_layout();
    layout.field[BLOB_NAME].bytes = 3;
    assert_false(hotspot_layout_check(&layout));
    layout = *drawn_layout();
    layout.size[SIZE_POOL] = 1 << 20;
    assert_false(hotspot_layout_check(&layout));
}

#define BOTH(name)                                                                                                             \
    {#name " (17)", name, begin, NULL, (void *)"17"},                                                                          \
    {                                                                                                                          \
#name " (25)", name, begin, NULL, (void *)"25"                                                                         \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(a_method_is_called_by_class_name_and_parameters),
        BOTH(without_a_source_file_there_is_none),
        BOTH(lines_stand_behind_the_bytecodes),
        BOTH(what_is_no_method_has_no_name),
        BOTH(a_method_is_told_once),
        BOTH(another_method_at_the_same_address_is_told_again),
        BOTH(a_layout_of_another_process_is_checked),
        cmocka_unit_test(what_differs_between_runs_is_cut_from_names_of_classes),
        cmocka_unit_test(signatures_are_readable),
        cmocka_unit_test(numbers_are_unpacked),
        cmocka_unit_test(a_layout_is_read_from_the_tables_of_the_vm),
        cmocka_unit_test(a_layout_is_the_same_by_copies_of_pages),
        cmocka_unit_test(a_page_is_copied_once),
        cmocka_unit_test(a_module_without_tables_is_no_hotspot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
