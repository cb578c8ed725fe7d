#include "import/trace_events.h"

#include "import/cpu_nodes.h"
#include "import/own_meta.h"
#include "import/trace_import.h"
#include "trace/trace_read.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* All texts of the trace become the profile's at once, so that their numbers stay what they are. */
static void move_strings(struct trace *trace, struct profile *profile)
{
    string_table_free(&profile->strings);
    profile->strings = trace->strings;
    trace->strings = (struct string_table){0};
}

/* ---- meta ---- */

enum { MAX_NOTES = 2 };

static size_t notes_of(const struct trace *trace, char notes[MAX_NOTES][128])
{
    size_t count = 0;
    if (trace->cut)
        snprintf(notes[count++], sizeof *notes, "the trace ends in the middle, as after a crash");
    if (trace->odd_events > 0)
        snprintf(notes[count++], sizeof *notes, "%" PRIu64 " events of the trace make no sense and were passed over",
                 trace->odd_events);
    return count;
}

/* How good it is is said where recordings of Sonde say it. */
static bool put_own(struct trace_import *import, char notes[MAX_NOTES][128], size_t count)
{
    struct profile *profile = import->profile;
    const char *texts[MAX_NOTES];
    for (size_t i = 0; i < count; i++)
        texts[i] = notes[i];
    if (count == 0 && !import->samples_are_events)
        return true;
    struct string_index events = string_table_add(&profile->strings, SLICE("events"));
    return string_exists(events) && own_meta_begin(profile, (count > 0) + (uint32_t)import->samples_are_events) &&
           (!import->samples_are_events ||
            (own_meta_put_key(profile, "samplesOf") && value_put_string(&profile->meta.whole, events))) &&
           (count == 0 || own_meta_put_notes(profile, texts, (uint32_t)count));
}

static int fill_meta(struct trace_import *import)
{
    struct profile *profile = import->profile;
    char notes[MAX_NOTES][128];
    size_t note_count = notes_of(&import->trace, notes);
    profile->meta.product = string_table_add(&profile->strings, SLICE("Chrome Trace"));
    profile->meta.symbolicated = true;
    profile->meta.profiling_start_time = import->first;
    /* What is at the end of the range is not in it. */
    profile->meta.profiling_end_time = import->last + profile->meta.interval;
    if (!string_exists(profile->meta.product) || !put_own(import, notes, note_count))
        return error_out_of_memory(import->error);
    return 0;
}

/* ---- the whole ---- */

static int pack_arguments(struct trace_import *import)
{
    struct trace *trace = &import->trace;
    if (!trace_payloads_init(&import->payloads, import->profile))
        return error_out_of_memory(import->error);
    int failed = trace_payloads_pack(&import->payloads, trace->arguments.items, trace->arguments.count, import->error);
    arena_free(&trace->texts);
    vec_free(&trace->arguments);
    return failed;
}

static int build_profile(struct trace_import *import)
{
    move_strings(&import->trace, import->profile);
    if (import->trace.event_count == import->trace.odd_events && !import->trace.cut)
        return error_set(import->error, -EINVAL, "no trace events: nothing in it has the form of one");
    if (!cpu_nodes_add_categories(import->profile))
        return error_out_of_memory(import->error);
    if (trace_import_threads(import) || pack_arguments(import) || trace_import_samples(import) ||
        trace_import_markers(import) || trace_import_event_samples(import) || trace_import_counters(import) ||
        fill_meta(import))
        return import->error->code;
    return profile_finish(import->profile, import->error);
}

static int import_events(struct byte_source *source, bool is_thin, struct profile *profile, struct error *error)
{
    static const struct trace_read_options options = {.arguments = true, .others = true};
    struct trace_import import = {.profile = profile, .error = error, .is_thin = is_thin, .first = NAN, .last = NAN};
    if (trace_read(&import.trace, source, &options, error) == 0)
        build_profile(&import);
    trace_free(&import.trace);
    trace_payloads_free(&import.payloads);
    memory_release(import.thread_of);
    memory_release(import.main_thread_of);
    map_free(&import.category_rows);
    vec_free(&import.categories);
    return error->code;
}

int trace_events_import(struct byte_source *source, struct profile *profile, struct error *error)
{
    return import_events(source, false, profile, error);
}

int trace_events_import_thin(struct byte_source *source, struct profile *profile, struct error *error)
{
    return import_events(source, true, profile, error);
}
