/* The rows that allocations and frees become, in the order of their times: a free is matched with what it frees. */
#include "allocations/sampling.h"
#include "import/mapped_pieces.h"
#include "import/session_state.h"

#include <math.h>
#include <stdlib.h>

/* What stands at an address: its newest allocation, as a row of process.allocations, or INDEX_NONE after its free. */
struct address_state {
    uint64_t address;
    uint32_t live;
};

struct memory {
    struct session_import *import;
    struct allocation_table *table;
    struct map by_address; /* rows of `states` */
    VEC(struct address_state) states;
    struct session_live live;
    struct mapped_pieces pieces;
    VEC(uint32_t) begun, ended; /* pieces, by the row that begins or ends them */
    size_t next_begun, next_ended;
};

/* ---- rows ---- */

/* What a row is of: a block, or a piece of one. */
struct block {
    uint64_t address;
    double weight, size;
};

static void put_row(struct memory *memory, const struct session_allocation *row, const struct block *block, bool is_free)
{
    struct allocation_table *table = memory->table;
    column_append_index(&table->stack, is_free ? INDEX_NONE : row->stack);
    column_append_number(&table->time, session_ms(memory->import, row->time));
    column_append_number(&table->weight, is_free ? -block->weight : block->weight);
    column_append_number(&table->memory_address, (double)block->address);
    column_append(&table->thread_id, row->tid);
    column_append_number(&table->size, block->size);
    session_live_add(&memory->live, row->time, is_free ? -block->weight : block->weight);
}

/* ---- blocks of the heap ---- */

/* NULL when the heap is empty. */
static struct address_state *find_state(struct memory *memory, uint64_t address)
{
    uint32_t row;
    uint64_t hash = hash_u64(address);
    for (struct map_probe probe = map_probe(&memory->by_address, hash); map_probe_next(&probe, &row);)
        if (memory->states.items[row].address == address)
            return &memory->states.items[row];
    row = (uint32_t)memory->states.count;
    if (!vec_push(&memory->states, ((struct address_state){address, INDEX_NONE})) ||
        !map_insert(&memory->by_address, hash, row))
        return NULL;
    return &memory->states.items[row];
}

static struct block block_of(const struct session_process *process, const struct session_allocation *row)
{
    uint64_t mean = process->means.items[row->mean];
    return (struct block){
        .address = row->address,
        .weight = round(sampling_weight(row->size, mean)),
        .size = (double)sampling_size(row->size),
    };
}

enum { AT_ONCE = 64 };

/* Two threads at one moment: what one of them freed has been given to the other. In its own thread a free stands behind. */
static bool is_freed_at_once(const struct session_process *process, uint32_t index)
{
    const struct session_allocation *rows = process->allocations.items, *row = &rows[index];
    for (uint32_t i = index + 1; i < process->allocations.count && i - index < AT_ONCE && rows[i].time == row->time; i++)
        if (rows[i].address == row->address)
            return rows[i].kind == ROW_FREE && rows[i].tid != row->tid;
    return false;
}

/* Its free is not to be found by the allocation that comes before it. */
static void take_free(struct session_process *process, uint32_t index)
{
    struct session_allocation *rows = process->allocations.items;
    for (uint32_t i = index + 1;; i++)
        if (rows[i].address == rows[index].address) {
            rows[i].kind = ROW_TAKEN;
            return;
        }
}

/* A free of what is not there says nothing: the allocation was recycled. An allocation where one is still there says that the
 * free of that was missed; or it is the same, written down once more before its chunk was recycled. */
static bool match(struct memory *memory, uint32_t index)
{
    struct session_process *process = &memory->import->process;
    const struct session_allocation *rows = process->allocations.items, *row = &rows[index];
    struct address_state *state = find_state(memory, row->address);
    if (!state)
        return false;
    bool is_free = row->kind == ROW_FREE;
    if (state->live != INDEX_NONE) {
        const struct session_allocation *live = &rows[state->live];
        bool at_once = !is_free && is_freed_at_once(process, index);
        if (!is_free && !at_once && live->time == row->time && live->size == row->size)
            return true;
        struct block block = block_of(process, live);
        put_row(memory, row, &block, true);
        memory->import->quality.frees_missed += !is_free && !at_once;
        if (at_once)
            take_free(process, index);
    }
    if (!is_free) {
        struct block block = block_of(process, row);
        put_row(memory, row, &block, false);
    }
    state->live = is_free ? INDEX_NONE : index;
    return true;
}

/* ---- mappings ---- */

/* A piece weighs its bytes, and is a part of one mapping: w / s of all its pieces together is 1. An allocator may give out a
 * mapping from its first byte: only what is no address of a block tells the two apart. */
static void put_piece(struct memory *memory, const struct session_allocation *row, const struct mapped_piece *piece,
                      bool is_free)
{
    const struct session_allocation *begun_by = &memory->import->process.allocations.items[piece->begun_by];
    struct block block = {
        .address = piece->start | 1,
        .weight = (double)(piece->end - piece->start),
        .size = (double)begun_by->size,
    };
    put_row(memory, row, &block, is_free);
}

static int compare_begun(const void *a, const void *b, void *data)
{
    const struct mapped_piece *pieces = data, *x = &pieces[*(const uint32_t *)a], *y = &pieces[*(const uint32_t *)b];
    if (x->begun_by != y->begun_by)
        return x->begun_by < y->begun_by ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

static int compare_ended(const void *a, const void *b, void *data)
{
    const struct mapped_piece *pieces = data, *x = &pieces[*(const uint32_t *)a], *y = &pieces[*(const uint32_t *)b];
    if (x->ended_by != y->ended_by)
        return x->ended_by < y->ended_by ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

static bool find_pieces(struct memory *memory)
{
    const struct session_process *process = &memory->import->process;
    bool done = true;
    for (uint32_t i = 0; i < process->allocations.count && done; i++) {
        const struct session_allocation *row = &process->allocations.items[i];
        if (row->kind == ROW_MAPPED)
            done = mapped_pieces_map(&memory->pieces, row->address, row->size, i);
        else if (row->kind == ROW_UNMAP)
            done = mapped_pieces_unmap(&memory->pieces, row->address, row->size, i);
    }
    for (uint32_t i = 0; i < memory->pieces.items.count && done; i++)
        done = vec_push(&memory->begun, i) &&
               (memory->pieces.items.items[i].ended_by == PIECE_NONE || vec_push(&memory->ended, i));
    if (memory->begun.count > 1)
        qsort_r(memory->begun.items, memory->begun.count, sizeof(uint32_t), compare_begun, memory->pieces.items.items);
    if (memory->ended.count > 1)
        qsort_r(memory->ended.items, memory->ended.count, sizeof(uint32_t), compare_ended, memory->pieces.items.items);
    return done;
}

static void put_pieces(struct memory *memory, uint32_t index)
{
    const struct session_allocation *row = &memory->import->process.allocations.items[index];
    const struct mapped_piece *pieces = memory->pieces.items.items;
    for (; memory->next_ended < memory->ended.count; memory->next_ended++) {
        const struct mapped_piece *piece = &pieces[memory->ended.items[memory->next_ended]];
        if (piece->ended_by != index)
            break;
        put_piece(memory, row, piece, true);
    }
    for (; memory->next_begun < memory->begun.count; memory->next_begun++) {
        const struct mapped_piece *piece = &pieces[memory->begun.items[memory->next_begun]];
        if (piece->begun_by != index)
            break;
        put_piece(memory, row, piece, false);
    }
}

/* ---- the whole ---- */

/* Where times are the same, rows stay as they were read. */
static int compare_rows(const void *a, const void *b)
{
    const struct session_allocation *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void sort_rows(struct session_process *process)
{
    struct session_allocation *rows = process->allocations.items;
    bool is_sorted = true;
    for (size_t i = 0; i < process->allocations.count; i++) {
        rows[i].order = (uint32_t)i;
        is_sorted &= i == 0 || rows[i - 1].time <= rows[i].time;
    }
    if (!is_sorted)
        qsort(rows, process->allocations.count, sizeof *rows, compare_rows);
}

bool session_finish_allocations(struct session_import *import, struct thread *first)
{
    struct session_process *process = &import->process;
    struct memory memory = {.import = import, .table = &first->native_allocations};
    bool done = process->allocations.count < INDEX_NONE;
    if (process->allocations.count == 0)
        return true;
    sort_rows(process);
    mapped_pieces_init(&memory.pieces);
    done = done && session_live_begin(&memory.live, import) && find_pieces(&memory);
    for (uint32_t i = 0; done && i < process->allocations.count; i++) {
        enum session_allocation_kind kind = (enum session_allocation_kind)process->allocations.items[i].kind;
        if (kind == ROW_MAPPED || kind == ROW_UNMAP)
            put_pieces(&memory, i);
        else if (kind != ROW_TAKEN)
            done = match(&memory, i);
    }
    if (done)
        session_live_end(&memory.live);
    first->native_allocations.present = true;
    map_free(&memory.by_address);
    vec_free(&memory.states);
    mapped_pieces_free(&memory.pieces);
    vec_free(&memory.begun);
    vec_free(&memory.ended);
    return done;
}
