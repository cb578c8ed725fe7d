#include "server/profile_part.h"

#include "api/request_read.h"
#include "export/cut.h"
#include "import/importer.h"
#include "profile/time_span.h"
#include "server/profile_file.h"

#include <errno.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* The profile is read anew: cutting changes it, and others look at the one that is served. */
static int read_again(int packed, struct profile *profile, struct error *error)
{
    struct stat status = {0};
    size_t length = fstat(packed, &status) == 0 ? (size_t)status.st_size : 0;
    void *bytes = length > 0 ? mmap(NULL, length, PROT_READ, MAP_PRIVATE, packed, 0) : MAP_FAILED;
    if (bytes == MAP_FAILED)
        return error_set(error, -EIO, "the profile cannot be read: %s", error_text(errno));
    struct byte_source *source = byte_source_memory((struct slice){bytes, length}, 0, true, error);
    int result = source ? import_profile(source, profile, error) : error->code;
    byte_source_close(source);
    munmap(bytes, length);
    return result;
}

/* Each once, in the order of the profile; all of them where the state names none. -EINVAL or -ENOMEM otherwise. */
static int choose_threads(struct view_state *state, const struct profile *profile, struct error *error)
{
    for (uint32_t i = 0; i < profile->threads.count && !state->has_threads; i++)
        if (!vec_push(&state->threads, thread_at(i)))
            return error_out_of_memory(error);
    for (size_t i = 0; i < state->threads.count; i++) {
        uint32_t thread = state->threads.items[i].i;
        if (thread >= profile->threads.count)
            return error_set(error, -EINVAL, "state.threads: there is no thread %u", thread);
        if (i > 0 && thread <= state->threads.items[i - 1].i)
            return error_set(error, -EINVAL, "state.threads: these are wanted in ascending order");
    }
    return 0;
}

static int cut(struct view_state *state, struct profile *profile, struct error *error)
{
    struct func_changes changes = {0};
    double start = profile_time_span(profile).start;
    start = isfinite(start) ? start : 0;
    int status = choose_threads(state, profile, error);
    struct profile_cut wanted = {
        .threads = state->threads.items,
        .thread_count = state->threads.count,
        .start = state->range.start + start,
        .end = state->range.end + start,
    };
    if (status == 0)
        status = profile_cut(profile, &wanted, &changes, error);
    func_changes_free(&changes);
    return status;
}

int profile_part_make(int packed, struct slice text, struct error *error)
{
    struct request request;
    struct fault fault = {0};
    struct profile profile;
    profile_init(&profile);
    int status = request_read(text, &request, &fault);
    if (status != 0)
        error_set(error, status, "%s", fault.what.message);
    if (status == 0)
        status = read_again(packed, &profile, error);
    if (status == 0)
        status = cut(&request.state, &profile, error);
    if (status == 0)
        status = profile_file_make(&profile, error);
    profile_free(&profile);
    request_free(&request);
    return status;
}
