#include "vectors.h"

#include "markers/search.h"

static void assert_finds(struct vectors *vectors, const uint8_t *vector)
{
    vector_add_categories(vectors, vector_find(vectors, vector, "categories"));
    for (VECTOR_EACH(schema, vector_find(vectors, vector, "schema")))
        vector_add_schema(vectors, schema);
    vector_add_thread(vectors, vector_find(vectors, vector, "rawMarkers"), vector_find(vectors, vector, "stringArray"));
    struct error error = {0};
    struct marker_catalog catalog;
    struct marker_list list;
    struct marker_search search;
    struct slice query = vector_text(vectors, vector_find(vectors, vector, "query"));
    assert_int_equal(marker_catalog_init(&catalog, &vectors->profile, &error), 0);
    assert_int_equal(marker_list_build(&list, &catalog, thread_at(0), &error), 0);
    assert_int_equal(marker_search_init(&search, &catalog, query, &error), 0);
    const uint8_t *expected = vector_find(vectors, vector, "expectedMarkerIndexes");
    size_t found = 0;
    for (size_t i = 0; i < list.items.count; i++) {
        if (!marker_search_matches(&search, &list.items.items[i]))
            continue;
        if (found >= vector_count(expected) || vector_number(vector_item(expected, found)) != (double)i)
            fail_msg("'%s' finds marker %zu", query.text, i);
        found++;
    }
    if (found != vector_count(expected))
        fail_msg("'%s' finds %zu markers", query.text, found);
    marker_search_free(&search);
    marker_list_free(&list);
    marker_catalog_free(&catalog);
}

static void searches_of_the_vectors_find_their_markers(void **state)
{
    (void)state;
    struct vectors vectors;
    vectors_open(&vectors);
    size_t count = 0;
    for (VECTOR_EACH(at, vector_top(&vectors, "search"))) {
        assert_finds(&vectors, at);
        vectors_reset(&vectors);
        count++;
    }
    assert_int_equal(count, 27);
    vectors_close(&vectors);
}

/* A profile of one marker "Übergang" with {type: "T", n: 12.5, list: ["a", "b"], none: null}. */
static void open_marker(struct vectors *vectors, double end)
{
    *vectors = (struct vectors){0};
    struct profile *profile = &vectors->profile;
    profile_init(profile);
    struct string_table *strings = &profile->strings;
    static const char schema[] = "{\"name\":\"T\",\"fields\":[{\"key\":\"n\",\"format\":\"integer\"},"
                                 "{\"key\":\"List\",\"format\":\"list\"},{\"key\":\"none\",\"format\":\"string\"}]}";
    static const char payload[] = "{\"type\":\"T\",\"n\":12.5,\"List\":[\"a\",\"b\"],\"none\":null,\"unlisted\":\"zzz\"}";
    struct error error = {0};
    struct thread *thread = profile_add_thread(profile);
    const char *texts[] = {schema, payload};
    struct value_bytes *outs[] = {&vectors->bytes, &thread->markers.payloads};
    for (size_t i = 0; i < 2; i++) {
        struct byte_source *source = byte_source_memory(slice_of(texts[i]), 0, false, &error);
        struct json_reader *reader = json_reader_open(source, &error);
        value_from_json(reader, strings, outs[i]);
        assert_int_equal(json_finish(reader), 0);
        json_reader_close(reader);
        byte_source_close(source);
    }
    vector_add_schema(vectors, vectors->bytes.bytes.items);
    struct raw_marker marker = {
        .name = string_table_add(strings, SLICE("Übergang")),
        .start = 1,
        .end = end,
        .phase = isnan(end) ? MARKER_INSTANT : MARKER_INTERVAL,
        .category = category_none(),
        .cause_stack = stack_none(),
        .cause_time = NAN,
        .cause_tid = STRING_NONE,
        .thread_id = STRING_NONE,
        .data = thread->markers.payloads.bytes.items,
    };
    marker_table_append(&thread->markers, &marker);
}

static void open_one_marker(struct vectors *vectors)
{
    open_marker(vectors, NAN);
}

static bool finds_the_marker(struct vectors *vectors, const char *terms)
{
    struct error error = {0};
    struct marker_catalog catalog;
    struct marker_list list;
    struct marker_search search;
    assert_int_equal(marker_catalog_init(&catalog, &vectors->profile, &error), 0);
    assert_int_equal(marker_list_build(&list, &catalog, thread_at(0), &error), 0);
    assert_int_equal(marker_search_init(&search, &catalog, slice_of(terms), &error), 0);
    assert_int_equal(list.items.count, 1);
    bool found = marker_search_matches(&search, &list.items.items[0]);
    assert_false(search.failed);
    marker_search_free(&search);
    marker_list_free(&list);
    marker_catalog_free(&catalog);
    return found;
}

static void values_are_searched_as_the_text_they_are(void **state)
{
    (void)state;
    struct vectors vectors;
    open_one_marker(&vectors);
    assert_true(finds_the_marker(&vectors, "12.5"));
    assert_true(finds_the_marker(&vectors, "n:12"));
    assert_true(finds_the_marker(&vectors, "list:A,nothing"));
    assert_false(finds_the_marker(&vectors, "none:null"));
    assert_false(finds_the_marker(&vectors, "null"));
    vectors_close(&vectors);
}

static void fields_that_no_schema_lists_are_not_searched(void **state)
{
    (void)state;
    struct vectors vectors;
    open_one_marker(&vectors);
    assert_false(finds_the_marker(&vectors, "zzz"));
    assert_false(finds_the_marker(&vectors, "unlisted:zzz"));
    vectors_close(&vectors);
}

static void durations_are_bounds_that_all_have_to_keep(void **state)
{
    (void)state;
    static const struct {
        const char *terms;
        bool lasting, moment; /* whether it is found: 2.5 ms, and not at all */
    } rows[] = {
        {"duration:2ms..3ms", true, false},
        {"duration:..2.5", true, false},
        {"duration:2.6ms..", false, false},
        {"DURATION:1s..", false, false},
        {"duration:2500us..2.5ms", true, false},
        {"duration:..", true, true},
        {"name:über, duration:1..2", false, false},
        {"nothing, duration:2..3", false, false},
        {"-duration:2..3", true, true},
        {"duration:2", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int lasts = 0; lasts < 2; lasts++) {
            struct vectors vectors;
            open_marker(&vectors, lasts ? 3.5 : NAN);
            if (finds_the_marker(&vectors, rows[i].terms) != (lasts ? rows[i].lasting : rows[i].moment))
                fail_msg("%s, a marker that %s", rows[i].terms, lasts ? "lasts" : "is a moment");
            vectors_close(&vectors);
        }
}

static void case_does_not_matter_beyond_ascii_either(void **state)
{
    (void)state;
    struct vectors vectors;
    open_one_marker(&vectors);
    assert_true(finds_the_marker(&vectors, "ÜBER"));
    assert_true(finds_the_marker(&vectors, "name:über"));
    assert_false(finds_the_marker(&vectors, "-name:über"));
    vectors_close(&vectors);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct vectors vectors;
    open_one_marker(&vectors);
    bool failed = true;
    for (unsigned long n = 1; failed; n++) {
        struct error error = {0};
        struct marker_catalog catalog;
        struct marker_list list = {0};
        struct marker_search search = {0};
        memory_fail_after(n);
        failed = marker_catalog_init(&catalog, &vectors.profile, &error) != 0 ||
                 marker_list_build(&list, &catalog, thread_at(0), &error) != 0 ||
                 marker_search_init(&search, &catalog, SLICE("n:13,x,-list:b"), &error) != 0 ||
                 (marker_search_matches(&search, &list.items.items[0]), search.failed);
        memory_fail_after(0);
        marker_search_free(&search);
        marker_list_free(&list);
        marker_catalog_free(&catalog);
        assert_true(n < 1000);
    }
    vectors_close(&vectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_of_the_vectors_find_their_markers),
        cmocka_unit_test(values_are_searched_as_the_text_they_are),
        cmocka_unit_test(fields_that_no_schema_lists_are_not_searched),
        cmocka_unit_test(durations_are_bounds_that_all_have_to_keep),
        cmocka_unit_test(case_does_not_matter_beyond_ascii_either),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("markers/search", tests, NULL, NULL);
}
