#include "import/session_state.h"

#include <inttypes.h>
#include <stdio.h>

static int32_t tid_of(struct session_import *import, uint32_t number)
{
    const struct session_thread *thread = number != 0 ? session_find_thread(import, number) : NULL;
    return thread ? thread->tid : 0;
}

/* ---- how they are recorded ---- */

/* A process that starts its recording anew says it again. */
bool session_note_allocations(struct session_import *import, const struct allocations_entry *entry)
{
    struct session_allocations_facts *facts = &import->allocations;
    if (!facts->is_recorded) {
        facts->is_recorded = true;
        facts->mode = (enum allocation_mode)entry->mode;
        facts->mean = entry->mean;
        facts->budget_ppm = entry->budget_ppm;
        facts->allocator = session_text(import, entry->allocator);
    }
    facts->maps |= entry->maps;
    import->process.allocations_are_unseen |= entry->is_unseen;
    return string_exists(facts->allocator);
}

/* ---- single blocks ---- */

/* Mostly the mean is that of the block before. */
enum { MOST_MEANS = 1 << 29 };

static bool set_mean(struct session_process *process, uint64_t mean, struct session_allocation *row)
{
    size_t count = process->means.count;
    if ((count == 0 || process->means.items[count - 1] != mean) && (count == MOST_MEANS || !vec_push(&process->means, mean)))
        return false;
    row->mean = (uint32_t)(process->means.count - 1) & (MOST_MEANS - 1);
    return true;
}

bool session_allocation(struct session_import *import, const struct allocation_entry *entry)
{
    bool is_mapped = entry->source == ALLOCATION_MAPPED;
    struct session_allocation row = {
        .time = entry->time,
        .address = entry->address,
        .size = entry->size,
        .tid = tid_of(import, entry->thread),
        .kind = is_mapped ? ROW_MAPPED : ROW_ALLOCATION,
    };
    return set_mean(&import->process, entry->mean, &row) &&
           session_read_stack(import, &import->process.allocation_path, &entry->stack, entry->time, END_AT_CALL, &row.stack) &&
           (!is_mapped || session_stack_of_mapping(import, &row.stack)) && vec_push(&import->process.allocations, row);
}

bool session_free(struct session_import *import, const struct free_entry *entry)
{
    struct session_allocation row = {
        .time = entry->time,
        .address = entry->address,
        .stack = INDEX_NONE,
        .tid = tid_of(import, entry->thread),
        .kind = ROW_FREE,
    };
    return vec_push(&import->process.allocations, row);
}

bool session_unmap(struct session_import *import, const struct unmap_entry *entry)
{
    struct session_allocation row = {
        .time = entry->time,
        .address = entry->address,
        .size = entry->size,
        .stack = INDEX_NONE,
        .tid = tid_of(import, entry->thread),
        .kind = ROW_UNMAP,
    };
    return vec_push(&import->process.allocations, row);
}

/* ---- every block ---- */

/* Nothing is known of what stands in a chunk before its first CALLER. */
static bool is_of_caller(struct session_import *import)
{
    struct session_calls *calls = &import->process.calls;
    bool known = calls->has_caller && calls->chunk == import->process.chunk;
    import->quality.bad_entries += !known;
    return known;
}

void session_caller(struct session_import *import, const struct caller_entry *entry)
{
    struct session_calls *calls = &import->process.calls;
    calls->has_caller = true;
    calls->chunk = import->process.chunk;
    if (calls->thread != entry->thread)
        calls->path.steps.count = 0;
    calls->thread = entry->thread;
    calls->tid = tid_of(import, entry->thread);
    calls->time = entry->time;
    calls->address = 0;
    calls->stacks.count = 0;
}

bool session_call_path(struct session_import *import, const struct call_path_entry *entry)
{
    struct session_calls *calls = &import->process.calls;
    uint32_t stack;
    if (!is_of_caller(import))
        return true;
    return session_read_stack(import, &calls->path, &entry->stack, calls->time, END_AT_CALL, &stack) &&
           vec_push(&calls->stacks, stack);
}

/* Sums of hostile files wrap around. */
static struct session_allocation next_call(struct session_calls *calls, uint64_t time_delta, int64_t address_delta)
{
    calls->time += time_delta;
    calls->address += (uint64_t)address_delta * ALLOCATED_ALIGNMENT;
    return (struct session_allocation){
        .time = calls->time,
        .address = calls->address,
        .stack = INDEX_NONE,
        .tid = calls->tid,
    };
}

bool session_allocated(struct session_import *import, const struct allocated_entry *entry)
{
    struct session_process *process = &import->process;
    if (!is_of_caller(import))
        return true;
    struct session_allocation row = next_call(&process->calls, entry->time_delta, entry->address_delta);
    row.kind = ROW_ALLOCATION;
    row.size = entry->size;
    if (entry->path < process->calls.stacks.count)
        row.stack = process->calls.stacks.items[entry->path];
    else
        import->quality.bad_entries++;
    return set_mean(process, 0, &row) && vec_push(&process->allocations, row);
}

bool session_freed(struct session_import *import, const struct freed_entry *entry)
{
    if (!is_of_caller(import))
        return true;
    struct session_allocation row = next_call(&import->process.calls, entry->time_delta, entry->address_delta);
    row.kind = ROW_FREE;
    return vec_push(&import->process.allocations, row);
}

/* ---- the end ---- */

enum { UNSEEN_SHOWN = 5 };

/* Called for each process, when all of it has been read. */
bool session_note_unseen(struct session_import *import)
{
    struct session_allocations_facts *facts = &import->allocations;
    struct slice name = profile_text(import->profile, import->process.name);
    char text[400];
    if (!import->process.allocations_are_unseen)
        return true;
    if (facts->unseen.count >= UNSEEN_SHOWN) {
        facts->more_unseen++;
        return true;
    }
    snprintf(text, sizeof text,
             "%.*s has an allocator in its own file, whose blocks are not seen: build it with the system's malloc%s",
             (int)(name.length < 100 ? name.length : 100), name.text,
             facts->maps ? "" : ", or record its mappings (--allocations=maps)");
    struct string_index line = session_text(import, slice_of(text));
    return string_exists(line) && vec_push(&facts->unseen, line);
}

bool session_put_allocations(struct session_import *import, struct value_bytes *out)
{
    static const char *const modes[ALLOCATION_MODE_COUNT] = {
        [ALLOCATIONS_ADAPTIVE] = "adaptive", [ALLOCATIONS_FIXED] = "fixed", [ALLOCATIONS_ALL] = "all"};
    const struct session_allocations_facts *facts = &import->allocations;
    const struct session_quality *quality = &import->quality;
    const uint64_t *statistics = quality->statistics;
    uint64_t missed = quality->frees_missed + statistics[STATISTIC_FREES_MISSED];
    return value_put_object(out, 11) && session_put_text(import, out, "mode", slice_of(modes[facts->mode])) &&
           session_put_key(import, out, "maps") && value_put_boolean(out, facts->maps) &&
           session_put_number(import, out, "mean", (double)facts->mean) &&
           session_put_number(import, out, "budget", (double)facts->budget_ppm / 1e6) &&
           session_put_number(import, out, "costMs", (double)statistics[STATISTIC_ALLOCATIONS_NS] / 1e6) &&
           session_put_number(import, out, "allocatedBytes", (double)statistics[STATISTIC_ALLOCATED_BYTES]) &&
           session_put_number(import, out, "recorded", (double)statistics[STATISTIC_ALLOCATIONS]) &&
           session_put_number(import, out, "lost", (double)statistics[STATISTIC_ALLOCATIONS_LOST]) &&
           session_put_number(import, out, "freesMissed", (double)missed) &&
           session_put_number(import, out, "unseen", (double)facts->unseen.count + (double)facts->more_unseen) &&
           session_put_key(import, out, "allocator") && value_put_string(out, facts->allocator);
}
