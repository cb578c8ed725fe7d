#include "left_behind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "session/reader.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { THREADS_MAX = 1 << 16 };

/* The latest stack of a thread in this chunk. */
struct latest {
    int64_t id; /* its number, or that of the system; 0 = none */
    uint32_t frames;
};

struct reading {
    struct left_behind *left;
    bool known[THREADS_MAX];                                /* threads that have been told of */
    struct latest samples[THREADS_MAX], looks[THREADS_MAX]; /* where the id says; two that meet are taken for new ones */
};

static int bad(struct error *error, const char *what)
{
    return error_set(error, -EBADMSG, "%s", what);
}

static int check_frames(const struct frames_slice *frames, struct error *error)
{
    struct frame_reader reader;
    struct frame_entry frame;
    frame_reader_init(&reader, frames);
    while (frame_reader_next(&reader, &frame))
        ;
    return reader.left == 0 ? 0 : bad(error, "a frame makes no sense");
}

static int check_stack(struct latest *all, int64_t id, const struct stack_part *stack, struct error *error)
{
    struct latest *latest = &all[id % THREADS_MAX];
    bool is_known = latest->id == id || latest->id == 0;
    if (is_known && stack->shared > (latest->id == id ? latest->frames : 0))
        return bad(error, "a stack shares frames that the one before did not have");
    *latest = (struct latest){id, stack->shared + stack->frames.count};
    return check_frames(&stack->frames, error);
}

static int check_entry(void *data, const struct any_entry *entry, struct error *error)
{
    struct reading *reading = data;
    switch (entry->kind) {
    case ENTRY_THREAD:
        if (entry->thread.thread < THREADS_MAX)
            reading->known[entry->thread.thread] = true;
        reading->left->threads++;
        return 0;
    case ENTRY_SAMPLE:
        reading->left->samples++;
        if (entry->sample.thread >= THREADS_MAX || !reading->known[entry->sample.thread])
            return bad(error, "a sample of an unknown thread");
        return check_stack(reading->samples, entry->sample.thread, &entry->sample.stack, error);
    case ENTRY_LOOK:
        reading->left->looks++;
        if (entry->look.tid <= 0)
            return bad(error, "a look at nobody");
        return check_stack(reading->looks, entry->look.tid, &entry->look.stack, error);
    case ENTRY_MARKER:
        reading->left->markers++;
        return entry->marker.has_stack ? check_frames(&entry->marker.stack, error) : 0;
    default:
        return 0;
    }
}

static void chunk_changed(void *data)
{
    struct reading *reading = data;
    memset(reading->samples, 0, sizeof reading->samples);
    memset(reading->looks, 0, sizeof reading->looks);
}

static int read_file(void *data, const char *path, struct error *error)
{
    static struct reading reading;
    memset(&reading, 0, sizeof reading);
    reading.left = data;
    struct session_file *file = session_file_open(path, error);
    if (!file)
        return -EBADMSG;
    struct session_file_header header;
    session_file_header(file, &header);
    static const struct session_visitor visitor = {.entry = check_entry, .chunk_changed = chunk_changed};
    struct session_reading summary = {0};
    int result = session_file_visit(file, &visitor, &reading, &summary, error);
    session_file_close(file);
    if (result == 0 && summary.bad_entries > 0)
        result = bad(error, "it has entries that make no sense");
    if (result != 0) {
        print_message("%s: %s\n", path, error->message);
        return result;
    }
    struct left_behind *left = reading.left;
    left->files++;
    left->bytes += summary.bytes_read;
    if (header.state <= SESSION_DISK_FULL)
        left->states[header.state]++;
    for (unsigned i = 0; i < STATISTIC_COUNT; i++)
        left->statistics[i] += header.statistics[i];
    return 0;
}

void left_behind_read(const char *folder, struct left_behind *left)
{
    struct error error = {0};
    memset(left, 0, sizeof *left);
    int result = session_folder_visit(folder, read_file, left, &error);
    if (result != 0)
        fail_msg("the session in %s: %s", folder, error.message);
}

void folder_make(char *path, size_t size)
{
    const char *parent = getenv("TMPDIR");
    snprintf(path, size, "%s/sonde-chaos-XXXXXX", parent ? parent : "/tmp");
    assert_non_null(mkdtemp(path));
}

static int remove_one(const char *path, const struct stat *stat, int kind, struct FTW *place)
{
    (void)stat, (void)kind, (void)place;
    return remove(path);
}

void folder_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
