#include "import/session_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- categories ---- */

static bool add_subcategories(struct session_import *import, struct category *category, struct slice list)
{
    while (list.length > 0) {
        const char *end = memchr(list.text, '\0', list.length);
        struct slice name = end ? slice_until(list, (size_t)(end - list.text)) : list;
        list = slice_from(list, end ? name.length + 1 : list.length);
        struct string_index text = session_text(import, name);
        if (!string_exists(text) || !vec_push(&category->subcategories, text))
            return false;
    }
    if (category->subcategories.count > 0)
        return true;
    struct string_index other = session_text(import, SLICE("Other"));
    return string_exists(other) && vec_push(&category->subcategories, other);
}

/* Processes share the categories of one name. */
static struct category_index find_or_add(struct session_import *import, const struct category_entry *entry)
{
    struct category_list *list = &import->profile->categories;
    struct category_index known = category_list_find(list, &import->profile->strings, entry->name);
    if (category_exists(known))
        return known;
    struct category category = {.name = session_text(import, entry->name), .color = session_text(import, entry->colour)};
    if (string_exists(category.name) && string_exists(category.color) &&
        add_subcategories(import, &category, entry->subcategories) && vec_push(&list->rows, category))
        return category_at(list->rows.count - 1);
    vec_free(&category.subcategories);
    return category_none();
}

enum { MOST_CATEGORIES = 1000 };

bool session_add_category(struct session_import *import, const struct category_entry *entry)
{
    struct session_process *process = &import->process;
    if (entry->category >= MOST_CATEGORIES)
        return true;
    struct category_index category = find_or_add(import, entry);
    if (!category_exists(category))
        return false;
    while (process->categories.count <= entry->category)
        if (!vec_push(&process->categories, category_none()))
            return false;
    process->categories.items[entry->category] = category;
    return true;
}

struct category_index session_category(const struct session_import *import, uint32_t category, uint32_t *subcategory)
{
    const struct category_list *list = &import->profile->categories;
    const struct session_process *process = &import->process;
    struct category_index found = category_none();
    if (category < process->categories.count)
        found = process->categories.items[category];
    else if (process->categories.count == 0 && category < list->rows.count)
        found = category_at(category);
    if (!category_exists(found)) {
        *subcategory = 0;
        return category_at(0);
    }
    if (*subcategory >= list->rows.items[found.i].subcategories.count)
        *subcategory = 0;
    return found;
}

/* ---- meta ---- */

/* What the first process says stands for all. */
static bool put_list(struct session_import *import, struct value_bytes *out, const char *key, struct slice list)
{
    size_t place = session_put_key(import, out, key) ? value_open(out) : SIZE_MAX;
    uint32_t count = 0;
    if (place == SIZE_MAX)
        return false;
    while (list.length > 0) {
        const char *comma = memchr(list.text, ',', list.length);
        struct slice item = comma ? slice_until(list, (size_t)(comma - list.text)) : list;
        list = slice_from(list, comma ? item.length + 1 : list.length);
        if (item.length > 0 && !value_put_string(out, session_text(import, item)))
            return false;
        count += item.length > 0;
    }
    return value_close_array(out, place, count);
}

static bool put_number(struct session_import *import, struct value_bytes *out, const char *key, double number)
{
    return session_put_key(import, out, key) && value_put_number(out, number);
}

bool session_configuration(struct session_import *import, const struct configuration_entry *entry)
{
    struct value_bytes *out = &import->configuration;
    import->profiling_start = fmin(import->profiling_start, session_ms(import, entry->time));
    if (out->bytes.count > 0)
        return true;
    bool has_duration = entry->duration_ns > 0;
    return value_put_object(out, 4 + has_duration) && put_list(import, out, "features", entry->feature_names) &&
           put_list(import, out, "threads", entry->filters) &&
           put_number(import, out, "interval", (double)entry->interval_ns / 1e6) &&
           put_number(import, out, "capacity", (double)entry->capacity_bytes) &&
           (!has_duration || put_number(import, out, "duration", (double)entry->duration_ns / 1e9));
}

bool session_process_meta(struct session_import *import, const struct process_entry *entry)
{
    struct session_process *process = &import->process;
    process->name = session_text(import, entry->name);
    if (import->process_count == 1) {
        import->profile->meta.product = process->name;
        text_cut(&import->arguments, 0);
        for (size_t i = 0; i < entry->arguments.length; i++) {
            char c = entry->arguments.text[i];
            if (c != '\0')
                text_add_char(&import->arguments, c);
            else if (i + 1 < entry->arguments.length)
                text_add_char(&import->arguments, ' ');
        }
    }
    return string_exists(process->name) && !import->arguments.failed;
}

/* ---- pauses ---- */

static bool put_pause(struct session_import *import, uint64_t start, uint64_t end)
{
    struct session_process *process = &import->process;
    struct value_bytes *out = &process->paused;
    process->paused_count++;
    import->quality.pauses++;
    if (end != UINT64_MAX && end > start)
        import->quality.paused_ns += end - start;
    return value_put_object(out, 3) && put_number(import, out, "startTime", session_ms(import, start)) &&
           put_number(import, out, "endTime", end == UINT64_MAX ? NAN : session_ms(import, end)) &&
           session_put_text(import, out, "reason", SLICE("profiler-paused"));
}

/* Both kinds of pauses count: in neither are there samples. */
bool session_pause(struct session_import *import, enum entry_kind kind, uint64_t time)
{
    struct session_process *process = &import->process;
    if (kind == ENTRY_PAUSE || kind == ENTRY_PAUSE_SAMPLING) {
        if (process->pause_depth++ == 0)
            process->pause_start = time;
        return true;
    }
    if (process->pause_depth == 0 || --process->pause_depth > 0)
        return true;
    return put_pause(import, process->pause_start, time);
}

bool session_end_pause(struct session_import *import)
{
    struct session_process *process = &import->process;
    return process->pause_depth == 0 || put_pause(import, process->pause_start, UINT64_MAX);
}

/* ---- quality ---- */

void session_add_statistics(struct session_import *import, const struct session_reading *reading)
{
    const struct session_file_header *header = &import->process.header;
    struct session_quality *quality = &import->quality;
    for (size_t i = 0; i < STATISTIC_COUNT; i++)
        quality->statistics[i] += header->statistics[i];
    for (size_t i = 0; i < HELD_BUCKETS; i++)
        quality->held[i] += header->held[i];
    quality->unended += header->end_ns == 0;
    quality->replaced += header->state == SESSION_REPLACED;
    quality->disks_full += header->state == SESSION_DISK_FULL;
    quality->bad_entries += reading->bad_entries;
    if (header->end_ns > 0)
        import->profiling_end = fmax(import->profiling_end, session_ms(import, header->end_ns));
    if (header->statistics[STATISTIC_CHUNKS_RECYCLED] > 0 && reading->oldest_ns < quality->earliest_ns)
        quality->earliest_ns = reading->oldest_ns;
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

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static bool put_notes(struct session_import *import, struct value_bytes *out)
{
    const struct session_quality *quality = &import->quality;
    const uint64_t *statistics = quality->statistics;
    struct note_list notes = {import, out, 0, false};
    size_t place = session_put_key(import, out, "notes") ? value_open(out) : SIZE_MAX;
    if (place == SIZE_MAX)
        return false;
    note_if(&notes, quality->disks_full > 0, "the disk was full: recording stopped early");
    note_if(&notes, quality->unended > 0, "the recording has no end: the program was killed, or still runs");
    note_if(&notes, quality->replaced > 0, "the program became another one (exec) that could not be recorded");
    note_if(&notes, quality->earliest_ns != UINT64_MAX,
            "the buffer was full: what was recorded in the first %.1f s is gone, but for what was still needed",
            (double)quality->earliest_ns / 1e9);
    uint64_t timeouts = statistics[STATISTIC_TIMEOUTS], lost = statistics[STATISTIC_ENTRIES_LOST];
    uint64_t missed = statistics[STATISTIC_TICKS_MISSED], cut = statistics[STATISTIC_STACKS_CUT];
    uint64_t strangers = statistics[STATISTIC_THREADS_UNREGISTERED], calls = statistics[STATISTIC_INTERRUPTED_CALLS];
    note_if(&notes, missed > 0, "%" PRIu64 " time%s the samples came too late for their turn", missed, plural(missed));
    uint64_t unknown = statistics[STATISTIC_SAMPLES_LOST];
    note_if(&notes, unknown > 0, "%" PRIu64 " time%s a thread ran and nobody knows where", unknown, plural(unknown));
    note_if(&notes, timeouts > 0, "%" PRIu64 " time%s a thread did not answer in time", timeouts, plural(timeouts));
    note_if(&notes, cut > 0, "%" PRIu64 " stack%s had more frames than are kept", cut, plural(cut));
    note_if(&notes, lost > 0, "%" PRIu64 " marker%s or other entries found no room", lost, plural(lost));
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
    note_if(&notes, quality->bad_entries > 0, "the session is damaged in %" PRIu64 " place%s", quality->bad_entries,
            plural(quality->bad_entries));
    return !notes.failed && value_close_array(out, place, notes.count);
}

/* `taken` and `lost` are what the sampler counted; `expected` has the turns that it missed, too. */
static bool put_quality(struct session_import *import, struct value_bytes *out)
{
    const struct session_quality *quality = &import->quality;
    const uint64_t *statistics = quality->statistics;
    double taken = (double)statistics[STATISTIC_SAMPLES_SIGNALLED] + (double)statistics[STATISTIC_SAMPLES_REMOTE] +
                   (double)statistics[STATISTIC_SAMPLES_SAME];
    double lost = (double)statistics[STATISTIC_SAMPLES_LOST];
    double ticks = (double)statistics[STATISTIC_TICKS], missed = (double)statistics[STATISTIC_TICKS_MISSED];
    double expected = ticks > 0 ? rint((taken + lost) * (ticks + missed) / ticks) : taken + lost;
    return value_put_object(out, 7) && put_number(import, out, "expected", expected) &&
           put_number(import, out, "taken", taken) && put_number(import, out, "lost", expected - taken) &&
           put_number(import, out, "truncated", (double)statistics[STATISTIC_STACKS_TRUNCATED]) &&
           put_number(import, out, "stoppedMsP50", held_quantile(quality, 0.5)) &&
           put_number(import, out, "stoppedMsP99", held_quantile(quality, 0.99)) && put_notes(import, out);
}

/* ---- all of it ---- */

/* The keys are those that the Firefox Profiler knows, and one of our own, which it leaves alone. */
bool session_finish_meta(struct session_import *import)
{
    struct meta *meta = &import->profile->meta;
    struct value_bytes *out = &meta->whole;
    meta->profiling_start_time = import->profiling_start;
    meta->profiling_end_time = import->profiling_end;
    meta->symbolicated = false;
    meta->cpu_unit = CPU_NANOSECONDS;
    size_t place = value_open(out);
    uint32_t count = 9;
    bool done = place != SIZE_MAX && put_number(import, out, "version", 36) && put_number(import, out, "processType", 0) &&
                put_number(import, out, "stackwalk", 1) && session_put_text(import, out, "platform", SLICE("Linux")) &&
                session_put_key(import, out, "debug") && value_put_boolean(out, false) &&
                session_put_key(import, out, "product") && value_put_string(out, meta->product) &&
                session_put_key(import, out, "usesOnlyOneStackType") && value_put_boolean(out, !import->any_runtime_frame) &&
                session_put_key(import, out, "sourceCodeIsNotOnSearchfox") && value_put_boolean(out, true);
    if (done && import->arguments.bytes.count > 0) {
        count++;
        done = session_put_text(import, out, "arguments", text_slice(&import->arguments));
    }
    if (done && import->configuration.bytes.count > 0) {
        count++;
        done = session_put_key(import, out, "configuration") && value_put_copy(out, import->configuration.bytes.items);
    }
    return done && session_put_key(import, out, "sonde") && value_put_object(out, 2) &&
           session_put_text(import, out, "version", SLICE(SONDE_VERSION)) && session_put_key(import, out, "quality") &&
           put_quality(import, out) && value_close_object(out, place, count);
}
