/* What the Firefox Profiler makes of small perf, folded and cpuprofile inputs, table by table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/import_text.h"
#include "support/profile_tables.h"

#include "import/cpuprofile.h"
#include "import/folded.h"
#include "import/perf_script.h"

static struct json_document vectors;

static int open_vectors(void **state)
{
    (void)state;
    json_document_open(&vectors, TEST_DATA "/vectors-import.json.gz");
    return 0;
}

static int close_vectors(void **state)
{
    (void)state;
    json_document_close(&vectors);
    return 0;
}

/* Texts are kept as they are, JSON inputs are objects in the vector. */
static char *vector_input(const uint8_t *vector)
{
    const uint8_t *input = json_get(&vectors, vector, "input");
    if (value_read(input).kind != VALUE_STRING)
        return json_dump(&vectors, input, 0);
    struct slice text = json_text(&vectors, input);
    char *copy = memory_array(text.length + 1, 1);
    assert_non_null(copy);
    memcpy(copy, text.text, text.length);
    copy[text.length] = '\0';
    return copy;
}

static void assert_tables(import_function *import, const uint8_t *vector, const char *input, size_t piece)
{
    struct error error;
    struct profile profile;
    if (import_text(import, slice_of(input), piece, &profile, &error) != 0)
        fail_msg("%s", error.message);
    assert_profile_tables(&profile, &vectors, json_get(&vectors, vector, "expected"));
    profile_free(&profile);
}

/* All vectors of a format, the input in one piece and in pieces of every small size. `recognise` may be NULL. */
static unsigned run_vectors(const char *format, import_function *import, bool (*recognise)(struct slice start))
{
    uint32_t count;
    unsigned run = 0;
    const uint8_t *vector = json_items(json_root(&vectors), &count);
    for (; count > 0; count--, vector = value_skip(vector)) {
        if (!slice_equal(json_text(&vectors, json_get(&vectors, vector, "format")), slice_of(format)))
            continue;
        char *input = vector_input(vector);
        bool is_error = json_find(&vectors, json_get(&vectors, vector, "expected"), "error") != NULL;
        if (recognise)
            assert_int_equal(recognise(slice_of(input)), !is_error);
        if (!is_error)
            for (size_t piece = 0; piece < 20; piece++)
                assert_tables(import, vector, input, piece);
        memory_release(input);
        run++;
    }
    return run;
}

static void perf_script_makes_the_expected_tables(void **state)
{
    (void)state;
    assert_int_equal(run_vectors("perf", perf_script_import, perf_script_recognise), 4);
}

static void folded_stacks_make_the_expected_tables(void **state)
{
    (void)state;
    assert_int_equal(run_vectors("folded", folded_import, folded_recognise), 4);
}

static void cpu_profiles_make_the_expected_tables(void **state)
{
    (void)state;
    assert_int_equal(run_vectors("cpuprofile", cpuprofile_import_thin, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perf_script_makes_the_expected_tables),
        cmocka_unit_test(folded_stacks_make_the_expected_tables),
        cmocka_unit_test(cpu_profiles_make_the_expected_tables),
    };
    return cmocka_run_group_tests(tests, open_vectors, close_vectors);
}
