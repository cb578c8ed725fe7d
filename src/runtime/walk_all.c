#include "runtime/walk_all.h"

#include "runtime/hotspot/layout.h"
#include "runtime/python/walk.h"
#include "runtime/v8/walk.h"

/* Each walker adds its frames youngest first: what comes from several of them is put in order. Frames of one place keep theirs.
 */
static void sort_frames(struct raw_stack *raw)
{
    for (uint32_t i = 1; i < raw->runtime_count; i++) {
        struct raw_runtime_frame frame = raw->runtime[i];
        uint32_t at = i;
        for (; at > 0 && raw->runtime[at - 1].stack_address > frame.stack_address; at--)
            raw->runtime[at] = raw->runtime[at - 1];
        raw->runtime[at] = frame;
    }
}

void runtime_walk_all(const struct runtime_layout *const *layouts, size_t count, struct runtime_walk *walk)
{
    for (size_t i = 0; i < count; i++) {
        const void *layout = layouts[i];
        if (layouts[i]->is_known && layouts[i]->kind == RUNTIME_PYTHON)
            python_walk(layout, walk);
        else if (layouts[i]->is_known && layouts[i]->kind == RUNTIME_V8)
            v8_walk(layout, walk);
    }
    sort_frames(walk->raw);
}

bool runtime_layout_check(const void *bytes, size_t length)
{
    struct runtime_layout head;
    if (length < sizeof head || length > RUNTIME_LAYOUT_MAX)
        return false;
    /* Not copied as a whole: a bool may be anything. */
    memcpy(&head.kind, (const char *)bytes + offsetof(struct runtime_layout, kind), sizeof head.kind);
    memcpy(&head.length, (const char *)bytes + offsetof(struct runtime_layout, length), sizeof head.length);
    if (head.length != length || ((const uint8_t *)bytes)[offsetof(struct runtime_layout, is_known)] > 1)
        return false;
    switch (head.kind) {
    case RUNTIME_PYTHON:
        return length == sizeof(struct python_layout) && python_layout_check((const struct python_layout *)bytes);
    case RUNTIME_V8:
        return length == sizeof(struct v8_layout) && v8_layout_check((const struct v8_layout *)bytes);
    case RUNTIME_HOTSPOT: {
        struct hotspot_layout hotspot; /* aligned */
        return length == sizeof hotspot && hotspot_layout_check(memcpy(&hotspot, bytes, length));
    }
    default:
        return false;
    }
}
