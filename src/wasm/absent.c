/* What the engine as WebAssembly does not have. The page unpacks what is packed with gzip, and reads ahead; the files of a
 * session are mapped, and read by the command. */
#include "common/byte_source.h"
#include "import/session.h"
#include "session/format.h"

#include <errno.h>

static struct byte_source *still_packed(struct byte_source *packed, struct error *error)
{
    byte_source_close(packed);
    error_set(error, -ENOTSUP, "a packed profile has to be unpacked first");
    return NULL;
}

struct byte_source *gzip_source_open(struct byte_source *packed, struct error *error)
{
    return still_packed(packed, error);
}

struct byte_source *zstd_source_open(struct byte_source *packed, struct error *error)
{
    return still_packed(packed, error);
}

struct byte_source *ahead_source_open(struct byte_source *inner, struct error *error)
{
    (void)error;
    return inner;
}

bool session_recognise_path(const char *path)
{
    (void)path;
    return false;
}

bool session_recognise(struct slice start)
{
    return slice_starts_with(start, SLICE(SESSION_MAGIC));
}

int session_import(const char *path, const struct byte_progress *progress, struct profile *profile, struct error *error)
{
    (void)path;
    (void)progress;
    (void)profile;
    return error_set(error, -ENOTSUP, "a recording is opened by 'sonde view'");
}

int session_import_source(struct byte_source *source, struct profile *profile, struct error *error)
{
    (void)source;
    return session_import("", NULL, profile, error);
}
