#include "trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/number_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- reading ---- */

struct text_buffer json_text(const char *json)
{
    struct text_buffer text = {0};
    for (const char *p = json; *p != '\0'; p++)
        text_add_char(&text, *p == '\'' ? '"' : *p);
    assert_false(text.failed);
    return text;
}

int read_trace(struct trace *trace, const char *json, const struct trace_read_options *options, struct error *error)
{
    struct text_buffer text = json_text(json);
    *trace = (struct trace){0};
    struct byte_source *source = byte_source_memory(text_slice(&text), 7, false, error);
    assert_non_null(source);
    int result = trace_read(trace, source, options, error);
    byte_source_close(source);
    text_free(&text);
    assert_int_equal(result, error->code);
    return result;
}

static void read_or_fail(struct trace *trace, const char *json, enum trace_rules rules)
{
    struct error error = {0};
    if (read_trace(trace, json, &(struct trace_read_options){.rules = rules}, &error))
        fail_msg("%s", error.message);
}

void assert_reads(struct trace *trace, const char *json)
{
    read_or_fail(trace, json, TRACE_RULES_NEWEST);
}

void assert_trace_refused(const char *json, const char *message)
{
    struct error error = {0};
    struct trace trace;
    assert_int_not_equal(read_trace(&trace, json, &(struct trace_read_options){0}, &error), 0);
    trace_free(&trace);
    assert_string_equal(error.message, message);
}

/* ---- writing ---- */

static void add(struct text_buffer *out, const char *text)
{
    text_add(out, slice_of(text));
}

static void add_string(struct text_buffer *out, const struct trace *trace, struct string_index string)
{
    text_add(out, string_exists(string) ? string_table_get(&trace->strings, string) : SLICE("-"));
}

static void add_number(struct text_buffer *out, double number)
{
    char text[NUMBER_TEXT_SIZE];
    if (isnan(number))
        add(out, "NaN");
    else
        text_add(out, (struct slice){text, number_text(number, text)});
}

static void add_thread_id(struct text_buffer *out, int64_t pid, int64_t tid)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRId64 ":%" PRId64, pid, tid);
    add(out, text);
}

static void add_numbers(struct text_buffer *out, const char *what, const struct numbers *numbers)
{
    if (numbers->count == 0)
        return;
    add(out, what);
    for (size_t i = 0; i < numbers->count; i++) {
        add(out, " ");
        add_number(out, numbers->items[i]);
    }
    add(out, "\n");
}

/* Compares and frees all. */
static void finish(struct trace *trace, struct text_buffer *out, const char *expected)
{
    trace_free(trace);
    text_add_char(out, '\0');
    assert_false(out->failed);
    assert_string_equal(out->bytes.items, expected);
    text_free(out);
}

static void add_entry(struct text_buffer *out, const struct trace *trace, const struct trace_event *event)
{
    text_add_char(out, event->phase);
    add(out, " ");
    add_string(out, trace, event->name);
    if (string_exists(event->category)) {
        add(out, " ");
        add_string(out, trace, event->category);
    }
    add(out, " ");
    add_number(out, event->ts);
    if (event->phase == 'X') {
        add(out, "+");
        add_number(out, event->dur);
    }
    if (event->sample_trace_id != 0) {
        add(out, " stack ");
        add_number(out, event->sample_trace_id);
    }
    add(out, "\n");
}

void assert_entries_by(const char *json, enum trace_rules rules, const char *expected)
{
    struct trace trace;
    struct text_buffer out = {0};
    read_or_fail(&trace, json, rules);
    for (size_t i = 0; i < trace.threads.count; i++) {
        const struct trace_thread *thread = &trace.threads.items[i];
        if (thread->events.count == 0)
            continue;
        add_thread_id(&out, thread->pid, thread->tid);
        if (string_exists(thread->name)) {
            add(&out, " ");
            add_string(&out, &trace, thread->name);
        }
        add(&out, "\n");
        for (size_t k = 0; k < thread->events.count; k++)
            add_entry(&out, &trace, &thread->events.items[k]);
    }
    finish(&trace, &out, expected);
}

void assert_entries(const char *json, const char *expected)
{
    assert_entries_by(json, TRACE_RULES_NEWEST, expected);
}

static void add_profile(struct text_buffer *out, const struct trace *trace, const struct trace_profile *profile)
{
    add_string(out, trace, profile->id);
    add(out, " ");
    add_number(out, profile->start);
    add(out, "-");
    add_number(out, profile->end);
    add(out, "\n");
    add_numbers(out, "samples", &profile->samples);
    add_numbers(out, "deltas", &profile->deltas);
    add_numbers(out, "lines", &profile->lines);
    add_numbers(out, "columns", &profile->columns);
    for (size_t i = 0; i < profile->stacks.count; i++) {
        add(out, "stack ");
        add_number(out, profile->stacks.items[i].trace_id);
        add(out, " = ");
        add_number(out, trace_profile_stack(profile, profile->stacks.items[i].trace_id));
        add(out, "\n");
    }
}

void assert_profiles(const char *json, const char *expected)
{
    struct trace trace;
    struct text_buffer out = {0};
    assert_reads(&trace, json);
    for (size_t i = 0; i < trace.threads.count; i++) {
        const struct trace_thread *thread = &trace.threads.items[i];
        if (thread->profile == INDEX_NONE)
            continue;
        assert_true(thread->profile < trace.profiles.count);
        add_thread_id(&out, thread->pid, thread->tid);
        add(&out, " ");
        add_profile(&out, &trace, &trace.profiles.items[thread->profile]);
    }
    finish(&trace, &out, expected);
}

static void add_node(struct text_buffer *out, const struct trace *trace, const struct trace_profile *profile,
                     const struct trace_node *node)
{
    const struct trace_function *function = &profile->functions.items[node->function];
    double hits = profile->hits.items[node - profile->nodes.items];
    add_number(out, node->id);
    add(out, " ");
    add_string(out, trace, function->name);
    add(out, " ");
    add_string(out, trace, function->script_id);
    add(out, " ");
    add_string(out, trace, function->url);
    add(out, " ");
    add_number(out, function->line);
    add(out, ":");
    add_number(out, function->column);
    if (!isnan(node->parent)) {
        add(out, " parent ");
        add_number(out, node->parent);
    }
    if (node->child_count != INDEX_NONE) {
        add(out, " children");
        for (uint32_t i = 0; i < node->child_count; i++) {
            add(out, " ");
            add_number(out, profile->children.items[node->first_child + i]);
        }
    }
    if (!isnan(hits)) {
        add(out, " hits ");
        add_number(out, hits);
    }
    add(out, "\n");
}

void assert_nodes(const char *json, const char *expected)
{
    struct trace trace;
    struct text_buffer out = {0};
    assert_reads(&trace, json);
    for (size_t i = 0; i < trace.profiles.count; i++)
        for (size_t k = 0; k < trace.profiles.items[i].nodes.count; k++)
            add_node(&out, &trace, &trace.profiles.items[i], &trace.profiles.items[i].nodes.items[k]);
    finish(&trace, &out, expected);
}

void assert_kept(const char *json, enum trace_rules rules, const char *expected)
{
    struct trace trace;
    struct text_buffer out = {0};
    read_or_fail(&trace, json, rules);
    for (size_t i = 0; i < trace.processes.count; i++) {
        const struct trace_process *process = &trace.processes.items[i];
        if (!process->kept)
            continue;
        add_number(&out, (double)process->pid);
        add(&out, " ");
        add_string(&out, &trace, process->url);
        add(&out, "\n");
    }
    finish(&trace, &out, expected);
}
