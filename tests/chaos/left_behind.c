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

struct reading {
    struct left_behind *left;
    bool known[THREADS_MAX];      /* threads that have been told of */
    uint32_t frames[THREADS_MAX]; /* in the thread's latest stack */
    bool has_stack[THREADS_MAX];  /* in this chunk */
    uint64_t tick;
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

static int check_stack(struct reading *reading, const struct stack_entry *stack, struct error *error)
{
    uint32_t thread = stack->thread;
    if (thread >= THREADS_MAX || !reading->known[thread])
        return bad(error, "a stack of an unknown thread");
    if (stack->shared > 0 && (!reading->has_stack[thread] || stack->shared > reading->frames[thread]))
        return bad(error, "a stack shares frames that the one before did not have");
    reading->has_stack[thread] = true;
    reading->frames[thread] = stack->shared + stack->frames.count;
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
    case ENTRY_TICK:
        if (entry->tick.time < reading->tick)
            return bad(error, "time goes backwards");
        reading->tick = entry->tick.time;
        return 0;
    case ENTRY_STACK:
        return check_stack(reading, &entry->stack, error);
    case ENTRY_SAMPLE:
        reading->left->samples++;
        if (entry->sample.thread >= THREADS_MAX || !reading->known[entry->sample.thread])
            return bad(error, "a sample of an unknown thread");
        return 0;
    case ENTRY_MARKER:
        reading->left->markers++;
        return entry->marker.has_stack ? check_frames(&entry->marker.stack, error) : 0;
    default:
        return 0;
    }
}

static void chunk_changed(void *data, bool gap)
{
    (void)gap;
    struct reading *reading = data;
    memset(reading->has_stack, 0, sizeof reading->has_stack);
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
