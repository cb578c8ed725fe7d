/* Line tables, written by hand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/dwarf/lines.h"

struct table {
    uint8_t bytes[1024];
    size_t length;
    size_t head_at; /* where the length of the head is said */
};

static void add(struct table *table, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        table->bytes[table->length++] = (uint8_t)(value >> 8 * i);
}

static void add_text(struct table *table, const char *text)
{
    memcpy(table->bytes + table->length, text, strlen(text) + 1);
    table->length += strlen(text) + 1;
}

#define BYTES(table, ...)                                                                                                      \
    do {                                                                                                                       \
        const uint8_t bytes_[] = {__VA_ARGS__};                                                                                \
        memcpy((table)->bytes + (table)->length, bytes_, sizeof bytes_);                                                       \
        (table)->length += sizeof bytes_;                                                                                      \
    } while (0)

/* Special opcodes begin at 13; lines from -3 on, 12 of them: opcode 13 + 12 * ADDRESS + LINE + 3. */
enum { MINIMUM = 4, LINE_BASE = -3, LINE_RANGE = 12, OPCODE_BASE = 13 };
#define SPECIAL(address, line) (OPCODE_BASE + LINE_RANGE * (address) + (line)-LINE_BASE)

static void begin_head(struct table *table, uint16_t version)
{
    add(table, 0, 4);
    add(table, version, 2);
    if (version >= 5)
        BYTES(table, 8, 0);
    table->head_at = table->length;
    add(table, 0, 4);
    BYTES(table, MINIMUM);
    if (version >= 4)
        BYTES(table, 1);
    BYTES(table, 1, (uint8_t)LINE_BASE, LINE_RANGE, OPCODE_BASE, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1);
}

static void end_head(struct table *table)
{
    table->bytes[table->head_at] = (uint8_t)(table->length - table->head_at - 4);
}

static void begin(struct table *table)
{
    begin_head(table, 4);
    add_text(table, "/include");
    add_text(table, "lib");
    BYTES(table, 0);
    add_text(table, "main.c");
    BYTES(table, 0, 0, 0);
    add_text(table, "list.h");
    BYTES(table, 1, 0, 0);
    add_text(table, "tree.h");
    BYTES(table, 2, 0, 0);
    add_text(table, "/gen/x.c");
    BYTES(table, 2, 0, 0, 0);
    end_head(table);
}

static void set_address(struct table *table, uint64_t address)
{
    BYTES(table, 0, 9, LNE_set_address);
    add(table, address, 8);
}

static void end_sequence(struct table *table)
{
    BYTES(table, 0, 1, LNE_end_sequence);
}

/* The answers as text: "main.c:5", "-" where there is none. */
static const char *look_up(struct table *table, const uint64_t *addresses, size_t count)
{
    static char text[1000];
    struct dwarf_file file = {.sections.line = {(const char *)table->bytes, table->length}};
    struct dwarf_unit unit = {.file = &file, .head.sizes = {4, 8, 4}, .has_lines = true};
    struct dwarf_lines lines = {0};
    struct dwarf_work work = {10000};
    struct arena arena = {0};
    size_t length = 0;
    int failed = 0;
    uint32_t table_length = (uint32_t)table->length - 4;
    memcpy(table->bytes, &table_length, 4);
    int result = dwarf_lines_find(&lines, &unit, addresses, count, &work);
    *text = '\0';
    for (size_t i = 0; i < count; i++) {
        const struct dwarf_row *row = &lines.rows.items[i];
        struct slice path =
            row->known ? dwarf_line_files_path(&lines.files, row->file, SLICE("/src"), &arena, &failed) : SLICE("-");
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%.*s", i > 0 ? " " : "", (int)path.length, path.text);
        if (row->known)
            length += (size_t)snprintf(text + length, sizeof text - length, ":%u", row->line);
    }
    if (result != 0)
        snprintf(text + length, sizeof text - length, " %s", result == -EINVAL ? "damaged" : "failed");
    assert_int_equal(failed, 0);
    arena_free(&arena);
    dwarf_lines_free(&lines);
    return text;
}
#define LOOK_UP(table, ...)                                                                                                    \
    look_up(table, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void an_address_has_the_last_row_at_or_before_it(void **state)
{
    (void)state;
    struct table table = {0};
    begin(&table);
    set_address(&table, 0x1000);
    BYTES(&table, LNS_advance_line, 9, LNS_copy, SPECIAL(2, 1), SPECIAL(0, 4), SPECIAL(4, -2));
    BYTES(&table, LNS_advance_pc, 1);
    end_sequence(&table);
    assert_string_equal(LOOK_UP(&table, 0xfff, 0x1000, 0x1007, 0x1008, 0x1017, 0x1018, 0x101b, 0x101c),
                        "- /src/main.c:10 /src/main.c:10 /src/main.c:15 /src/main.c:15 /src/main.c:13 /src/main.c:13 -");
}

static void every_opcode_does_what_it_says(void **state)
{
    (void)state;
    struct table table = {0};
    begin(&table);
    set_address(&table, 0x1000);
    BYTES(&table, LNS_set_file, 2, LNS_set_column, 7, LNS_negate_stmt, LNS_set_basic_block, LNS_set_prologue_end);
    BYTES(&table, LNS_set_epilogue_begin, LNS_set_isa, 3, LNS_copy);
    BYTES(&table, LNS_const_add_pc, LNS_set_file, 3, LNS_advance_line, 0x7f, LNS_copy); /* (255 - 13) / 12 * 4 = 80; line 0 */
    BYTES(&table, LNS_fixed_advance_pc, 0x34, 0x12, LNS_set_file, 4, LNS_advance_line, 2, LNS_copy);
    BYTES(&table, 0, 3, 0x80, 1, 2); /* an extension nobody knows */
    BYTES(&table, LNS_advance_pc, 0x80, 0x01);
    end_sequence(&table);
    assert_string_equal(LOOK_UP(&table, 0x104f, 0x1050, 0x2283, 0x2284, 0x2483, 0x2484),
                        "/include/list.h:1 /src/lib/tree.h:0 /src/lib/tree.h:0 /gen/x.c:2 /gen/x.c:2 -");
}

static void sequences_are_in_any_order(void **state)
{
    (void)state;
    struct table table = {0};
    begin(&table);
    for (uint64_t start = 0x3000; start >= 0x1000; start -= 0x1000) {
        set_address(&table, start);
        BYTES(&table, LNS_advance_line, (uint8_t)(start >> 12), LNS_copy, LNS_advance_pc, 4);
        end_sequence(&table);
    }
    assert_string_equal(LOOK_UP(&table, 0x1000, 0x1010, 0x2000, 0x300f, 0x3010),
                        "/src/main.c:2 - /src/main.c:3 /src/main.c:4 -");
}

static void sequences_of_dead_code_answer_nowhere(void **state)
{
    (void)state;
    struct table table = {0};
    begin(&table);
    const uint64_t starts[] = {0, UINT64_MAX, UINT64_MAX - 1, 0x1000};
    for (size_t i = 0; i < 4; i++) {
        set_address(&table, starts[i]);
        BYTES(&table, LNS_advance_line, (uint8_t)(10 * (i + 1)), LNS_copy);
        BYTES(&table, LNS_advance_pc, 0x80, 0x20, LNS_copy, LNS_advance_pc, 0x80, 0x20);
        end_sequence(&table);
    }
    assert_string_equal(LOOK_UP(&table, 0, 0x10, 0x1000, 0x4fff, UINT64_MAX - 1), "- - /src/main.c:41 /src/main.c:41 -");
}

static void a_file_defined_by_the_program_is_known(void **state)
{
    (void)state;
    struct table table = {0};
    begin(&table);
    BYTES(&table, 0, 9, LNE_define_file, 'n', '.', 'c', 0, 1, 0, 0, 0);
    set_address(&table, 0x1000);
    BYTES(&table, LNS_set_file, 5, LNS_copy, LNS_advance_pc, 1);
    end_sequence(&table);
    assert_string_equal(LOOK_UP(&table, 0x1000), "/include/n.c:1");
}

static void files_of_version_5_have_any_columns(void **state)
{
    (void)state;
    struct table table = {0};
    begin_head(&table, 5);
    BYTES(&table, 1, LNCT_path, FORM_string, 2);
    add_text(&table, "/build");
    add_text(&table, "lib");
    BYTES(&table, 4, 5 /* MD5 */, FORM_data16, LNCT_directory_index, FORM_udata, LNCT_path, FORM_string, 4, FORM_block, 3);
    for (unsigned i = 0; i < 3; i++) {
        add(&table, 0, 8);
        add(&table, 0, 8);
        BYTES(&table, (uint8_t)i);
        add_text(&table, i == 0 ? "main.c" : i == 1 ? "tree.h" : "lost.h");
        BYTES(&table, 2, 0xaa, 0xbb);
    }
    end_head(&table);
    set_address(&table, 0x1000);
    for (uint8_t i = 0; i < 4; i++)
        BYTES(&table, LNS_set_file, i, SPECIAL(1, 0));
    BYTES(&table, LNS_advance_pc, 1);
    end_sequence(&table);
    assert_string_equal(LOOK_UP(&table, 0x1004, 0x1008, 0x100c, 0x1010), "/build/main.c:1 /src/lib/tree.h:1 /src/lost.h:1 :1");
}

static void rows_of_files_that_take_no_bytes_are_damage(void **state)
{
    (void)state;
    struct table table = {0};
    begin_head(&table, 5);
    BYTES(&table, 1, LNCT_path, FORM_flag_present, 0xff, 0xff, 0xff, 0xff, 0x7f);
    end_head(&table);
    assert_string_equal(LOOK_UP(&table, 0x1000), "- damaged");
}

static void a_program_that_is_cut_keeps_the_answers_so_far(void **state)
{
    (void)state;
    struct table table = {0};
    begin(&table);
    set_address(&table, 0x1000);
    BYTES(&table, LNS_copy, SPECIAL(2, 1), LNS_advance_pc, 0x80);
    assert_string_equal(LOOK_UP(&table, 0x1000, 0x1008), "/src/main.c:1 - damaged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_has_the_last_row_at_or_before_it),
        cmocka_unit_test(every_opcode_does_what_it_says),
        cmocka_unit_test(sequences_are_in_any_order),
        cmocka_unit_test(sequences_of_dead_code_answer_nowhere),
        cmocka_unit_test(a_file_defined_by_the_program_is_known),
        cmocka_unit_test(files_of_version_5_have_any_columns),
        cmocka_unit_test(rows_of_files_that_take_no_bytes_are_damage),
        cmocka_unit_test(a_program_that_is_cut_keeps_the_answers_so_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
