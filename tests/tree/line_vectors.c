/* Samples per line of a file and of a call node, as the Firefox Profiler has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vector.h"

#include <stdio.h>

static uint32_t source_named(const struct profile *profile, struct slice name)
{
    for (uint32_t i = 0; i < profile->sources.rows.count; i++)
        if (slice_equal(profile_text(profile, profile->sources.rows.items[i].filename), name))
            return i;
    fail_msg("source %.*s", (int)name.length, name.text);
    return INDEX_NONE;
}

/* `expected` maps lines to sums; those of `lines` are self or total. Sums of 0 are no entries there, unless `with_zero`. */
static void assert_lines(const struct line_timings *lines, const struct json_document *document, const uint8_t *expected,
                         bool self, bool with_zero)
{
    struct value object = value_read(expected);
    assert_int_equal(object.kind, VALUE_OBJECT);
    size_t entries = 0;
    for (size_t i = 0; i < lines->rows.count; i++) {
        const struct line_row *row = &lines->rows.items[i];
        double sum = self ? row->self : row->total;
        char key[16];
        snprintf(key, sizeof key, "%u", row->line);
        if (sum == 0 && !with_zero)
            continue;
        assert_true(json_double(json_get(document, expected, key)) == sum);
        entries++;
    }
    assert_int_equal(entries, object.count);
}

static void assert_file(const struct vector *vector, const struct answer *answer, const struct vector_item *item,
                        const uint8_t *expected)
{
    struct error error = {0};
    struct line_timings lines;
    struct slice file = json_text(item->document, json_get(item->document, item->json, "file"));
    uint32_t source = source_named(&vector->profile, file);
    assert_int_equal(line_timings_of_source(&answer->view, &answer->weights, source, &lines, &error), 0);
    assert_lines(&lines, item->document, json_get(item->document, expected, "total"), false, false);
    assert_lines(&lines, item->document, json_get(item->document, expected, "self"), true, false);
    line_timings_free(&lines);
}

static void assert_call_node(const struct vector *vector, const struct answer *answer, const struct vector_item *item,
                             const uint8_t *expected)
{
    struct error error = {0};
    struct line_timings lines;
    struct path path = {0};
    path_of_names(item->document, vector->whole.funcs, json_get(item->document, item->json, "callNodePath"), &path);
    assert_int_equal(line_timings_of_path(&answer->view, &answer->nodes, &answer->weights, &path,
                                          vector->question.query.inverted, &lines, &error),
                     0);
    assert_lines(&lines, item->document, json_get(item->document, expected, "callNodeLines"), false, true);
    const uint8_t *hottest = json_get(item->document, expected, "hottestLine");
    assert_int_equal(line_timings_hottest(&lines), json_is_null(hottest) ? INDEX_NONE : json_u32(hottest));
    line_timings_free(&lines);
    path_free(&path);
}

static void vector_gives_what_the_firefox_profiler_gives(void **state)
{
    const struct vector_item *item = *state;
    const uint8_t *expected = json_get(item->document, item->json, "expected"),
                  *of_file = json_find(item->document, expected, "fileLines");
    struct error error = {0};
    struct vector vector;
    struct answer answer;
    vector_open(&vector, item->document, item->json);
    if (query_run(&vector.whole, &vector.question.query, &answer, &error) != 0)
        fail_msg("%s", error.message);
    assert_true(of_file || json_find(item->document, expected, "callNodeLines"));
    if (of_file)
        assert_file(&vector, &answer, item, of_file);
    if (json_find(item->document, expected, "callNodeLines"))
        assert_call_node(&vector, &answer, item, expected);
    answer_free(&answer);
    vector_close(&vector);
}

int main(void)
{
    return run_vectors(TEST_DATA "/vectors-lines.json.gz", vector_gives_what_the_firefox_profiler_gives);
}
