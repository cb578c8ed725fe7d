#include "capture/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

ssize_t proc_file_read(const char *path, char *text, size_t room)
{
    text[0] = '\0';
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    size_t length = 0;
    ssize_t got;
    do {
        got = read(file, text + length, room - 1 - length);
        if (got > 0)
            length += (size_t)got;
    } while ((got > 0 && length < room - 1) || (got < 0 && errno == EINTR));
    ssize_t result = got < 0 && length == 0 ? -errno : (ssize_t)length;
    close(file);
    text[length] = '\0';
    return result;
}
