#include "trace/entry_walk.h"

#include <math.h>

/* A task of the browser: nothing goes on across its start. */
static bool is_task(const struct thread_calls *calls, const struct trace *trace, struct call_entry entry)
{
    if (entry.is_call)
        return false;
    const struct trace_event *event = &calls->thread->events.items[entry.row];
    if (!slice_is(string_table_get(&trace->strings, event->name), "RunTask"))
        return false;
    struct slice category = string_table_get(&trace->strings, event->category);
    static const char timeline[] = "disabled-by-default-devtools.timeline";
    return memmem(category.text, category.length, timeline, sizeof timeline - 1) != NULL;
}

/* The last task that begins before the window does, or the very first entry. */
static size_t first_place(const struct thread_calls *calls, const struct trace *trace, double start)
{
    size_t low = 0, high = calls->entries.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (entry_times(calls, calls->entries.items[middle]).ts <= start)
            low = middle + 1;
        else
            high = middle;
    }
    size_t place = low > 0 ? low - 1 : 0;
    while (place > 0 && !is_task(calls, trace, calls->entries.items[place]))
        place--;
    return place;
}

void entry_walk_begin(struct entry_walk *walk, const struct thread_calls *calls, const struct trace *trace, double start_ms,
                      double end_ms, const bool *hidden)
{
    *walk = (struct entry_walk){.calls = calls, .start = start_ms * 1000, .end = end_ms * 1000, .hidden = hidden};
    if (walk->end == 0)
        walk->end = INFINITY;
    walk->next = first_place(calls, trace, walk->start);
}

static bool end_last(struct entry_walk *walk, enum entry_step *step, uint32_t *place)
{
    *step = ENTRY_END;
    *place = walk->open.items[--walk->open.count].place;
    return true;
}

bool entry_walk_next(struct entry_walk *walk, enum entry_step *step, uint32_t *place)
{
    const struct thread_calls *calls = walk->calls;
    for (; walk->next < calls->entries.count && !walk->failed; walk->next++) {
        struct entry_times times = entry_times(calls, calls->entries.items[walk->next]);
        double end = times.ts + times.dur;
        if (end < walk->start)
            continue;
        if (times.ts > walk->end)
            break;
        const struct open_entry *last = walk->open.count > 0 ? &walk->open.items[walk->open.count - 1] : NULL;
        if (last && last->end != 0 && last->end <= times.ts)
            return end_last(walk, step, place);
        if (walk->hidden && walk->hidden[walk->next])
            continue;
        *place = (uint32_t)walk->next++;
        *step = ENTRY_MOMENT;
        if (times.dur == 0 || isnan(times.dur))
            return true;
        *step = ENTRY_START;
        walk->failed = !vec_push(&walk->open, ((struct open_entry){*place, end}));
        return !walk->failed;
    }
    walk->next = calls->entries.count;
    return !walk->failed && walk->open.count > 0 && end_last(walk, step, place);
}

void entry_walk_end(struct entry_walk *walk)
{
    vec_free(&walk->open);
}
