/* What was written and read again answers every question as before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random_query.h"
#include "support/import_text.h"
#include "support/same_profile.h"

#include "export/exporter.h"
#include "import/importer.h"

#include <stdio.h>

enum { PROFILES = 150, QUESTIONS = 20 };

static void write_and_read(const struct profile *profile, struct profile *again)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_non_null(sink);
    if (export_processed(profile, sink, &error) != 0)
        fail_msg("%s", error.message);
    assert_imports(import_profile, byte_sink_memory_bytes(sink), again);
    byte_sink_close(sink, true, &error);
}

static void assert_same_answers(const struct profile *profile, const struct profile *again, struct random *random)
{
    struct error error = {0};
    struct view whole, whole_again;
    assert_int_equal(view_open(profile, &whole, &error), 0);
    assert_int_equal(view_open(again, &whole_again, &error), 0);
    for (size_t i = 0; i < QUESTIONS; i++) {
        struct random_query asked;
        random_query_make(&asked, random, &whole);
        char *before = query_text(&whole, &asked.query), *after = query_text(&whole_again, &asked.query);
        assert_string_equal(before, after);
        free(before);
        free(after);
        random_query_free(&asked);
    }
    view_free(&whole);
    view_free(&whole_again);
}

static void random_profiles_answer_as_before(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= PROFILES; seed++) {
        struct random random = {seed};
        struct profile profile, again;
        random_profile(&profile, &random, RANDOM_WEIGHTS_ANY);
        write_and_read(&profile, &again);
        assert_same_profile(&again, &profile);
        assert_same_answers(&profile, &again, &random);
        profile_free(&again);
        profile_free(&profile);
    }
}

static void profiles_of_other_formats_answer_as_before(void **state)
{
    (void)state;
    static const char *const files[] = {"async.cpuprofile", "workers.perf.txt", "workers-flat.perf.txt",
                                        "walk.perf.txt",    "walk.folded",      "gecko1.json.gz"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[400];
        struct error error = {0};
        struct random random = {i};
        struct profile profile, again;
        snprintf(path, sizeof path, TEST_DATA "/%s", files[i]);
        profile_init(&profile);
        if (import_file(path, NULL, &profile, &error) != 0)
            fail_msg("%s", error.message);
        write_and_read(&profile, &again);
        assert_same_answers(&profile, &again, &random);
        profile_free(&again);
        profile_free(&profile);
    }
}

/* Lines of a tree, without what folded stacks cannot hold: categories and inlining. */
static char *plain_text(const struct profile *profile)
{
    struct error error = {0};
    struct thread_index thread = {0};
    struct view whole;
    struct query query = query_default();
    query.threads = &thread;
    query.thread_count = 1;
    assert_int_equal(view_open(profile, &whole, &error), 0);
    char *text = query_text(&whole, &query);
    view_free(&whole);
    char *to = text;
    for (char *from = text; *from != '\0'; from++) {
        if (strncmp(from, " category ", 10) == 0)
            from += strcspn(from, "\n");
        *to++ = *from;
    }
    *to = '\0';
    return text;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Equal totals are shown in the order of the funcs, which is another one after folding. */
static void assert_same_lines(char *a, char *b)
{
    char *texts[] = {a, b};
    for (size_t i = 0; i < 2; i++) {
        char *lines[2000];
        size_t count = 0;
        for (char *rest = texts[i], *line; (line = strsep(&rest, "\n"));) {
            assert_true(count < 2000);
            lines[count++] = line;
        }
        qsort(lines, count, sizeof *lines, compare_lines);
        char *sorted = malloc(1 << 20), *to = sorted;
        assert_non_null(sorted);
        for (size_t k = 0; k < count; k++)
            to += sprintf(to, "%s\n", lines[k]);
        free(texts[i]);
        texts[i] = sorted;
    }
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

static void folded_stacks_have_the_same_tree(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= PROFILES; seed++) {
        struct error error = {0};
        struct random random = {seed};
        struct thread_index thread = {0};
        struct profile profile, again;
        random_profile(&profile, &random, RANDOM_WEIGHTS_POSITIVE);
        /* Milliseconds would be written as microseconds. */
        profile.threads.items[0].samples.weight_type = WEIGHT_SAMPLES;
        struct byte_sink *sink = byte_sink_memory(&error);
        assert_non_null(sink);
        assert_int_equal(export_folded(&profile, &thread, 1, NULL, sink, &error), 0);
        if (byte_sink_memory_bytes(sink).length > 0) {
            assert_imports(import_profile, byte_sink_memory_bytes(sink), &again);
            assert_same_lines(plain_text(&profile), plain_text(&again));
            profile_free(&again);
        }
        byte_sink_close(sink, true, &error);
        profile_free(&profile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_profiles_answer_as_before),
        cmocka_unit_test(profiles_of_other_formats_answer_as_before),
        cmocka_unit_test(folded_stacks_have_the_same_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
