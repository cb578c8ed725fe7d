/* Looks at a thread that is blocked in a system call, from outside, so that the call is not interrupted.
 *
 * Its clock proves what is found: the sampler read the thread's CPU clock, then comes here; if the clock shows the same
 * afterwards, the thread did not run for a nanosecond between the two, and all that was read of it belongs together. */
#include "capture/clock.h"
#include "capture/full.h"
#include "capture/label_text.h"
#include "capture/module_watch.h"
#include "capture/registration.h"
#include "capture/syscall_file.h"

#include <string.h>

/* Only the sampler looks. */

/* To have labels in while `out`, which may hold the last stack, is not to be touched. */
static struct raw_stack scratch;

/* What is read of a thread's stack: a page, and not two halves. */
_Alignas(4096) static uint8_t copy[UNWIND_COPY_BYTES];

static bool did_not_run(const struct registration *thread)
{
    return clock_read(thread->info.cpu_clock) == thread->sampled.seen_cpu_ns;
}

static void begin(struct raw_stack *out)
{
    out->time = clock_now();
    out->cut = out->has_event_delay = false;
    out->native_count = out->label_count = out->runtime_count = out->text_used = 0;
}

/* --- labels -------------------------------------------------------------------------------------------------------------- */

enum { TEXT_ROOM = 1024 };

/* The text may be anything by now: the module that it stood in may be gone. */
static const char *copy_string(char out[TEXT_ROOM], const char *from)
{
    size_t length = from ? unwind_memory_copy(out, (uintptr_t)from, TEXT_ROOM - 1) : 0;
    out[length] = '\0';
    return out;
}

/* Of a thread that does not run, or is found out not to have been running. */
static void take_labels(const struct label_stack *labels, struct raw_stack *out)
{
    uint32_t depth = atomic_load_explicit(&labels->depth, memory_order_acquire);
    if (depth > LABEL_STACK_ROOM) {
        depth = LABEL_STACK_ROOM;
        out->cut = true;
    }
    for (uint32_t i = 0; i < depth; i++) {
        struct label_frame frame = label_frame_load(&labels->frames[i]);
        char label[TEXT_ROOM], dynamic[TEXT_ROOM];
        copy_string(label, frame.label);
        copy_string(dynamic, frame.dynamic);
        out->labels[i] = (struct raw_label){.stack_address = (uintptr_t)frame.stack_address,
                                            .text = label_text(out, label, dynamic, frame.flags),
                                            .category = frame.category,
                                            .flags = frame.flags};
    }
    out->label_count = depth;
}

static bool same_labels(const struct raw_stack *a, const struct raw_stack *b)
{
    if (a->label_count != b->label_count || a->text_used != b->text_used)
        return false;
    for (uint32_t i = 0; i < a->label_count; i++) {
        const struct raw_label *one = &a->labels[i], *other = &b->labels[i];
        if (one->stack_address != other->stack_address || one->text.start != other->text.start ||
            one->text.length != other->text.length || one->category != other->category || one->flags != other->flags)
            return false;
    }
    return memcmp(a->text, b->text, a->text_used) == 0;
}

/* --- the same as before? ------------------------------------------------------------------------------------------------- */

/* A call that is to be restarted after a handler stands at its own instruction in the handler's context, and behind it when it
 * is blocked (again). */
static bool same_place(const struct unwind_frame *frame, const struct syscall_place *place)
{
#if defined(__x86_64__)
    enum { CALL_BYTES = 2 };
#else
    enum { CALL_BYTES = 4 };
#endif
    return frame->sp == place->sp && (frame->pc == place->pc || (place->number >= 0 && frame->pc + CALL_BYTES == place->pc));
}

/* Every return address of the last stack is still where it was. Then all calls are the same, and so is the stack, even if the
 * thread has been somewhere else meanwhile. */
static bool same_calls(const struct raw_stack *last)
{
#if defined(__x86_64__)
    struct unwind_memory memory = {.copy = copy};
    for (uint32_t i = 1; i < last->native_count; i++) {
        uint64_t word;
        if (last->native[i].exact || !unwind_memory_read(&memory, last->native[i].sp - 8, &word) || word != last->native[i].pc)
            return false;
    }
    return true;
#else
    /* Where the return addresses are is known to the rules alone. */
    (void)last;
    return false;
#endif
}

static bool is_as_before(const struct registration *thread, const struct syscall_place *place)
{
    const struct raw_stack *last = thread->sampled.last;
    if (!last || last->native_count == 0 || !same_place(&last->native[0], place))
        return false;
    /* It was interrupted in this wait, and went back to it. What it did instead in so short a time shows in its labels at most.
     */
    bool only_answered = registration_only_answered(thread);
    /* What a runtime does cannot be seen in the calls. */
    if (thread->hooks.walk)
        return only_answered;
    if (!only_answered && !same_calls(last))
        return false;
    begin(&scratch);
    take_labels(&thread->labels, &scratch);
    return same_labels(last, &scratch);
}

/* --- its stack ----------------------------------------------------------------------------------------------------------- */

static void walk(const struct unwind *unwind, const struct syscall_place *place, struct raw_stack *out)
{
    struct unwind_registers registers;
    struct unwind_memory memory = {.copy = copy};
    unwind_registers_from_pc_sp(&registers, place->pc, place->sp);
    out->native_count = (uint32_t)unwind_stack(unwind, &registers, &memory, out->native, STACK_FRAMES_MAX, &out->end);
}

enum blocked_result blocked_look(struct registration *thread, struct raw_stack *out)
{
    struct syscall_place place;
    const struct unwind *unwind = module_watch_unwind();
    if (!unwind || !syscall_file_read(&thread->sampled.syscall_fd, &place))
        return BLOCKED_NOT;
    bool unsignallable = syscall_waits_for_signals(place.number);
    if (is_as_before(thread, &place) && (unsignallable || did_not_run(thread)))
        return BLOCKED_SAME;
    if (thread->hooks.walk && !unsignallable) {
        thread->sampled.blocked_at = (struct blocked_at){place.pc, place.sp};
        return BLOCKED_NEEDS_SIGNAL;
    }
    begin(out);
    walk(unwind, &place, out);
    take_labels(&thread->labels, out);
    if (unsignallable)
        return BLOCKED_UNSIGNALLABLE;
    if (!did_not_run(thread))
        return BLOCKED_NOT;
    thread->sampled.blocked_at = (struct blocked_at){place.pc, place.sp};
    if (out->end == UNWIND_COMPLETE)
        return BLOCKED_STACK;
    return syscall_may_have_limit(place.number) ? BLOCKED_WITH_LIMIT : BLOCKED_NEEDS_SIGNAL;
}
