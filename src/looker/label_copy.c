#include "looker/label_copy.h"

#include "stack/label_text.h"
#include "stack/labels.h"

/* Most threads have a few labels: these come with the depth, in one copy. */
enum { TEXT_ROOM = 1024, AT_ONCE = 8 };

static const char *copy_text(pid_t pid, char out[TEXT_ROOM], const char *from)
{
    size_t length = from ? unwind_memory_copy_of(pid, out, (uintptr_t)from, TEXT_ROOM - 1, NULL) : 0;
    out[length] = '\0';
    return out;
}

static void add_label(pid_t pid, const struct label_frame *frame, struct raw_stack *raw)
{
    char label[TEXT_ROOM], dynamic[TEXT_ROOM];
    copy_text(pid, label, frame->label);
    copy_text(pid, dynamic, frame->dynamic);
    raw->labels[raw->label_count++] = (struct raw_label){.stack_address = (uintptr_t)frame->stack_address,
                                                         .text = label_text(raw, label, dynamic, frame->flags),
                                                         .category = frame->category,
                                                         .flags = frame->flags};
}

void label_stack_copy(pid_t pid, uint64_t address, struct raw_stack *raw)
{
    _Static_assert((int)LABEL_STACK_ROOM <= (int)RAW_LABELS_MAX, "all labels of a thread fit");
    enum { FRAMES_AT = offsetof(struct label_stack, frames), FRAME = sizeof(struct label_frame) };
    struct label_stack stack;
    size_t got = unwind_memory_copy_of(pid, &stack, address, FRAMES_AT + AT_ONCE * FRAME, NULL);
    if (got < FRAMES_AT)
        return;
    uint32_t depth = atomic_load_explicit(&stack.depth, memory_order_relaxed);
    if (depth > LABEL_STACK_ROOM) {
        depth = LABEL_STACK_ROOM;
        raw->cut = true;
    }
    if (depth > AT_ONCE && got == FRAMES_AT + AT_ONCE * FRAME)
        got += unwind_memory_copy_of(pid, (char *)&stack + got, address + got, (depth - AT_ONCE) * FRAME, NULL);
    for (uint32_t i = 0; i < depth && FRAMES_AT + (i + 1) * FRAME <= got; i++)
        add_label(pid, &stack.frames[i], raw);
}
