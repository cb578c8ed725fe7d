/* What a thread finds out about itself: in the signal handler, or for a marker. Plain memory and clocks only. */
#include "capture/core/clock.h"
#include "capture/sampler/handler.h"
#include "stack/label_text.h"

#include <string.h>

static _Atomic(const struct capture_parts *) walker;
static _Atomic bool native_wanted;

void handler_use(const struct capture_parts *parts, bool native)
{
    /* Release: what the parts made ready is ready for whoever finds them here. */
    atomic_store_explicit(&walker, parts, memory_order_release);
    atomic_store_explicit(&native_wanted, native, memory_order_relaxed);
}

/* --- labels and runtime frames ------------------------------------------------------------------------------------------- */

static void take_labels(const struct label_stack *labels, struct raw_stack *raw)
{
    uint32_t depth = atomic_load_explicit(&labels->depth, memory_order_relaxed);
    /* The frames that `depth` counts were filled in before it was raised, by this same thread. */
    atomic_signal_fence(memory_order_acquire);
    if (depth > LABEL_STACK_ROOM) {
        depth = LABEL_STACK_ROOM;
        raw->cut = true;
    }
    for (uint32_t i = 0; i < depth; i++) {
        const struct label_frame *frame = &labels->frames[i];
        raw->labels[i] = (struct raw_label){.stack_address = (uintptr_t)frame->stack_address,
                                            .text = label_text(raw, frame->label, frame->dynamic, frame->flags),
                                            .category = frame->category,
                                            .flags = frame->flags};
    }
    raw->label_count = depth;
}
_Static_assert((int)RAW_LABELS_MAX >= (int)LABEL_STACK_ROOM, "all labels fit");

static void take_runtime(const struct registration *thread, const struct unwind_registers *registers, struct raw_stack *raw)
{
    size_t count = thread->hooks.walk(thread->hooks.runtime, (uintptr_t)registers->value[UNWIND_PC],
                                      (uintptr_t)registers->value[UNWIND_SP], (uintptr_t)registers->value[UNWIND_FP],
                                      raw->given, RAW_RUNTIME_MAX);
    if (count > RAW_RUNTIME_MAX)
        count = RAW_RUNTIME_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct sonde_runtime_frame *frame = &raw->given[i];
        raw->runtime[i] = (struct raw_runtime_frame){.stack_address = frame->stack_address,
                                                     .stack_end = frame->stack_end,
                                                     .function = raw_text_copy(raw, frame->function),
                                                     .file = raw_text_copy(raw, frame->file),
                                                     .line = frame->line,
                                                     .column = frame->column,
                                                     .category = frame->category,
                                                     .javascript = frame->javascript};
    }
    raw->runtime_count = (uint32_t)count;
}

/* --- native frames ------------------------------------------------------------------------------------------------------- */

/* The bounds of the library that this is in, from the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static void take_native(const struct registration *thread, const void *context, bool native, struct raw_stack *raw)
{
    const struct capture_parts *parts = atomic_load_explicit(&walker, memory_order_acquire);
    if (native && parts) {
        parts->walk(thread, context, raw);
        if (!context)
            raw_stack_drop_own(raw, __ehdr_start, _end);
    } else if (context) {
        struct unwind_registers registers;
        unwind_registers_from_context(&registers, context);
        raw->native[0] = (struct unwind_frame){
            .pc = registers.value[UNWIND_PC], .sp = registers.value[UNWIND_SP] & INT64_MAX, .exact = true};
        raw->native_count = 1;
        raw->end = native ? UNWIND_NO_RULE : UNWIND_COMPLETE;
    }
}

static void begin(struct raw_stack *raw)
{
    raw->time = clock_now();
    raw->cut = raw->has_event_delay = false;
    raw->end = UNWIND_COMPLETE;
    raw->native_count = raw->label_count = raw->runtime_count = raw->text_used = 0;
}

void stack_of_myself(struct registration *thread, bool native, struct raw_stack *raw)
{
    begin(raw);
    take_native(thread, NULL, native, raw);
    take_labels(&thread->labels, raw);
    if (thread->hooks.walk) {
        struct unwind_registers registers;
        unwind_registers_here(&registers);
        take_runtime(thread, &registers, raw);
    }
}

void stack_in_handler(struct registration *thread, const void *context, struct raw_stack *raw)
{
    begin(raw);
    take_native(thread, context, atomic_load_explicit(&native_wanted, memory_order_relaxed), raw);
    take_labels(&thread->labels, raw);
    if (thread->hooks.walk) {
        struct unwind_registers registers;
        unwind_registers_from_context(&registers, context);
        take_runtime(thread, &registers, raw);
    }
    if (thread->hooks.event_delay) {
        raw->event_delay_ns = thread->hooks.event_delay(thread->hooks.loop);
        raw->has_event_delay = true;
    }
}
