#include "drawn_trace.h"

#include "common/number_text.h"
#include "common/text_buffer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char common_nodes[] = "1<0:(root):-1 2<1:(program):-1 3<1:(idle):-1 4<1:a 5<4:b 6<5:c 7<4:d "
                                   "8<1:(garbage collector):-1 9<1:e 10<9:g";

static struct string_index text_index(struct trace *trace, const char *text, size_t length)
{
    struct string_index index = string_table_add(&trace->strings, (struct slice){text, length});
    assert_true(string_exists(index));
    return index;
}

/* The number at *at, and the end of it; fails the test where there is none. */
static double take_number(const char **at)
{
    char *end;
    double number = strtod(*at, &end);
    if (end == *at)
        fail_msg("no number at '%s'", *at);
    *at = end;
    return number;
}

static bool take(const char **at, char c)
{
    bool there = **at == c;
    *at += there;
    return there;
}

static void skip_blanks(const char **at)
{
    while (**at == ' ')
        (*at)++;
}

static struct string_index take_name(struct trace *trace, const char **at, const char *ends)
{
    size_t length = strcspn(*at, ends);
    struct string_index name = text_index(trace, *at, length);
    *at += length;
    return name;
}

static void draw_nodes(struct trace *trace, struct trace_profile *profile, const char *text)
{
    for (const char *at = text; skip_blanks(&at), *at != '\0';) {
        struct trace_node node = {.child_count = INDEX_NONE};
        struct trace_function function = {.column = -1};
        node.id = take_number(&at);
        assert_true(take(&at, '<'));
        node.parent = take_number(&at);
        assert_true(take(&at, ':'));
        function.name = take_name(trace, &at, *at == '(' ? ":" : ": "); /* (garbage collector) */
        function.line = take(&at, ':') ? take_number(&at) : node.id;
        if (take(&at, ':'))
            function.column = take_number(&at);
        bool has_url = take(&at, ':');
        const char *url = at;
        if (has_url)
            at += strncmp(at, "native V8Runtime", 16) == 0 ? 16 : strcspn(at, " ");
        function.url = text_index(trace, url, has_url ? (size_t)(at - url) : 0);
        function.script_id = text_index(trace, function.line < 0 ? "0" : "1", 1);
        node.function = trace_profile_add_function(profile, &function);
        assert_true(node.function != INDEX_NONE && vec_push(&profile->nodes, node) && vec_push(&profile->hits, NAN));
    }
}

static void list_children(struct trace_profile *profile)
{
    for (size_t row = 0; row < profile->nodes.count; row++) {
        struct trace_node *node = &profile->nodes.items[row];
        node->first_child = (uint32_t)profile->children.count;
        for (size_t child = 0; child < profile->nodes.count; child++)
            if (profile->nodes.items[child].parent == node->id)
                assert_true(vec_push(&profile->children, profile->nodes.items[child].id));
        node->child_count = (uint32_t)profile->children.count - node->first_child;
    }
    for (size_t row = 0; row < profile->nodes.count; row++)
        profile->nodes.items[row].parent = NAN;
}

static void draw_profile(struct trace *trace, const struct drawing *drawing)
{
    struct trace_profile profile = {.pid = 7, .tid = 9, .has_owner = true, .has_samples = true};
    profile.start = drawing->start != 0 ? drawing->start : 1000;
    profile.end = drawing->end != 0 ? drawing->end : 2000;
    if (!drawing->only_these_nodes)
        draw_nodes(trace, &profile, common_nodes);
    draw_nodes(trace, &profile, drawing->nodes ? drawing->nodes : "");
    if (drawing->listed)
        list_children(&profile);
    size_t row = 0;
    for (const char *at = drawing->hits ? drawing->hits : ""; skip_blanks(&at), *at != '\0';)
        profile.hits.items[row++] = take_number(&at);
    for (const char *at = drawing->samples; skip_blanks(&at), *at != '\0';)
        assert_true(vec_push(&profile.samples, take_number(&at)));
    profile.has_deltas = !drawing->deltas || *drawing->deltas != '\0';
    for (size_t i = 0; !drawing->deltas && i < profile.samples.count; i++)
        assert_true(vec_push(&profile.deltas, 10));
    for (const char *at = drawing->deltas ? drawing->deltas : ""; skip_blanks(&at), *at != '\0';)
        assert_true(vec_push(&profile.deltas, take_number(&at)));
    for (const char *at = drawing->stacks ? drawing->stacks : ""; skip_blanks(&at), *at != '\0';) {
        double trace_id = take_number(&at);
        assert_true(take(&at, '='));
        assert_true(trace_profile_add_stack(&profile, trace_id, take_number(&at)));
    }
    assert_true(vec_push(&trace->profiles, profile));
}

void draw_trace(struct trace *trace, const struct drawing *drawing)
{
    struct trace_thread thread = {.pid = 7, .tid = 9, .name = STRING_NONE, .profile = INDEX_NONE};
    for (const char *at = drawing->events ? drawing->events : ""; skip_blanks(&at), *at != '\0';) {
        struct trace_event event = {.arguments = INDEX_NONE, .category = STRING_NONE, .phase = 'X'};
        event.name = take_name(trace, &at, "(@");
        if (take(&at, '@')) {
            event.phase = 'I';
            event.ts = take_number(&at);
        } else {
            assert_true(take(&at, '('));
            event.ts = take_number(&at);
            assert_true(take(&at, ','));
            event.dur = take_number(&at);
            assert_true(take(&at, ')'));
        }
        if (take(&at, '#'))
            event.sample_trace_id = take_number(&at);
        assert_true(vec_push(&thread.events, event));
    }
    if (drawing->samples) {
        thread.profile = 0;
        draw_profile(trace, drawing);
    }
    assert_true(vec_push(&trace->threads, thread));
    assert_true(
        vec_push(&trace->processes, ((struct trace_process){.pid = 7, .name = STRING_NONE, .url = STRING_NONE, .kept = true})));
    trace->cpu_mode = drawing->cpu_mode;
}

struct calls_options drawing_options(const struct drawing *drawing)
{
    return (struct calls_options){.rules = drawing->rules, .show_all = drawing->show_all};
}

static void put_number(struct text_buffer *text, double number)
{
    char digits[NUMBER_TEXT_SIZE];
    if (isfinite(number))
        text_add(text, (struct slice){digits, number_text(number, digits)});
    else
        text_add(text, isnan(number) ? SLICE("-") : number < 0 ? SLICE("-inf") : SLICE("inf"));
}

char *calls_text(const struct trace_calls *calls, const struct trace *trace)
{
    struct text_buffer text = {0};
    for (size_t i = 0; i < calls->threads.count; i++) {
        const struct thread_calls *thread = &calls->threads.items[i];
        for (size_t row = 0; row < thread->calls.count; row++) {
            const struct call *call = &thread->calls.items[row];
            if (text.bytes.count > 0)
                text_add(&text, SLICE("; "));
            text_add(&text, string_table_get(&trace->strings, cpu_model_function(thread->model, call->node)->name));
            text_add(&text, SLICE(" "));
            put_number(&text, call->ts);
            text_add(&text, SLICE("+"));
            put_number(&text, call->dur);
            text_add(&text, SLICE(" s"));
            put_number(&text, call->self);
            text_add(&text, SLICE(" d"));
            put_number(&text, call->depth < 0 ? (double)NAN : call->depth);
            if (call->sample_index < 0)
                text_add(&text, SLICE(" idx -1"));
        }
    }
    text_add_char(&text, '\0');
    assert_false(text.failed);
    return text.bytes.items;
}

void assert_calls(struct drawing drawing, const char *expected)
{
    struct trace trace = {0};
    struct trace_calls calls = {0};
    struct error error = {0};
    struct calls_options options = drawing_options(&drawing);
    draw_trace(&trace, &drawing);
    if (trace_calls_build(&calls, &trace, &options, &error) != 0)
        fail_msg("%s", error.message);
    char *text = calls_text(&calls, &trace);
    assert_string_equal(text, expected);
    memory_release(text);
    trace_calls_free(&calls);
    trace_free(&trace);
}
