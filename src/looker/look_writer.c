#include "looker/look_writer.h"

bool look_entry_make(const struct look_thread *thread, const struct look *look, uint64_t origin_ns, uint8_t *bytes, size_t room,
                     struct look_entry *entry)
{
    size_t used = 0;
    uint64_t previous = 0;
    for (size_t i = 0; i < look->count; i++) {
        size_t length = frame_write(bytes + used, room - used, &look->frames[i], &previous);
        if (length == 0)
            return false;
        used += length;
    }
    *entry = (struct look_entry){
        .tid = thread->tid,
        .time = look->time_ns > origin_ns ? look->time_ns - origin_ns : 0,
        .state = look->state,
        .cpu_ns = look->cpu_ns,
        .ready_ns = look->ready_ns,
        .runs = look->runs,
        .kernel_ns = look->kernel_ns,
        .period_ns = look->period_ns,
        .waits = look->waits,
        .stack = {.truncated = look->truncated, .frames = {{(const char *)bytes, used}, (uint32_t)look->count}},
    };
    return true;
}

void look_note(struct look *same, const struct look *look, bool is_worth_it, void (*put)(void *data, const struct look *look),
               void *data)
{
    if (!is_worth_it) {
        if (look->same)
            *same = *look;
        return;
    }
    if (!look->same && same->time_ns > 0)
        put(data, same);
    put(data, look);
    same->time_ns = 0;
}
