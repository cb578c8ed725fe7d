/* Paths, expanded rows and transforms when funcs get successors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/failing_alloc.h"

#include "tree/carry.h"

#include <errno.h>

/* Of six funcs: 1 is 7 now, 2 is 7 with 8 inlined into it, 3 is 9 with 8 and then 1 inlined into it, 5 went several ways. There
 * are ten funcs afterwards. */
static const struct func_changes changes = {
    .start = {(uint32_t[]){0, 0, 1, 3, 6, 6, 6}, 7, 7},
    .funcs = {(uint32_t[]){7, 7, 8, 9, 8, 1}, 6, 6},
    .count_after = 10,
};

#define PATH(...) path_of((uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))

static struct path path_of(const uint32_t *funcs, size_t count)
{
    struct path path = {0};
    for (size_t i = 0; i < count; i++)
        assert_true(path_push(&path, funcs[i]));
    return path;
}

static void assert_path(const struct path *actual, struct path expected)
{
    assert_int_equal(actual->funcs.count, expected.funcs.count);
    assert_memory_equal(actual->funcs.items, expected.funcs.items, expected.funcs.count * sizeof *expected.funcs.items);
    path_free(&expected);
}

static void assert_carried(struct path path, bool inverted, struct path expected)
{
    assert_true(path_carry(&path, &changes, inverted));
    assert_path(&path, expected);
    path_free(&path);
}

/* ---- paths ---- */

static void each_func_of_a_path_is_replaced_by_its_sequence(void **state)
{
    (void)state;
    assert_carried(PATH(0, 1, 2, 3), false, PATH(0, 7, 7, 8, 9, 8, 1));
}

static void a_path_from_the_leaf_has_the_sequences_innermost_first(void **state)
{
    (void)state;
    assert_carried(PATH(3, 2, 1, 0), true, PATH(1, 8, 9, 8, 7, 7, 0));
}

static void funcs_without_one_successor_stay_themselves(void **state)
{
    (void)state;
    assert_carried(PATH(0, 4, 5, INDEX_NONE), false, PATH(0, 4, 5, INDEX_NONE));
}

static void funcs_that_stand_for_resources_stay_behind_all_others(void **state)
{
    (void)state;
    assert_carried(PATH(6, 8), false, PATH(10, 12));
}

static void an_empty_path_stays_empty(void **state)
{
    (void)state;
    struct path path = {0};
    assert_true(path_carry(&path, &changes, false));
    assert_int_equal(path.funcs.count, 0);
}

static void without_changes_a_path_stays_as_it_is(void **state)
{
    (void)state;
    struct path path = PATH(0, 1, 20);
    static const struct func_changes none;
    assert_true(path_carry(&path, &none, false));
    assert_path(&path, PATH(0, 1, 20));
    path_free(&path);
}

/* ---- expanded rows ---- */

static struct path_set set_of(struct path *paths, size_t count)
{
    struct path_set set = {0};
    for (size_t i = 0; i < count; i++)
        assert_true(vec_push(&set.paths, paths[i]));
    return set;
}

static void rows_between_are_expanded_where_the_last_func_became_several(void **state)
{
    (void)state;
    struct path_set set = set_of((struct path[]){PATH(0, 3)}, 1);
    assert_true(path_set_carry(&set, &changes, false));
    assert_int_equal(set.paths.count, 3);
    assert_path(&set.paths.items[0], PATH(0, 9, 8, 1));
    assert_path(&set.paths.items[1], PATH(0, 9, 8));
    assert_path(&set.paths.items[2], PATH(0, 9));
    path_set_free(&set);
}

static void the_same_holds_for_rows_of_an_inverted_tree(void **state)
{
    (void)state;
    struct path_set set = set_of((struct path[]){PATH(0, 2)}, 1);
    assert_true(path_set_carry(&set, &changes, true));
    assert_int_equal(set.paths.count, 2);
    assert_path(&set.paths.items[0], PATH(0, 8, 7));
    assert_path(&set.paths.items[1], PATH(0, 8));
    path_set_free(&set);
}

/* Of three funcs 1 has become 2. */
static const struct func_changes merged = {
    .start = {(uint32_t[]){0, 0, 1, 2}, 4, 4},
    .funcs = {(uint32_t[]){2, 2}, 2, 2},
    .count_after = 3,
};

static void rows_that_became_one_are_in_the_set_once(void **state)
{
    (void)state;
    struct path_set set = set_of((struct path[]){PATH(0, 1), PATH(0, 2), PATH(0, 7)}, 3);
    assert_true(path_set_carry(&set, &merged, false));
    assert_int_equal(set.paths.count, 2);
    assert_path(&set.paths.items[0], PATH(0, 2));
    assert_path(&set.paths.items[1], PATH(0, 7));
    path_set_free(&set);
}

/* ---- transforms ---- */

static uint32_t carried_func(enum transform_type type, uint32_t func)
{
    struct transform transform = {.type = type, .func = func};
    assert_true(transform_carry(&transform, &changes));
    return transform.func;
}

static void transforms_of_a_function_go_on_with_the_outermost_one(void **state)
{
    (void)state;
    static const enum transform_type types[] = {FOCUS_FUNCTION,     MERGE_FUNCTION,
                                                DROP_FUNCTION,      COLLAPSE_DIRECT_RECURSION,
                                                COLLAPSE_RECURSION, COLLAPSE_FUNCTION_SUBTREE};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        assert_int_equal(carried_func(types[i], 1), 7);
        assert_int_equal(carried_func(types[i], 3), 9);
        assert_int_equal(carried_func(types[i], 5), 5);
        assert_int_equal(carried_func(types[i], INDEX_NONE), INDEX_NONE);
    }
}

static void focus_self_goes_on_with_the_innermost_one_where_the_samples_end_now(void **state)
{
    (void)state;
    assert_int_equal(carried_func(FOCUS_SELF, 3), 1);
    assert_int_equal(carried_func(FOCUS_SELF, 1), 7);
}

static void a_collapsed_resource_keeps_its_func_behind_all_others(void **state)
{
    (void)state;
    assert_int_equal(carried_func(COLLAPSE_RESOURCE, 7), 11);
}

static void assert_carried_filter(struct transform transform, struct path expected)
{
    assert_true(transform_carry(&transform, &changes));
    assert_path(&transform.path, expected);
    transform_free(&transform);
}

static void paths_in_transforms_are_carried_as_paths(void **state)
{
    (void)state;
    assert_carried_filter((struct transform){.type = FOCUS_SUBTREE, .path = PATH(0, 2)}, PATH(0, 7, 8));
    assert_carried_filter((struct transform){.type = FOCUS_SUBTREE, .path = PATH(2, 0), .inverted = true}, PATH(8, 7, 0));
    assert_carried_filter((struct transform){.type = MERGE_CALL_NODE, .path = PATH(0, 2)}, PATH(0, 7, 8));
    assert_carried_filter((struct transform){.type = FILTER_SAMPLES, .filter = FILTER_STACK_PREFIX, .path = PATH(0, 2)},
                          PATH(0, 7, 8));
}

static void sample_filters_name_the_function_that_holds_or_ends_the_samples(void **state)
{
    (void)state;
    assert_carried_filter((struct transform){.type = FILTER_SAMPLES, .filter = FILTER_FUNCTION_INCLUDE, .path = PATH(3, 0, 2)},
                          PATH(9, 0, 7));
    assert_carried_filter((struct transform){.type = FILTER_SAMPLES, .filter = FILTER_STACK_SUFFIX, .path = PATH(3)}, PATH(1));
}

/* ---- memory ---- */

static int carry_all(void *data, struct error *error)
{
    (void)data;
    struct path_set set = {0};
    struct path first = {0}, second = {0};
    bool done = path_push(&first, 0) && path_push(&first, 3) && path_push(&second, 2);
    done = done && vec_push(&set.paths, first);
    if (!done) {
        path_free(&first);
    } else {
        done = vec_push(&set.paths, second);
        if (done)
            second = (struct path){0};
    }
    done = done && path_set_carry(&set, &changes, false);
    path_free(&second);
    path_set_free(&set);
    return done ? 0 : error_out_of_memory(error);
}

static void too_little_memory_is_said(void **state)
{
    (void)state;
    assert_in_range(assert_survives_failing_allocations(carry_all, NULL), 5, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_func_of_a_path_is_replaced_by_its_sequence),
        cmocka_unit_test(a_path_from_the_leaf_has_the_sequences_innermost_first),
        cmocka_unit_test(funcs_without_one_successor_stay_themselves),
        cmocka_unit_test(funcs_that_stand_for_resources_stay_behind_all_others),
        cmocka_unit_test(an_empty_path_stays_empty),
        cmocka_unit_test(without_changes_a_path_stays_as_it_is),
        cmocka_unit_test(rows_between_are_expanded_where_the_last_func_became_several),
        cmocka_unit_test(the_same_holds_for_rows_of_an_inverted_tree),
        cmocka_unit_test(rows_that_became_one_are_in_the_set_once),
        cmocka_unit_test(transforms_of_a_function_go_on_with_the_outermost_one),
        cmocka_unit_test(focus_self_goes_on_with_the_innermost_one_where_the_samples_end_now),
        cmocka_unit_test(a_collapsed_resource_keeps_its_func_behind_all_others),
        cmocka_unit_test(paths_in_transforms_are_carried_as_paths),
        cmocka_unit_test(sample_filters_name_the_function_that_holds_or_ends_the_samples),
        cmocka_unit_test(too_little_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
