#include "allocations/sampling.h"
#include "import/session_state.h"

#include <math.h>
#include <stdlib.h>

/* Up to the youngest method of the program: how the VM gives out memory is not asked. What no method is in stays as it is. */
static uint32_t stack_of_program(const struct session_import *import, uint32_t stack)
{
    const struct profile *profile = import->profile;
    for (uint32_t at = stack; at != INDEX_NONE; at = import->stacks.rows.items[at].prefix) {
        struct frame_index frame = {import->stacks.rows.items[at].frame};
        if (func_table_get(&profile->funcs, frame_func(&profile->frames, frame)).is_js)
            return at;
    }
    return stack;
}

/* What was allocated is the youngest frame: its class. */
static bool add_class(struct session_import *import, struct slice class_name, uint32_t *stack)
{
    uint32_t frame = INDEX_NONE;
    struct category_index category = session_named_category(import, SLICE("Object"), SLICE("orange"));
    return category_exists(category) &&
           session_stack_with(import, stack_of_program(import, *stack), &frame, class_name, category, stack);
}

bool session_object(struct session_import *import, const struct object_entry *entry)
{
    struct session_process *process = &import->process;
    const struct session_thread *thread = entry->thread != 0 ? session_find_thread(import, entry->thread) : NULL;
    struct session_object row = {
        .time = entry->time,
        .weight = round(sampling_weight(entry->size, entry->mean)),
        .size = (double)sampling_size(entry->size),
        .thread = thread ? (uint32_t)(thread - process->threads.items) : 0,
        .order = (uint32_t)process->objects.count,
        .class_name = session_text(import, entry->class_name),
    };
    return process->objects.count < INDEX_NONE && string_exists(row.class_name) &&
           session_read_stack(import, &process->allocation_path, &entry->stack, entry->time, END_AT_CALL, &row.stack) &&
           (entry->class_name.length == 0 || add_class(import, entry->class_name, &row.stack)) &&
           vec_push(&process->objects, row);
}

/* By thread, then by time; where times are the same they stay as they were read. */
static int compare_objects(const void *a, const void *b)
{
    const struct session_object *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

bool session_finish_objects(struct session_import *import, uint32_t row, struct thread *thread)
{
    struct session_process *process = &import->process;
    struct allocation_table *table = &thread->js_allocations;
    if (process->objects.count == 0)
        return true;
    if (row == 0)
        qsort(process->objects.items, process->objects.count, sizeof *process->objects.items, compare_objects);
    for (; process->next_object < process->objects.count; process->next_object++) {
        const struct session_object *object = &process->objects.items[process->next_object];
        if (object->thread != row)
            break;
        column_append_index(&table->stack, object->stack);
        column_append_number(&table->time, session_ms(import, object->time));
        column_append_number(&table->weight, object->weight);
        column_append_number(&table->size, object->size);
        column_append(&table->class_name, object->class_name.i);
        column_append(&table->type_name, COLUMN_ABSENT);
        column_append(&table->coarse_type, COLUMN_ABSENT);
        column_append(&table->in_nursery, 0);
        table->present = true;
    }
    return true;
}
