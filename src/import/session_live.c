#include "import/session_state.h"

/* Rows of counters are at least so far apart, and no more than so many in all. */
enum { APART_NS = 1000000, ROWS_MOST = 50000 };

static bool add_counter(struct session_import *import, const char *name, const char *category, const char *description,
                        uint32_t *row)
{
    struct counter_list *list = &import->profile->counters;
    struct counter *counter = counter_list_add(list, &import->profile->arena);
    if (!counter)
        return false;
    *row = (uint32_t)list->rows.count - 1;
    counter->name = session_text(import, slice_of(name));
    counter->category = session_text(import, slice_of(category));
    counter->description = session_text(import, slice_of(description));
    counter->pid = import->process.pid;
    counter->time_is_deltas = true;
    return string_exists(counter->name) && string_exists(counter->category) && string_exists(counter->description);
}

bool session_live_begin(struct session_live *live, struct session_import *import)
{
    const struct session_process *process = &import->process;
    size_t count = process->allocations.count;
    uint64_t last = process->allocations.items[count - 1].time, first = process->allocations.items[0].time;
    *live = (struct session_live){.import = import, .apart = (last - first) / ROWS_MOST};
    if (live->apart < APART_NS)
        live->apart = APART_NS;
    return add_counter(import, "live allocations", "Memory", "Memory that is allocated and not freed", &live->live) &&
           add_counter(import, "allocated", "Allocations", "Memory that is allocated, freed later or not", &live->allocated);
}

static void put_row(const struct session_live *live, uint32_t row, uint64_t time, double change, double number)
{
    struct counter *counter = &live->import->profile->counters.rows.items[row];
    column_append_number(&counter->time, live->any ? (double)(time - live->time) / 1e6 : session_ms(live->import, time));
    column_append_number(&counter->count, change);
    column_append_number(&counter->number, number);
}

static void put_rows(struct session_live *live, uint64_t time)
{
    put_row(live, live->live, time, live->live_change, live->live_count);
    put_row(live, live->allocated, time, live->allocated_change, live->allocated_count);
    live->any = true;
    live->time = time;
    live->live_change = live->allocated_change = live->live_count = live->allocated_count = 0;
}

/* In the order of time. A row tells what has changed up to it. */
void session_live_add(struct session_live *live, uint64_t time, double weight)
{
    if (!live->any)
        put_rows(live, time);
    live->live_change += weight;
    live->live_count++;
    if (weight > 0) {
        live->allocated_change += weight;
        live->allocated_count++;
    }
    if (time - live->time >= live->apart)
        put_rows(live, time);
}

void session_live_end(struct session_live *live)
{
    const struct session_process *process = &live->import->process;
    if (live->any && live->live_count > 0)
        put_rows(live, process->allocations.items[process->allocations.count - 1].time);
}
