#include "recording.h"

#define SONDE_LINKED
#include "sonde/sonde.h"

#include "session/reader.h"

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
    sum->bytes += reading.bytes_read;
    sum->bad_entries += reading.bad_entries;
    sum->oldest_ns = reading.oldest_ns;
    sum->end_ns = header.end_ns;
    struct stat stat_;
    if (stat(path, &stat_) == 0)
        sum->file_bytes += (uint64_t)stat_.st_size;
    unlink(path);
    return result;
}

void recording_read(const char *path, struct recorded *sum)
{
    struct error error = {0};
    if (session_folder_visit(path, read_one, sum, &error) != 0)
        fail(path, error.message);
    rmdir(path);
}

void recording_stop(struct recorded *sum)
{
    sonde_stop();
    recording_read(folder, sum);
}

void recorded_print_figures(const struct recorded *recorded)
{
    static const struct {
        enum session_statistic statistic;
        const char *name;
    } names[] = {
        {STATISTIC_TICKS, "ticks"},
        {STATISTIC_TICKS_MISSED, "ticksMissed"},
        {STATISTIC_TICKS_IDLE, "ticksIdle"},
        {STATISTIC_SAMPLES_SIGNALLED, "signalled"},
        {STATISTIC_SAMPLES_REMOTE, "remote"},
        {STATISTIC_SAMPLES_SAME, "same"},
        {STATISTIC_SAMPLES_LOST, "lost"},
        {STATISTIC_TIMEOUTS, "timeouts"},
        {STATISTIC_INTERRUPTED_CALLS, "interruptedCalls"},
        {STATISTIC_STACKS_TRUNCATED, "truncated"},
        {STATISTIC_ENTRIES_LOST, "entriesLost"},
        {STATISTIC_CHUNKS_RECYCLED, "chunksRecycled"},
        {STATISTIC_SAMPLER_CPU_NS, "samplerCpuNs"},
        {STATISTIC_HELD_NS, "heldNs"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        printf("\"%s\": %lu, ", names[i].name, recorded->statistics[names[i].statistic]);
    fputs("\"held\": [", stdout);
    for (unsigned i = 0; i < HELD_BUCKETS; i++)
        printf("%s%lu", i ? ", " : "", recorded->held[i]);
    putchar(']');
}
