#include "trace/event_sort.h"

static bool is_after(const struct trace_event *a, const struct trace_event *b)
{
    if (a->ts != b->ts)
        return a->ts > b->ts;
    return a->ts + a->dur < b->ts + b->dur;
}

/* Merges the sorted halves [0, middle) and [middle, count); `spare` has room for the first one. */
static void merge(struct trace_event *events, size_t middle, size_t count, struct trace_event *spare)
{
    size_t at = 0;
    while (!is_after(&events[at], &events[middle]))
        at++;
    size_t kept = middle - at, left = 0, right = middle;
    memcpy(spare, events + at, kept * sizeof *spare);
    while (left < kept && right < count)
        events[at++] = is_after(&spare[left], &events[right]) ? events[right++] : spare[left++];
    memcpy(events + at, spare + left, (kept - left) * sizeof *spare);
}

/* As deep as the logarithm of `count`. */
static void sort_part(struct trace_event *events, size_t count, struct trace_event *spare)
{
    if (count < 2)
        return;
    size_t middle = count / 2;
    sort_part(events, middle, spare);
    sort_part(events + middle, count - middle, spare);
    if (is_after(&events[middle - 1], &events[middle]))
        merge(events, middle, count, spare);
}

bool events_sort(struct trace_event *events, size_t count)
{
    size_t sorted = count > 0 ? 1 : 0;
    while (sorted < count && !is_after(&events[sorted - 1], &events[sorted]))
        sorted++;
    if (sorted == count)
        return true;
    struct trace_event *spare = memory_array(count / 2 + 1, sizeof *spare);
    if (!spare)
        return false;
    sort_part(events, count, spare);
    memory_release(spare);
    return true;
}
