/* How much memory the model of a real profile takes, against the JSON text it was read from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "import/importer.h"

static size_t text_size(const char *path)
{
    static char buffer[1 << 16];
    struct error error = {0};
    struct byte_source *source = byte_source_open(path, NULL, &error);
    assert_non_null(source);
    size_t size = 0;
    for (ssize_t got; (got = source->read(source, buffer, sizeof buffer, &error)) > 0;)
        size += (size_t)got;
    assert_int_equal(error.code, 0);
    byte_source_close(source);
    return size;
}

static void assert_takes_a_quarter_of_its_text(const char *path)
{
    struct error error = {0};
    struct profile profile;
    profile_init(&profile);
    assert_int_equal(import_file(path, NULL, &profile, &error), 0);
    assert_in_range(profile_bytes(&profile), 1, text_size(path) / 4);
    profile_free(&profile);
}

static void a_gecko_profile_takes_a_quarter_of_its_text_and_its_strings(void **state)
{
    (void)state;
    assert_takes_a_quarter_of_its_text(TEST_DATA "/gecko1.json.gz");
}

static void a_processed_profile_takes_a_quarter_of_its_text_and_its_strings(void **state)
{
    (void)state;
    assert_takes_a_quarter_of_its_text(TEST_DATA "/gecko1-processed.json.gz");
}

static void a_chrome_trace_takes_a_quarter_of_its_text_and_its_strings(void **state)
{
    (void)state;
    assert_takes_a_quarter_of_its_text(TEST_DATA "/trace/chrome_small.json.gz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gecko_profile_takes_a_quarter_of_its_text_and_its_strings),
        cmocka_unit_test(a_processed_profile_takes_a_quarter_of_its_text_and_its_strings),
        cmocka_unit_test(a_chrome_trace_takes_a_quarter_of_its_text_and_its_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
