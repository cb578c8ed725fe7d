#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/profile_tables.h"
#include "support/same_profile.h"

#include "import/importer.h"

static void load(struct profile *profile, const char *path)
{
    struct error error = {0};
    profile_init(profile);
    if (import_file(path, NULL, profile, &error))
        fail_msg("%s: %s", path, error.message);
}

static void a_recording_of_firefox_gives_what_the_firefox_profiler_makes_of_it(void **state)
{
    (void)state;
    struct profile gecko, processed;
    load(&gecko, TEST_DATA "/gecko1.json.gz");
    load(&processed, TEST_DATA "/gecko1-processed.json.gz");
    assert_same_profile(&gecko, &processed);
    for (size_t i = 0; i < gecko.threads.count; i++)
        assert_true(same_value(&gecko, gecko.threads.items[i].other.bytes.items, &processed,
                               processed.threads.items[i].other.bytes.items));
    profile_free(&gecko);
    profile_free(&processed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_of_firefox_gives_what_the_firefox_profiler_makes_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
