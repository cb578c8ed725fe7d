#include "import/session_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- damage ---- */

/* So many files are named; a folder of garbage has one line more. */
enum { DAMAGES_SHOWN = 20 };

static bool add_damage(struct session_quality *quality, struct string_index line)
{
    return string_exists(line) && vec_push(&quality->damages, line);
}

static bool has_room(struct session_quality *quality)
{
    bool room = quality->damages.count < DAMAGES_SHOWN;
    quality->more_damages += !room;
    return room;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The reason starts with the path; that of the folder is known. */
bool session_add_damage(struct session_import *import, const char *path, const char *why)
{
    size_t folder = (size_t)(name_of(path) - path);
    if (!has_room(&import->quality))
        return true;
    bool named = strncmp(why, path, folder) == 0;
    return add_damage(&import->quality, session_text(import, slice_of(named ? why + folder : why)));
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static bool add_places(struct session_import *import, const char *path, uint64_t places)
{
    char text[400];
    if (places == 0 || !has_room(&import->quality))
        return true;
    snprintf(text, sizeof text, "%.300s is damaged in %" PRIu64 " place%s", import->is_folder ? name_of(path) : "the session",
             places, plural(places));
    return add_damage(&import->quality, session_text(import, slice_of(text)));
}

/* ---- figures ---- */

bool session_add_statistics(struct session_import *import, const char *path, const struct session_reading *reading)
{
    const struct session_file_header *header = &import->process.header;
    struct session_quality *quality = &import->quality;
    for (size_t i = 0; i < STATISTIC_COUNT; i++)
        quality->statistics[i] += header->statistics[i];
    for (size_t i = 0; i < HELD_BUCKETS; i++)
        quality->held[i] += header->held[i];
    quality->unended += header->end_ns == 0;
    quality->unseen += header->end_ns > 0 && header->statistics[STATISTIC_TICKS] == 0;
    quality->replaced += header->state == SESSION_REPLACED;
    quality->disks_full += header->state == SESSION_DISK_FULL;
    if (header->end_ns > 0)
        import->profiling_end = fmax(import->profiling_end, session_ms(import, header->end_ns));
    if (header->statistics[STATISTIC_CHUNKS_RECYCLED] > 0 && reading->oldest_ns < quality->earliest_ns)
        quality->earliest_ns = reading->oldest_ns;
    uint64_t places = quality->bad_entries + reading->bad_entries + reading->bad_chunks;
    quality->bad_entries = 0;
    return add_places(import, path, places);
}

/* The time below which `share` of the threads were held, in ms; NaN where none was. Within a bucket times are taken to be
 * spread evenly. */
static double held_quantile(const struct session_quality *quality, double share)
{
    double all = 0, below = 0;
    for (size_t i = 0; i < HELD_BUCKETS; i++)
        all += (double)quality->held[i];
    if (all == 0)
        return NAN;
    for (size_t i = 0; i < HELD_BUCKETS; i++) {
        double count = (double)quality->held[i];
        double low = i == 0 ? 0 : ldexp(64, (int)i - 1), high = ldexp(64, (int)i);
        if (count > 0 && below + count >= share * all)
            return (low + (high - low) * (share * all - below) / count) / 1e6;
        below += count;
    }
    return NAN;
}

struct note_list {
    struct session_import *import;
    struct value_bytes *out;
    uint32_t count;
    bool failed;
};

__attribute__((format(printf, 3, 4))) static void note_if(struct note_list *notes, bool wanted, const char *format, ...)
{
    char text[300];
    va_list arguments;
    if (!wanted)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct string_index string = session_text(notes->import, slice_of(text));
    notes->failed |= !string_exists(string) || !value_put_string(notes->out, string);
    notes->count++;
}

static bool put_notes(struct session_import *import, struct value_bytes *out)
{
    const struct session_quality *quality = &import->quality;
    const uint64_t *statistics = quality->statistics;
    struct note_list notes = {import, out, 0, false};
    size_t place = session_put_key(import, out, "notes") ? value_open(out) : SIZE_MAX;
    if (place == SIZE_MAX)
        return false;
    bool many = import->process_count > 1;
    uint64_t unended = quality->unended, replaced = quality->replaced, unbegun = quality->unbegun, unseen = quality->unseen;
    note_if(&notes, quality->disks_full > 0, "the disk was full: recording stopped early");
    note_if(&notes, unended > 0 && !many, "the recording has no end: the program was killed, or still runs");
    note_if(&notes, unended > 0 && many, "%" PRIu64 " of %zu recordings have no end: their processes were killed, or still run",
            unended, import->process_count);
    note_if(&notes, replaced > 0 && !many, "the program became another one (exec) that could not be recorded");
    note_if(&notes, replaced > 0 && many, "%" PRIu64 " program%s became another one (exec) that could not be recorded",
            replaced, plural(replaced));
    note_if(&notes, unbegun > 0, "%" PRIu64 " process%s killed before anything was recorded, or just started", unbegun,
            unbegun == 1 ? " was" : "es were");
    /* Where no process has a tick, none was sampled. */
    note_if(&notes, unseen > 0 && statistics[STATISTIC_TICKS] > 0,
            "%" PRIu64 " of %zu processes ended before the first look at them, and have no sample", unseen,
            import->process_count);
    note_if(&notes, quality->earliest_ns != UINT64_MAX,
            "the buffer was full: what was recorded in the first %.1f s is gone, but for what was still needed",
            (double)quality->earliest_ns / 1e9);
    uint64_t timeouts = statistics[STATISTIC_TIMEOUTS], lost = statistics[STATISTIC_ENTRIES_LOST];
    uint64_t missed = statistics[STATISTIC_TICKS_MISSED], cut = statistics[STATISTIC_STACKS_CUT];
    uint64_t strangers = statistics[STATISTIC_THREADS_UNREGISTERED], calls = statistics[STATISTIC_INTERRUPTED_CALLS];
    note_if(&notes, missed > 0, "%" PRIu64 " time%s the samples came too late for their turn", missed, plural(missed));
    uint64_t held = statistics[STATISTIC_SAMPLES_HELD];
    note_if(&notes, held > 0,
            "%" PRIu64 " sample%s of running threads repeat the one before, so that sampling takes 1 %% of their time "
            "(--rate 1000 takes them all)",
            held, plural(held));
    uint64_t unknown = statistics[STATISTIC_SAMPLES_LOST];
    note_if(&notes, unknown > 0, "%" PRIu64 " time%s a thread ran and nobody knows where", unknown, plural(unknown));
    note_if(&notes, timeouts > 0, "%" PRIu64 " time%s a thread did not answer in time", timeouts, plural(timeouts));
    note_if(&notes, cut > 0, "%" PRIu64 " stack%s had more frames than are kept", cut, plural(cut));
    note_if(&notes, lost > 0, "%" PRIu64 " marker%s or other entries found no room", lost, plural(lost));
    note_if(&notes, quality->fields_left_out > 0,
            "%" PRIu64 " field%s of markers %s left out: named type or cause, as the profile's own, or twice the same",
            quality->fields_left_out, plural(quality->fields_left_out), quality->fields_left_out == 1 ? "is" : "are");
    note_if(&notes, calls > 0, "%" PRIu64 " system call%s ended with EINTR for a sample", calls, plural(calls));
    note_if(&notes, strangers > 0, "%" PRIu64 " thread%s could not be sampled: nobody registered them", strangers,
            plural(strangers));
    uint64_t refused = statistics[STATISTIC_POWER_REFUSED];
    note_if(&notes, refused > 0, "%" PRIu64 " source%s of power for root alone (chmod a+r /sys/class/powercap/*/energy_uj)",
            refused, plural(refused));
    note_if(&notes, quality->empty_threads > 0, "%" PRIu64 " thread%s ended before the first sample", quality->empty_threads,
            plural(quality->empty_threads));
    note_if(&notes, quality->pauses > 0, "paused %" PRIu64 " time%s, %.1f s in all", quality->pauses, plural(quality->pauses),
            (double)quality->paused_ns / 1e9);
    for (size_t i = 0; i < quality->damages.count; i++) {
        notes.failed |= !value_put_string(out, quality->damages.items[i]);
        notes.count++;
    }
    for (size_t i = 0; i < quality->said.count; i++) {
        notes.failed |= !value_put_string(out, quality->said.items[i]);
        notes.count++;
    }
    note_if(&notes, quality->more_damages > 0, "%" PRIu64 " more file%s damaged", quality->more_damages,
            quality->more_damages == 1 ? " is" : "s are");
    return !notes.failed && value_close_array(out, place, notes.count);
}

/* `taken` and `lost` are what the sampler counted; `expected` has the turns that it missed, too. */
bool session_put_quality(struct session_import *import, struct value_bytes *out)
{
    const struct session_quality *quality = &import->quality;
    const uint64_t *statistics = quality->statistics;
    double taken = (double)statistics[STATISTIC_SAMPLES_SIGNALLED] + (double)statistics[STATISTIC_SAMPLES_REMOTE] +
                   (double)statistics[STATISTIC_SAMPLES_SAME];
    double lost = (double)statistics[STATISTIC_SAMPLES_LOST];
    double ticks = (double)statistics[STATISTIC_TICKS], missed = (double)statistics[STATISTIC_TICKS_MISSED];
    double expected = ticks > 0 ? rint((taken + lost) * (ticks + missed) / ticks) : taken + lost;
    return value_put_object(out, 7) && session_put_number(import, out, "expected", expected) &&
           session_put_number(import, out, "taken", taken) && session_put_number(import, out, "lost", expected - taken) &&
           session_put_number(import, out, "truncated", (double)statistics[STATISTIC_STACKS_TRUNCATED]) &&
           session_put_number(import, out, "stoppedMsP50", held_quantile(quality, 0.5)) &&
           session_put_number(import, out, "stoppedMsP99", held_quantile(quality, 0.99)) && put_notes(import, out);
}
