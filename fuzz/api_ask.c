/* Any bytes as a request of the query API, in both forms: a complete reply, which is the same when it is
 * asked again. */
#include "target.h"

#include "api/api.h"
#include "common/json_reader.h"
#include "import/folded.h"

#include <errno.h>

static struct profile profile;

/* Functions f-0 to f-4; `a` calls itself. */
static void open_profile(void)
{
    struct error error = {0};
    struct byte_source *source = byte_source_memory(SLICE("main;a;b;a 3\nmain;c 1\nmain;a;a;d 2\n"), 0, false, &error);
    profile_init(&profile);
    fuzz_check(source && folded_import(source, &profile, &error) == 0);
    byte_source_close(source);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    if (profile.threads.count == 0)
        open_profile();
    struct api *api = api_open(&profile, 1, &error);
    fuzz_check(api);
    struct slice request = {(const char *)data, size};
    struct text_buffer first = ask(api, request, API_JSON);
    struct text_buffer binary = ask(api, request, API_BINARY);
    struct text_buffer again = ask(api, request, API_JSON);
    export(api, request);
    fuzz_check(slice_equal(text_slice(&first), text_slice(&again)));
    text_free(&first);
    text_free(&binary);
    text_free(&again);
    api_close(api);
    return 0;
}
