#include "import/session_state.h"

bool session_add_counter(struct session_import *import, const struct counter_entry *entry)
{
    struct session_process *process = &import->process;
    struct counter_list *list = &import->profile->counters;
    for (size_t i = 0; i < process->counters.count; i++)
        if (process->counters.items[i].number == entry->counter)
            return true;
    struct session_counter staged = {.number = entry->counter, .row = (uint32_t)list->rows.count};
    struct counter *counter =
        vec_reserve(&process->counters, process->counters.count + 1) ? counter_list_add(list, &import->profile->arena) : NULL;
    if (!counter)
        return false;
    vec_push(&process->counters, staged);
    counter->name = session_text(import, entry->name);
    counter->category = session_text(import, entry->category);
    counter->description = session_text(import, entry->description);
    counter->pid = process->pid;
    counter->time_is_deltas = true;
    return string_exists(counter->name) && string_exists(counter->category) && string_exists(counter->description);
}

static struct session_counter *find_counter(struct session_process *process, uint32_t number)
{
    for (size_t i = 0; i < process->counters.count; i++)
        if (process->counters.items[i].number == number)
            return &process->counters.items[i];
    return NULL;
}

/* The profile has changes: the first row is the value itself. */
void session_counter_sample(struct session_import *import, const struct counter_sample_entry *entry)
{
    struct session_counter *staged = find_counter(&import->process, entry->counter);
    if (!staged)
        return;
    struct counter *counter = &import->profile->counters.rows.items[staged->row];
    bool first = column_count(&counter->time) == 0;
    uint64_t time = entry->time < staged->previous_time ? staged->previous_time : entry->time;
    column_append_number(&counter->time, first ? session_ms(import, time) : (double)(time - staged->previous_time) / 1e6);
    column_append_number(&counter->count, (double)entry->count - (double)staged->previous_count);
    column_append_number(&counter->number, (double)entry->number - (double)staged->previous_number);
    staged->previous_time = time;
    staged->previous_count = entry->count;
    staged->previous_number = entry->number;
}

/* Counters that were never read are left out, and so are all where no thread stands for the process. */
void session_finish_counters(struct session_import *import, size_t first_counter, struct thread_index main_thread)
{
    struct counter_list *list = &import->profile->counters;
    size_t kept = first_counter;
    for (size_t i = first_counter; i < list->rows.count; i++) {
        struct counter counter = list->rows.items[i];
        counter.main_thread = main_thread;
        if (thread_exists(main_thread) && column_count(&counter.time) > 0) {
            list->rows.items[kept++] = counter;
        } else {
            column_free(&counter.time);
            column_free(&counter.count);
            column_free(&counter.number);
        }
    }
    list->rows.count = kept;
}
