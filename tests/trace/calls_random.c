/* Random threads: the engine gives what its rules give when they are followed to the letter, step by step and without regard to
 * cost: the whole stack is compared for every sample, and every duration is set whenever the stack could be cut. */
#include "drawn_trace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NODES = 24, SAMPLES = 40, EVENTS = 16, CALLS = 20000, DEPTH = NODES + 2, LOCKS = SAMPLES + EVENTS };

/* --- a random thread --- */

struct random_thread {
    struct trace trace;
    struct trace_profile *profile;
    struct calls_options options;
    unsigned seed;
};

static unsigned pick(struct random_thread *random, unsigned below)
{
    random->seed = random->seed * 1103515245 + 12345;
    return (random->seed >> 16) % below;
}

static struct string_index text(struct random_thread *random, const char *text)
{
    struct string_index index = string_table_add(&random->trace.strings, slice_of(text));
    assert_true(string_exists(index));
    return index;
}

static void add_nodes(struct random_thread *random)
{
    static const char *const special[] = {"(root)", "(program)", "(idle)", "(garbage collector)"};
    static const char *const functions[] = {"a", "b", "c"};
    unsigned shape = pick(random, 3); /* how deep it goes */
    for (unsigned i = 0; i < NODES; i++) {
        struct trace_node node = {.id = i + 1, .parent = 1, .child_count = INDEX_NONE};
        struct trace_function function = {.line = 1};
        if (i == 0)
            node.parent = 0;
        else if (i >= 4)
            node.parent = shape == 0 ? 1 + pick(random, i) : pick(random, 4) == 0 ? 1 : i - pick(random, i < 6 ? 1 : 3);
        function.name = text(random, i < 4 ? special[i] : functions[pick(random, 3)]);
        function.url = text(random, i >= 4 && pick(random, 6) == 0 ? "native V8Runtime" : "x.js");
        function.script_id = text(random, pick(random, 8) == 0 ? "2" : "1");
        node.function = trace_profile_add_function(random->profile, &function);
        assert_true(node.function != INDEX_NONE && vec_push(&random->profile->nodes, node));
    }
}

static void add_samples(struct random_thread *random)
{
    random->profile->has_samples = random->profile->has_deltas = true;
    unsigned id = 5;
    for (unsigned i = 0; i < SAMPLES; i++) {
        if (pick(random, 3) != 0)
            id = 1 + pick(random, pick(random, 10) == 0 ? NODES + 1 : NODES);
        assert_true(vec_push(&random->profile->samples, (double)(pick(random, 8) == 0 ? 2 + pick(random, 3) : id)));
        assert_true(vec_push(&random->profile->deltas, (double)pick(random, 12) - 1));
    }
    for (unsigned i = 1; i < 6; i++)
        assert_true(trace_profile_add_stack(random->profile, i, pick(random, NODES + 2)));
}

static bool event_before(const struct trace_event *a, const struct trace_event *b)
{
    return a->ts < b->ts || (a->ts == b->ts && a->ts + a->dur > b->ts + b->dur);
}

static void add_events(struct random_thread *random, struct trace_thread *thread)
{
    static const char *const names[] = {"RunTask", "RunMicrotasks", "FunctionCall", "v8.run", "Layout", "TimerFire"};
    unsigned count = pick(random, EVENTS + 1);
    for (unsigned i = 0; i < count; i++) {
        struct trace_event event = {.ts = 1000 + pick(random, 220), .phase = 'X', .arguments = INDEX_NONE};
        event.name = text(random, names[pick(random, 3) == 0 ? pick(random, 2) : 2 + pick(random, 4)]);
        event.dur = pick(random, 5) == 0 ? 0 : pick(random, 90);
        if (pick(random, 4) == 0)
            event.sample_trace_id = pick(random, 7);
        if (pick(random, 5) == 0) {
            event.phase = 'I';
            event.dur = 0;
        }
        assert_true(vec_push(&thread->events, event));
    }
    for (size_t i = 1; i < thread->events.count; i++)
        for (size_t k = i; k > 0 && event_before(&thread->events.items[k], &thread->events.items[k - 1]); k--) {
            struct trace_event event = thread->events.items[k];
            thread->events.items[k] = thread->events.items[k - 1];
            thread->events.items[k - 1] = event;
        }
}

static void random_thread_make(struct random_thread *random, unsigned seed)
{
    *random = (struct random_thread){.seed = seed};
    struct trace_thread thread = {.pid = 7, .tid = 9, .name = STRING_NONE};
    random->options = (struct calls_options){.rules = pick(random, 2), .show_all = pick(random, 4) == 0};
    struct trace_profile profile = {.pid = 7, .tid = 9, .has_owner = true, .start = 1000, .end = 2000};
    assert_true(vec_push(&random->trace.profiles, profile));
    random->profile = &random->trace.profiles.items[0];
    add_nodes(random);
    add_samples(random);
    add_events(random, &thread);
    assert_true(vec_push(&random->trace.threads, thread));
    assert_true(vec_push(&random->trace.processes, ((struct trace_process){.pid = 7, .kept = true})));
}

/* --- the rules to the letter --- */

struct letter {
    const struct trace *trace;
    const struct trace_event *events;
    const struct cpu_model *model;
    struct calls_options options;
    struct call *calls;
    size_t count;
    size_t js[DEPTH], js_count;
    size_t open[EVENTS], open_count;
    size_t locks[LOCKS], lock_count;
    bool fake;
};

static bool is_name(const struct letter *letter, const struct trace_event *event, const char *name)
{
    return slice_equal(string_table_get(&letter->trace->strings, event->name), slice_of(name));
}

static size_t pop(struct letter *letter)
{
    return letter->lock_count > 0 ? letter->locks[--letter->lock_count] : 0;
}

static void push(struct letter *letter, size_t lock)
{
    assert_true(letter->lock_count < LOCKS);
    letter->locks[letter->lock_count++] = lock;
}

static void truncate_stack(struct letter *letter, size_t depth, double t)
{
    size_t lock = letter->lock_count > 0 ? letter->locks[letter->lock_count - 1] : 0;
    if (lock != 0 && depth < lock)
        depth = lock;
    if (letter->js_count < depth)
        depth = letter->js_count;
    for (size_t k = 0; k < letter->js_count; k++)
        letter->calls[letter->js[k]].dur = fmax(t - letter->calls[letter->js[k]].ts, 0);
    letter->js_count = depth;
}

static bool same(const struct letter *letter, uint32_t a, uint32_t b)
{
    const struct trace_function *x = cpu_model_function(letter->model, a), *y = cpu_model_function(letter->model, b);
    return string_same(x->script_id, y->script_id) && string_same(x->name, y->name) && x->line == y->line;
}

static void update(struct letter *letter, const uint32_t *stack, size_t length, double ts, int64_t sample_index)
{
    size_t i = letter->lock_count > 0 ? letter->locks[letter->lock_count - 1] : 0;
    while (i < length && i < letter->js_count && same(letter, stack[i], letter->calls[letter->js[i]].node))
        i++;
    truncate_stack(letter, i, ts);
    const struct cpu_model *model = letter->model;
    for (size_t k = i; k < length; k++) {
        if (stack[k] == 0 || stack[k] == model->program || stack[k] == model->idle || stack[k] == model->garbage)
            continue;
        assert_true(letter->count < CALLS && letter->js_count < DEPTH);
        letter->js[letter->js_count++] = letter->count;
        letter->calls[letter->count++] = (struct call){.ts = ts, .node = stack[k], .sample_index = sample_index};
    }
}

static size_t stack_of(const struct letter *letter, uint32_t leaf, bool garbage_on_top, uint32_t *stack)
{
    uint32_t path[DEPTH];
    size_t length = 0, shown = 0;
    for (uint32_t row = leaf; row != 0; row = letter->model->nodes.items[row].parent)
        path[length++] = row;
    while (length-- > 0) {
        struct slice url = string_table_get(&letter->trace->strings, cpu_model_function(letter->model, path[length])->url);
        if (letter->options.show_all || !slice_is(url, "native V8Runtime"))
            stack[shown++] = path[length];
    }
    if (garbage_on_top)
        stack[shown++] = letter->model->garbage;
    return shown;
}

static void end_top(struct letter *letter)
{
    const struct trace_event *event = &letter->events[letter->open[--letter->open_count]];
    size_t depth = pop(letter);
    truncate_stack(letter, depth, event->ts + event->dur);
}

static void end_until(struct letter *letter, double ts)
{
    while (letter->open_count > 0) {
        const struct trace_event *top = &letter->events[letter->open[letter->open_count - 1]];
        if (ts < top->ts + top->dur)
            break;
        end_top(letter);
    }
}

static bool invokes(const struct letter *letter)
{
    if (letter->open_count == 0)
        return false;
    const struct trace_event *event = &letter->events[letter->open[letter->open_count - 1]];
    return is_name(letter, event, "RunMicrotasks") || is_name(letter, event, "FunctionCall") ||
           is_name(letter, event, "v8.run");
}

static void start(struct letter *letter, size_t row)
{
    const struct trace_event *event = &letter->events[row];
    if (event->phase == 'I' && event->sample_trace_id == 0)
        return;
    end_until(letter, event->ts);
    if (is_name(letter, event, "RunTask") || is_name(letter, event, "RunMicrotasks")) {
        letter->lock_count = 0;
        truncate_stack(letter, 0, event->ts);
        letter->fake = false;
    }
    if (letter->fake) {
        size_t depth = pop(letter);
        truncate_stack(letter, depth, event->ts);
        letter->fake = false;
    }
    uint32_t stack[DEPTH];
    double id = event->sample_trace_id != 0 ? trace_profile_stack(letter->model->profile, event->sample_trace_id) : NAN;
    uint32_t leaf = id > 0 ? cpu_model_find(letter->model, id) : INDEX_NONE;
    size_t length = 0;
    if (leaf == INDEX_NONE)
        for (; length < letter->js_count; length++)
            stack[length] = letter->calls[letter->js[length]].node;
    else if (leaf != letter->model->garbage)
        length = stack_of(letter, leaf, false, stack);
    update(letter, stack, length, event->ts, -1);
    if (letter->options.rules == TRACE_RULES_NEWEST && event->sample_trace_id != 0 && !invokes(letter))
        letter->fake = true;
    push(letter, letter->js_count);
    letter->open[letter->open_count++] = row;
}

static void follow_rules(struct letter *letter, size_t event_count)
{
    const struct cpu_model *model = letter->model;
    uint32_t base = INDEX_NONE;
    size_t row = 0;
    for (size_t i = 0; i < model->samples.count; i++) {
        uint32_t node = model->samples.items[i], stack[DEPTH];
        double ts = model->times.items[i] * 1000;
        if (node == INDEX_NONE)
            continue;
        struct trace_event sample = {.ts = ts};
        for (; row < event_count && event_before(&letter->events[row], &sample); row++)
            start(letter, row);
        size_t length = 0;
        bool is_garbage = node == model->garbage;
        if (!is_garbage)
            length = stack_of(letter, node, false, stack);
        else if (base != INDEX_NONE)
            length = stack_of(letter, base, true, stack);
        if (!is_garbage || base == INDEX_NONE)
            base = node;
        end_until(letter, ts);
        if (invokes(letter) || letter->fake) {
            update(letter, stack, length, ts, (int64_t)i);
        } else if (letter->js_count == 0) {
            letter->fake = true;
            update(letter, stack, length, ts, (int64_t)i);
            push(letter, 0);
        }
    }
    for (; row < event_count; row++)
        start(letter, row);
    while (letter->open_count > 0)
        end_top(letter);
}

/* --- both --- */

static void assert_as_the_rules_say(unsigned seed)
{
    struct random_thread random;
    random_thread_make(&random, seed);
    struct error error = {0};
    struct trace_calls calls = {0};
    assert_int_equal(trace_calls_build(&calls, &random.trace, &random.options, &error), 0);

    const struct trace_thread *thread = &random.trace.threads.items[0];
    if (calls.threads.count == 0) {
        assert_true(thread->events.count == 0);
    } else {
        const struct thread_calls *found = &calls.threads.items[0];
        struct letter letter = {.trace = &random.trace,
                                .events = thread->events.items,
                                .model = found->model,
                                .options = random.options,
                                .calls = memory_array(CALLS, sizeof *letter.calls)};
        assert_non_null(letter.calls);
        follow_rules(&letter, thread->events.count);
        if (found->calls.count != letter.count)
            fail_msg("seed %u: %zu calls instead of %zu", seed, found->calls.count, letter.count);
        for (size_t i = 0; i < letter.count; i++) {
            const struct call *a = &found->calls.items[i], *b = &letter.calls[i];
            if (a->ts != b->ts || a->dur != b->dur || a->node != b->node || a->sample_index != b->sample_index)
                fail_msg("seed %u, call %zu: %g+%g of %u instead of %g+%g of %u", seed, i, a->ts, a->dur, a->node, b->ts,
                         b->dur, b->node);
        }
        memory_release(letter.calls);
    }
    trace_calls_free(&calls);
    trace_free(&random.trace);
}

static void random_threads_have_the_calls_that_the_rules_say(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 20000; seed++)
        assert_as_the_rules_say(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_threads_have_the_calls_that_the_rules_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
