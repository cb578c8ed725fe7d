#include "import/perf_events.h"

#include "common/text_buffer.h"
#include "import/own_meta.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

uint32_t perf_events_add(struct perf_events *events, struct string_table *strings, struct slice name)
{
    struct string_index string = string_table_add(strings, name);
    if (!string_exists(string))
        return INDEX_NONE;
    for (size_t i = 0; i < events->rows.count; i++)
        if (string_same(events->rows.items[i].name, string))
            return (uint32_t)i;
    struct perf_event event = {.name = string};
    return vec_push(&events->rows, event) ? (uint32_t)events->rows.count - 1 : INDEX_NONE;
}

bool perf_events_add_header(struct perf_events *events, struct string_table *strings, struct slice line)
{
    struct slice prefix = SLICE("# event : name = ");
    if (!slice_starts_with(line, prefix))
        return true;
    struct slice name = slice_from(line, prefix.length);
    const char *comma = memchr(name.text, ',', name.length);
    uint32_t row = comma ? perf_events_add(events, strings, slice_until(name, (size_t)(comma - name.text))) : 0;
    if (comma && row != INDEX_NONE)
        events->rows.items[row].is_in_header = true;
    return row != INDEX_NONE;
}

static int refuse(const struct perf_events *events, const struct string_table *strings, const char *wanted, struct error *error)
{
    struct text_buffer there = {0};
    for (size_t i = 0; i < events->rows.count; i++) {
        char count[40];
        if (events->rows.items[i].samples == 0)
            continue;
        snprintf(count, sizeof count, " (%" PRIu64 ")", events->rows.items[i].samples);
        text_add(&there, text_slice(&there).length > 0 ? SLICE(", ") : SLICE(""));
        text_add(&there, string_table_get(strings, events->rows.items[i].name));
        text_add(&there, slice_of(count));
    }
    struct slice text = text_slice(&there);
    int failed = there.failed ? error_out_of_memory(error)
                              : error_set(error, -EINVAL, "no samples of an event '%s': there are %.*s", wanted,
                                          (int)text.length, text.text);
    text_free(&there);
    return failed;
}

/* Without its modifiers and settings: `cycles:u`, `cpu-clock/freq=400/u`. */
static bool is_called(struct slice name, struct slice wanted)
{
    return slice_equal(name, wanted) ||
           (slice_starts_with(name, wanted) && (name.text[wanted.length] == ':' || name.text[wanted.length] == '/'));
}

void perf_events_count(struct perf_events *events, uint32_t row, uint64_t period)
{
    struct perf_event *event = &events->rows.items[row];
    event->least = event->samples == 0 || period < event->least ? period : event->least;
    event->most = period > event->most ? period : event->most;
    event->samples++;
}

/* The first, of those of the header; without one, that which began in the program first says nothing. */
static bool is_better(const struct perf_event *event, const struct perf_event *than)
{
    return !than->is_in_header && event->samples > than->samples;
}

int perf_events_choose(const struct perf_events *events, const struct string_table *strings, const char *wanted,
                       uint32_t *chosen, struct error *error)
{
    *chosen = INDEX_NONE;
    for (size_t i = 0; i < events->rows.count; i++) {
        const struct perf_event *event = &events->rows.items[i];
        if (event->samples == 0 || (wanted && !is_called(string_table_get(strings, event->name), slice_of(wanted))))
            continue;
        if (*chosen == INDEX_NONE || (!wanted && is_better(event, &events->rows.items[*chosen])))
            *chosen = (uint32_t)i;
    }
    return *chosen == INDEX_NONE && wanted ? refuse(events, strings, wanted, error) : 0;
}

static size_t count_with_samples(const struct perf_events *events)
{
    size_t count = 0;
    for (size_t i = 0; i < events->rows.count; i++)
        count += events->rows.items[i].samples > 0;
    return count;
}

/* Samples that were left out, and what perf report counts instead. */
static bool put_notes(const struct perf_event *event, uint64_t without_frames, struct profile *profile)
{
    char left_out[100], periods[160];
    const char *notes[2];
    uint32_t count = 0;
    snprintf(left_out, sizeof left_out, "%" PRIu64 " sample%s without frames %s left out", without_frames,
             without_frames == 1 ? "" : "s", without_frames == 1 ? "was" : "were");
    if (without_frames > 0)
        notes[count++] = left_out;
    snprintf(periods, sizeof periods,
             "each sample counts once; perf report counts the events that it stands for, from %" PRIu64 " to %" PRIu64,
             event->least, event->most);
    if (event->least != event->most)
        notes[count++] = periods;
    return count == 0 || own_meta_put_notes(profile, notes, count);
}

bool perf_events_put_meta(const struct perf_events *events, uint32_t chosen, uint64_t without_frames, struct profile *profile)
{
    struct value_bytes *out = &profile->meta.whole;
    size_t count = count_with_samples(events);
    const struct perf_event *event = &events->rows.items[chosen];
    bool has_notes = without_frames > 0 || event->least != event->most;
    uint32_t members = (count > 1 ? 2U : 0U) + has_notes;
    if (members == 0)
        return true;
    bool ok = own_meta_begin(profile, members);
    if (ok && count > 1) {
        ok = own_meta_put_key(profile, "event") && value_put_string(out, event->name) && own_meta_put_key(profile, "events") &&
             value_put_object(out, (uint32_t)count);
        for (size_t i = 0; ok && i < events->rows.count; i++)
            if (events->rows.items[i].samples > 0)
                ok = value_put_key(out, events->rows.items[i].name) &&
                     value_put_integer(out, (int64_t)events->rows.items[i].samples);
    }
    return ok && put_notes(event, without_frames, profile);
}

void perf_events_free(struct perf_events *events)
{
    vec_free(&events->rows);
}
