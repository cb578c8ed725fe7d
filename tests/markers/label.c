#include "vectors.h"

#include "markers/label.h"

struct labelled {
    struct marker_catalog catalog;
    struct marker_labels labels;
    struct marker marker;
    struct value_bytes payload;
    struct text_buffer text;
};

/* The marker of a vector, and templates of this kind. */
static void labelled_open(struct labelled *l, struct vectors *vectors, const uint8_t *marker, enum label_kind kind)
{
    struct error error = {0};
    *l = (struct labelled){0};
    const uint8_t *data = vector_find(vectors, marker, "data");
    if (!vector_is_null(data))
        vector_put_payload(vectors, data, vector_top(vectors, "stringArrayForLabels"), &l->payload);
    l->marker = (struct marker){
        .start = vector_number(vector_find(vectors, marker, "start")),
        .end = vector_number(vector_find(vectors, marker, "end")),
        .name = value_read(vector_find(vectors, marker, "name")).string,
        .category = category_at((size_t)vector_number(vector_find(vectors, marker, "category"))),
        .data = l->payload.bytes.items,
        .row = marker_none(),
        .start_row = marker_none(),
    };
    assert_int_equal(marker_catalog_init(&l->catalog, &vectors->profile, &error), 0);
    assert_int_equal(marker_labels_init(&l->labels, &l->catalog, kind, LABELS_OF_PAGE, &error), 0);
}

static void labelled_close(struct labelled *l)
{
    text_free(&l->text);
    marker_labels_free(&l->labels);
    marker_catalog_free(&l->catalog);
    value_bytes_free(&l->payload);
}

static void assert_label(const struct vectors *vectors, const struct labelled *l, const uint8_t *vector)
{
    if (!slice_equal(text_slice(&l->text), vector_text(vectors, vector_find(vectors, vector, "expected"))))
        fail_msg("%s gives %.*s", vector_json(vectors, vector), (int)l->text.bytes.count, text_slice(&l->text).text);
}

static void templates_of_the_vectors(void **state)
{
    (void)state;
    struct vectors vectors;
    vectors_open(&vectors);
    vector_add_categories(&vectors, vector_top(&vectors, "categories"));
    vector_add_schema_fields(&vectors, "Test", vector_top(&vectors, "schemaFieldsForLabels"));
    size_t count = 0;
    for (VECTOR_EACH(at, vector_top(&vectors, "labels"))) {
        struct labelled l;
        labelled_open(&l, &vectors, vector_find(&vectors, at, "marker"), LABEL_TABLE);
        struct label_template label;
        assert_true(label_template_init(&label, &l.catalog, &vectors.profile.schemas.rows.items[0],
                                        vector_text(&vectors, vector_find(&vectors, at, "label"))));
        label_template_add(&label, &l.labels, &l.marker, &l.text);
        assert_label(&vectors, &l, at);
        label_template_free(&label);
        labelled_close(&l);
        count++;
    }
    assert_int_equal(count, 38);
    vectors_close(&vectors);
}

static enum label_kind kind_of(struct slice key)
{
    return slice_is(key, "tableLabel")     ? LABEL_TABLE
           : slice_is(key, "chartLabel")   ? LABEL_CHART
           : slice_is(key, "tooltipLabel") ? LABEL_TOOLTIP
           : slice_is(key, "copyLabel")    ? LABEL_COPY
                                           : LABEL_KINDS;
}

static void labels_of_every_kind_of_the_vectors(void **state)
{
    (void)state;
    struct vectors vectors;
    vectors_open(&vectors);
    size_t count = 0;
    for (VECTOR_EACH(at, vector_top(&vectors, "labelGetters"))) {
        const uint8_t *schema = vector_find(&vectors, at, "schema");
        if (!vector_is_null(schema))
            vector_add_schema(&vectors, schema);
        enum label_kind kind = kind_of(vector_text(&vectors, vector_find(&vectors, at, "key")));
        assert_int_not_equal(kind, LABEL_KINDS);
        struct labelled l;
        labelled_open(&l, &vectors, vector_find(&vectors, at, "marker"), kind);
        marker_label_add(&l.labels, &l.marker, &l.text);
        assert_label(&vectors, &l, at);
        labelled_close(&l);
        vectors_reset(&vectors);
        count++;
    }
    assert_int_equal(count, 12);
    vectors_close(&vectors);
}

static void the_client_leaves_empty_texts_out(void **state)
{
    (void)state;
    struct vectors vectors;
    vectors_open(&vectors);
    vector_add_schema_fields(&vectors, "Test", vector_top(&vectors, "schemaFieldsForLabels"));
    const uint8_t *with_empty_text = vector_item(vector_top(&vectors, "labels"), 33);
    struct labelled l;
    labelled_open(&l, &vectors, vector_find(&vectors, with_empty_text, "marker"), LABEL_TABLE);
    struct label_template label;
    assert_true(label_template_init(&label, &l.catalog, &vectors.profile.schemas.rows.items[0], SLICE("[{marker.data.str}]")));
    label_template_add(&label, &l.labels, &l.marker, &l.text);
    assert_true(slice_is(text_slice(&l.text), "[(empty)]"));
    text_cut(&l.text, 0);
    l.labels.style = LABELS_OF_CLIENT;
    label_template_add(&label, &l.labels, &l.marker, &l.text);
    assert_true(slice_is(text_slice(&l.text), "[]"));
    label_template_free(&label);
    labelled_close(&l);
    vectors_close(&vectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates_of_the_vectors),
        cmocka_unit_test(labels_of_every_kind_of_the_vectors),
        cmocka_unit_test(the_client_leaves_empty_texts_out),
    };
    return cmocka_run_group_tests_name("markers/label", tests, NULL, NULL);
}
