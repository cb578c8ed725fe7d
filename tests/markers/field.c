#include "vectors.h"

#include "markers/field.h"

/* A schema `S` with one field `f` of this format. */
static const struct schema_field *add_field(struct vectors *vectors, const uint8_t *format)
{
    struct string_table *strings = &vectors->profile.strings;
    struct value_bytes fields = {0};
    value_put_array(&fields, 1);
    value_put_object(&fields, 2);
    value_put_key(&fields, string_table_add(strings, SLICE("key")));
    value_put_string(&fields, string_table_add(strings, SLICE("f")));
    value_put_key(&fields, string_table_add(strings, SLICE("format")));
    value_put_copy(&fields, format);
    vector_add_schema_fields(vectors, "S", fields.bytes.items);
    value_bytes_free(&fields);
    return &vectors->profile.schemas.rows.items[0].fields.items[0];
}

static bool expects_an_error(const struct vectors *vectors, const uint8_t *expected)
{
    return vector_find(vectors, expected, "error") != NULL;
}

static void assert_formats(struct vectors *vectors, const uint8_t *vector)
{
    const struct schema_field *field = add_field(vectors, vector_find(vectors, vector, "format"));
    const uint8_t *value = vector_find(vectors, vector, "value");
    const uint8_t *expected = vector_find(vectors, vector, "expected");
    const uint8_t *strings = vector_top(vectors, "stringArrayForLabels");
    double index = vector_number(value);
    if (field_format_is_string_index(field->format) && index < (double)vector_count(strings))
        value = vector_item(strings, (size_t)index);

    struct error error = {0};
    struct marker_catalog catalog;
    assert_int_equal(marker_catalog_init(&catalog, &vectors->profile, &error), 0);
    struct text_buffer text = {0}, wanted = {0};
    bool shown = field_format_value(&text, &catalog, field, value);
    if (!expects_an_error(vectors, expected))
        field_add_text(&wanted, &catalog, expected);
    if (shown == expects_an_error(vectors, expected) || !slice_equal(text_slice(&text), text_slice(&wanted)))
        fail_msg("%s gives %.*s", vector_json(vectors, vector), (int)text.bytes.count, text_slice(&text).text);
    text_free(&text);
    text_free(&wanted);
    marker_catalog_free(&catalog);
}

static void every_format_of_the_vectors(void **state)
{
    (void)state;
    struct vectors vectors;
    vectors_open(&vectors);
    size_t count = 0;
    for (VECTOR_EACH(at, vector_top(&vectors, "formats"))) {
        assert_formats(&vectors, at);
        vectors_reset(&vectors);
        count++;
    }
    assert_int_equal(count, 557);
    vectors_close(&vectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_of_the_vectors),
    };
    return cmocka_run_group_tests_name("markers/field", tests, NULL, NULL);
}
