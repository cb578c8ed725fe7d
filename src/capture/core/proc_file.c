#include "capture/core/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

ssize_t proc_file_read(const char *path, char *text, size_t room)
{
    text[0] = '\0';
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    /* Once: what is smaller than a page comes whole. */
    ssize_t got;
    do
        got = read(file, text, room - 1);
    while (got < 0 && errno == EINTR);
    ssize_t result = got < 0 ? -errno : got;
    close(file);
    text[got > 0 ? got : 0] = '\0';
    return result;
}
