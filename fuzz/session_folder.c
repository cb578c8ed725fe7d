/* Any bytes as a folder of two session files and the looks at both: an error or a profile in order, in both formats.
 *
 * The first byte says which processes they are of, and how far apart these started; the next four how many bytes the first file
 * has, and the second. See session_bytes.h for what is in a file. */
#include "session_bytes.h"

#include "common/byte_sink.h"
#include "export/exporter.h"
#include "export/gecko.h"
#include "import/importer.h"
#include "import/session.h"

#include <fcntl.h>
#include <limits.h>

enum { HEAD_BYTES = 5, ROWS_MOST = 10000 };

struct folder {
    char path[64], first[PATH_MAX], second[PATH_MAX], looks[PATH_MAX];
};

static struct folder folder;

static void remove_folder(void)
{
    unlink(folder.first);
    unlink(folder.second);
    unlink(folder.looks);
    rmdir(folder.path);
}

static void make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder.path, sizeof folder.path, "%.40s/sonde-fuzz-XXXXXX", parent ? parent : "/tmp");
    fuzz_check(mkdtemp(folder.path));
    atexit(remove_folder);
}

/* A file whose header says what the fuzzer cannot guess. */
static void put_file(char path[PATH_MAX], const char *name, int32_t pid, uint64_t start_ns, const uint8_t *data, size_t size)
{
    snprintf(path, PATH_MAX, "%s/%s", folder.path, name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fuzz_check(fd >= 0);
    session_bytes_write(fd, data, size);
    if (size == 0 || data[0] != 'f') {
        session_bytes_at(fd, offsetof(struct session_file_header, pid), &pid, sizeof pid);
        session_bytes_at(fd, offsetof(struct session_file_header, start_monotonic_ns), &start_ns, sizeof start_ns);
    }
    close(fd);
}

static void check_written(struct byte_sink *sink)
{
    struct error error = {0};
    struct profile profile;
    profile_init(&profile);
    struct byte_source *source = byte_source_memory(byte_sink_memory_bytes(sink), 0, false, &error);
    fuzz_check(source);
    if (import_profile(source, &profile, &error) != 0) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    byte_source_close(source);
    profile_free(&profile);
    byte_sink_close(sink, false, &error);
}

static void check_processed(void)
{
    struct error error = {0};
    struct profile profile;
    profile_init(&profile);
    int result = session_import(folder.path, NULL, &profile, &error);
    fuzz_check(result == error.code && (result == 0 || error.message[0] != '\0'));
    if (result == 0) {
        struct byte_sink *sink = byte_sink_memory(&error);
        fuzz_check(sink && export_processed(&profile, sink, &error) == 0);
        check_written(sink);
    }
    profile_free(&profile);
}

static void check_gecko(void)
{
    struct error error = {0};
    struct session_file *file = session_file_open(folder.first, &error);
    if (!file)
        return;
    const char *const others[] = {folder.second};
    struct byte_sink *sink = byte_sink_memory(&error);
    struct gecko_options options = {.other_processes = others, .other_process_count = 1, .rows_most = ROWS_MOST};
    fuzz_check(sink && export_gecko_session(file, &options, sink, &error) == 0);
    check_written(sink);
    session_file_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES)
        return 0;
    if (!folder.path[0])
        make_folder();
    bool same_process = data[0] & 1;
    uint64_t apart_ns = (uint64_t)(data[0] >> 1) * 20000000;
    size_t length = data[1] | (size_t)data[2] << 8, second = data[3] | (size_t)data[4] << 8;
    data += HEAD_BYTES;
    size -= HEAD_BYTES;
    length = length < size ? length : size;
    second = second < size - length ? second : size - length;
    put_file(folder.first, "10-0.sonde", 10, 1000000000, data, length);
    put_file(folder.second, same_process ? "10-1.sonde" : "11-0.sonde", same_process ? 10 : 11, 1000000000 + apart_ns,
             data + length, second);
    put_file(folder.looks, "looks", 0, 0, data + length + second, size - length - second);
    check_processed();
    check_gecko();
    unlink(folder.second);
    return 0;
}
