/* What is asked of every importer: an error with a message, or a profile that profile_finish() finds in order; and the same
 * answer however the bytes are cut. */
#ifndef SONDE_FUZZ_IMPORT_TARGET_H
#define SONDE_FUZZ_IMPORT_TARGET_H

#include "target.h"

#include "common/byte_source.h"
#include "common/error.h"
#include "profile/profile.h"

typedef int import_function(struct byte_source *source, struct profile *profile, struct error *error);

/* What must not depend on the cuts. */
struct import_sum {
    int result;
    size_t strings, funcs, frames, stacks, threads, samples;
};

static inline struct import_sum import_pieces(import_function *import, struct slice bytes, size_t piece)
{
    struct error error = {0};
    struct profile profile;
    profile_init(&profile);
    struct byte_source *source = byte_source_memory(bytes, piece, false, &error);
    fuzz_check(source);
    struct import_sum sum = {.result = import(source, &profile, &error)};
    fuzz_check(sum.result == error.code);
    fuzz_check(sum.result == 0 || error.message[0] != '\0');
    if (sum.result == 0) {
        fuzz_check(profile_finish(&profile, &error) == 0);
        sum.strings = string_table_count(&profile.strings);
        sum.funcs = func_count(&profile.funcs);
        sum.frames = frame_count(&profile.frames);
        sum.stacks = stack_count(&profile.stacks);
        sum.threads = profile.threads.count;
        for (size_t i = 0; i < profile.threads.count; i++)
            sum.samples += sample_count(&profile.threads.items[i].samples);
    }
    byte_source_close(source);
    profile_free(&profile);
    return sum;
}

static inline void import_target(import_function *import, const uint8_t *data, size_t size)
{
    struct slice bytes = {(const char *)data, size};
    struct import_sum whole = import_pieces(import, bytes, 0);
    struct import_sum pieces = import_pieces(import, bytes, 1 + size % 13);
    fuzz_check(whole.result == pieces.result);
    fuzz_check(whole.strings == pieces.strings);
    fuzz_check(whole.funcs == pieces.funcs);
    fuzz_check(whole.frames == pieces.frames);
    fuzz_check(whole.stacks == pieces.stacks);
    fuzz_check(whole.threads == pieces.threads);
    fuzz_check(whole.samples == pieces.samples);
}

#endif
