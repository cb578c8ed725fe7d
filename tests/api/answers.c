/* Answers that are kept: found again by their state, and given back when there are too many, or too large ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "api/answers.h"
#include "api/request_read.h"
#include "support/text_profile.h"

#include <stdio.h>

static struct profile profile;
static struct view whole;
static struct answers answers;

static int set_up(void **state)
{
    (void)state;
    struct error error = {0};
    text_profile(&profile, "A  A  D\nB  C  E\n");
    answers_init(&answers);
    return view_open(&profile, &whole, &error);
}

static int take_down(void **state)
{
    (void)state;
    answers_free(&answers);
    view_free(&whole);
    profile_free(&profile);
    return 0;
}

/* The answer to a state as text. */
static struct kept_answer *ask(const char *text)
{
    char request[400];
    struct request read;
    struct state state;
    struct fault fault = {0};
    struct error error = {0};
    snprintf(request, sizeof request, "{\"v\":1,\"asks\":[],\"state\":{%s}}", text);
    assert_int_equal(request_read(slice_of(request), &read, &fault), 0);
    assert_int_equal(state_read(&read.state, &whole, &(struct thread_index){0}, 1, 0, NULL, &state, &fault), 0);
    struct kept_answer *kept = answers_get(&answers, &whole, &state, &error);
    assert_non_null(kept);
    state_free(&state);
    request_free(&read);
    return kept;
}

static void equal_states_have_one_answer(void **state)
{
    (void)state;
    struct kept_answer *plain = ask("");
    assert_ptr_equal(ask("\"threads\":[0],\"range\":null,\"search\":\"\",\"transforms\":[],\"idle\":true"), plain);
    assert_ptr_equal(ask("\"range\":[null,null],\"implementation\":\"combined\""), plain);
    /* Both directions are of one answer. */
    assert_ptr_equal(ask("\"inverted\":true"), plain);
    struct kept_answer *merged = ask("\"transforms\":[\"merge-function:A\"]");
    assert_ptr_not_equal(merged, plain);
    assert_ptr_equal(ask("\"transforms\":[\"merge-function:f-0\"]"), merged);
    static const char *const others[] = {
        "\"search\":\"B\"",           "\"range\":[0,2]",
        "\"preview\":[0,2]",          "\"idle\":false",
        "\"range\":[null,2]",         "\"transforms\":[\"merge-function:A\",\"merge-function:A\"]",
        "\"implementation\":\"cpp\"",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t before = answers.count;
        ask(others[i]);
        assert_int_equal(answers.count, before + 1);
    }
}

static void the_ones_used_longest_ago_go_first(void **state)
{
    (void)state;
    char text[80];
    for (int i = 0; i < 3 * ANSWERS_MOST; i++) {
        snprintf(text, sizeof text, "\"search\":\"%d\"", i);
        ask(text);
        ask("");
        assert_true(answers.count <= ANSWERS_MOST);
    }
    uint64_t oldest = UINT64_MAX;
    for (size_t i = 0; i < answers.count; i++)
        oldest = answers.items[i]->used < oldest ? answers.items[i]->used : oldest;
    assert_true(answers.used - oldest < 2 * ANSWERS_MOST + 2);
}

static void large_answers_are_given_back_but_for_the_last(void **state)
{
    (void)state;
    ask("");
    struct kept_answer *last = ask("\"search\":\"B\"");
    answers_trim(&answers);
    assert_true(answers.count >= 2);
    answers.most_bytes = 1;
    answers_trim(&answers);
    assert_int_equal(answers.count, 1);
    assert_ptr_equal(answers.items[0], last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_states_have_one_answer, set_up, take_down),
        cmocka_unit_test_setup_teardown(the_ones_used_longest_ago_go_first, set_up, take_down),
        cmocka_unit_test_setup_teardown(large_answers_are_given_back_but_for_the_last, set_up, take_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
