/* Worked examples and real traces: every call is that of Chrome DevTools' engine, both of the package 0.0.65 and the newest. */
#include "support/json_document.h"

#include "common/byte_source.h"
#include "trace/calls.h"
#include "trace/trace_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const rule_names[] = {[TRACE_RULES_NEWEST] = "newest", [TRACE_RULES_0_0_65] = "0.0.65"};

/* --- what the engine found --- */

struct expected_call {
    double pid, tid, ts, dur, self, node, sample_index, depth;
};

static double number_at(const struct json_document *document, const uint8_t *object, const char *key)
{
    return json_double(json_get(document, object, key));
}

static struct expected_call expected_call(const struct json_document *document, const uint8_t *call, double pid, double tid)
{
    return (struct expected_call){
        .pid = pid,
        .tid = tid,
        .ts = number_at(document, call, "ts"),
        .dur = number_at(document, call, "dur"),
        .self = number_at(document, call, "self"),
        .node = number_at(document, call, "nodeId"),
        .sample_index = number_at(document, call, "sampleIndex"),
        .depth = number_at(document, call, "depth"),
    };
}

/* --- and what we find --- */

struct found {
    struct trace trace;
    struct trace_calls calls;
    size_t thread, call; /* the next one */
};

static int find_calls(struct found *found, struct byte_source *source, struct calls_options options, struct error *error)
{
    *found = (struct found){0};
    assert_non_null(source);
    int result = trace_read(&found->trace, source, &(struct trace_read_options){.rules = options.rules}, error);
    byte_source_close(source);
    return result == 0 ? trace_calls_build(&found->calls, &found->trace, &options, error) : result;
}

static void found_free(struct found *found)
{
    trace_calls_free(&found->calls);
    trace_free(&found->trace);
}

/* False when there are no more. */
static bool next_call(struct found *found, struct expected_call *next)
{
    while (found->thread < found->calls.threads.count && found->call == found->calls.threads.items[found->thread].calls.count) {
        found->thread++;
        found->call = 0;
    }
    if (found->thread == found->calls.threads.count)
        return false;
    const struct thread_calls *thread = &found->calls.threads.items[found->thread];
    const struct call *call = &thread->calls.items[found->call++];
    *next = (struct expected_call){
        .pid = (double)thread->thread->pid,
        .tid = (double)thread->thread->tid,
        .ts = call->ts,
        .dur = call->dur,
        .self = call->self,
        .node = cpu_model_raw(thread->model, call->node)->id,
        .sample_index = (double)call->sample_index,
        .depth = call->depth,
    };
    return true;
}

static bool same_call(const struct expected_call *a, const struct expected_call *b)
{
    return a->pid == b->pid && a->tid == b->tid && a->ts == b->ts && a->dur == b->dur && a->self == b->self &&
           a->node == b->node && a->sample_index == b->sample_index && a->depth == b->depth;
}

static void assert_next_call(struct found *found, struct expected_call expected, const char *where)
{
    struct expected_call call;
    if (!next_call(found, &call))
        fail_msg("%s: no call at %.17g", where, expected.ts);
    if (!same_call(&call, &expected))
        fail_msg("%s: thread %g/%g: expected %.17g+%.17g self %.17g node %g sample %g depth %g, got thread %g/%g: "
                 "%.17g+%.17g self %.17g node %g sample %g depth %g",
                 where, expected.pid, expected.tid, expected.ts, expected.dur, expected.self, expected.node,
                 expected.sample_index, expected.depth, call.pid, call.tid, call.ts, call.dur, call.self, call.node,
                 call.sample_index, call.depth);
}

static void assert_no_more_calls(struct found *found, const char *where)
{
    struct expected_call call;
    if (next_call(found, &call))
        fail_msg("%s: there is a call at %.17g of node %g", where, call.ts, call.node);
}

/* --- worked examples --- */

static void assert_example(const struct json_document *document, const uint8_t *example, enum trace_rules rules)
{
    char where[200];
    struct slice name = json_text(document, json_get(document, example, "name"));
    snprintf(where, sizeof where, "%.*s, rules %s", (int)name.length, name.text, rule_names[rules]);

    char *events = json_dump(document, json_get(document, example, "input"), 0);
    bool cpu_mode = json_is_true(json_get(document, example, "isCPUProfile"));
    char *text;
    int length =
        asprintf(&text, "{\"traceEvents\":%s,\"metadata\":{%s}}", events, cpu_mode ? "\"dataOrigin\":\"CPUProfile\"" : "");
    assert_true(length > 0);

    struct found found;
    struct error error = {0};
    struct calls_options options = {.rules = rules, .show_all = json_is_true(json_get(document, example, "showAllEvents"))};
    struct byte_source *source = byte_source_memory((struct slice){text, (size_t)length}, 0, false, &error);
    int result = find_calls(&found, source, options, &error);
    const uint8_t *expected = json_get(document, json_get(document, example, "expected"), rule_names[rules]);
    if (json_find(document, expected, "error")) {
        if (result == 0)
            fail_msg("%s: no error", where);
    } else {
        if (result != 0)
            fail_msg("%s: %s", where, error.message);
        uint32_t count;
        for (const uint8_t *call = json_items(json_get(document, expected, "calls"), &count); count > 0;
             count--, call = value_skip(call))
            assert_next_call(&found,
                             expected_call(document, call, number_at(document, call, "pid"), number_at(document, call, "tid")),
                             where);
        assert_no_more_calls(&found, where);
    }
    found_free(&found);
    memory_release(events);
    free(text);
}

/* Events of phases B and E on two threads at once: the engine joins what does not belong together (tests/trace/entries.c). */
static bool is_left_alone(const struct json_document *document, const uint8_t *example, enum trace_rules rules)
{
    struct slice name = json_text(document, json_get(document, example, "name"));
    return rules == TRACE_RULES_NEWEST && slice_starts_with(name, SLICE("E22 "));
}

static void assert_examples(enum trace_rules rules)
{
    struct json_document document;
    json_document_open(&document, TEST_DATA "/trace/worked-examples.json");
    uint32_t count;
    const uint8_t *example = json_items(json_root(&document), &count);
    assert_int_equal(count, 45);
    for (; count > 0; count--, example = value_skip(example))
        if (!is_left_alone(&document, example, rules))
            assert_example(&document, example, rules);
    json_document_close(&document);
}

static void worked_examples_give_the_calls_of_the_newest_engine(void **state)
{
    (void)state;
    assert_examples(TRACE_RULES_NEWEST);
}

static void worked_examples_give_the_calls_of_the_published_engine(void **state)
{
    (void)state;
    assert_examples(TRACE_RULES_0_0_65);
}

/* --- files --- */

static void assert_file(const char *name, enum trace_rules rules, size_t call_count)
{
    char path[200];
    struct found found;
    struct error error = {0};
    snprintf(path, sizeof path, TEST_DATA "/trace/%s.gz", name);
    struct byte_source *source = byte_source_open(path, NULL, &error);
    if (find_calls(&found, source, (struct calls_options){.rules = rules}, &error) != 0)
        fail_msg("%s: %s", name, error.message);

    struct json_document document;
    snprintf(path, sizeof path, TEST_DATA "/trace/%s.%s.calls.json.gz", name, rule_names[rules]);
    json_document_open(&document, path);
    uint32_t threads;
    for (const uint8_t *thread = json_items(json_get(&document, json_root(&document), "threads"), &threads); threads > 0;
         threads--, thread = value_skip(thread)) {
        double pid = number_at(&document, thread, "pid"), tid = number_at(&document, thread, "tid");
        uint32_t calls;
        for (const uint8_t *call = json_items(json_get(&document, thread, "calls"), &calls); calls > 0;
             calls--, call = value_skip(call), call_count--)
            assert_next_call(&found, expected_call(&document, call, pid, tid), name);
    }
    assert_int_equal(call_count, 0);
    assert_no_more_calls(&found, name);
    json_document_close(&document);
    found_free(&found);
}

static void a_page_in_chromium_gives_the_calls_of_the_newest_engine(void **state)
{
    (void)state;
    assert_file("chrome_small.json", TRACE_RULES_NEWEST, 11837 + 138);
}

static void a_page_in_chromium_gives_the_calls_of_the_published_engine(void **state)
{
    (void)state;
    assert_file("chrome_small.json", TRACE_RULES_0_0_65, 7008 + 138);
}

static void a_cpu_profile_gives_the_calls_of_both_engines(void **state)
{
    (void)state;
    assert_file("node_small.cpuprofile", TRACE_RULES_NEWEST, 3797);
    assert_file("node_small.cpuprofile", TRACE_RULES_0_0_65, 3797);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_examples_give_the_calls_of_the_newest_engine),
        cmocka_unit_test(worked_examples_give_the_calls_of_the_published_engine),
        cmocka_unit_test(a_page_in_chromium_gives_the_calls_of_the_newest_engine),
        cmocka_unit_test(a_page_in_chromium_gives_the_calls_of_the_published_engine),
        cmocka_unit_test(a_cpu_profile_gives_the_calls_of_both_engines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
