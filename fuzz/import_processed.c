/* Any bytes as a processed profile; what can be read can be written, and what was written can be read. The first byte says how
 * the rest is cut into pieces. */
#include "target.h"

#include "export/exporter.h"
#include "import/processed.h"

static int read_profile(struct slice text, size_t piece, struct profile *profile, struct error *error)
{
    profile_init(profile);
    struct byte_source *source = byte_source_memory(text, piece, false, error);
    struct json_reader *r = source ? json_reader_open(source, error) : NULL;
    if (r)
        import_processed(r, profile, error);
    json_reader_close(r);
    byte_source_close(source);
    return error->code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct profile profile, again;
    struct error error = {0};
    if (read_profile((struct slice){(const char *)data + 1, size - 1}, data[0], &profile, &error) == 0) {
        struct byte_sink *sink = byte_sink_memory(&error);
        fuzz_check(sink && export_processed(&profile, sink, &error) == 0);
        if (read_profile(byte_sink_memory_bytes(sink), 0, &again, &error))
            fprintf(stderr, "%s\n", error.message);
        fuzz_check(error.code == 0);
        fuzz_check(frame_count(&profile.frames) == frame_count(&again.frames));
        fuzz_check(stack_count(&profile.stacks) == stack_count(&again.stacks));
        fuzz_check(profile.threads.count == again.threads.count);
        profile_free(&again);
        byte_sink_close(sink, false, &error);
    }
    fuzz_check(error.code == 0 || error.message[0] != '\0');
    profile_free(&profile);
    return 0;
}
