#include "capture/core/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

int log_level;

void log_line(enum log_level level, const char *format, ...)
{
    if ((int)level > log_level)
        return;
    int saved = errno;
    char line[1024] = "sonde: ";
    enum { PREFIX = sizeof "sonde: " - 1 };
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + PREFIX, sizeof line - PREFIX - 1, format, arguments);
    va_end(arguments);
    if (length < 0)
        length = 0;
    if ((size_t)length > sizeof line - PREFIX - 2)
        length = sizeof line - PREFIX - 2;
    line[PREFIX + length] = '\n';
    /* One write, so that lines of several processes do not mix. If nobody listens, nobody can be told. */
    ssize_t written = write(STDERR_FILENO, line, (size_t)(PREFIX + length + 1));
    (void)written;
    errno = saved;
}
