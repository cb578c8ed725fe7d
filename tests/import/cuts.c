/* Large real recordings, cut off at random places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/import_text.h"

#include "import/importer.h"

/* Sanitizers make this ten times slower, and the cuts that matter to them are those at every byte of small profiles. */
#ifdef __SANITIZE_ADDRESS__
enum { CUTS = 60 };
#else
enum { CUTS = 2000 };
#endif

/* In pieces that are no multiple of anything, so that cuts fall everywhere in the readers' windows, too. */
static void assert_cuts_are_clean_errors(const char *path)
{
    static const size_t pieces[] = {0, 65537, 8191};
    struct slice text = read_test_data(path);
    uint64_t seed = 7;
    for (size_t i = 0; i < CUTS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        struct profile profile;
        struct error error = {0};
        struct slice cut = slice_until(text, (size_t)(seed >> 33) % (text.length - 1));
        assert_int_not_equal(import_text(import_profile, cut, pieces[i % 3], &profile, &error), 0);
        assert_true(error.code != 0 && error.message[0] != '\0');
        profile_free(&profile);
    }
    memory_release((char *)text.text);
}

static void a_gecko_profile_cut_off_anywhere_is_a_clean_error(void **state)
{
    (void)state;
    assert_cuts_are_clean_errors(TEST_DATA "/gecko1.json.gz");
}

static void a_processed_profile_cut_off_anywhere_is_a_clean_error(void **state)
{
    (void)state;
    assert_cuts_are_clean_errors(TEST_DATA "/gecko1-processed.json.gz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gecko_profile_cut_off_anywhere_is_a_clean_error),
        cmocka_unit_test(a_processed_profile_cut_off_anywhere_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
