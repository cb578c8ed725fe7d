/* Any bytes as a session: its Gecko profile is written, whatever is in it, and our own importer reads it. */
#include "session_bytes.h"

#include "common/byte_source.h"
#include "export/gecko.h"
#include "import/importer.h"

static void check_import(struct slice json)
{
    struct error error = {0};
    struct profile profile;
    profile_init(&profile);
    struct byte_source *source = byte_source_memory(json, 0, false, &error);
    fuzz_check(source);
    if (import_profile(source, &profile, &error) != 0) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    byte_source_close(source);
    profile_free(&profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct session_file *file = session_bytes_open(data, size);
    if (!file)
        return 0;
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    struct gecko_options options = {.since_ns = size % 3 == 0 ? 2000000 : 0, .rows_most = 10000};
    fuzz_check(sink && export_gecko_session(file, &options, sink, &error) == 0);
    check_import(byte_sink_memory_bytes(sink));
    byte_sink_close(sink, false, &error);
    session_file_close(file);
    return 0;
}
