/* Any bytes as a request of the query API, in both forms: a complete reply, which is the same when it is
 * asked again. The profile is of generation 2, and has been of 1. */
#include "target.h"

#include "api/api.h"
#include "common/json_reader.h"
#include "import/folded.h"
#include "import/trace_events.h"

#include <errno.h>

/* Functions f-0 to f-4; `a` calls itself. */
static const char samples[] = "main;a;b;a 3\nmain;c 1\nmain;a;a;d 2\n";

/* Moments and intervals, nested and cut off, on two threads. */
static const char markers[] =
    "{\"traceEvents\":["
    "{\"name\":\"draw\",\"ph\":\"X\",\"ts\":1000,\"dur\":5000,\"pid\":1,\"tid\":1,\"cat\":\"x\",\"args\":{\"size\":3,\"parts\":"
    "[1,2]}},"
    "{\"name\":\"draw\",\"ph\":\"X\",\"ts\":2000,\"dur\":1000,\"pid\":1,\"tid\":1,\"cat\":\"x\",\"args\":{\"size\":700}},"
    "{\"name\":\"flip\",\"ph\":\"i\",\"ts\":2000,\"pid\":1,\"tid\":1,\"cat\":\"y\"},"
    "{\"name\":\"load\",\"ph\":\"B\",\"ts\":3000,\"pid\":1,\"tid\":1,\"cat\":\"x\"},"
    "{\"name\":\"load\",\"ph\":\"X\",\"ts\":1500,\"dur\":9000,\"pid\":1,\"tid\":2,\"cat\":\"x\"}]}";

/* What either is compared with. */
static const char base_samples[] = "main;a;b 4\nmain;c 3\nmain;e 2\n";

static struct profile profiles[2], base;

static void open_profile(struct profile *profile, int (*import)(struct byte_source *, struct profile *, struct error *),
                         const char *text)
{
    struct error error = {0};
    struct byte_source *source = byte_source_memory(slice_of(text), 0, false, &error);
    profile_init(profile);
    fuzz_check(source && import(source, profile, &error) == 0);
    byte_source_close(source);
}

/* There is a text, and one instruction. */
static int find_source(void *context, const struct source_wish *wish, const struct found_source **found)
{
    static const struct found_source source = {.origin = "disk", .text = {"one\ntwo\xff", 8}};
    (void)context, (void)wish;
    *found = &source;
    return 0;
}

static int find_code(void *context, const struct code_wish *wish, const struct found_code **found)
{
    static const struct found_instruction row = {.address = 16, .size = 4, .text = {"call", 4}, .file = {"a", 1}};
    static const struct found_code code = {.arch = "x86_64", .rows = &row, .count = 1};
    (void)context, (void)wish;
    *found = &code;
    return 0;
}

static const struct api_sources sources = {NULL, find_source, find_code};

/* Generation 2: of the first profile f-1 is f-2 with f-3 inlined into it, and f-4 was added. */
static void change(struct api *api, const struct profile *profile)
{
    static const uint32_t start[] = {0, 0, 2, 2, 2}, funcs[] = {2, 3};
    struct func_changes changes = {.count_after = 5};
    for (size_t i = 0; i < 5 && profile == &profiles[0]; i++)
        fuzz_check(vec_push(&changes.start, start[i]));
    for (size_t i = 0; i < 2 && profile == &profiles[0]; i++)
        fuzz_check(vec_push(&changes.funcs, funcs[i]));
    api_update(api, &changes, true);
}

/* One JSON object, with an error or parts. */
static void check_head(struct slice head)
{
    struct error error = {0};
    struct byte_source *source = byte_source_memory(head, 0, false, &error);
    struct json_reader *reader = source ? json_reader_open(source, &error) : NULL;
    fuzz_check(reader);
    int errors = 0, parts = 0;
    fuzz_check(json_begin_object(reader));
    for (struct slice key; json_next_key(reader, &key); json_skip(reader)) {
        errors += slice_is(key, "error");
        parts += slice_is(key, "parts");
    }
    fuzz_check(json_finish(reader) == 0);
    fuzz_check(errors + parts == 1);
    json_reader_close(reader);
    byte_source_close(source);
}

static struct text_buffer ask(struct api *api, struct slice request, enum api_format format)
{
    struct text_buffer reply = {0};
    fuzz_check(api_ask(api, request, format, &reply) == 0);
    struct slice head = text_slice(&reply);
    if (format == API_BINARY) {
        uint32_t length;
        fuzz_check(reply.bytes.count >= sizeof length);
        memcpy(&length, reply.bytes.items, sizeof length);
        fuzz_check(length <= reply.bytes.count - sizeof length && (length + sizeof length) % 8 == 0);
        fuzz_check(reply.bytes.count % 8 == 0);
        head = slice_until(slice_from(head, sizeof length), length);
    }
    check_head(head);
    return reply;
}

/* The same bytes as a request for an export: a file, or a reply that says why not. */
static void export(struct api *api, struct slice request)
{
    struct error error = {0};
    struct text_buffer refusal = {0};
    const char *type;
    struct byte_sink *sink = byte_sink_memory(&error);
    fuzz_check(sink);
    int status = api_export(api, request, sink, &type, &refusal, &error);
    fuzz_check(status == 0 || status == -EINVAL);
    fuzz_check(status == 0 ? refusal.bytes.count == 0 && type : byte_sink_memory_bytes(sink).length == 0);
    if (status != 0)
        check_head(text_slice(&refusal));
    byte_sink_close(sink, false, &error);
    text_free(&refusal);
}

static void ask_about(const struct profile *profile, struct slice request)
{
    struct error error = {0};
    struct api *api = api_open(profile, 1, &error);
    fuzz_check(api);
    api_use_sources(api, &sources);
    fuzz_check(api_compare_with(api, &base, "base", &error) == 0);
    change(api, profile);
    struct text_buffer first = ask(api, request, API_JSON);
    struct text_buffer binary = ask(api, request, API_BINARY);
    struct text_buffer again = ask(api, request, API_JSON);
    export(api, request);
    fuzz_check(slice_equal(text_slice(&first), text_slice(&again)));
    text_free(&first);
    text_free(&binary);
    text_free(&again);
    api_close(api);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (profiles[0].threads.count == 0) {
        open_profile(&profiles[0], folded_import, samples);
        open_profile(&profiles[1], trace_events_import, markers);
        open_profile(&base, folded_import, base_samples);
    }
    for (size_t i = 0; i < 2; i++)
        ask_about(&profiles[i], (struct slice){(const char *)data, size});
    return 0;
}
