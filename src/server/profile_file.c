#include "server/profile_file.h"

#include "common/pack_sink.h"
#include "export/exporter.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static int write_packed(const struct profile *profile, int fd, struct error *error)
{
    struct byte_sink *plain = byte_sink_fd(fd, error);
    struct byte_sink *packed = plain ? gzip_sink_open(plain, error) : NULL;
    int result = packed ? export_processed(profile, packed, error) : -ENOMEM;
    int closed = byte_sink_close(packed, result == 0, error);
    return result ? result : closed;
}

int profile_file_make(const struct profile *profile, struct error *error)
{
    int fd = memfd_create("profile.json.gz", MFD_CLOEXEC);
    if (fd < 0)
        return error_set(error, -errno, "no memory for the profile: %s", error_text(errno));
    int result = write_packed(profile, fd, error);
    if (result == 0)
        return fd;
    close(fd);
    return result;
}
