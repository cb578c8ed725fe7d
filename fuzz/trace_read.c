/* Any bytes as a trace: an error with a message or a trace whose parts fit together, the same for every way of cutting the
 * bytes. The first byte says by which rules it is read, and what is kept. */
#include "target.h"

#include "common/byte_source.h"
#include "trace/trace_read.h"

/* What must not depend on the cuts. */
struct trace_sum {
    int result;
    bool cut;
    uint64_t events, odd_events;
    size_t strings, threads, processes, profiles, entries, others, nodes, arguments;
};

static void check_thread(const struct trace *trace, const struct trace_thread *thread)
{
    fuzz_check(thread->profile == INDEX_NONE || thread->profile < trace->profiles.count);
    for (size_t i = 0; i < thread->events.count; i++) {
        const struct trace_event *event = &thread->events.items[i];
        fuzz_check(event->phase == 'X' || event->phase == 'I');
        fuzz_check(event->name.i < string_table_count(&trace->strings));
        fuzz_check(event->arguments == INDEX_NONE || event->arguments < trace->arguments.count);
        if (i > 0) {
            const struct trace_event *before = event - 1;
            fuzz_check(before->ts < event->ts ||
                       (before->ts == event->ts && before->ts + before->dur >= event->ts + event->dur));
        }
    }
}

static void check_profile(const struct trace *trace, const struct trace_profile *profile)
{
    fuzz_check(profile->has_owner && profile->nodes.count > 0);
    for (size_t i = 0; i < profile->nodes.count; i++) {
        const struct trace_node *node = &profile->nodes.items[i];
        fuzz_check(node->function < profile->functions.count);
        const struct trace_function *function = &profile->functions.items[node->function];
        fuzz_check(!string_exists(function->name) || function->name.i < string_table_count(&trace->strings));
        fuzz_check(node->child_count == INDEX_NONE ||
                   (uint64_t)node->first_child + node->child_count <= profile->children.count);
    }
    for (size_t i = 0; i < profile->stacks.count; i++)
        fuzz_check(trace_profile_stack(profile, profile->stacks.items[i].trace_id) == profile->stacks.items[i].node);
}

static struct trace_sum read_pieces(struct slice bytes, size_t piece, const struct trace_read_options *options)
{
    struct error error = {0};
    struct trace trace = {0};
    struct byte_source *source = byte_source_memory(bytes, piece, false, &error);
    fuzz_check(source);
    struct trace_sum sum = {.result = trace_read(&trace, source, options, &error)};
    fuzz_check(sum.result == error.code);
    fuzz_check((sum.result == 0) == (error.message[0] == '\0'));
    if (sum.result == 0) {
        sum.cut = trace.cut;
        sum.events = trace.event_count;
        sum.odd_events = trace.odd_events;
        sum.strings = string_table_count(&trace.strings);
        sum.threads = trace.threads.count;
        sum.processes = trace.processes.count;
        sum.profiles = trace.profiles.count;
        sum.arguments = trace.arguments.count;
        for (size_t i = 0; i < trace.threads.count; i++) {
            check_thread(&trace, &trace.threads.items[i]);
            sum.entries += trace.threads.items[i].events.count;
            sum.others += trace.threads.items[i].others.count;
        }
        for (size_t i = 0; i < trace.profiles.count; i++) {
            check_profile(&trace, &trace.profiles.items[i]);
            sum.nodes += trace.profiles.items[i].nodes.count;
        }
    }
    byte_source_close(source);
    trace_free(&trace);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct trace_read_options options = {
        .rules = data[0] & 1 ? TRACE_RULES_0_0_65 : TRACE_RULES_NEWEST,
        .arguments = data[0] & 2,
        .others = data[0] & 4,
    };
    struct slice bytes = {(const char *)data + 1, size - 1};
    struct trace_sum whole = read_pieces(bytes, 0, &options), pieces = read_pieces(bytes, 1 + size % 13, &options);
    fuzz_check(whole.result == pieces.result && whole.cut == pieces.cut);
    fuzz_check(whole.events == pieces.events && whole.odd_events == pieces.odd_events);
    fuzz_check(whole.strings == pieces.strings && whole.arguments == pieces.arguments);
    fuzz_check(whole.threads == pieces.threads && whole.processes == pieces.processes);
    fuzz_check(whole.profiles == pieces.profiles && whole.nodes == pieces.nodes);
    fuzz_check(whole.entries == pieces.entries && whole.others == pieces.others);
    return 0;
}
