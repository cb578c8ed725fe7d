/* Any bytes as a trace: an error with a message, or calls that fit their thread. The first byte says by which rules. */
#include "target.h"

#include "common/byte_source.h"
#include "trace/calls.h"
#include "trace/trace_read.h"

static void check_calls(const struct thread_calls *thread, bool cpu_mode)
{
    fuzz_check(thread->entries.count == thread->calls.count + thread->thread->events.count);
    fuzz_check(thread->calls.count == 0 || thread->model);
    for (size_t i = 0; i < thread->calls.count; i++) {
        const struct call *call = &thread->calls.items[i];
        fuzz_check(call->node < thread->model->nodes.count && call->node > 0);
        fuzz_check(call->sample_index >= -1 && call->sample_index < (int64_t)thread->model->samples.count);
        fuzz_check(call->depth >= -1 && call->depth <= thread->max_depth);
        fuzz_check(!(call->dur < 0) || cpu_mode); /* a CPU profile may end before its only sample */
        fuzz_check(i == 0 || !(call->ts < call[-1].ts));
    }
    for (size_t i = 0; i < thread->entries.count; i++) {
        struct call_entry entry = thread->entries.items[i];
        fuzz_check(entry.row < (entry.is_call ? thread->calls.count : thread->thread->events.count));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct calls_options options = {
        .rules = data[0] & 1 ? TRACE_RULES_0_0_65 : TRACE_RULES_NEWEST,
        .show_all = data[0] & 2,
        .most_calls = 1 << 20,
    };
    struct error error = {0};
    struct trace trace = {0};
    struct trace_calls calls = {0};
    struct byte_source *source = byte_source_memory((struct slice){(const char *)data + 1, size - 1}, 0, false, &error);
    fuzz_check(source);
    int result = trace_read(&trace, source, &(struct trace_read_options){.rules = options.rules}, &error);
    if (result == 0)
        result = trace_calls_build(&calls, &trace, &options, &error);
    fuzz_check(result == error.code);
    fuzz_check((result == 0) == (error.message[0] == '\0'));
    for (size_t i = 0; result == 0 && i < calls.threads.count; i++)
        check_calls(&calls.threads.items[i], trace.cpu_mode);
    trace_calls_free(&calls);
    trace_free(&trace);
    byte_source_close(source);
    return 0;
}
