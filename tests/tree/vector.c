#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vector.h"

#include "import/processed.h"
#include "tree/transform_text.h"

#include <stdlib.h>

static void import_source(struct byte_source *source, struct profile *profile, struct error *error)
{
    profile_init(profile);
    struct json_reader *r = source ? json_reader_open(source, error) : NULL;
    if (!r || import_processed(r, profile, error) != 0)
        fail_msg("%s", error->message);
    json_reader_close(r);
    byte_source_close(source);
}

void import_value(const struct json_document *document, const uint8_t *value, struct profile *profile)
{
    struct error error = {0};
    char *text = json_dump(document, value, 0);
    import_source(byte_source_memory(slice_of(text), 0, false, &error), profile, &error);
    memory_release(text);
}

uint32_t func_named(const struct func_list *funcs, struct slice name)
{
    uint32_t found = INDEX_NONE;
    for (uint32_t func = 0; func < funcs->own_count; func++)
        if (slice_equal(func_list_name(funcs, func), name)) {
            assert_int_equal(found, INDEX_NONE);
            found = func;
        }
    for (uint32_t func = funcs->own_count; func < funcs->count && found == INDEX_NONE; func++)
        if (slice_equal(func_list_name(funcs, func), name))
            found = func;
    return found;
}

void path_of_names(const struct json_document *document, const struct func_list *funcs, const uint8_t *names, struct path *path)
{
    uint32_t count;
    path->funcs.count = 0;
    for (const uint8_t *name = json_items(names, &count); count > 0; count--, name = value_skip(name))
        assert_true(path_push(path, func_named(funcs, json_text(document, name))));
}

/* ---- transforms ---- */

static const char *const filter_names[SAMPLE_FILTERS] = {"marker-search", "outside-marker", "function-include", "stack-prefix",
                                                         "stack-suffix"};

static enum transform_type type_named(struct slice name)
{
    for (enum transform_type type = 0; type < TRANSFORM_TYPES; type++)
        if (slice_equal(name, slice_of(transform_name(type))))
            return type;
    fail_msg("transform %.*s", (int)name.length, name.text);
    return TRANSFORM_TYPES;
}

static enum sample_filter filter_named(struct slice name)
{
    for (enum sample_filter filter = 0; filter < SAMPLE_FILTERS; filter++)
        if (slice_equal(name, slice_of(filter_names[filter])))
            return filter;
    fail_msg("filter %.*s", (int)name.length, name.text);
    return SAMPLE_FILTERS;
}

static void read_filter(const struct func_list *funcs, const struct json_document *document, const uint8_t *json,
                        struct transform *transform)
{
    const uint8_t *names = json_find(document, json, "funcs");
    transform->filter = filter_named(json_text(document, json_get(document, json, "filterType")));
    if (names) {
        path_of_names(document, funcs, names, &transform->path);
        return;
    }
    struct slice text = json_text(document, json_get(document, json, "filter"));
    transform->text = memory_zeroed(text.length + 1, 1);
    assert_non_null(transform->text);
    memcpy(transform->text, text.text, text.length);
}

static uint32_t resource_named(const struct profile *profile, struct slice name)
{
    for (uint32_t i = 0; i < profile->resources.rows.count; i++)
        if (slice_equal(profile_text(profile, profile->resources.rows.items[i].name), name))
            return i;
    fail_msg("resource %.*s", (int)name.length, name.text);
    return INDEX_NONE;
}

static struct transform read_transform(const struct func_list *funcs, const struct json_document *document, const uint8_t *json,
                                       enum implementation of_view)
{
    const struct profile *profile = funcs->profile;
    struct transform transform = {
        .type = type_named(json_text(document, json_get(document, json, "type"))),
        .implementation = of_view,
        .func = INDEX_NONE,
        .category = INDEX_NONE,
        .resource = INDEX_NONE,
    };
    const uint8_t *implementation = json_find(document, json, "implementation"),
                  *inverted = json_find(document, json, "inverted"), *path = json_find(document, json, "path"),
                  *func = json_find(document, json, "func"), *category = json_find(document, json, "category"),
                  *resource = json_find(document, json, "resource");
    if (implementation)
        assert_true(implementation_parse(json_text(document, implementation), &transform.implementation));
    transform.inverted = inverted && json_is_true(inverted);
    if (path)
        path_of_names(document, funcs, path, &transform.path);
    if (func)
        transform.func = func_named(funcs, json_text(document, func));
    if (category)
        transform.category = category_list_find(&profile->categories, &profile->strings, json_text(document, category)).i;
    if (resource) {
        transform.resource = resource_named(profile, json_text(document, resource));
        transform.func = func_list_collapsed(funcs, transform.resource);
    }
    if (transform.type == FILTER_SAMPLES)
        read_filter(funcs, document, json, &transform);
    return transform;
}

/* ---- the question ---- */

static const uint8_t *find_unless_null(const struct json_document *document, const uint8_t *options, const char *key)
{
    const uint8_t *value = json_find(document, options, key);
    return value && !json_is_null(value) ? value : NULL;
}

static struct time_range read_range(const uint8_t *range)
{
    if (!range)
        return query_default().range;
    return (struct time_range){json_double(json_item(range, 0)), json_double(json_item(range, 1))};
}

void question_read(struct question *question, const struct view *whole, const struct json_document *document,
                   const uint8_t *options, const uint8_t *transforms)
{
    *question = (struct question){.query = query_default()};
    struct query *query = &question->query;
    const uint8_t *search = find_unless_null(document, options, "search"),
                  *strategy = find_unless_null(document, options, "strategy"),
                  *selected = find_unless_null(document, options, "selectedPath"),
                  *idle = find_unless_null(document, options, "excludeIdle"),
                  *thread = find_unless_null(document, options, "thread");
    question->thread = thread_at(thread ? json_u32(thread) : 0);
    query->threads = &question->thread;
    query->thread_count = 1;
    query->range = read_range(find_unless_null(document, options, "range"));
    query->preview = read_range(find_unless_null(document, options, "previewRange"));
    query->search = search ? json_text(document, search) : SLICE("");
    query->inverted = json_is_true(json_get(document, options, "invert"));
    query->exclude_idle = idle && json_is_true(idle);
    assert_true(
        implementation_parse(json_text(document, json_get(document, options, "implementation")), &query->implementation));
    if (strategy)
        assert_true(strategy_parse(json_text(document, strategy), &query->strategy));
    uint32_t count;
    for (const uint8_t *item = json_items(transforms, &count); count > 0; count--, item = value_skip(item))
        assert_true(vec_push(&question->transforms.items, read_transform(whole->funcs, document, item, query->implementation)));
    query->transforms = question->transforms.items.items;
    query->transform_count = question->transforms.items.count;
    if (selected) {
        path_of_names(document, whole->funcs, selected, &question->selected);
        query->selected = &question->selected;
    }
}

void question_free(struct question *question)
{
    path_free(&question->selected);
    transform_list_free(&question->transforms);
}

void vector_open(struct vector *vector, const struct json_document *document, const uint8_t *json)
{
    struct error error = {0};
    import_value(document, json_get(document, json, "profile"), &vector->profile);
    if (view_open(&vector->profile, &vector->whole, &error) != 0)
        fail_msg("%s", error.message);
    question_read(&vector->question, &vector->whole, document, json, json_get(document, json, "transforms"));
}

void vector_close(struct vector *vector)
{
    question_free(&vector->question);
    view_free(&vector->whole);
    profile_free(&vector->profile);
}

/* ---- running ---- */

int run_vectors(const char *path, void (*test)(void **state))
{
    struct json_document document;
    json_document_open(&document, path);
    uint32_t count;
    const uint8_t *json = json_items(json_root(&document), &count);
    struct vector_item *items = calloc(count, sizeof *items);
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    for (uint32_t i = 0; i < count; i++, json = value_skip(json)) {
        struct slice name = json_text(&document, json_get(&document, json, "name"));
        items[i] = (struct vector_item){&document, json, strndup(name.text, name.length)};
        tests[i] = (struct CMUnitTest){.name = items[i].name, .test_func = test, .initial_state = &items[i]};
    }
    int failed = _cmocka_run_group_tests(path, tests, count, NULL, NULL);
    for (uint32_t i = 0; i < count; i++)
        free(items[i].name);
    free(items);
    free(tests);
    json_document_close(&document);
    return failed;
}
