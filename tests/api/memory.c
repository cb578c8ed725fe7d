/* Every allocation of every ask fails in turn: -ENOMEM, and the reply as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "api/api.h"
#include "import/importer.h"
#include "support/failing_alloc.h"
#include "support/text_profile.h"

#include <errno.h>

/* One of each. */
static const char *const requests[] = {
    "{\"v\":1,\"asks\":[{\"ask\":\"open\"}]}",
    "{\"v\":1,\"have\":[1],\"state\":{\"threads\":[0],\"transforms\":[\"merge-function:B\"],\"search\":\"a\"},\"asks\":["
    "{\"ask\":\"rows\",\"open\":[0,\"*\"],\"after\":9},{\"ask\":\"rows\",\"of\":\"functions\",\"after\":9}]}",
    "{\"v\":1,\"state\":{\"inverted\":true},\"asks\":[{\"ask\":\"toggle\",\"path\":[2],\"after\":9},"
    "{\"ask\":\"open_all\",\"after\":9},{\"ask\":\"open_heavy\",\"after\":9}]}",
    "{\"v\":1,\"asks\":[{\"ask\":\"find\",\"text\":\"b, c\",\"anchor\":[0]},{\"ask\":\"node\",\"path\":[0,1]},"
    "{\"ask\":\"find\",\"of\":\"functions\",\"text\":\"b\"}]}",
    "{\"v\":1,\"state\":{\"inverted\":true},\"asks\":[{\"ask\":\"find\",\"text\":\"b\",\"open\":[\"*\"]},"
    "{\"ask\":\"node\",\"path\":[1]}]}",
    "{\"v\":1,\"asks\":[{\"ask\":\"tracks\",\"width\":9,\"threads\":[0],\"path\":[0]},"
    "{\"ask\":\"sample_at\",\"thread\":0,\"at\":1},{\"ask\":\"flame\",\"width\":9,\"until\":3,\"zoom\":[0]},"
    "{\"ask\":\"lines\",\"func\":1}]}",
    "{\"v\":1,\"state\":{\"transforms\":[\"merge-function:B\",\"focus-category:0\"]},\"asks\":[{\"ask\":\"rows\","
    "\"since\":0,\"open\":[0,1,\"*\",-1,2],\"anchor\":[0,1],\"after\":9},{\"ask\":\"node\",\"since\":1,\"path\":[0]}]}",
    "{\"v\":1,\"asks\":[{\"ask\":\"flame\",\"width\":9,\"until\":3,\"order\":\"time\",\"highlight\":\"b\"},"
    "{\"ask\":\"butterfly\",\"width\":9,\"func\":1,\"order\":\"time\"},"
    "{\"ask\":\"rows\",\"after\":9,\"highlight\":\"c\"}]}",
    "{\"v\":1,\"asks\":[{\"ask\":\"stack_chart\",\"width\":3,\"until\":9,\"highlight\":\"b\"}]}",
    "{\"v\":1,\"asks\":[{\"ask\":\"source\",\"func\":0,\"path\":[0]},{\"ask\":\"instructions\",\"func\":0},{\"ask\":"
    "\"modules\"}]}",
    "{\"v\":1,\"asks\":[{\"ask\":\"tracks\",\"width\":3,\"threads\":[0],\"strip\":true,\"waits\":true,"
    "\"sum_processes\":true}]}",
    "{\"v\":1,\"asks\":[{\"ask\":\"range\",\"threads\":[0],\"counters\":[]}]}",
    "{\"v\":1,\"asks\":[{\"ask\":\"call_sites\",\"path\":[0,1]},{\"ask\":\"call_sites\",\"func\":1},"
    "{\"ask\":\"groups\",\"by\":\"library\",\"after\":9}]}",
    "{\"v\":1,\"asks\":[{\"ask\":\"compare\",\"of\":\"functions\",\"after\":9},{\"ask\":\"compare\",\"after\":2}]}",
    "{\"v\":1,\"state\":{\"inverted\":true,\"transforms\":[\"merge-function:B\"]},\"asks\":[{\"ask\":\"compare\","
    "\"per\":\"share\",\"after\":9}]}",
    "{\"v\":1,\"asks\":[{\"ask\":\"nothing\"}]}",
};

static const char *const marker_requests[] = {
    "{\"v\":1,\"state\":{\"threads\":[0,1],\"marker_search\":\"-name:flip,cat:o\"},\"asks\":[{\"ask\":\"marker_rows\"},"
    "{\"ask\":\"marker_chart\",\"until\":9,\"width\":900},{\"ask\":\"marker_chart\",\"until\":9,\"width\":9}]}",
    "{\"v\":1,\"state\":{\"threads\":[0,1]},\"asks\":[{\"ask\":\"marker_table\",\"sorted_by\":[\"-name\",\"duration\"],"
    "\"after\":9}"
    ","
    "{\"ask\":\"marker_stats\",\"after\":9},{\"ask\":\"marker_lanes\",\"threads\":[0,1],\"width\":9}]}",
    "{\"v\":1,\"state\":{\"marker_search\":\"type:allocation\"},\"asks\":[{\"ask\":\"marker_table\",\"fields\":true,\"after\":"
    "9}]}",
    "{\"v\":1,\"asks\":[{\"ask\":\"marker\",\"thread\":0,\"marker\":1},{\"ask\":\"marker\",\"thread\":0,\"marker\":2}]}",
};

static int find_source(void *context, const struct source_wish *wish, const struct found_source **found)
{
    static const struct found_source source = {.origin = "disk", .text = {"text", 4}};
    (void)context, (void)wish;
    *found = &source;
    return 0;
}

static int find_code(void *context, const struct code_wish *wish, const struct found_code **found)
{
    static const struct found_instruction row = {
        .address = 16, .size = 4, .text = {"call", 4}, .file = {"a", 1}, .function = {"b", 1}};
    static const struct found_code code = {.arch = "x86_64", .rows = &row, .count = 1};
    (void)context, (void)wish;
    *found = &code;
    return 0;
}

static const struct api_sources sources = {NULL, find_source, find_code};

struct attempt {
    const struct profile *profile;
    const char *request;
    enum api_format format;
};

static int attempt(void *data, struct error *error)
{
    const struct attempt *of = data;
    struct api *api = api_open(of->profile, 1, error);
    if (!api)
        return error->code;
    struct text_buffer reply = {0};
    api_use_sources(api, &sources);
    /* With itself. */
    if (api_compare_with(api, of->profile, "base", error) != 0) {
        api_close(api);
        return error->code;
    }
    int status = api_ask(api, slice_of(of->request), of->format, &reply);
    if (status != 0) {
        assert_int_equal(reply.bytes.count, 0);
        assert_false(reply.failed);
        error_set(error, status, "api_ask failed");
    }
    text_free(&reply);
    api_close(api);
    return status;
}

static void fail_each(const struct profile *profile, const char *const *asked, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (enum api_format format = API_BINARY; format <= API_JSON; format++)
            assert_survives_failing_allocations(attempt, &(struct attempt){profile, asked[i], format});
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct profile profile;
    text_profile(&profile, "A[lib:l][file:f][line:1][address:12][sym:A:10:9]  A  A  D\n"
                           "B                                                 B  C\n"
                           "A[lib:l]\n");
    fail_each(&profile, requests, sizeof requests / sizeof *requests);
    profile_free(&profile);
}

static void every_allocation_of_markers_may_fail(void **state)
{
    (void)state;
    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    assert_int_equal(import_file(TEST_DATA "/example-markers.json", NULL, &profile, &error), 0);
    fail_each(&profile, marker_requests, sizeof marker_requests / sizeof *marker_requests);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_of_markers_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
