/* What a session is told of methods that were met, and which frames of a walk that tried several ways are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/hotspot/told.h"
#include "support/drawn_hotspot.h"

#include <stdio.h>
#include <string.h>

static struct hotspot_state vm;
static struct hotspot_told told;
static char said[4096];

static int begin(void **state)
{
    (void)state;
    draw_vm(DRAWN_25);
    memset(&vm, 0, sizeof vm);
    memset(&told, 0, sizeof told);
    vm.layout = drawn_layout();
    return 0;
}

static void put(void *data, const struct code_entry *entry)
{
    size_t length = strlen(said);
    struct slice lines = entry->lines;
    struct code_line line = {0};
    (void)data;
    assert_int_equal(entry->runtime, RUNTIME_HOTSPOT);
    assert_int_equal(entry->size, 0);
    length += (size_t)snprintf(said + length, sizeof said - length, "%.*s %.*s:%u @%u", (int)entry->name.length,
                               entry->name.text, (int)entry->file.length, entry->file.text, entry->line, (unsigned)entry->time);
    while (code_line_read(&lines, &line))
        length += (size_t)snprintf(said + length, sizeof said - length, " %u=%u", line.offset, line.line);
    snprintf(said + length, sizeof said - length, "\n");
}

static void expect_told(size_t most, const char *expected)
{
    said[0] = '\0';
    hotspot_tell(&told, &vm, drawn_reader()->memory, most, put, NULL);
    assert_string_equal(said, expected);
}

static void expect_beginning(void)
{
    expect_told(0, "(virtual thread: older frames are not on the stack) :0 @0\n"
                   "call_stub :0 @0\n");
}

static void meet(uint64_t method, uint64_t time)
{
    assert_non_null(hotspot_method_meet(drawn_reader(), &vm.methods, method, time, true));
}

static void methods_are_told_once_in_the_order_in_which_they_were_met(void **state)
{
    (void)state;
    uint64_t one = draw_method("a/One", "run", "(I)V", "One.java", 20), two = draw_method("Two", "run", "()V", NULL, 30);
    draw_lines(one, (const uint8_t *)"\x0a\x19\x00", 3);
    expect_beginning();
    meet(two, 5);
    meet(one, 7);
    meet(two, 9);
    expect_told(1, "Two.run() :0 @5 30=0\n");
    expect_told(9, "a.One.run(int) a/One.java:2 @7 1=2 4=3 20=0\n");
    expect_told(9, "");
}

static void code_that_is_no_method_is_told_once_by_its_name(void **state)
{
    (void)state;
    struct hotspot_reader reader = *drawn_reader();
    struct hotspot_blob blob;
    uint64_t method = draw_code(&(struct drawn_code){.blob = "nmethod", .frame_words = 4});
    uint64_t stub = draw_code(&(struct drawn_code){.blob = "slow_stub", .frame_words = 4});
    reader.code = &vm.code;
    expect_beginning();
    assert_true(hotspot_blob_at(&reader, stub, &blob) && hotspot_blob_at(&reader, method, &blob));
    expect_told(9, "slow_stub :0 @0\n");
    assert_true(hotspot_blob_at(&reader, stub + 1, &blob));
    expect_told(9, "");
    hotspot_told_forget(&told);
    expect_told(9, "(virtual thread: older frames are not on the stack) :0 @0\n"
                   "call_stub :0 @0\n"
                   "slow_stub :0 @0\n");
}

static void a_method_whose_place_another_one_has_is_told_again(void **state)
{
    (void)state;
    uint64_t one = draw_method("a/One", "run", "()V", NULL, 20);
    expect_beginning();
    meet(one, 5);
    expect_told(9, "a.One.run() :0 @5 20=0\n");
    draw_bytecodes_elsewhere(one);
    meet(one, 8);
    expect_told(9, "a.One.run() :0 @8 20=0\n");
}

static void a_method_that_has_gone_meanwhile_has_no_name(void **state)
{
    (void)state;
    uint64_t one = draw_method("a/One", "run", "()V", NULL, 20);
    expect_beginning();
    meet(one, 5);
    draw_bytecodes_elsewhere(one);
    expect_told(9, "(Java method that was unloaded) :0 @5\n");
}

/* --- frames -------------------------------------------------------------------------------------------------------------- */

static struct raw_stack raw;

static void step(struct hotspot_pass *pass, uint64_t place, uint64_t method, uint64_t inlined)
{
    pass->walk.steps++;
    if (inlined)
        pass->walk.emit(pass->walk.data, &(struct hotspot_frame){place, inlined, 3, TIER_INLINED});
    pass->walk.emit(pass->walk.data, &(struct hotspot_frame){place, method, HOTSPOT_NO_BCI, TIER_OPTIMISED});
}

static void of_ways_that_were_tried_only_the_last_is_kept(void **state)
{
    (void)state;
    struct hotspot_pass pass;
    raw.native_count = raw.runtime_count = 0;
    hotspot_pass_begin(&pass, &vm, &raw, drawn_reader()->memory, 1);
    step(&pass, 200, 8, 0); /* which is where the way was lost */
    step(&pass, 250, 16, 0);
    step(&pass, 200, 8, 24);
    step(&pass, 300, 32, 0);
    raw.native[0].sp = 100;
    raw.native[1].sp = 200;
    raw.native[2].sp = 300;
    raw.native_count = 3;
    hotspot_pass_end(&pass);
    assert_int_equal(raw.runtime_count, 3);
    assert_int_equal(raw.runtime[0].number, 24);
    assert_int_equal(raw.runtime[0].position, 3);
    assert_int_equal(raw.runtime[1].number, 8);
    assert_int_equal(raw.runtime[2].number, 32);
}

static void frames_at_places_where_the_stack_has_none_are_dropped(void **state)
{
    (void)state;
    struct hotspot_pass pass;
    raw.native_count = raw.runtime_count = 0;
    hotspot_pass_begin(&pass, &vm, &raw, drawn_reader()->memory, 1);
    step(&pass, 200, 8, 0);
    step(&pass, 250, 16, 0);
    raw.native[0].sp = 250;
    raw.native_count = 1;
    hotspot_pass_end(&pass);
    assert_int_equal(raw.runtime_count, 1);
    assert_int_equal(raw.runtime[0].number, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(methods_are_told_once_in_the_order_in_which_they_were_met, begin),
        cmocka_unit_test_setup(code_that_is_no_method_is_told_once_by_its_name, begin),
        cmocka_unit_test_setup(a_method_whose_place_another_one_has_is_told_again, begin),
        cmocka_unit_test_setup(a_method_that_has_gone_meanwhile_has_no_name, begin),
        cmocka_unit_test_setup(of_ways_that_were_tried_only_the_last_is_kept, begin),
        cmocka_unit_test_setup(frames_at_places_where_the_stack_has_none_are_dropped, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
