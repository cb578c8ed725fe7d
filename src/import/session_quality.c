#include "import/session_state.h"

#include <errno.h>
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

static const char *error_name(uint32_t error)
{
    const char *name = error < 4096 ? strerrorname_np((int)error) : NULL;
    return name ? name : "?";
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

/* ---- runtimes ---- */

enum { RUNTIMES_SHOWN = 20, RUNTIME_NAME_MOST = 100 };

bool session_note_runtime(struct session_import *import, const struct runtime_entry *entry)
{
    struct session_quality *quality = &import->quality;
    struct string_index name = session_text(import, entry->name);
    if (entry->is_known || quality->unwalked.count >= RUNTIMES_SHOWN)
        return true;
    for (size_t i = 0; i < quality->unwalked.count; i++)
        if (string_same(quality->unwalked.items[i], name))
            return true;
    return string_exists(name) && vec_push(&quality->unwalked, name);
}

/* ---- figures ---- */

static void count_pauses(struct session_quality *quality, const struct session_process *process)
{
    if (process->paused_count > quality->pauses)
        quality->pauses = process->paused_count;
    if (process->paused_ns > quality->paused_ns)
        quality->paused_ns = process->paused_ns;
}

bool session_add_statistics(struct session_import *import, const char *path, const struct session_reading *reading)
{
    const struct session_file_header *header = &import->process.header;
    struct session_quality *quality = &import->quality;
    for (size_t i = 0; i < STATISTIC_COUNT; i++)
        quality->statistics[i] += header->statistics[i];
    for (size_t i = 0; i < HELD_BUCKETS; i++)
        quality->held[i] += header->held[i];
    quality->unregistered_ns += header->unregistered_ns;
    if (!*quality->unregistered_names)
        snprintf(quality->unregistered_names, sizeof quality->unregistered_names, "%.*s", SESSION_NAMES - 1,
                 header->unregistered_names);
    quality->unended += header->end_ns == 0;
    quality->seen += import->process.seen;
    quality->unseen += header->end_ns > 0 && !import->process.seen;
    session_count_clock(import);
    count_pauses(quality, &import->process);
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

static double percent_of(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* Worth a note: it would be seen in a tree. */
static bool is_much(uint64_t part, uint64_t whole)
{
    return percent_of(part, whole) >= 1;
}

/* Of the time of all threads together: waits that are short beside what threads computed matter to nobody. */
static bool is_long(uint64_t part, uint64_t whole)
{
    return percent_of(part, whole) >= 5 && part >= 100000000;
}

/* Of a third of the wake-ups in step with the ticks a share is some points off. */
enum { SCARCE_PERCENT = 10 };

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
    note_if(&notes, quality->faults_refused > 0,
            "page faults of %" PRIu64 " process%s could not be recorded, or not of all threads: %s%s", quality->faults_refused,
            quality->faults_refused == 1 ? "" : "es", error_name(quality->faults_refused_error),
            quality->faults_refused_error == EPERM ? " (locked memory: kernel.perf_event_mlock_kb, ulimit -l)" : "");
    note_if(&notes, quality->timers_refused > 0,
            "threads got no CPU timers, so time in the kernel is not attributed to system calls: too many pending signals "
            "(ulimit -i)");
    note_if(&notes, quality->disks_full > 0, "the disk was full: recording stopped early");
    note_if(&notes, unended > 0 && !many, "the recording has no end: the program was killed, or still runs");
    note_if(&notes, unended > 0 && many, "%" PRIu64 " of %zu recordings have no end: their processes were killed, or still run",
            unended, import->process_count);
    note_if(&notes, replaced > 0 && !many, "the program became another one (exec) that could not be recorded");
    note_if(&notes, replaced > 0 && many, "%" PRIu64 " program%s became another one (exec) that could not be recorded",
            replaced, plural(replaced));
    note_if(&notes, unbegun > 0, "%" PRIu64 " process%s killed before anything was recorded, or just started", unbegun,
            unbegun == 1 ? " was" : "es were");
    /* Where no process was seen, none was sampled. */
    note_if(&notes, unseen > 0 && quality->seen > 0, "%" PRIu64 " of %zu programs ended before their first sample", unseen,
            import->process_count);
    note_if(&notes, quality->earliest_ns != UINT64_MAX,
            "the buffer was full: what was recorded in the first %.1f s is gone, but for what was still needed",
            (double)quality->earliest_ns / 1e9);
    const struct thread_sums *sums = &quality->sums;
    uint64_t samples_lost = statistics[STATISTIC_SAMPLES_LOST], lost = statistics[STATISTIC_ENTRIES_LOST];
    uint64_t waits_refused = statistics[STATISTIC_LOOKS_REFUSED], cut = statistics[STATISTIC_STACKS_CUT];
    uint64_t strangers = statistics[STATISTIC_THREADS_UNREGISTERED];
    note_if(&notes, sums->gone_ns > 0, "the samples of %.1f s of thread time were dropped with it",
            (double)sums->gone_ns / 1e9);
    note_if(&notes, samples_lost > 0, "%" PRIu64 " sample%s lost: no buffer was free to write to", samples_lost,
            samples_lost == 1 ? " was" : "s were");
    note_if(&notes, is_much(sums->kernel_ns, sums->cpu_ns),
            "%.1f %% of the CPU time was used in the kernel: page faults, or system calls that were not seen",
            percent_of(sums->kernel_ns, sums->cpu_ns));
    bool any_brief = quality->brief_threads > 0, not_sampled = is_much(sums->not_sampled_ns, sums->cpu_ns);
    note_if(&notes, not_sampled && !any_brief, "%.1f %% of the CPU time was not sampled",
            percent_of(sums->not_sampled_ns, sums->cpu_ns));
    note_if(&notes, not_sampled && any_brief,
            "%.1f %% of the CPU time was not sampled: %.0f %% of that is of %" PRIu64
            " thread%s that met no sample, in %.2f ms%s",
            percent_of(sums->not_sampled_ns, sums->cpu_ns), percent_of(quality->brief_ns, sums->not_sampled_ns),
            quality->brief_threads, plural(quality->brief_threads),
            (double)quality->brief_ns / (double)(any_brief ? quality->brief_threads : 1) / 1e6,
            quality->brief_threads == 1 ? "" : " each");
    note_if(&notes, is_much(sums->own_ns, sums->cpu_ns),
            "%.1f %% of the CPU time was used by Sonde itself, to begin recording in each process",
            percent_of(sums->own_ns, sums->cpu_ns));
    note_if(&notes, is_long(sums->unseen_ns, sums->cpu_ns + sums->waiting_ns + sums->ready_ns),
            "%.1f %% of the waiting time (%.1f s) has no stacks: these waits were not observed",
            percent_of(sums->unseen_ns, sums->waiting_ns), (double)sums->unseen_ns / 1e9);
    note_if(&notes, waits_refused > 0,
            "the stacks of %" PRIu64 " wait%s could not be read: the program runs as another user, or is not dumpable",
            waits_refused, plural(waits_refused));
    note_if(&notes, cut > 0, "%" PRIu64 " stack%s had more frames than are kept", cut, plural(cut));
    note_if(&notes, lost > 0, "%" PRIu64 " marker%s or other entries were lost: the buffer was full", lost, plural(lost));
    note_if(&notes, quality->fields_left_out > 0,
            "%" PRIu64 " field%s of markers %s left out: named type or cause, as the profile's own, or twice the same",
            quality->fields_left_out, plural(quality->fields_left_out), quality->fields_left_out == 1 ? "is" : "are");
    uint64_t missed = quality->frees_missed + statistics[STATISTIC_FREES_MISSED];
    note_if(&notes, missed > 0,
            "%" PRIu64 " free%s of sampled blocks %s not seen; they count as freed when their address was given out again",
            missed, plural(missed), missed == 1 ? "was" : "were");
    uint64_t allocations_lost = statistics[STATISTIC_ALLOCATIONS_LOST];
    note_if(&notes, allocations_lost > 0,
            "%" PRIu64 " allocation%s to be recorded %s lost: there was no room for them, or the thread was in Sonde's code",
            allocations_lost, plural(allocations_lost), allocations_lost == 1 ? "was" : "were");
    uint64_t strangers_ns = quality->unregistered_ns;
    const char *names = quality->unregistered_names;
    note_if(&notes, strangers > 0 && strangers_ns == 0,
            "%" PRIu64 " thread%s could not be sampled: created before the recording could see them, or without "
            "pthread_create",
            strangers, plural(strangers));
    note_if(&notes, strangers > 0 && strangers_ns > 0,
            "%.3f s of CPU time (%.1f %% of all) used by %" PRIu64
            " thread%s that could not be sampled%s%s%s: created before the recording could see them, or without "
            "pthread_create",
            (double)strangers_ns / 1e9, percent_of(strangers_ns, sums->cpu_ns + strangers_ns), strangers, plural(strangers),
            *names ? " (" : "", names, *names ? ")" : "");
    uint64_t refused = statistics[STATISTIC_POWER_REFUSED];
    note_if(&notes, refused > 0,
            "%" PRIu64 " power sensor%s can be read by root only (chmod a+r /sys/class/powercap/*/energy_uj)", refused,
            plural(refused));
    note_if(&notes, quality->empty_threads > 0, "%" PRIu64 " thread%s ended before the first sample", quality->empty_threads,
            plural(quality->empty_threads));
    note_if(&notes, quality->pauses > 0, "paused %" PRIu64 " time%s, %.1f s in all", quality->pauses, plural(quality->pauses),
            (double)quality->paused_ns / 1e9);
    for (size_t i = 0; i < quality->unwalked.count; i++) {
        struct slice name = profile_text(import->profile, quality->unwalked.items[i]);
        note_if(&notes, true, "%.*s is not known: stacks have its native frames, not the functions that it runs",
                (int)(name.length < RUNTIME_NAME_MOST ? name.length : RUNTIME_NAME_MOST), name.text);
    }
    for (size_t i = 0; i < quality->in_step.count; i++) {
        notes.failed |= !value_put_string(out, quality->in_step.items[i]);
        notes.count++;
    }
    note_if(&notes, quality->more_in_step > 0, "%" PRIu64 " more thread%s in step with the kernel's ticks",
            quality->more_in_step, quality->more_in_step == 1 ? " runs" : "s run");
    uint64_t wanted_ns = quality->ticked_cpu_ns + quality->ticked_ready_ns;
    note_if(
        &notes, percent_of(quality->ticked_ready_ns, wanted_ns) >= SCARCE_PERCENT,
        "threads that run and wait had no CPU for %.0f %% of the time in which they wanted one: the kernel hands CPUs over in "
        "its ticks, which take the samples, so shares may be wrong",
        percent_of(quality->ticked_ready_ns, wanted_ns));
    for (size_t i = 0; i < quality->damages.count; i++) {
        notes.failed |= !value_put_string(out, quality->damages.items[i]);
        notes.count++;
    }
    for (size_t i = 0; i < quality->said.count; i++) {
        notes.failed |= !value_put_string(out, quality->said.items[i]);
        notes.count++;
    }
    const struct session_allocations_facts *facts = &import->allocations;
    for (size_t i = 0; i < facts->unseen.count; i++) {
        notes.failed |= !value_put_string(out, facts->unseen.items[i]);
        notes.count++;
    }
    note_if(&notes, facts->more_unseen > 0, "%" PRIu64 " more process%s such an allocator", facts->more_unseen,
            facts->more_unseen == 1 ? " has" : "es have");
    note_if(&notes, quality->more_damages > 0, "%" PRIu64 " more file%s damaged", quality->more_damages,
            quality->more_damages == 1 ? " is" : "s are");
    return !notes.failed && value_close_array(out, place, notes.count);
}

static bool put_ms(struct session_import *import, struct value_bytes *out, const char *key, uint64_t ns)
{
    return session_put_number(import, out, key, (double)ns / 1e6);
}

/* Times are those of all threads together. */
static bool put_sums(struct session_import *import, struct value_bytes *out)
{
    const struct thread_sums *sums = &import->quality.sums;
    double truncated = sums->cpu_ns > 0 ? (double)sums->truncated_ns / (double)sums->cpu_ns : 0;
    return session_put_number(import, out, "truncatedShare", truncated) && put_ms(import, out, "cpuMs", sums->cpu_ns) &&
           put_ms(import, out, "waitingMs", sums->waiting_ns) && put_ms(import, out, "readyMs", sums->ready_ns) &&
           put_ms(import, out, "kernelMs", sums->kernel_ns) && put_ms(import, out, "notSampledMs", sums->not_sampled_ns) &&
           put_ms(import, out, "profilerStartMs", sums->own_ns) && put_ms(import, out, "unseenMs", sums->unseen_ns) &&
           put_ms(import, out, "goneMs", sums->gone_ns);
}

bool session_put_quality(struct session_import *import, struct value_bytes *out)
{
    const struct session_quality *quality = &import->quality;
    const uint64_t *statistics = quality->statistics;
    double taken = (double)statistics[STATISTIC_SAMPLES_EVENT] + (double)statistics[STATISTIC_SAMPLES_TICK];
    return value_put_object(out, 19) && session_put_number(import, out, "taken", taken) &&
           session_put_number(import, out, "lost", (double)statistics[STATISTIC_SAMPLES_LOST]) &&
           session_put_number(import, out, "looks", (double)statistics[STATISTIC_LOOKS]) &&
           put_ms(import, out, "looksMs", quality->looks_ns) && session_put_clock(import, out) && put_sums(import, out) &&
           session_put_number(import, out, "stoppedMsP50", held_quantile(quality, 0.5)) &&
           session_put_number(import, out, "stoppedMsP99", held_quantile(quality, 0.99)) && put_notes(import, out);
}
