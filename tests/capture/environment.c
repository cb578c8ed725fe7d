#include "capture/core/settings.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { PID = 77 };

/* NAME, value, NAME, value … */
static const char *const *variables;

static char *look_up(const char *name)
{
    for (const char *const *pair = variables; *pair; pair += 2)
        if (strcmp(pair[0], name) == 0)
            return (char *)(uintptr_t)pair[1];
    return NULL;
}

static struct environment environment;
static struct error error;

#define READ(...)                                                                                                              \
    (variables = (const char *const[]){__VA_ARGS__, NULL}, error = (struct error){0},                                          \
     environment_read(&environment, look_up, PID, &error))

static void nothing_is_asked_for_by_an_empty_environment(void **state)
{
    (void)state;
    assert_int_equal(READ("PATH", "/bin"), 0);
    assert_false(environment.start || environment.help || environment.foreign || environment.signals);
    assert_null(environment.shutdown_path);
    assert_int_equal(environment.log_level, 0);
}

static void startup_starts_unless_it_says_no(void **state)
{
    (void)state;
    static const char *const no[] = {"", "0", "N", "n"}, *const yes[] = {"1", "y", "no", "00"};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(READ("SONDE_STARTUP", no[i]), 0);
        assert_false(environment.start);
        assert_int_equal(READ("SONDE_STARTUP", yes[i]), 0);
        assert_true(environment.start);
    }
}

static void options_are_taken_over(void **state)
{
    (void)state;
    assert_int_equal(READ("SONDE_STARTUP_INTERVAL", "0.25", "SONDE_STARTUP_DURATION", "12.5", "SONDE_STARTUP_FEATURES",
                          "default,memory", "SONDE_STARTUP_FILTERS", "a,b", "SONDE_SESSION", "/x", "SONDE_SHUTDOWN", "p-%p",
                          "SONDE_LOG", "4", "SONDE_SIGNALS", "1"),
                     0);
    assert_true(environment.options.interval_ms == 0.25);
    assert_true(environment.options.duration_s == 12.5);
    assert_string_equal(environment.options.features, "default,memory");
    assert_string_equal(environment.options.threads, "a,b");
    assert_string_equal(environment.options.session, "/x");
    assert_string_equal(environment.shutdown_path, "p-%p");
    assert_int_equal(environment.log_level, 4);
    assert_true(environment.signals);
}

static void sizes_are_entries_or_bytes_with_a_unit(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } sizes[] = {
        {"1", 8},         {"1000000", 8000000}, {"3KB", 3000},       {"3KiB", 3072},
        {"5MB", 5000000}, {"5MiB", 5 << 20},    {"2GB", 2000000000}, {"2GiB", UINT64_C(2) << 30},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(READ("SONDE_STARTUP_ENTRIES", sizes[i].text), 0);
        assert_true(environment.options.buffer_bytes == sizes[i].bytes);
    }
}

static void wrong_values_are_refused_with_the_name_of_the_variable(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"SONDE_STARTUP_INTERVAL", "0"},
        {"SONDE_STARTUP_INTERVAL", "-1"},
        {"SONDE_STARTUP_INTERVAL", "5000.1"},
        {"SONDE_STARTUP_INTERVAL", "1,5"},
        {"SONDE_STARTUP_INTERVAL", "1ms"},
        {"SONDE_STARTUP_INTERVAL", ""},
        {"SONDE_STARTUP_INTERVAL", "."},
        {"SONDE_STARTUP_DURATION", "-1"},
        {"SONDE_STARTUP_DURATION", "forever"},
        {"SONDE_STARTUP_ENTRIES", "0"},
        {"SONDE_STARTUP_ENTRIES", "0MB"},
        {"SONDE_STARTUP_ENTRIES", "12mb"},
        {"SONDE_STARTUP_ENTRIES", "99999999999999999999"},
        {"SONDE_STARTUP_ENTRIES", "9999999999999GiB"},
        {"SONDE_STARTUP_FEATURES", "stackwalk,nonsense"},
        {"SONDE_LOG", "0"},
        {"SONDE_LOG", "6"},
        {"SONDE_LOG", "33"},
        {"SONDE_SESSION_PID", "x"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(READ(wrong[i][0], wrong[i][1]), -EINVAL);
        assert_non_null(strstr(error.message, wrong[i][0]));
        assert_non_null(strstr(error.message, "allowed"));
    }
}

static void an_unknown_feature_is_named_beside_those_there_are(void **state)
{
    (void)state;
    assert_int_equal(READ("SONDE_STARTUP_FEATURES", "stackwalk,nonsense"), -EINVAL);
    assert_non_null(strstr(error.message, "nonsense"));
    for (int i = 0; i < FEATURE_COUNT; i++)
        assert_non_null(strstr(error.message, feature_name((enum feature)i)));
}

static void a_session_of_another_process_leaves_this_one_alone(void **state)
{
    (void)state;
    assert_int_equal(READ("SONDE_SESSION_PID", "76", "SONDE_STARTUP", "1", "SONDE_LOG", "nonsense"), 0);
    assert_true(environment.foreign);
    assert_false(environment.start);
    assert_int_equal(READ("SONDE_SESSION_PID", "77", "SONDE_STARTUP", "1"), 0);
    assert_false(environment.foreign);
    assert_true(environment.start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_asked_for_by_an_empty_environment),
        cmocka_unit_test(startup_starts_unless_it_says_no),
        cmocka_unit_test(options_are_taken_over),
        cmocka_unit_test(sizes_are_entries_or_bytes_with_a_unit),
        cmocka_unit_test(wrong_values_are_refused_with_the_name_of_the_variable),
        cmocka_unit_test(an_unknown_feature_is_named_beside_those_there_are),
        cmocka_unit_test(a_session_of_another_process_leaves_this_one_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
