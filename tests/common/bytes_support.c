#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bytes_support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

char bytes_folder[] = "/tmp/sonde-bytes-XXXXXX";

int make_folder(void **state)
{
    (void)state;
    return mkdtemp(bytes_folder) ? 0 : -1;
}

int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", bytes_folder);
    return system(command);
}

const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", bytes_folder, name);
    return path;
}

void release(struct slice bytes)
{
    free((void *)(uintptr_t)bytes.text);
}

struct slice read_all(struct byte_source *source, size_t capacity, ssize_t *end, struct error *error)
{
    char *bytes = malloc(8 << 20);
    size_t count = 0;
    ssize_t got;
    while ((got = source->read(source, bytes + count, capacity, error)) > 0)
        count += (size_t)got;
    *end = got;
    return (struct slice){bytes, count};
}

void assert_source_gives(struct byte_source *source, size_t capacity, struct slice expected)
{
    struct error error = {0};
    ssize_t end;
    assert_non_null(source);
    struct slice bytes = read_all(source, capacity, &end, &error);
    assert_int_equal(end, 0);
    assert_true(slice_equal(bytes, expected));
    release(bytes);
    byte_source_close(source);
}

void write_file(const char *path, enum byte_packing packing, struct slice bytes)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_create(path, packing, &error);
    assert_non_null(sink);
    assert_int_equal(byte_sink_write(sink, bytes, &error), 0);
    assert_int_equal(byte_sink_close(sink, true, &error), 0);
}

struct slice raw_file(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    size_t size = (size_t)status.st_size;
    char *bytes = malloc(size + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, bytes, size), size);
    close(fd);
    return (struct slice){bytes, size};
}

struct slice sample(size_t lines)
{
    char *text = malloc(lines * 32 + 1);
    size_t length = 0;
    for (size_t i = 0; i < lines; i++)
        length += (size_t)sprintf(text + length, "[%zu,%zu.%zu],\n", i, i * 7919 % 1000, i * 104729 % 997);
    return (struct slice){text, length};
}
