#include "runtime/hotspot/frames.h"

/* Positions in methods are bytecodes, of which there are at most 65535: this one has no line. */
enum { NO_POSITION = 1 << 16 };

/* Frames come youngest first, those of one step together. A step that is further down than the last one belongs to another
 * attempt: what that one has passed is passed again. */
static void begin_step(struct hotspot_pass *pass, uint64_t place)
{
    struct raw_stack *raw = pass->raw;
    if (pass->steps == pass->walk.steps)
        return;
    pass->steps = pass->walk.steps;
    while (raw->runtime_count > 0 && raw->runtime[raw->runtime_count - 1].runtime == RUNTIME_HOTSPOT &&
           raw->runtime[raw->runtime_count - 1].stack_address >= place)
        raw->runtime_count--;
}

static void add_frame(void *data, const struct hotspot_frame *frame)
{
    struct hotspot_pass *pass = data;
    begin_step(pass, frame->stack_address);
    runtime_add_frame(pass->raw, &(struct raw_runtime_frame){.stack_address = frame->stack_address,
                                                             .runtime = RUNTIME_HOTSPOT,
                                                             .tier = (uint8_t)frame->tier,
                                                             .number = frame->method,
                                                             .position = frame->bci >= 0 ? (uint32_t)frame->bci : NO_POSITION});
}

struct unwind_hook hotspot_pass_begin(struct hotspot_pass *pass, struct hotspot_state *state, struct raw_stack *raw,
                                      struct unwind_memory *memory, uint64_t time)
{
    *pass = (struct hotspot_pass){
        .walk = {.reader = {.layout = state->layout, .memory = memory, .code = &state->code},
                 .methods = &state->methods,
                 .cache = &state->scopes,
                 .time = time,
                 .emit = add_frame,
                 .data = pass},
        .raw = raw,
    };
    return hotspot_hook(&pass->walk);
}

void hotspot_pass_end(struct hotspot_pass *pass)
{
    struct raw_stack *raw = pass->raw;
    uint32_t kept = 0, native = 0;
    for (uint32_t i = 0; i < raw->runtime_count; i++) {
        while (native < raw->native_count && raw->native[native].sp < raw->runtime[i].stack_address)
            native++;
        bool is_there = native < raw->native_count && raw->native[native].sp == raw->runtime[i].stack_address;
        if (is_there || raw->runtime[i].runtime != RUNTIME_HOTSPOT)
            raw->runtime[kept++] = raw->runtime[i];
    }
    raw->runtime_count = kept;
}
