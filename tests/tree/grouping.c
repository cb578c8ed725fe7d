/* Libraries, files, categories and classes in place of functions; what calls a function, and what it calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tree_text.h"

#include "support/text_profile.h"
#include "tree/butterfly.h"

static const char *const samples = "main[lib:app][file:a.c]           main[lib:app][file:a.c]      main[lib:app][file:a.c]\n"
                                   "N::draw[lib:app][cat:Graphics]    qsort[lib:libc]              main[lib:app][file:a.c]\n"
                                   "N::fill[lib:gl][cat:Graphics]     compare[lib:app][file:b.c]   loose\n"
                                   "N::draw[lib:app][cat:Graphics]\n";

struct question {
    struct profile profile;
    struct view whole;
    struct thread_index thread;
    struct query query;
    struct error error;
};

static void ask(struct question *question, const char *drawn)
{
    *question = (struct question){.query = query_default()};
    text_profile(&question->profile, drawn);
    assert_int_equal(view_open(&question->profile, &question->whole, &question->error), 0);
    question->query.threads = &question->thread;
    question->query.thread_count = 1;
}

static void end(struct question *question)
{
    view_free(&question->whole);
    profile_free(&question->profile);
}

static void assert_grouped(enum grouping by, const char *expected)
{
    struct question question;
    ask(&question, samples);
    question.query.group = by;
    assert_tree_text(&question.whole, &question.query, expected);
    end(&question);
}

static void calls_within_a_library_are_merged(void **state)
{
    (void)state;
    assert_grouped(GROUP_LIBRARY, "app (3 | 0)\n"
                                  "  gl (1 | 0)\n"
                                  "    app (1 | 1)\n"
                                  "  libc (1 | 0)\n"
                                  "    app (1 | 1)\n"
                                  "  (no library) (1 | 1)\n");
}

static void files_categories_and_classes_are_groups_too(void **state)
{
    (void)state;
    assert_grouped(GROUP_FILE, "a.c (3 | 0)\n"
                               "  (no file) (3 | 2)\n"
                               "    b.c (1 | 1)\n");
    assert_grouped(GROUP_CATEGORY, "Other (3 | 2)\n"
                                   "  Graphics (1 | 1)\n");
    assert_grouped(GROUP_CLASS, "(no class) (3 | 2)\n"
                                "  N (1 | 1)\n");
}

static void a_group_counts_once_in_lists(void **state)
{
    (void)state;
    struct question question;
    struct answer answer;
    struct function_list list;
    ask(&question, samples);
    question.query.group = GROUP_LIBRARY;
    assert_int_equal(query_run(&question.whole, &question.query, &answer, &question.error), 0);
    assert_int_equal(function_list_build(&answer.tree, answer.view.funcs->count, FUNCTIONS_BY_TOTAL, &list, &question.error),
                     0);
    assert_int_equal(list.rows.count, 4);
    assert_true(slice_is(func_list_name(answer.view.funcs, list.rows.items[0].func), "app"));
    assert_float_equal(list.rows.items[0].total, 3, 0);
    assert_float_equal(list.rows.items[0].self, 2, 0);
    function_list_free(&list);
    answer_free(&answer);
    end(&question);
}

static uint32_t func_named(const struct func_list *funcs, const char *name)
{
    for (uint32_t func = 0; func < funcs->count; func++)
        if (slice_equal(func_list_name(funcs, func), slice_of(name)))
            return func;
    fail_msg("there is no function %s", name);
    return INDEX_NONE;
}

static void a_sample_counts_once_by_the_outermost_call_of_the_function(void **state)
{
    (void)state;
    struct question question;
    struct answer answer, callers, callees;
    struct butterfly of;
    ask(&question, "A  A  B  C\n"
                   "f  f  f\n"
                   "g  f\n"
                   "   g\n");
    assert_int_equal(query_run(&question.whole, &question.query, &answer, &question.error), 0);
    assert_int_equal(butterfly_open(&answer, func_named(question.whole.funcs, "f"), &of, &question.error), 0);
    assert_float_equal(of.total, 3, 0);
    assert_float_equal(of.self, 1, 0);

    assert_int_equal(butterfly_callers(&of, NULL, &callers, &question.error), 0);
    char *text = tree_text(&callers, true);
    assert_string_equal(text, "f (3 | 3)\n"
                              "  A (2 | 0)\n"
                              "  B (1 | 0)\n");
    free(text);
    butterfly_free_callers(&callers);

    assert_int_equal(butterfly_callees(&of, &question.query, &callees, &question.error), 0);
    text = tree_text(&callees, false);
    assert_string_equal(text, "f (3 | 1)\n"
                              "  f (1 | 0)\n"
                              "    g (1 | 1)\n"
                              "  g (1 | 1)\n");
    free(text);
    answer_free(&callees);
    butterfly_free(&of);
    answer_free(&answer);
    end(&question);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_within_a_library_are_merged),
        cmocka_unit_test(files_categories_and_classes_are_groups_too),
        cmocka_unit_test(a_group_counts_once_in_lists),
        cmocka_unit_test(a_sample_counts_once_by_the_outermost_call_of_the_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
