#include "kill_samples.h"

#include "import/importer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { COMPLAINTS_SHOWN = 10 };

struct checking {
    const struct kill_log *log;
    struct profile profile;
    uint8_t **seen; /* how often each marker of each stream was there */
    struct kill_figures *figures;
    struct kill_samples *samples;
    unsigned complaints;
    uint32_t strangers[KILL_PROCESSES]; /* processes that did not get to say their number */
    uint32_t stranger_count;
};

__attribute__((format(printf, 2, 3))) static void complain(struct checking *checking, const char *format, ...)
{
    va_list arguments;
    if (checking->complaints++ >= COMPLAINTS_SHOWN)
        return;
    va_start(arguments, format);
    printf("# ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
}

static void complain_of_samples(void *checking, const char *what)
{
    complain(checking, "%s", what);
}

static uint32_t stream_count(const struct kill_log *log)
{
    uint32_t count = atomic_load(&log->stream_count);
    return count < KILL_STREAMS ? count : KILL_STREAMS;
}

/* "12", or "12.1" where the process had become another program. */
static int32_t number_of(const struct profile *profile, struct string_index id)
{
    return (int32_t)strtol(profile_text(profile, id).text, NULL, 10);
}

/* ---- processes ---- */

static bool is_known(const struct checking *checking, int32_t pid)
{
    uint32_t count = atomic_load(&checking->log->process_count);
    for (uint32_t i = 0; i < count && i < KILL_PROCESSES; i++)
        if (atomic_load(&checking->log->processes[i].pid) == pid)
            return true;
    return false;
}

static void meet_stranger(struct checking *checking, int32_t pid)
{
    for (uint32_t i = 0; i < checking->stranger_count; i++)
        if (checking->strangers[i] == (uint32_t)pid)
            return;
    if (checking->stranger_count < KILL_PROCESSES)
        checking->strangers[checking->stranger_count++] = (uint32_t)pid;
}

/* Those that became other programs said their number more than once, and one that was killed in that moment said none. */
static uint32_t known_count(const struct kill_log *log)
{
    uint32_t count = atomic_load(&log->process_count), different = 0;
    for (uint32_t i = 0; i < count && i < KILL_PROCESSES; i++) {
        bool again = atomic_load(&log->processes[i].pid) == 0;
        for (uint32_t j = 0; j < i && !again; j++)
            again = atomic_load(&log->processes[j].pid) == atomic_load(&log->processes[i].pid);
        different += !again;
    }
    return different;
}

/* As many as were about to be made when they, or who made them, were killed; the target itself is one. */
static void check_strangers(struct checking *checking)
{
    uint32_t begun = atomic_load(&checking->log->children_begun) + 1, known = known_count(checking->log);
    uint32_t most = begun > known ? begun - known : 0;
    if (checking->stranger_count > most)
        complain(checking, "%" PRIu32 " processes are in the profile of which nobody knows, %" PRIu32 " of them may be",
                 checking->stranger_count, most);
}

/* ---- markers ---- */

static bool read_key(const struct profile *profile, const uint8_t *data, struct slice key, struct value *value)
{
    const uint8_t *at = value_find(data, string_table_find(&profile->strings, key));
    if (at)
        *value = value_read(at);
    return at;
}

/* Both kinds of markers that the target makes; false for one that is neither. */
static bool read_marker(const struct profile *profile, const struct raw_marker *marker, unsigned *stream, unsigned *number)
{
    struct value first, second;
    if (read_key(profile, marker->data, SLICE("stream"), &first) && read_key(profile, marker->data, SLICE("number"), &second) &&
        first.kind == VALUE_INTEGER && second.kind == VALUE_INTEGER) {
        *stream = (unsigned)first.integer;
        *number = (unsigned)second.integer;
        return true;
    }
    if (!read_key(profile, marker->data, SLICE("name"), &first) || first.kind != VALUE_STRING)
        return false;
    int filled = -1;
    struct slice text = profile_text(profile, first.string);
    return sscanf(text.text, "%u %u %n", stream, number, &filled) == 2 && filled >= 0 &&
           text.length == (size_t)filled + *number * 7 % 96;
}

static void check_marker(struct checking *checking, const struct thread *thread, const struct raw_marker *marker)
{
    const struct profile *profile = &checking->profile;
    unsigned index, number;
    if (!read_marker(profile, marker, &index, &number)) {
        complain(checking, "a marker that nobody made: %s", profile_text(profile, marker->name).text);
        return;
    }
    if (index >= stream_count(checking->log)) {
        complain(checking, "marker %u of stream %u, which there is not", number, index);
        return;
    }
    const struct kill_stream *stream = &checking->log->streams[index];
    if (number == 0 || number > atomic_load(&stream->begun)) {
        complain(checking, "marker %u of stream %u was not begun", number, index);
        return;
    }
    if (number_of(profile, thread->pid) != atomic_load(&stream->pid) ||
        number_of(profile, thread->tid) != atomic_load(&stream->tid))
        complain(checking, "marker %u of stream %u is on the wrong thread", number, index);
    if (checking->seen[index][number]++ > 0)
        complain(checking, "marker %u of stream %u is there twice", number, index);
}

/* So many of its markers must be there. */
static uint32_t owed(const struct kill_stream *stream, enum kill_wanted wanted)
{
    uint32_t published = atomic_load(&stream->published);
    uint32_t before_exec = atomic_load(&stream->before_exec), before_end = atomic_load(&stream->before_end);
    if (wanted == KILL_WANT_TRUE || (wanted == KILL_WANT_BEFORE_END && before_end == 0))
        return 0;
    if (before_exec > 0 && before_exec - 1 < published)
        published = before_exec - 1;
    if (wanted == KILL_WANT_BEFORE_END && before_end - 1 < published)
        published = before_end - 1;
    return published;
}

static void check_stream(struct checking *checking, uint32_t index, enum kill_wanted wanted)
{
    const struct kill_stream *stream = &checking->log->streams[index];
    uint32_t published = owed(stream, wanted);
    checking->figures->published += published;
    checking->figures->open += atomic_load(&stream->begun) > atomic_load(&stream->published) && !atomic_load(&stream->stopped);
    uint32_t missing = 0, first = 0;
    for (uint32_t number = 1; number <= published; number++)
        if (checking->seen[index][number] == 0) {
            first = missing == 0 ? number : first;
            missing++;
        }
    if (missing > 0)
        complain(checking,
                 "of stream %" PRIu32 " (process %d, thread %d) %" PRIu32 " of %" PRIu32
                 " markers are missing, the first is %" PRIu32,
                 index, (int)stream->pid, (int)stream->tid, missing, published, first);
}

/* ---- the whole ---- */

static void check_thread(struct checking *checking, const struct thread *thread)
{
    int32_t pid = number_of(&checking->profile, thread->pid);
    if (!is_known(checking, pid))
        meet_stranger(checking, pid);
    checking->figures->threads++;
    checking->figures->processes += thread->is_main_thread;
    checking->figures->samples += sample_count(&thread->samples);
    checking->figures->markers += marker_count(&thread->markers);
    for (size_t i = 0; i < marker_count(&thread->markers); i++) {
        struct raw_marker marker = marker_table_get(&thread->markers, marker_at(i));
        check_marker(checking, thread, &marker);
    }
    kill_samples_thread(checking->samples, thread);
}

bool kill_check(const struct kill_log *log, const char *profile, enum kill_wanted wanted, struct kill_figures *figures)
{
    static struct checking checking;
    uint32_t count = stream_count(log);
    checking = (struct checking){.log = log, .figures = figures, .seen = calloc(count + 1, sizeof(uint8_t *))};
    *figures = (struct kill_figures){0};
    for (uint32_t i = 0; i < count; i++)
        checking.seen[i] = calloc(atomic_load(&log->streams[i].begun) + 1u, 1);
    struct error error = {0};
    profile_init(&checking.profile);
    if (profile && import_file(profile, NULL, &checking.profile, &error) != 0)
        complain(&checking, "%s: %s", profile, error.message);
    checking.samples = kill_samples_begin(log, &checking.profile, complain_of_samples, &checking);
    for (size_t i = 0; i < checking.profile.threads.count; i++)
        check_thread(&checking, &checking.profile.threads.items[i]);
    for (uint32_t i = 0; i < count; i++)
        check_stream(&checking, i, wanted);
    kill_samples_finish(checking.samples, wanted, figures);
    check_strangers(&checking);
    if (atomic_load(&log->stopped_early) > 0)
        complain(&checking, "%" PRIu32 " streams were not recorded though the target still ran", log->stopped_early);
    profile_free(&checking.profile);
    for (uint32_t i = 0; i < count; i++)
        free(checking.seen[i]);
    free(checking.seen);
    return checking.complaints == 0;
}
