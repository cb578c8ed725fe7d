/* The stack of the calling thread, as it stands in a marker. */
#ifndef SONDE_CAPTURE_MARKERS_MARKER_STACK_H
#define SONDE_CAPTURE_MARKERS_MARKER_STACK_H

#include "capture/sampler/registration.h"
#include "session/entry.h"

/* What a thread needs to take its own stack; too much for the stack of somebody else's thread. */
struct marker_scratch {
    struct raw_stack raw;
    struct frame_entry frames[STACK_FRAMES_MAX];
    uint8_t bytes[ENTRY_MAX];
};

struct marker_stack {
    uint32_t thread; /* whose it is */
    uint64_t time;
    bool truncated; /* the oldest frames are missing */
    struct frames_slice frames;
};

/* To be called before live_enter(): from now on native stacks can be taken. */
void marker_stack_expect(void);

/* The thread's own, without the library's frames; valid until the next one. False where there is no memory for it. Between
 * live_enter() and live_leave(), so that a signal handler does not get in between. */
bool marker_stack_take(struct registration *mine, bool native, struct marker_stack *stack);

/* The same in a scratch of the caller's; of a thread that is not registered, too: `mine` is all zero then. */
void marker_stack_take_in(struct marker_scratch *scratch, struct registration *mine, bool native, struct marker_stack *stack);
/* The second half of that: of what is in scratch->raw. */
void marker_stack_merge(struct marker_scratch *scratch, const struct registration *mine, struct marker_stack *stack);
/* The thread's own; NULL = there is no memory for it. */
struct marker_scratch *marker_stack_scratch(struct registration *mine);

/* Backtraces: stacks that are captured now and put into a marker later. They outlive sessions and threads. The first two are
 * behind the table of sonde/api.h. */
sonde_backtrace *backtrace_capture(enum sonde_capture capture);
void backtrace_free(sonde_backtrace *backtrace);
/* Valid as long as the backtrace. */
const struct marker_stack *backtrace_stack(const sonde_backtrace *backtrace);

#endif
