#include "cli/info.h"

#include "cli/cut.h"
#include "cli/info_modules.h"
#include "cli/load.h"
#include "cli/table.h"
#include "cli/threads.h"
#include "print/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LINES_FOR_PEOPLE = 20 };

static void print_start(const struct info *info)
{
    double start = info->profile.meta.start_time;
    if (!profile_start_is_date(&info->profile))
        return;
    if (isfinite(info->span.start))
        start += info->span.start;
    time_t seconds = (time_t)(start / 1000);
    struct tm utc;
    char text[64];
    if (gmtime_r(&seconds, &utc) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc) > 0)
        printf("started    %s\n", text);
}

/* "clock      the kernel's ticks, 4.0 ms apart; events were refused (EACCES)", and what would allow the better one. */
static void print_clock(const struct quality *quality)
{
    struct line line = {0};
    const char *advice = quality_clock_advice(quality);
    bool both = slice_is(quality->clock, "both"), refused = quality->clock_refused.length > 0;
    if (quality->clock.length == 0)
        return;
    line_print(&line, "clock      ");
    if (!slice_is(quality->clock, "ticks"))
        line_print(&line, "events of each thread's CPU clock%s", both ? "; " : "");
    if (!slice_is(quality->clock, "events")) {
        line_print(&line, "the kernel's ticks");
        if (isfinite(quality->tick_ms))
            line_print(&line, ", %s apart", number_duration(quality->tick_ms).text);
        /* A thread gets an event once it has used some milliseconds of CPU time. */
        if (both)
            line_print(&line, ", in processes %s", refused ? "without them" : "too short for events");
    }
    if (refused)
        line_print(&line, "; events were refused (%.*s)", (int)quality->clock_refused.length, quality->clock_refused.text);
    output_line(&line);
    if (advice[0]) {
        line_add(&line, SLICE("           "), 11);
        line_add_name(&line, slice_of(advice), SIZE_MAX);
        output_line(&line);
    }
    line_free(&line);
}

/* Those that the file had besides the one that samples are of. */
static void print_events(const struct info *info)
{
    const struct quality *quality = &info->quality;
    if (!quality->events)
        return;
    struct value events = value_read(quality->events);
    const uint8_t *at = events.rest;
    for (uint32_t i = 0; i < events.count; i++, at = value_skip(at)) {
        struct slice name = profile_text(&info->profile, value_read_key(&at));
        struct value samples = value_read(at);
        double count;
        if (!slice_equal(name, quality->event) && value_as_number(&samples, &count))
            printf("           %.*s (%s) with --event\n", (int)name.length, name.text, number_grouped(count, 0).text);
    }
}

/* What a recording says of itself; nothing where it says nothing. No sentence is cut: what to do stands at its end. */
static void print_quality(const struct info *info)
{
    const struct quality *quality = &info->quality;
    if (isfinite(quality->lost) && isfinite(quality->truncated_share))
        printf("quality    %s sample%s taken, %s lost; %s %% of the CPU time has truncated stacks\n",
               number_grouped(quality->taken, 0).text, quality->taken == 1 ? "" : "s", number_grouped(quality->lost, 0).text,
               number_grouped(quality->truncated_share * 100, 1).text);
    print_clock(quality);
    if (isfinite(quality->stopped_p50))
        printf("overhead   %s µs in the signal handler per sample (median), %s µs at the 99th percentile\n",
               number_grouped(quality->stopped_p50 * 1e3, 1).text, number_grouped(quality->stopped_p99 * 1e3, 1).text);
    if (quality->looks_ms > 0)
        printf("overhead   %s ms of the recorder's CPU time for %s observations of waits\n",
               number_grouped(quality->looks_ms, 1).text, number_grouped(quality->looks, 0).text);
    if (slice_is(quality->samples_of, "events"))
        puts("samples    none in the file; made of its events, for as long as each took");
    if (quality->event.length > 0)
        printf("event      %.*s\n", (int)quality->event.length, quality->event.text);
    print_events(info);
    if (!quality->notes)
        return;
    struct value notes = value_read(quality->notes);
    const uint8_t *at = notes.rest;
    struct line line = {0};
    for (uint32_t i = 0; i < notes.count; i++, at = value_skip(at)) {
        struct value note = value_read(at);
        if (note.kind != VALUE_STRING)
            continue;
        line_add(&line, SLICE("note       "), 11);
        line_add_name(&line, profile_text(&info->profile, note.string), SIZE_MAX);
        output_line(&line);
    }
    line_free(&line);
}

static void print_faults(const struct quality *quality)
{
    if (isnan(quality->fault_period))
        return;
    printf("faults     %s page faults%s, %s of them from a disk",
           number_grouped(quality->faults_minor + quality->faults_major, 0).text,
           quality->fault_period > 1 ? ", estimated" : "", number_grouped(quality->faults_major, 0).text);
    if (quality->fault_period > 1)
        printf("; one in %s has a stack", number_grouped(quality->fault_period, 0).text);
    putchar('\n');
}

static void print_head(const struct info *info, const struct terminal *terminal)
{
    const struct profile *profile = &info->profile;
    struct line line = {0};
    line_add(&line, SLICE("file       "), 11);
    line_add_ending(&line, slice_of(load_name(info->file)), terminal->width - line.width);
    output_line(&line);
    if (profile_text(profile, profile->meta.product).length > 0) {
        line_add(&line, SLICE("product    "), 11);
        line_add_name(&line, profile_text(profile, profile->meta.product), terminal->width - line.width);
        output_line(&line);
    }
    line_free(&line);
    print_start(info);
    printf("duration   %s\n", number_duration(info->span.end - info->span.start).text);
    printf("interval   %s\n", number_duration(profile->meta.interval).text);
    printf("samples    %s\n", number_grouped(info->quality.taken, 0).text);
    if (info->has_times)
        printf("waits      %s wait observations\n", number_grouped((double)info->look_count, 0).text);
    printf("markers    %s\n", number_grouped((double)info->marker_count, 0).text);
    printf("libraries  %s\n", number_grouped((double)profile->libs.rows.count, 0).text);
    if (info->bare_frames > 0)
        printf("symbols    missing for %s of %s native frames\n", number_grouped((double)info->bare_frames, 0).text,
               number_grouped((double)info->native_frames, 0).text);
    else if (info->native_frames > 0)
        printf("symbols    complete\n");
    memory_use_print(&info->memory);
    print_faults(&info->quality);
    print_quality(info);
}

/* A time of the profile as seconds from its start; a dash where it is unknown. */
static void add_time(struct table *table, const struct info *info, double time)
{
    double seconds = (time - info->span.start) / 1000;
    if (isfinite(seconds))
        table_print(table, STYLE_PLAIN, "%s s", number_grouped(seconds, 3).text);
    else
        table_add(table, SLICE("-"), STYLE_DIM);
}

static void print_cut(size_t count, size_t limit)
{
    if (count > limit)
        printf("… %zu more (--limit %zu shows all)\n", count - limit, count);
}

static bool print_processes(const struct info *info, const struct terminal *terminal, size_t limit)
{
    static const struct table_head columns[] = {{"pid", ALIGN_RIGHT, 0, KEEP_START},
                                                {"start", ALIGN_RIGHT, 0, KEEP_START},
                                                {"end", ALIGN_RIGHT, 0, KEEP_START},
                                                {"process", ALIGN_LEFT, 0, KEEP_START}};
    struct table table;
    table_init(&table, terminal, columns, 4);
    for (size_t i = 0; i < info->processes.count && i < limit; i++) {
        const struct info_process *process = &info->processes.items[i];
        table_add(&table, process->pid, STYLE_PLAIN);
        add_time(&table, info, process->start);
        add_time(&table, info, process->end);
        table_add(&table, process->name.length > 0 ? process->name : SLICE("-"), STYLE_PLAIN);
    }
    putchar('\n');
    table_write(&table);
    table_free(&table);
    print_cut(info->processes.count, limit);
    return !table.failed;
}

struct thread_row {
    struct thread_index index;
    double cpu_ms; /* NaN = unknown */
    struct thread_times times;
};

/* The busiest first; where the CPU time is unknown, the one with the most samples. */
static int compare_thread_rows(const void *left, const void *right)
{
    const struct thread_row *a = left, *b = right;
    double a_cpu = isnan(a->cpu_ms) ? -1 : a->cpu_ms, b_cpu = isnan(b->cpu_ms) ? -1 : b->cpu_ms;
    if (a_cpu != b_cpu)
        return a_cpu > b_cpu ? -1 : 1;
    if (a->times.samples != b->times.samples)
        return a->times.samples > b->times.samples ? -1 : 1;
    return a->index.i < b->index.i ? -1 : 1;
}

static void add_ms(struct table *table, double ms)
{
    if (isnan(ms))
        table_add(table, SLICE("-"), STYLE_DIM);
    else
        table_print(table, STYLE_PLAIN, "%s ms", number_grouped(ms, 1).text);
}

static void add_thread_row(struct table *table, const struct info *info, const struct thread_row *row)
{
    const struct profile *profile = &info->profile;
    const struct thread *thread = &profile->threads.items[row->index.i];
    table_print(table, STYLE_PLAIN, "t-%u", row->index.i);
    add_ms(table, row->cpu_ms);
    if (info->has_times) {
        add_ms(table, row->times.waiting_ms);
        add_ms(table, row->times.ready_ms);
    }
    table_print(table, STYLE_PLAIN, "%s", number_grouped((double)row->times.samples, 0).text);
    if (info->has_times)
        table_print(table, STYLE_PLAIN, "%s", number_grouped((double)row->times.looks, 0).text);
    if (info->has_faults)
        table_print(table, STYLE_PLAIN, "%s", number_grouped(info_page_faults(thread), 0).text);
    table_print(table, STYLE_PLAIN, "%s", number_grouped((double)marker_count(&thread->markers), 0).text);
    table_add(table, profile_text(profile, thread->pid), STYLE_PLAIN);
    table_add(table, profile_text(profile, thread->tid), STYLE_PLAIN);
    struct slice process = thread_process_name(profile, thread);
    table_add(table, process.length > 0 ? process : SLICE("-"), STYLE_PLAIN);
    table_add(table, profile_text(profile, thread->name), STYLE_PLAIN);
}

static bool print_threads(const struct info *info, const struct terminal *terminal, size_t limit)
{
    static const struct table_head columns[] = {
        {"thread", ALIGN_LEFT, 0, KEEP_START},   {"CPU", ALIGN_RIGHT, 0, KEEP_START}, {"samples", ALIGN_RIGHT, 0, KEEP_START},
        {"markers", ALIGN_RIGHT, 0, KEEP_START}, {"pid", ALIGN_RIGHT, 0, KEEP_START}, {"tid", ALIGN_RIGHT, 0, KEEP_START},
        {"process", ALIGN_LEFT, 0, KEEP_START},  {"name", ALIGN_LEFT, 0, KEEP_START},
    };
    static const struct table_head columns_of_times[] = {
        {"thread", ALIGN_LEFT, 0, KEEP_START},   {"CPU", ALIGN_RIGHT, 0, KEEP_START},
        {"waiting", ALIGN_RIGHT, 0, KEEP_START}, {"ready", ALIGN_RIGHT, 0, KEEP_START},
        {"samples", ALIGN_RIGHT, 0, KEEP_START}, {"wait obs.", ALIGN_RIGHT, 0, KEEP_START},
        {"markers", ALIGN_RIGHT, 0, KEEP_START}, {"pid", ALIGN_RIGHT, 0, KEEP_START},
        {"tid", ALIGN_RIGHT, 0, KEEP_START},     {"process", ALIGN_LEFT, 0, KEEP_START},
        {"name", ALIGN_LEFT, 0, KEEP_START},
    };
    size_t count = info->profile.threads.count;
    struct thread_row *rows = memory_array(count + 1, sizeof *rows);
    if (!rows)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct thread *thread = &info->profile.threads.items[i];
        rows[i] =
            (struct thread_row){thread_at(i), thread_cpu_ms(&info->profile, thread), thread_times(&info->profile, thread)};
    }
    qsort(rows, count, sizeof *rows, compare_thread_rows);

    struct table table;
    struct table_head heads[sizeof columns_of_times / sizeof *columns_of_times + 1];
    const struct table_head *plain = info->has_times ? columns_of_times : columns;
    size_t before_markers = info->has_times ? 6 : 3, count_of_heads = info->has_times ? 11 : 8;
    memcpy(heads, plain, before_markers * sizeof *heads);
    heads[before_markers] = (struct table_head){"faults", ALIGN_RIGHT, 0, KEEP_START};
    memcpy(heads + before_markers + info->has_faults, plain + before_markers,
           (count_of_heads - before_markers) * sizeof *heads);
    table_init(&table, terminal, heads, count_of_heads + info->has_faults);
    for (size_t i = 0; i < count && i < limit; i++)
        add_thread_row(&table, info, &rows[i]);
    putchar('\n');
    table_write(&table);
    table_free(&table);
    memory_release(rows);
    print_cut(count, limit);
    return !table.failed;
}

static bool print_counters(const struct info *info, const struct terminal *terminal, size_t limit)
{
    static const struct table_head columns[] = {{"counter", ALIGN_LEFT, 0, KEEP_START},
                                                {"samples", ALIGN_RIGHT, 0, KEEP_START},
                                                {"pid", ALIGN_RIGHT, 0, KEEP_START},
                                                {"description", ALIGN_LEFT, 0, KEEP_START}};
    size_t count = info->profile.counters.rows.count;
    if (count == 0)
        return true;
    struct table table;
    table_init(&table, terminal, columns, 4);
    for (size_t i = 0; i < count && i < limit; i++) {
        const struct counter *counter = &info->profile.counters.rows.items[i];
        table_add(&table, profile_text(&info->profile, counter->name), STYLE_PLAIN);
        table_print(&table, STYLE_PLAIN, "%s", number_grouped((double)column_count(&counter->count), 0).text);
        table_add(&table, profile_text(&info->profile, counter->pid), STYLE_PLAIN);
        table_add(&table, profile_text(&info->profile, counter->description), STYLE_PLAIN);
    }
    putchar('\n');
    table_write(&table);
    table_free(&table);
    print_cut(count, limit);
    return !table.failed;
}

int info_print_text(const struct info *info, const struct common_options *options)
{
    struct terminal terminal = terminal_of_options(options);
    size_t limit = options->limit.given ? options->limit.value : LINES_FOR_PEOPLE;
    print_head(info, &terminal);
    bool complete = print_processes(info, &terminal, limit);
    complete &= print_threads(info, &terminal, limit);
    complete &= print_counters(info, &terminal, limit);
    complete &= info_print_modules(&info->profile, &info->modules, &terminal, limit);
    return output_finish(!complete);
}
