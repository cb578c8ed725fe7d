#include "stack/merge.h"

/* A sonde_category is a category and, in its upper half, a subcategory. */
static uint32_t category_of(sonde_category category)
{
    return category & UINT16_MAX;
}

static uint32_t subcategory_of(sonde_category category)
{
    return category >> 16;
}

/* What is left of the three stacks: the oldest frame of each is the next. */
struct merge {
    const struct raw_stack *raw;
    uint32_t labels_done;
    uint32_t native_left, runtime_left;
    uint64_t last_native;              /* address of the native frame before, for one whose own is not known */
    uint64_t runtime_floor;            /* native frames from here up belong to the runtime frame just taken */
    const struct unwind_frame *native; /* the one that was the last to come out; NULL = none yet */
    bool synchronous;
};

static struct slice text_of(const struct raw_stack *raw, struct raw_text text)
{
    return (struct slice){raw->text + text.start, text.length};
}

static void take_label(struct merge *merge, struct frame_entry *frame)
{
    const struct raw_label *label = &merge->raw->labels[merge->labels_done++];
    *frame = (struct frame_entry){.kind = FRAME_LABEL,
                                  .relevant_for_js = label->flags & SONDE_LABEL_RELEVANT_FOR_JS,
                                  .text = text_of(merge->raw, label->text),
                                  .category = category_of(label->category),
                                  .subcategory = subcategory_of(label->category)};
}

static void take_runtime(struct merge *merge, struct frame_entry *frame)
{
    const struct raw_runtime_frame *runtime = &merge->raw->runtime[--merge->runtime_left];
    merge->runtime_floor = runtime->stack_end ? runtime->stack_end : UINT64_MAX;
    if (runtime->runtime != 0) {
        *frame = (struct frame_entry){.kind = FRAME_NUMBERED,
                                      .address = runtime->number,
                                      .position = runtime->position,
                                      .runtime = runtime->runtime,
                                      .tier = runtime->tier};
        return;
    }
    *frame = (struct frame_entry){.kind = FRAME_RUNTIME,
                                  .relevant_for_js = runtime->javascript,
                                  .text = text_of(merge->raw, runtime->function),
                                  .file = text_of(merge->raw, runtime->file),
                                  .line = runtime->line,
                                  .column = runtime->column,
                                  .category = category_of(runtime->category),
                                  .subcategory = subcategory_of(runtime->category)};
}

/* The next frame, oldest first; false at the end. */
static bool merge_next(struct merge *merge, struct frame_entry *frame)
{
    const struct raw_stack *raw = merge->raw;
    for (;;) {
        const struct raw_label *label = merge->labels_done < raw->label_count ? &raw->labels[merge->labels_done] : NULL;
        const struct raw_runtime_frame *runtime = merge->runtime_left ? &raw->runtime[merge->runtime_left - 1] : NULL;
        const struct unwind_frame *native = merge->native_left ? &raw->native[merge->native_left - 1] : NULL;
        if (!label && !runtime && !native)
            return false;
        /* A frame whose place is not known stays behind its caller. */
        uint64_t address = !native ? 0 : native->sp ? native->sp : merge->last_native;
        if (native && ((label && address == label->stack_address) || (runtime && address == runtime->stack_address))) {
            merge->native_left--;
            continue;
        }
        if (label && (!runtime || label->stack_address > runtime->stack_address) &&
            (!native || label->stack_address > address)) {
            if (merge->synchronous && category_of(label->category) == SONDE_CATEGORY_PROFILER)
                return false;
            take_label(merge, frame);
            return true;
        }
        if (runtime && (!native || runtime->stack_address > address)) {
            take_runtime(merge, frame);
            return true;
        }
        merge->native_left--;
        merge->last_native = address;
        if (address >= merge->runtime_floor)
            continue;
        /* Whoever reads it takes all but the youngest for return addresses and looks at the byte before. What a signal
         * interrupted stands at its pc itself. */
        bool interrupted = native->exact && merge->native_left > 0;
        *frame = (struct frame_entry){.kind = FRAME_NATIVE, .address = native->pc + interrupted};
        merge->native = native;
        return true;
    }
}

/* Readers take the youngest native frame for the one at the pc. Where a runtime's frame has taken the place of that one, it is
 * a caller of what is not shown: it stands in its call, before the return address. */
static void correct_youngest(const struct merge *merge, struct frame_entry *frames, size_t count)
{
    const struct unwind_frame *native = merge->native;
    if (!native || native == merge->raw->native || merge->synchronous)
        return;
    size_t i = count;
    while (i > 0 && frames[i - 1].kind != FRAME_NATIVE)
        i--;
    if (i > 0)
        frames[i - 1].address = native->pc - !native->exact;
}

static void merge_begin(struct merge *merge, const struct raw_stack *raw, bool synchronous)
{
    *merge = (struct merge){.raw = raw,
                            .native_left = raw->native_count,
                            .runtime_left = raw->runtime_count,
                            .runtime_floor = UINT64_MAX,
                            .synchronous = synchronous};
}

size_t merge_stack(const struct raw_stack *raw, bool synchronous, struct frame_entry *frames, bool *cut)
{
    struct merge merge;
    struct frame_entry frame;
    size_t skipped = 0;
    *cut = raw->cut || raw->end == UNWIND_NO_ROOM;
    if ((size_t)raw->native_count + raw->label_count + raw->runtime_count > STACK_FRAMES_MAX) {
        size_t count = 0;
        merge_begin(&merge, raw, synchronous);
        while (merge_next(&merge, &frame))
            count++;
        if (count > STACK_FRAMES_MAX) {
            skipped = count - STACK_FRAMES_MAX;
            *cut = true;
        }
    }
    merge_begin(&merge, raw, synchronous);
    for (size_t i = 0; i < skipped; i++)
        merge_next(&merge, &frame);
    size_t count = 0;
    while (count < STACK_FRAMES_MAX && merge_next(&merge, &frames[count]))
        count++;
    correct_youngest(&merge, frames, count);
    return count;
}
