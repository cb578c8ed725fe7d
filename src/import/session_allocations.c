#include "allocations/sampling.h"
#include "import/session_state.h"

#include <math.h>
#include <stdlib.h>

static int32_t tid_of(struct session_import *import, uint32_t number)
{
    const struct session_thread *thread = number != 0 ? session_find_thread(import, number) : NULL;
    return thread ? thread->tid : 0;
}

bool session_allocation(struct session_import *import, const struct allocation_entry *entry)
{
    struct session_allocation row = {
        .time = entry->time,
        .address = entry->address,
        .size = entry->size,
        .mean = entry->mean,
        .tid = tid_of(import, entry->thread),
    };
    return session_read_stack(import, &import->process.allocation_path, &entry->stack, entry->time, END_AT_CALL, &row.stack) &&
           vec_push(&import->process.allocations, row);
}

bool session_free(struct session_import *import, const struct free_entry *entry)
{
    struct session_allocation row = {
        .time = entry->time,
        .address = entry->address,
        .stack = INDEX_NONE,
        .tid = tid_of(import, entry->thread),
        .is_free = true,
    };
    return vec_push(&import->process.allocations, row);
}

/* ---- matching ---- */

/* What stands at an address: its newest allocation, as a row of process.allocations, or INDEX_NONE after its free. */
struct address_state {
    uint64_t address;
    uint32_t live;
};

struct matching {
    struct map by_address; /* rows of `states` */
    VEC(struct address_state) states;
};

/* NULL when the heap is empty. */
static struct address_state *find_state(struct matching *matching, uint64_t address)
{
    uint32_t row;
    uint64_t hash = hash_u64(address);
    for (struct map_probe probe = map_probe(&matching->by_address, hash); map_probe_next(&probe, &row);)
        if (matching->states.items[row].address == address)
            return &matching->states.items[row];
    row = (uint32_t)matching->states.count;
    if (!vec_push(&matching->states, ((struct address_state){address, INDEX_NONE})) ||
        !map_insert(&matching->by_address, hash, row))
        return NULL;
    return &matching->states.items[row];
}

/* A free weighs what its allocation does. */
static void put_row(struct session_import *import, struct allocation_table *table, const struct session_allocation *row,
                    const struct session_allocation *allocation)
{
    double weight = round(sampling_weight(allocation->size, allocation->mean));
    bool is_free = row != allocation;
    column_append_index(&table->stack, is_free ? INDEX_NONE : row->stack);
    column_append_number(&table->time, session_ms(import, row->time));
    column_append_number(&table->weight, is_free ? -weight : weight);
    column_append_number(&table->memory_address, (double)allocation->address);
    column_append(&table->thread_id, row->tid);
}

/* A free of what is not there says nothing: the allocation was recycled. An allocation where one is still there says that the
 * free of that was missed. */
static void match(struct session_import *import, struct allocation_table *table, struct address_state *state, uint32_t index)
{
    const struct session_allocation *rows = import->process.allocations.items, *row = &rows[index];
    if (state->live != INDEX_NONE) {
        put_row(import, table, row, &rows[state->live]);
        import->quality.frees_missed += !row->is_free;
    }
    if (!row->is_free)
        put_row(import, table, row, row);
    state->live = row->is_free ? INDEX_NONE : index;
}

static int compare_times(const void *a, const void *b)
{
    const struct session_allocation *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    /* An address is given out again only when it has been freed. */
    return (int)y->is_free - (int)x->is_free;
}

bool session_finish_allocations(struct session_import *import, struct thread *first)
{
    struct session_process *process = &import->process;
    struct allocation_table *table = &first->native_allocations;
    struct matching matching = {0};
    bool done = process->allocations.count < INDEX_NONE;
    if (process->allocations.count == 0)
        return true;
    qsort(process->allocations.items, process->allocations.count, sizeof *process->allocations.items, compare_times);
    for (uint32_t i = 0; done && i < process->allocations.count; i++) {
        struct address_state *state = find_state(&matching, process->allocations.items[i].address);
        if (state)
            match(import, table, state, i);
        done = state != NULL;
    }
    table->present = true;
    map_free(&matching.by_address);
    vec_free(&matching.states);
    return done;
}
