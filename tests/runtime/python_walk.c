/* The walker of CPython's frames, on memory that is drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "runtime/walk_all.h"
#include "support/drawn_python.h"

/* "name file:line at-native-frame" of each, youngest first. */
static const char *said(const struct raw_stack *raw)
{
    static char text[1024];
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < raw->runtime_count && used < sizeof text; i++) {
        const struct raw_runtime_frame *frame = &raw->runtime[i];
        used += (size_t)snprintf(text + used, sizeof text - used, "%.*s %.*s:%u at %u; ", (int)frame->function.length,
                                 raw->text + frame->function.start, (int)frame->file.length, raw->text + frame->file.start,
                                 frame->line, runtime_native_at(raw, frame->stack_address, 0));
    }
    return text;
}

static void every_version_has_its_functions_in_place_of_the_loops(void **state)
{
    (void)state;
    for (unsigned minor = DRAWN_PYTHON_FIRST; minor <= DRAWN_PYTHON_LAST; minor++) {
        draw_python(minor, false);
        assert_true(drawn_python_layout()->head.is_known);
        assert_true(runtime_layout_check(drawn_python_layout(), sizeof *drawn_python_layout()));
        const char *wanted = minor < 11 ? "inner app.py:11 at 0; middle app.py:21 at 1; outer app.py:31 at 3; "
                                        : "inner app.py:11 at 0; middle app.py:21 at 0; outer app.py:31 at 2; ";
        assert_string_equal(said(walk_drawn_python()), wanted);
        assert_string_equal(said(walk_drawn_python()), wanted); /* with what the first walk learnt */
        assert_false(walk_drawn_python()->cut);
    }
}

static void versions_that_are_not_known_are_not_walked(void **state)
{
    (void)state;
    const struct {
        unsigned minor;
        bool free_threaded;
        const char *name;
    } cases[] = {
        {8, false, "CPython before 3.9"},
        {15, false, "CPython 3.15.0"},
        {14, true, "CPython 3.14.0 free-threaded"},
        {13, true, "CPython 3.13.0 free-threaded"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        draw_python(cases[i].minor, cases[i].free_threaded);
        assert_false(drawn_python_layout()->head.is_known);
        assert_string_equal(drawn_python_layout()->head.name, cases[i].name);
        assert_int_equal(walk_drawn_python()->runtime_count, 0);
    }
}

static void a_build_whose_code_objects_are_larger_is_not_walked(void **state)
{
    (void)state;
    for (unsigned minor = DRAWN_PYTHON_FIRST; minor <= DRAWN_PYTHON_LAST; minor++) {
        draw_python(minor, false);
        struct unwind_memory memory = {.start = drawn_python_layout()->code_type, .end = drawn_python_layout()->eval_start};
        struct python_symbols symbols = {.runtime = drawn_python_layout()->runtime,
                                         .code_type = drawn_python_layout()->code_type + 8,
                                         .eval_start = 1,
                                         .has_gc_is_enabled = true,
                                         .has_get_frame = true};
        struct python_layout other;
        python_layout_make(&other, &symbols, &memory);
        assert_false(other.head.is_known);
    }
}

static void a_frame_that_leads_nowhere_ends_the_stack_and_says_so(void **state)
{
    (void)state;
    for (unsigned minor = DRAWN_PYTHON_FIRST; minor <= DRAWN_PYTHON_LAST; minor++) {
        draw_python(minor, false);
        drawn_python_layout()->code_type += 8; /* so that nothing is a code object */
        const struct raw_stack *raw = walk_drawn_python();
        assert_int_equal(raw->runtime_count, 0);
        assert_true(raw->cut || minor == 11 || minor == 12); /* there a loop that just begins looks the same */
    }
}

static void the_state_of_a_thread_that_ended_is_not_taken_for_that_of_another_one(void **state)
{
    (void)state;
    for (unsigned minor = DRAWN_PYTHON_FIRST; minor <= DRAWN_PYTHON_LAST; minor++) {
        draw_python(minor, false);
        /* The loop is in functions that no symbol tells of: its frames are not counted. */
        drawn_python_layout()->eval_end = drawn_python_layout()->eval_start + 1;
        assert_int_equal(walk_drawn_python()->runtime_count, 3);
        redraw_python_thread();
        assert_int_equal(walk_drawn_python()->runtime_count, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_has_its_functions_in_place_of_the_loops),
        cmocka_unit_test(versions_that_are_not_known_are_not_walked),
        cmocka_unit_test(a_build_whose_code_objects_are_larger_is_not_walked),
        cmocka_unit_test(the_state_of_a_thread_that_ended_is_not_taken_for_that_of_another_one),
        cmocka_unit_test(a_frame_that_leads_nowhere_ends_the_stack_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
