/* The transforms, drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tree_text.h"

#include "support/text_profile.h"
#include "tree/transform_text.h"

/* The samples that the descriptions of all transforms use. */
static const char *const samples = "A  A  A\n"
                                   "B  B  B\n"
                                   "C  C  H\n"
                                   "D  F  F\n"
                                   "E  G\n";

static const char *const recursive = "A  A  A\n"
                                     "B  B  B\n"
                                     "B  C  B\n"
                                     "D  B\n"
                                     "   E\n";

static void without_a_transform_stacks_with_the_same_functions_are_one_node(void **state)
{
    (void)state;
    assert_transformed(samples, NULL,
                       "A (3 | 0)\n"
                       "  B (3 | 0)\n"
                       "    C (2 | 0)\n"
                       "      D (1 | 0)\n"
                       "        E (1 | 1)\n"
                       "      F (1 | 0)\n"
                       "        G (1 | 1)\n"
                       "    H (1 | 0)\n"
                       "      F (1 | 1)\n");
}

static void merge_call_node_gives_the_children_of_a_node_to_its_parent(void **state)
{
    (void)state;
    assert_transformed(samples, "merge-call-node:A;B;C",
                       "A (3 | 0)\n"
                       "  B (3 | 0)\n"
                       "    D (1 | 0)\n"
                       "      E (1 | 1)\n"
                       "    F (1 | 0)\n"
                       "      G (1 | 1)\n"
                       "    H (1 | 0)\n"
                       "      F (1 | 1)\n");
}

static void merge_function_gives_its_self_time_to_the_callers(void **state)
{
    (void)state;
    assert_transformed(samples, "merge-function:F",
                       "A (3 | 0)\n"
                       "  B (3 | 0)\n"
                       "    C (2 | 0)\n"
                       "      D (1 | 0)\n"
                       "        E (1 | 1)\n"
                       "      G (1 | 1)\n"
                       "    H (1 | 1)\n");
}

static void drop_function_leaves_out_the_samples_that_have_it(void **state)
{
    (void)state;
    assert_transformed(samples, "drop-function:C",
                       "A (1 | 0)\n"
                       "  B (1 | 0)\n"
                       "    H (1 | 0)\n"
                       "      F (1 | 1)\n");
}

static void focus_subtree_makes_a_node_the_root(void **state)
{
    (void)state;
    assert_transformed(samples, "focus-subtree:A;B;C;F",
                       "F (1 | 0)\n"
                       "  G (1 | 1)\n");
}

static void focus_subtree_inverted_cuts_the_callees_off(void **state)
{
    (void)state;
    assert_transformed(samples, "focus-subtree+inverted:G;F",
                       "A (1 | 0)\n"
                       "  B (1 | 0)\n"
                       "    C (1 | 0)\n"
                       "      F (1 | 1)\n");
}

static void focus_function_makes_all_calls_of_a_function_one_root(void **state)
{
    (void)state;
    assert_transformed(samples, "focus-function:F",
                       "F (2 | 1)\n"
                       "  G (1 | 1)\n");
}

static void focus_self_leaves_only_samples_that_end_in_the_function(void **state)
{
    (void)state;
    assert_transformed(samples, "focus-self:F", "F (1 | 1)\n");
}

static void focus_category_leaves_only_its_frames(void **state)
{
    (void)state;
    assert_transformed("A            A\n"
                       "B[cat:DOM]   B[cat:DOM]\n"
                       "C            D[cat:Layout]\n"
                       "             E[cat:DOM]\n",
                       "focus-category:DOM",
                       "B (2 | 0)\n"
                       "  C (1 | 1)\n"
                       "  E (1 | 1)\n");
}

static void collapse_resource_makes_a_library_one_function(void **state)
{
    (void)state;
    assert_transformed("A         A\n"
                       "B[lib:x]  B[lib:x]\n"
                       "C[lib:x]  E\n"
                       "D         C[lib:x]\n",
                       "collapse-resource:x",
                       "A (2 | 0)\n"
                       "  x (2 | 0)\n"
                       "    D (1 | 1)\n"
                       "    E (1 | 0)\n"
                       "      x (1 | 1)\n");
}

static void collapse_direct_recursion_joins_calls_that_follow_each_other(void **state)
{
    (void)state;
    assert_transformed(recursive, "collapse-direct-recursion:B",
                       "A (3 | 0)\n"
                       "  B (3 | 1)\n"
                       "    D (1 | 1)\n"
                       "    C (1 | 0)\n"
                       "      B (1 | 0)\n"
                       "        E (1 | 1)\n");
}

static void collapse_recursion_joins_all_calls_below_the_outermost(void **state)
{
    (void)state;
    assert_transformed(recursive, "collapse-recursion:B",
                       "A (3 | 0)\n"
                       "  B (3 | 1)\n"
                       "    D (1 | 1)\n"
                       "    E (1 | 1)\n");
}

static void collapse_function_subtree_gives_the_time_of_callees_to_the_function(void **state)
{
    (void)state;
    assert_transformed(samples, "collapse-function-subtree:C",
                       "A (3 | 0)\n"
                       "  B (3 | 0)\n"
                       "    C (2 | 2)\n"
                       "    H (1 | 0)\n"
                       "      F (1 | 1)\n");
}

static void filter_samples_keeps_samples_by_their_functions(void **state)
{
    (void)state;
    assert_transformed(samples, "filter-samples:function-include:E;H filter-samples:stack-suffix:E",
                       "A (1 | 0)\n"
                       "  B (1 | 0)\n"
                       "    C (1 | 0)\n"
                       "      D (1 | 0)\n"
                       "        E (1 | 1)\n");
    assert_transformed(samples, "filter-samples:stack-prefix:A;B;H",
                       "A (1 | 0)\n"
                       "  B (1 | 0)\n"
                       "    H (1 | 0)\n"
                       "      F (1 | 1)\n");
}

static void transforms_are_applied_from_left_to_right(void **state)
{
    (void)state;
    assert_transformed(samples, "merge-function:B focus-subtree:A;C merge-call-node:C;F",
                       "C (2 | 0)\n"
                       "  D (1 | 0)\n"
                       "    E (1 | 1)\n"
                       "  G (1 | 1)\n");
    assert_transformed(samples, "focus-subtree:A;C merge-function:B", "");
}

/* ---- functions that are not there ---- */

static void transforms_of_functions_that_do_not_exist_change_nothing_or_leave_nothing(void **state)
{
    (void)state;
    struct error error = {0};
    struct profile profile;
    struct view whole, view;
    text_profile_open(&profile);
    text_profile_add_thread(&profile, samples);
    assert_int_equal(profile_finish(&profile, &error), 0);
    assert_int_equal(view_open(&profile, &whole, &error), 0);
    for (enum transform_type type = 0; type < KEEP_MATCHING; type++) {
        struct transform transform = {.type = type,
                                      .func = 4000000,
                                      .resource = 4000000,
                                      .category = 4000000,
                                      .inverted = type == FOCUS_SUBTREE,
                                      .implementation = IMPLEMENTATION_JS,
                                      .filter = FILTER_FUNCTION_INCLUDE};
        assert_true(path_push(&transform.path, 4000000));
        int status = transform_apply(&transform, &whole, NULL, 0, &view, &error);
        assert_int_equal(status < 0, type == COLLAPSE_RESOURCE);
        view_free(&view);
        transform_free(&transform);
        error = (struct error){0};
    }
    view_free(&whole);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_transform_stacks_with_the_same_functions_are_one_node),
        cmocka_unit_test(merge_call_node_gives_the_children_of_a_node_to_its_parent),
        cmocka_unit_test(merge_function_gives_its_self_time_to_the_callers),
        cmocka_unit_test(drop_function_leaves_out_the_samples_that_have_it),
        cmocka_unit_test(focus_subtree_makes_a_node_the_root),
        cmocka_unit_test(focus_subtree_inverted_cuts_the_callees_off),
        cmocka_unit_test(focus_function_makes_all_calls_of_a_function_one_root),
        cmocka_unit_test(focus_self_leaves_only_samples_that_end_in_the_function),
        cmocka_unit_test(focus_category_leaves_only_its_frames),
        cmocka_unit_test(collapse_resource_makes_a_library_one_function),
        cmocka_unit_test(collapse_direct_recursion_joins_calls_that_follow_each_other),
        cmocka_unit_test(collapse_recursion_joins_all_calls_below_the_outermost),
        cmocka_unit_test(collapse_function_subtree_gives_the_time_of_callees_to_the_function),
        cmocka_unit_test(filter_samples_keeps_samples_by_their_functions),
        cmocka_unit_test(transforms_are_applied_from_left_to_right),
        cmocka_unit_test(transforms_of_functions_that_do_not_exist_change_nothing_or_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
