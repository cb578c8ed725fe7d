/* Files made to be slow: very many rows that are equal, or that are looked up by name. Each of them would take
 * minutes if a row were compared with all that stand before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/import_text.h"

#include "common/text_buffer.h"
#include "import/importer.h"

enum { MANY = 100000 };

static void add(struct text_buffer *text, const char *part)
{
    text_add(text, slice_of(part));
}

/* MANY items, with commas between them; the format may have the number of the item, up to three times. */
static void add_many(struct text_buffer *text, const char *format) __attribute__((format(printf, 2, 0)));
static void add_many(struct text_buffer *text, const char *format)
{
    char item[200];
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(item, sizeof item, format, i, i, i);
        add(text, i == 0 ? "" : ",");
        add(text, item);
    }
}

static void assert_reads(struct text_buffer *text, struct profile *profile)
{
    assert_false(text->failed);
    assert_imports(import_profile, text_slice(text), profile);
    text_free(text);
}

static void equal_resources_keep_their_rows(void **state)
{
    (void)state;
    struct text_buffer text = {0};
    struct profile profile;
    add(&text,
        "{\"meta\":{\"preprocessedProfileVersion\":75},\"shared\":{\"stringArray\":[\"a\"],\"resourceTable\":{\"type\":[");
    add_many(&text, "5");
    add(&text, "],\"name\":[");
    add_many(&text, "0");
    add(&text, "]}},\"threads\":[]}");
    assert_reads(&text, &profile);
    assert_int_equal(profile.resources.rows.count, MANY);
    profile_free(&profile);
}

static void equal_sources_keep_their_rows(void **state)
{
    (void)state;
    struct text_buffer text = {0};
    struct profile profile;
    add(&text, "{\"meta\":{\"preprocessedProfileVersion\":75},\"shared\":{\"stringArray\":[\"a\"],\"sources\":{\"filename\":[");
    add_many(&text, "0");
    add(&text, "]}},\"threads\":[]}");
    assert_reads(&text, &profile);
    assert_int_equal(profile.sources.rows.count, MANY);
    profile_free(&profile);
}

static void every_schema_is_found_by_its_name(void **state)
{
    (void)state;
    struct text_buffer text = {0};
    struct profile profile;
    add(&text, "{\"meta\":{\"preprocessedProfileVersion\":75,\"markerSchema\":[");
    add_many(&text, "{\"name\":\"s%u\",\"fields\":[{\"key\":\"k\",\"format\":\"unique-string\"}]}");
    add(&text, "]},\"shared\":{\"stringArray\":[]},\"threads\":[]}");
    assert_reads(&text, &profile);
    assert_int_equal(profile.schemas.rows.count, MANY);
    assert_ptr_equal(marker_schema_find(&profile.schemas, string_table_find(&profile.strings, SLICE("s7"))),
                     &profile.schemas.rows.items[7]);
    profile_free(&profile);
}

static void a_schema_may_have_many_keys_and_fields(void **state)
{
    (void)state;
    struct text_buffer text = {0};
    struct profile profile;
    add(&text, "{\"meta\":{\"preprocessedProfileVersion\":54,\"markerSchema\":[{");
    add_many(&text, "\"k%u\":0");
    add(&text, ",\"data\":[");
    add_many(&text, "{\"key\":\"f%u\",\"format\":\"string\"}");
    add(&text, "],\"name\":\"n\"}]},\"libs\":[],\"threads\":[]}");
    assert_reads(&text, &profile);
    assert_int_equal(profile.schemas.rows.items[0].fields.count, MANY);
    profile_free(&profile);
}

static void every_implementation_is_a_subcategory(void **state)
{
    (void)state;
    struct text_buffer text = {0};
    struct profile profile;
    add(&text, "{\"meta\":{\"preprocessedProfileVersion\":53,\"categories\":[{\"name\":\"JavaScript\",\"color\":\"grey\"}]},"
               "\"libs\":[],\"threads\":[{\"name\":\"t\",\"stringArray\":[");
    add_many(&text, "\"i%u\"");
    add(&text, "],\"funcTable\":{\"name\":[0]},\"frameTable\":{\"func\":[");
    add_many(&text, "0");
    add(&text, "],\"implementation\":[");
    add_many(&text, "%u");
    add(&text, "]},\"samples\":{\"stack\":[],\"time\":[]}}]}");
    assert_reads(&text, &profile);
    assert_int_equal(frame_count(&profile.frames), MANY);
    assert_int_equal(profile.categories.rows.items[0].subcategories.count, MANY + 1);
    profile_free(&profile);
}

static void every_library_is_found_by_address(void **state)
{
    (void)state;
    struct text_buffer text = {0};
    struct profile profile;
    add(&text, "{\"meta\":{\"version\":36,\"interval\":1,\"startTime\":0},\"libs\":[");
    add_many(&text, "{\"start\":%u,\"end\":9%06u,\"offset\":0,\"name\":\"l\",\"debugName\":\"l\",\"breakpadId\":\"%u\"}");
    add(&text, "],\"threads\":[{\"name\":\"t\",\"stackTable\":{\"schema\":{},\"data\":[]},\"stringTable\":[");
    add_many(&text, "\"0x%x\"");
    add(&text, "],\"frameTable\":{\"schema\":{\"location\":0},\"data\":[");
    add_many(&text, "[%u]");
    add(&text, "]},\"samples\":{\"schema\":{\"eventDelay\":0},\"data\":[]}}]}");
    assert_reads(&text, &profile);
    assert_int_equal(frame_count(&profile.frames), MANY);
    assert_int_equal(profile.libs.rows.count, MANY);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_resources_keep_their_rows),       cmocka_unit_test(equal_sources_keep_their_rows),
        cmocka_unit_test(every_schema_is_found_by_its_name),     cmocka_unit_test(a_schema_may_have_many_keys_and_fields),
        cmocka_unit_test(every_implementation_is_a_subcategory), cmocka_unit_test(every_library_is_found_by_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
