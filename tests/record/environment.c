#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/environment.h"
#include "record/settings.h"
#include "support/failing_alloc.h"

static char *const few[] = {(char *)"A=1", (char *)"PATH=/bin", (char *)"AB=2", (char *)"no assignment", NULL};

static void variables_are_copied_and_found_by_their_whole_name(void **state)
{
    (void)state;
    struct environment environment;
    assert_true(environment_copy(&environment, few));
    assert_string_equal(environment_get(&environment, "A"), "1");
    assert_string_equal(environment_get(&environment, "AB"), "2");
    assert_null(environment_get(&environment, "ABC"));
    assert_null(environment_get(&environment, "no assignment"));
    environment_free(&environment);
}

static void setting_a_variable_replaces_it_and_leaves_the_end(void **state)
{
    (void)state;
    struct environment environment;
    assert_true(environment_copy(&environment, few));
    assert_true(environment_set(&environment, "A", "x=y"));
    assert_true(environment_put(&environment, "NEW="));
    assert_string_equal(environment_get(&environment, "A"), "x=y");
    assert_string_equal(environment_get(&environment, "NEW"), "");
    assert_int_equal(environment.words.count, 5);
    assert_null(environment.words.items[4]);
    environment_free(&environment);
}

static void only_names_that_a_shell_takes_are_assignments(void **state)
{
    (void)state;
    assert_true(environment_is_assignment("A=1"));
    assert_true(environment_is_assignment("_a9="));
    assert_false(environment_is_assignment("=1"));
    assert_false(environment_is_assignment("9A=1"));
    assert_false(environment_is_assignment("./a=b"));
    assert_false(environment_is_assignment("a"));
}

static struct capture_settings usual(void)
{
    return (struct capture_settings){
        .folder = "/tmp/x", .rate = 1000, .buffer_bytes = 512 << 20, .features = "default", .threads = "Main,b"};
}

static void the_library_is_told_in_its_own_units(void **state)
{
    (void)state;
    struct environment environment;
    struct capture_settings settings = usual();
    settings.rate = 4000;
    settings.duration = 2.5;
    assert_true(environment_copy(&environment, few));
    assert_true(settings_apply(&settings, &environment));
    assert_string_equal(environment_get(&environment, "SONDE_STARTUP"), "recorder");
    assert_string_equal(environment_get(&environment, "SONDE_SESSION"), "/tmp/x");
    assert_string_equal(environment_get(&environment, "SONDE_STARTUP_INTERVAL"), "0.250000000");
    assert_string_equal(environment_get(&environment, "SONDE_STARTUP_DURATION"), "2.500000000");
    assert_string_equal(environment_get(&environment, "SONDE_STARTUP_ENTRIES"), "524288KiB");
    assert_string_equal(environment_get(&environment, "SONDE_STARTUP_FEATURES"), "stackwalk,js,processcpu");
    assert_string_equal(environment_get(&environment, "SONDE_STARTUP_FILTERS"), "Main,b");
    environment_free(&environment);
}

static void what_the_library_would_refuse_is_refused_before(void **state)
{
    (void)state;
    struct error error = {0};
    struct capture_settings settings = usual();
    assert_int_equal(settings_check(&settings, &error), 0);
    settings.features = "stackwalk,nothing";
    assert_true(settings_check(&settings, &error) < 0);
    assert_memory_equal(error.message, "--features: 'nothing' is none of", 32);
    error = (struct error){0};
    settings = usual();
    settings.rate = 20001;
    assert_true(settings_check(&settings, &error) < 0);
    assert_string_equal(error.message, "--rate: 20001 is not from 1 to 20000");
}

static int attempt(void *data, struct error *error)
{
    (void)data;
    struct environment environment;
    struct capture_settings settings = usual();
    bool done = environment_copy(&environment, few) && settings_apply(&settings, &environment);
    environment_free(&environment);
    return done ? 0 : error_out_of_memory(error);
}

static void too_little_memory_is_a_clean_error(void **state)
{
    (void)state;
    assert_true(assert_survives_failing_allocations(attempt, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_copied_and_found_by_their_whole_name),
        cmocka_unit_test(setting_a_variable_replaces_it_and_leaves_the_end),
        cmocka_unit_test(only_names_that_a_shell_takes_are_assignments),
        cmocka_unit_test(the_library_is_told_in_its_own_units),
        cmocka_unit_test(what_the_library_would_refuse_is_refused_before),
        cmocka_unit_test(too_little_memory_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
