/* The model of a CPU profile, and the calls of one that comes without events. Names in brackets are those of the worked
 * examples. */
#include "drawn_trace.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct modelled {
    struct trace trace;
    struct cpu_model model;
};

static void model_draw(struct modelled *modelled, struct drawing drawing)
{
    struct error error = {0};
    *modelled = (struct modelled){0};
    draw_trace(&modelled->trace, &drawing);
    if (cpu_model_build(&modelled->model, &modelled->trace.profiles.items[0], &modelled->trace.strings, &error) != 0)
        fail_msg("%s", error.message);
}

static void model_free(struct modelled *modelled)
{
    cpu_model_free(&modelled->model);
    trace_free(&modelled->trace);
}

static const struct cpu_model_node *node(const struct modelled *modelled, double id)
{
    uint32_t row = cpu_model_find(&modelled->model, id);
    assert_true(row < modelled->model.nodes.count);
    return &modelled->model.nodes.items[row];
}

static const struct cpu_model_times *times(const struct modelled *modelled, double id)
{
    return &modelled->model.node_times.items[cpu_model_find(&modelled->model, id)];
}

static void assert_samples(const struct modelled *modelled, const char *expected)
{
    size_t i = 0;
    for (char *end; *expected != '\0'; expected = end, i++) {
        double id = strtod(expected, &end);
        assert_true(i < modelled->model.samples.count);
        assert_int_equal(modelled->model.samples.items[i], cpu_model_find(&modelled->model, id));
    }
    assert_int_equal(modelled->model.samples.count, i);
}

/* --- the tree --- */

static void children_are_visited_from_the_last_to_the_first(void **state)
{
    (void)state;
    for (int listed = 0; listed < 2; listed++) {
        struct modelled modelled;
        model_draw(&modelled, (struct drawing){.samples = "4", .listed = listed});
        const double order[] = {1, 9, 10, 8, 4, 7, 5, 6, 3, 2};
        assert_int_equal(modelled.model.nodes.count, 10);
        for (uint32_t row = 0; row < 10; row++)
            assert_true(cpu_model_raw(&modelled.model, row)->id == order[row]);
        assert_int_equal(node(&modelled, 1)->depth, -1);
        assert_int_equal(node(&modelled, 6)->depth, 2);
        assert_int_equal(modelled.model.max_depth, 3);
        model_free(&modelled);
    }
}

static void a_root_alone_is_a_profile(void **state)
{
    (void)state;
    struct modelled modelled;
    model_draw(&modelled, (struct drawing){.nodes = "1<0:(root):-1", .only_these_nodes = true, .samples = "1"});
    assert_int_equal(modelled.model.max_depth, 0);
    assert_int_equal(modelled.model.nodes.count, 1);
    model_free(&modelled);
}

static void nodes_that_cannot_be_reached_are_not_there(void **state)
{
    (void)state;
    struct modelled modelled;
    model_draw(&modelled, (struct drawing){.nodes = "20<66:x 21<20:y", .samples = "20 4"});
    assert_int_equal(cpu_model_find(&modelled.model, 20), INDEX_NONE);
    assert_int_equal(cpu_model_find(&modelled.model, 21), INDEX_NONE);
    assert_int_equal(cpu_model_find(&modelled.model, 99), INDEX_NONE);
    assert_int_equal(cpu_model_find(&modelled.model, 4.5), INDEX_NONE);
    assert_int_equal(cpu_model_find(&modelled.model, -1), INDEX_NONE);
    assert_int_equal(cpu_model_find(&modelled.model, NAN), INDEX_NONE);
    assert_int_equal(modelled.model.samples.items[0], INDEX_NONE);
    model_free(&modelled);
}

static void ids_may_be_any_numbers(void **state)
{
    (void)state;
    struct modelled modelled;
    model_draw(&modelled, (struct drawing){.nodes = "-7<0:(root):-1 1e15<-7:a 0.5<1e15:b 9007199254740991<0.5:c",
                                           .only_these_nodes = true,
                                           .samples = "0.5 1e15 3"});
    assert_int_equal(node(&modelled, 9007199254740991)->depth, 2);
    assert_samples(&modelled, "0.5 1e15 3");
    assert_int_equal(modelled.model.samples.items[2], INDEX_NONE);
    model_free(&modelled);
}

static void of_nodes_with_one_id_the_last_counts(void **state)
{
    (void)state;
    struct modelled modelled;
    model_draw(&modelled,
               (struct drawing){.nodes = "1<0:(root):-1 2<1:a:5 3<1:b 2<3:c:6", .only_these_nodes = true, .samples = "2"});
    /* Both name the last: one below the root, which is visited last, one below b. */
    assert_int_equal(modelled.model.nodes.count, 4);
    assert_true(cpu_model_function(&modelled.model, cpu_model_find(&modelled.model, 2))->line == 6);
    assert_int_equal(node(&modelled, 2)->depth, 0);
    model_free(&modelled);
}

static int build(struct drawing drawing, struct error *error)
{
    struct modelled modelled = {0};
    draw_trace(&modelled.trace, &drawing);
    int result = cpu_model_build(&modelled.model, &modelled.trace.profiles.items[0], &modelled.trace.strings, error);
    model_free(&modelled);
    return result;
}

static void a_node_that_is_below_itself_is_refused(void **state)
{
    (void)state;
    struct error error = {0};
    struct drawing drawing = {.nodes = "1<0:(root):-1 2<1:a 2<2:b", .only_these_nodes = true, .samples = "2"};
    assert_int_equal(build(drawing, &error), -EINVAL);
    assert_non_null(strstr(error.message, "its own caller"));
}

static void a_profile_without_nodes_or_without_hits_is_refused(void **state)
{
    (void)state;
    struct error error = {0};
    assert_int_equal(build((struct drawing){.only_these_nodes = true, .samples = "2"}, &error), -EINVAL);
    assert_string_equal(error.message, "the CPU profile has no nodes");

    struct modelled modelled = {0};
    struct drawing drawing = {.samples = ""};
    draw_trace(&modelled.trace, &drawing);
    modelled.trace.profiles.items[0].has_samples = false;
    error = (struct error){0};
    assert_int_equal(cpu_model_build(&modelled.model, &modelled.trace.profiles.items[0], &modelled.trace.strings, &error),
                     -EINVAL);
    assert_string_equal(error.message, "the CPU profile has neither hit counts nor samples");
    model_free(&modelled);
}

/* --- times --- */

static void hits_become_times(void **state) /* (M1) */
{
    (void)state;
    struct modelled modelled;
    model_draw(&modelled, (struct drawing){.nodes = "1<0:(root):-1 4<1:a 5<4:b 6<5:c",
                                           .only_these_nodes = true,
                                           .listed = true,
                                           .hits = "0 1 2 1",
                                           .end = 1800,
                                           .samples = "4 5 5 6",
                                           .deltas = "100 100 100 100"});
    assert_true(times(&modelled, 4)->self == .2 && times(&modelled, 4)->total == .8);
    assert_true(times(&modelled, 5)->self == .4 && times(&modelled, 5)->total == .6000000000000001);
    assert_true(times(&modelled, 6)->self == .2 && times(&modelled, 6)->total == .2);
    assert_true(modelled.model.start == 1.1 && modelled.model.end == 1.4999999999999998);
    assert_int_equal(modelled.model.max_depth, 3);
    model_free(&modelled);
}

static void without_hits_samples_are_counted_before_they_are_mended(void **state)
{
    (void)state;
    struct modelled modelled;
    model_draw(&modelled, (struct drawing){.end = 2000, .samples = "5 2 5 5"});
    assert_true(times(&modelled, 2)->self == .25 && times(&modelled, 2)->total == .25);
    assert_true(times(&modelled, 5)->self == .75);
    assert_true(times(&modelled, 4)->self == 0 && times(&modelled, 4)->total == .75);
    assert_true(times(&modelled, 1)->self == 0 && times(&modelled, 1)->total == 1);
    model_free(&modelled);
}

static void samples_are_sorted_and_equal_times_stay_in_order(void **state)
{
    (void)state;
    struct modelled modelled;
    model_draw(&modelled, (struct drawing){.samples = "4 5 6 7 9", .deltas = "30 0 -20 20 -25"});
    assert_samples(&modelled, "9 6 4 5 7");
    assert_true(modelled.model.times.items[0] == 1.005 && modelled.model.times.items[4] == 1.03);
    assert_int_equal(modelled.model.times.count, 6);
    model_free(&modelled);
}

static void samples_without_a_time_are_dropped_and_times_without_a_sample_unknown(void **state)
{
    (void)state;
    struct modelled modelled;
    model_draw(&modelled, (struct drawing){.samples = "4 5 6", .deltas = "10 10"});
    assert_samples(&modelled, "4 5");
    model_free(&modelled);
    model_draw(&modelled, (struct drawing){.samples = "4 5", .deltas = "10 10 10"});
    assert_samples(&modelled, "4 5 99");
    model_free(&modelled);
    model_draw(&modelled, (struct drawing){.samples = "4 5", .deltas = ""});
    assert_samples(&modelled, "");
    assert_true(modelled.model.start == 1 && modelled.model.end == 2);
    model_free(&modelled);
}

/* --- special nodes --- */

static void special_nodes_are_children_of_the_root(void **state)
{
    (void)state;
    struct modelled modelled;
    model_draw(&modelled, (struct drawing){.nodes = "20<4:(program):-1 21<1:(idle):-1", .samples = "4"});
    assert_int_equal(modelled.model.program, cpu_model_find(&modelled.model, 2));
    assert_int_equal(modelled.model.garbage, cpu_model_find(&modelled.model, 8));
    /* The last in the file is visited first, and the search is not over before all three are found. */
    assert_int_equal(modelled.model.idle, cpu_model_find(&modelled.model, 3));
    model_free(&modelled);
}

static void single_program_samples_are_mended(void **state)
{
    (void)state;
    struct modelled modelled;
    model_draw(&modelled, (struct drawing){.samples = "4 2 4 2 7 2 2 4 2 9 8 2 8 2 4 3 2 4 2"});
    assert_samples(&modelled, "4 4 4 4 7 2 2 4 2 9 8 2 8 2 4 3 2 4 2");
    model_free(&modelled);
}

static void an_unknown_sample_derails_the_mending(void **state)
{
    (void)state;
    struct modelled modelled;
    /* At the unknown one the engine stays where it was, a sample behind: what it takes for the current one then is not what it
     * overwrites. */
    model_draw(&modelled, (struct drawing){.samples = "4 2 99 5 5 6 2 4"});
    assert_samples(&modelled, "4 2 4 5 5 6 6 4");
    model_free(&modelled);
    model_draw(&modelled, (struct drawing){.samples = "99 4 2 4 2 4"});
    assert_samples(&modelled, "99 4 2 4 2 4");
    model_free(&modelled);
}

/* --- calls --- */

static void assert_profile_calls(struct drawing drawing, const char *expected)
{
    drawing.cpu_mode = true;
    assert_calls(drawing, expected);
    drawing.listed = true;
    assert_calls(drawing, expected);
}

static void calls_last_from_sample_to_sample(void **state)
{
    (void)state;
    assert_profile_calls((struct drawing){.samples = "4 5 5 4"},
                         "a 1010+40.000000000000036 s20.000000000000018 d0; b 1020+20.000000000000018 s20.000000000000018 d1");
    assert_profile_calls((struct drawing){.samples = "4 5 4 4", .start = 73029010084, .deltas = "1 7 13 5"},
                         "a 73029010085+33.333346247673035 s20.333334803581238 d0; b 73029010092+13.000011444091797 "
                         "s13.000011444091797 d1");
    assert_profile_calls((struct drawing){.samples = "4 5 6", .deltas = "0 0 0"},
                         "a 1000+0 s0 d0; b 1000+0 s0 d1; c 1000+0 s0 d2");
}

static void program_idle_and_the_collector_are_calls(void **state)
{
    (void)state;
    assert_profile_calls((struct drawing){.samples = "2 5 8 5 3 3", .deltas = "1000 1000 1000 1000 1000 1000"},
                         "(program) 2000+1000 s1000 d0; a 3000+3000 s0 d0; b 3000+3000 s2000 d1; (garbage collector) 4000+1000 "
                         "s1000 d2; (idle) 6000+2000 s2000 d0");
}

static void the_collector_comes_on_top_of_what_it_interrupts(void **state)
{
    (void)state;
    assert_profile_calls(
        (struct drawing){.samples = "8 4 8", .deltas = "1000 1000 1000"},
        "(garbage collector) 2000+1000 s1000 d0; a 3000+2000 s1000 d0; (garbage collector) 4000+1000 s1000 d1");
    assert_profile_calls((struct drawing){.samples = "4 8 6 8 2", .deltas = "1000 1000 1000 1000 1000"},
                         "a 2000+4000 s1000 d0; (garbage collector) 3000+1000 s1000 d1; b 4000+2000 s0 d1; c 4000+2000 s1000 "
                         "d2; (garbage collector) 5000+1000 s1000 d3; (program) 6000+1000 s1000 d0");
    assert_profile_calls((struct drawing){.samples = "5 2 6 6", .deltas = "1000 1000 1000 1000"},
                         "a 2000+4000 s0 d0; b 2000+4000 s2000 d1; c 4000+2000 s2000 d2");
}

static void the_root_closes_everything(void **state)
{
    (void)state;
    assert_profile_calls((struct drawing){.samples = "1 4 1 5", .deltas = "1000 1000 1000 1000"},
                         "a 3000+1000 s1000 d0; a 5000+1000 s0 d0; b 5000+1000 s1000 d1");
}

static void a_single_sample_lasts_to_the_end_of_the_profile(void **state)
{
    (void)state;
    assert_profile_calls((struct drawing){.samples = "5"}, "a 1010+990 s0 d0; b 1010+990 s990 d1");
}

static void nothing_is_made_of_what_follows_an_unknown_sample(void **state)
{
    (void)state;
    assert_profile_calls((struct drawing){.samples = "4 77 5 5", .deltas = "1000 1000 1000 1000"}, "a 2000+1000 s1000 d0");
    assert_profile_calls((struct drawing){.samples = "77 5 5 5"}, "");
}

static void samples_before_time_0_are_passed_over(void **state)
{
    (void)state;
    assert_profile_calls((struct drawing){.samples = "4 5 5", .start = -20, .deltas = "10 10 1000"},
                         "a 0+1505 s0 d0; b 0+1505 s1505 d1");
}

static void without_times_there_are_no_calls(void **state)
{
    (void)state;
    assert_profile_calls((struct drawing){.samples = "4 5 5", .deltas = ""}, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_are_visited_from_the_last_to_the_first),
        cmocka_unit_test(a_root_alone_is_a_profile),
        cmocka_unit_test(nodes_that_cannot_be_reached_are_not_there),
        cmocka_unit_test(ids_may_be_any_numbers),
        cmocka_unit_test(of_nodes_with_one_id_the_last_counts),
        cmocka_unit_test(a_node_that_is_below_itself_is_refused),
        cmocka_unit_test(a_profile_without_nodes_or_without_hits_is_refused),
        cmocka_unit_test(hits_become_times),
        cmocka_unit_test(without_hits_samples_are_counted_before_they_are_mended),
        cmocka_unit_test(samples_are_sorted_and_equal_times_stay_in_order),
        cmocka_unit_test(samples_without_a_time_are_dropped_and_times_without_a_sample_unknown),
        cmocka_unit_test(special_nodes_are_children_of_the_root),
        cmocka_unit_test(single_program_samples_are_mended),
        cmocka_unit_test(an_unknown_sample_derails_the_mending),
        cmocka_unit_test(calls_last_from_sample_to_sample),
        cmocka_unit_test(program_idle_and_the_collector_are_calls),
        cmocka_unit_test(the_collector_comes_on_top_of_what_it_interrupts),
        cmocka_unit_test(the_root_closes_everything),
        cmocka_unit_test(a_single_sample_lasts_to_the_end_of_the_profile),
        cmocka_unit_test(nothing_is_made_of_what_follows_an_unknown_sample),
        cmocka_unit_test(samples_before_time_0_are_passed_over),
        cmocka_unit_test(without_times_there_are_no_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
