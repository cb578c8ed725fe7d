/* Profiles drawn as text are what the Firefox Profiler's own tests make of the same text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/text_profile.h"
#include "vector.h"

static void assert_same_columns(const struct column *actual, const struct column *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(column_get(actual, i), column_get(expected, i));
}

static void assert_same_funcs(const struct profile *actual, const struct profile *expected)
{
    assert_int_equal(func_count(&actual->funcs), func_count(&expected->funcs));
    for (size_t i = 0; i < func_count(&actual->funcs); i++) {
        struct func a = func_table_get(&actual->funcs, func_at(i)), b = func_table_get(&expected->funcs, func_at(i));
        assert_string_equal(profile_text(actual, a.name).text, profile_text(expected, b.name).text);
        assert_int_equal(a.is_js, b.is_js);
        assert_int_equal(a.relevant_for_js, b.relevant_for_js);
        assert_int_equal(a.resource.i, b.resource.i);
        assert_int_equal(a.source.i, b.source.i);
    }
}

static void assert_same_names(const struct profile *actual, const struct profile *expected)
{
    assert_int_equal(actual->resources.rows.count, expected->resources.rows.count);
    for (size_t i = 0; i < actual->resources.rows.count; i++)
        assert_string_equal(profile_text(actual, actual->resources.rows.items[i].name).text,
                            profile_text(expected, expected->resources.rows.items[i].name).text);
    assert_int_equal(actual->libs.rows.count, expected->libs.rows.count);
    for (size_t i = 0; i < actual->libs.rows.count; i++)
        assert_string_equal(profile_text(actual, actual->libs.rows.items[i].name).text,
                            profile_text(expected, expected->libs.rows.items[i].name).text);
    assert_int_equal(actual->sources.rows.count, expected->sources.rows.count);
    for (size_t i = 0; i < actual->sources.rows.count; i++)
        assert_string_equal(profile_text(actual, actual->sources.rows.items[i].filename).text,
                            profile_text(expected, expected->sources.rows.items[i].filename).text);
}

static void assert_same_stacks(const struct profile *actual, const struct profile *expected)
{
    size_t frames = frame_count(&actual->frames), stacks = stack_count(&actual->stacks);
    assert_int_equal(frames, frame_count(&expected->frames));
    assert_same_columns(&actual->frames.func, &expected->frames.func, frames);
    assert_same_columns(&actual->frames.lib, &expected->frames.lib, frames);
    assert_same_columns(&actual->frames.address, &expected->frames.address, frames);
    assert_same_columns(&actual->frames.category, &expected->frames.category, frames);
    assert_same_columns(&actual->frames.line, &expected->frames.line, frames);
    assert_same_columns(&actual->frames.inline_depth, &expected->frames.inline_depth, frames);
    assert_same_columns(&actual->frames.native_symbol, &expected->frames.native_symbol, frames);
    size_t symbols = native_symbol_count(&actual->native_symbols);
    assert_int_equal(symbols, native_symbol_count(&expected->native_symbols));
    assert_same_columns(&actual->native_symbols.address, &expected->native_symbols.address, symbols);
    assert_int_equal(stacks, stack_count(&expected->stacks));
    assert_same_columns(&actual->stacks.up, &expected->stacks.up, stacks);
    assert_same_columns(&actual->stacks.frame, &expected->stacks.frame, stacks);
}

static void assert_same_samples(const struct profile *actual, const struct profile *expected)
{
    assert_int_equal(actual->threads.count, expected->threads.count);
    for (size_t i = 0; i < actual->threads.count; i++) {
        const struct sample_table *a = &actual->threads.items[i].samples, *b = &expected->threads.items[i].samples;
        assert_int_equal(sample_count(a), sample_count(b));
        assert_same_columns(&a->stack, &b->stack, sample_count(a));
        for (size_t k = 0; k < sample_count(a); k++)
            assert_true(column_get_number(&a->time, k) == column_get_number(&b->time, k));
    }
}

static void draw(const struct vector_item *item, struct profile *profile)
{
    struct error error = {0};
    struct slice samples = json_text(item->document, json_get(item->document, item->json, "samples"));
    text_profile_open(profile);
    text_profile_add_thread(profile, samples.text);
    const uint8_t *others = json_find(item->document, item->json, "otherThreadsSamples");
    uint32_t count = 0;
    const uint8_t *other = others ? json_items(others, &count) : NULL;
    for (; count > 0; count--, other = value_skip(other))
        text_profile_add_thread(profile, json_text(item->document, other).text);
    assert_int_equal(profile_finish(profile, &error), 0);
}

static void a_drawing_is_the_profile_of_its_vector(void **state)
{
    const struct vector_item *item = *state;
    struct profile drawn, expected;
    draw(item, &drawn);
    import_value(item->document, json_get(item->document, item->json, "profile"), &expected);
    assert_same_names(&drawn, &expected);
    assert_same_funcs(&drawn, &expected);
    assert_same_stacks(&drawn, &expected);
    assert_same_samples(&drawn, &expected);
    profile_free(&drawn);
    profile_free(&expected);
}

int main(void)
{
    return run_vectors(TEST_DATA "/vectors-handmade.json.gz", a_drawing_is_the_profile_of_its_vector);
}
