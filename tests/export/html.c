/* What stands in a report besides the page. */
#include "export/html.h"

#include "common/memory.h"
#include "common/pack_sink.h"
#include "support/text_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const struct slice template = SLICE("<!doctype html>\n");

/* The report of a small profile, in `sink`, which is the caller's. */
static int write_report(struct slice name, struct slice view, struct byte_sink *sink, struct error *error)
{
    struct profile profile;
    text_profile(&profile, "main\n");
    struct html_report report = {.profile = &profile, .template = template, .name = name, .view = view};
    int failed = export_html(&report, sink, error);
    profile_free(&profile);
    return failed;
}

static void expect_attributes(struct slice name, struct slice view, const char *expected)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_int_equal(write_report(name, view, sink, &error), 0);
    struct slice text = byte_sink_memory_bytes(sink);
    assert_true(slice_starts_with(text, slice_of(expected)));
    assert_true(slice_ends_with(text, SLICE("</script>\n</body>\n</html>\n")));
    byte_sink_close(sink, false, &error);
}

static void names_and_views_are_attributes(void **state)
{
    (void)state;
    expect_attributes(SLICE("a.json"), SLICE("{\"search\":\"x\"}"),
                      "<!doctype html>\n<script type=\"application/octet-stream\" class=\"sonde-profile\" "
                      "data-name=\"a.json\" data-view=\"{&quot;search&quot;:&quot;x&quot;}\">");
}

static void a_name_cannot_end_its_attribute(void **state)
{
    (void)state;
    expect_attributes(SLICE("\"><script>alert('&amp;')</script>\r"), SLICE(""),
                      "<!doctype html>\n<script type=\"application/octet-stream\" class=\"sonde-profile\" "
                      "data-name=\"&quot;>&lt;script>alert('&amp;amp;')&lt;/script>&#13;\" data-view=\"\">");
}

static void base64_is_padded(void **state)
{
    (void)state;
    const struct {
        const char *plain, *base64;
    } pairs[] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba\xff", "Zm9vYmH/"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct error error = {0};
        struct byte_sink *sink = byte_sink_memory(&error), *base64 = base64_sink_open(sink, &error);
        /* However it is cut. */
        for (const char *c = pairs[i].plain; *c; c++)
            assert_int_equal(byte_sink_write(base64, (struct slice){c, 1}, &error), 0);
        assert_int_equal(byte_sink_close(base64, true, &error), 0);
        assert_true(slice_equal(byte_sink_memory_bytes(sink), slice_of(pairs[i].base64)));
        byte_sink_close(sink, false, &error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_views_are_attributes),
        cmocka_unit_test(a_name_cannot_end_its_attribute),
        cmocka_unit_test(base64_is_padded),
    };
    return cmocka_run_group_tests_name("export/html", tests, NULL, NULL);
}
