/* Any bytes as a processed profile, of which a part is taken: what remains refers to nothing that is gone, and can be written.
 * The first two bytes say which part. */
#include "target.h"

#include "export/cut.h"
#include "export/exporter.h"
#include "import/processed.h"

#include <math.h>

static int read_profile(struct slice text, struct profile *profile, struct error *error)
{
    struct byte_source *source = byte_source_memory(text, 0, false, error);
    struct json_reader *r = source ? json_reader_open(source, error) : NULL;
    if (r)
        import_processed(r, profile, error);
    json_reader_close(r);
    byte_source_close(source);
    return error->code;
}

static void check_cut(struct profile *profile, uint8_t which, uint8_t when)
{
    VEC(struct thread_index) threads = {0};
    struct func_changes changes = {0};
    struct error error = {0};
    for (size_t i = 0; i < profile->threads.count; i++)
        if (which >> i % 8 & 1)
            fuzz_check(vec_push(&threads, thread_at(i)));
    struct profile_cut cut = {
        .threads = threads.items,
        .thread_count = threads.count,
        .start = when & 1 ? when / 16 : NAN,
        .end = when & 2 ? when / 4 : NAN,
    };
    struct byte_sink *sink = byte_sink_memory(&error);
    fuzz_check(profile_cut(profile, &cut, &changes, &error) == 0);
    fuzz_check(profile_finish(profile, &error) == 0);
    fuzz_check(profile->threads.count == threads.count);
    fuzz_check(sink && export_processed(profile, sink, &error) == 0);
    byte_sink_close(sink, false, &error);
    func_changes_free(&changes);
    vec_free(&threads);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    if (read_profile((struct slice){(const char *)data + 2, size - 2}, &profile, &error) == 0)
        check_cut(&profile, data[0], data[1]);
    profile_free(&profile);
    return 0;
}
