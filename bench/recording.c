#include "recording.h"

#define SONDE_LINKED
#include "sonde/sonde.h"

#include "session/reader.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[200];

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}

void recording_start(double interval_ms, uint64_t buffer_bytes)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/sonde-bench-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder))
        fail(folder, strerror(errno));
    struct sonde_start_options options = {
        .size = sizeof options,
        .interval_ms = interval_ms,
        .buffer_bytes = buffer_bytes,
        .session = folder,
    };
    int result = sonde_start(&options);
    if (result != 0)
        fail("start", strerror(-result));
}

static int ignore_entry(void *data, const struct any_entry *entry, struct error *error)
{
    (void)data, (void)entry, (void)error;
    return 0;
}

static int read_one(void *data, const char *path, struct error *error)
{
    struct recorded *sum = data;
    struct session_file *file = session_file_open(path, error);
    if (!file)
        return error->code;
    struct session_file_header header;
    session_file_header(file, &header);
    static const struct session_visitor visitor = {.entry = ignore_entry};
    struct session_reading reading = {0};
    int result = session_file_visit(file, &visitor, NULL, &reading, error);
    session_file_close(file);
    for (unsigned i = 0; i < STATISTIC_COUNT; i++)
        sum->statistics[i] += header.statistics[i];
    for (unsigned i = 0; i < HELD_BUCKETS; i++)
        sum->held[i] += header.held[i];
    sum->files++;
    sum->files_sampled += header.statistics[STATISTIC_SAMPLES_EVENT] + header.statistics[STATISTIC_SAMPLES_TICK] > 0;
    sum->bytes += reading.bytes_read;
    sum->bad_entries += reading.bad_entries;
    struct stat stat_;
    if (stat(path, &stat_) == 0)
        sum->file_bytes += (uint64_t)stat_.st_blocks * 512;
    unlink(path);
    return result;
}

void recording_read(const char *path, struct recorded *sum)
{
    struct error error = {0};
    if (session_folder_visit(path, read_one, sum, &error) != 0)
        fail(path, error.message);
    DIR *rest = opendir(path); /* the looks, the recorder's notes … */
    for (struct dirent *entry; rest && (entry = readdir(rest));)
        if (entry->d_type == DT_REG)
            unlinkat(dirfd(rest), entry->d_name, 0);
    if (rest)
        closedir(rest);
    rmdir(path);
}

void recording_stop(void)
{
    sonde_stop();
}

void recording_read_own(struct recorded *sum)
{
    recording_read(folder, sum);
}

void recorded_print_figures(FILE *out, const struct recorded *recorded)
{
    static const struct {
        enum session_statistic statistic;
        const char *name;
    } names[] = {
        {STATISTIC_SAMPLES_EVENT, "byEvents"},     {STATISTIC_SAMPLES_TICK, "byTicks"},
        {STATISTIC_SAMPLES_LOST, "lost"},          {STATISTIC_LOOKS, "looks"},
        {STATISTIC_LOOKS_REFUSED, "looksRefused"}, {STATISTIC_STACKS_TRUNCATED, "truncated"},
        {STATISTIC_ENTRIES_LOST, "entriesLost"},   {STATISTIC_CHUNKS_RECYCLED, "chunksRecycled"},
        {STATISTIC_HANDLER_NS, "handlerNs"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fprintf(out, "\"%s\": %lu, ", names[i].name, recorded->statistics[names[i].statistic]);
    fprintf(out, "\"files\": %lu, \"filesSampled\": %lu, \"bytes\": %lu, \"held\": [", recorded->files, recorded->files_sampled,
            recorded->bytes);
    for (unsigned i = 0; i < HELD_BUCKETS; i++)
        fprintf(out, "%s%lu", i ? ", " : "", recorded->held[i]);
    fputc(']', out);
}
