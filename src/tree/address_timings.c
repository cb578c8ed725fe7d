#include "tree/address_timings.h"

#include "tree/line_sums.h"

#include <stdlib.h>

/* ---- where stacks are ---- */

struct place {
    uint32_t native_symbol; /* INDEX_NONE = unknown */
    uint64_t address;
    uint32_t inline_depth;
};

static struct place place_of(const struct view *view, uint32_t stack)
{
    const struct frame_table *frames = &view->profile->frames;
    uint32_t frame = view->frame[stack];
    int64_t address = column_get(&frames->address, frame);
    return (struct place){
        .native_symbol = address == COLUMN_ABSENT ? INDEX_NONE : column_get_index(&frames->native_symbol, frame),
        .address = (uint64_t)address,
        .inline_depth = column_get_index(&frames->inline_depth, frame),
    };
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->native_symbol != y->native_symbol)
        return x->native_symbol < y->native_symbol ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

/* Each place of the function once, ascending: a place is then a number, as a line is. */
struct places {
    VEC(struct place) items;
};

static int places_collect(const struct view *view, uint32_t func, struct places *places, size_t *without, struct error *error)
{
    for (uint32_t stack = 0; stack < view->count; stack++) {
        if (view->func[stack] != func)
            continue;
        struct place place = place_of(view, stack);
        if (place.native_symbol == INDEX_NONE)
            ++*without;
        else if (!vec_push(&places->items, place))
            return error_out_of_memory(error);
    }
    size_t count = places->items.count, kept = 0;
    struct place *items = places->items.items;
    if (count > 1)
        qsort(items, count, sizeof *items, compare_places);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare_places(&items[i], &items[kept - 1]) != 0)
            items[kept++] = items[i];
    places->items.count = kept;
    return 0;
}

static uint32_t place_number(const struct places *places, const struct place *place)
{
    const struct place *found = bsearch(place, places->items.items, places->items.count, sizeof *place, compare_places);
    return (uint32_t)(found - places->items.items);
}

/* ---- adding up ---- */

/* A stack that was inlined into its prefix is at the same place; no transform between them changed that. */
static bool is_inlined_into(const struct place *inner, const struct place *outer)
{
    return inner->inline_depth > outer->inline_depth && inner->native_symbol != INDEX_NONE && compare_places(inner, outer) == 0;
}

/* `holder` is, for each stack, the stack of the function whose code it is in: itself, one that it was inlined into, or
 * INDEX_NONE. */
static int place_stacks(const struct view *view, uint32_t func, const struct places *places, uint32_t *holder,
                        struct stack_sums *stacks, struct line_sums *sums, struct error *error)
{
    for (uint32_t stack = 0; stack < view->count; stack++) {
        struct place place = place_of(view, stack);
        uint32_t prefix = view->prefix[stack];
        holder[stack] = INDEX_NONE;
        if (view->func[stack] == func && place.native_symbol != INDEX_NONE) {
            uint32_t row = line_sums_row(sums, place_number(places, &place));
            if (row == INDEX_NONE)
                return error_out_of_memory(error);
            stacks->row[stack] = row;
            holder[stack] = stack;
        } else if (prefix != INDEX_NONE && holder[prefix] != INDEX_NONE) {
            struct place outer = place_of(view, prefix);
            if (is_inlined_into(&place, &outer))
                holder[stack] = holder[prefix];
        }
        if (holder[stack] != INDEX_NONE)
            line_row_add(&sums->lines->rows.items[stacks->row[holder[stack]]], stacks->first[stack], stacks->weight[stack], 0);
    }
    return 0;
}

static int add_up(const struct view *view, const struct stack_weights *weights, uint32_t func, const struct places *places,
                  struct line_timings *numbers, struct error *error)
{
    struct line_sums sums = {.lines = numbers};
    struct stack_sums stacks;
    uint32_t *holder = memory_array(view->count, sizeof *holder);
    if (!holder)
        return error_out_of_memory(error);
    int status = stack_sums_begin(view, weights, &stacks, error);
    if (status == 0) {
        status = place_stacks(view, func, places, holder, &stacks, &sums, error);
        if (status == 0)
            status = stack_sums_add_totals(view, &stacks, numbers, error);
        stack_sums_free(&stacks);
    }
    line_sums_finish(&sums, true);
    memory_release(holder);
    return status;
}

int address_timings_of_func(const struct view *view, const struct stack_weights *weights, uint32_t func,
                            struct address_timings *timings, struct error *error)
{
    struct places places = {0};
    struct line_timings numbers = {0};
    *timings = (struct address_timings){0};
    int status = places_collect(view, func, &places, &timings->without_symbol, error);
    if (status == 0)
        status = add_up(view, weights, func, &places, &numbers, error);
    for (size_t i = 0; i < numbers.rows.count && status == 0; i++) {
        const struct line_row *sum = &numbers.rows.items[i];
        const struct place *place = &places.items.items[sum->line];
        struct address_row row = {place->native_symbol, place->address, sum->self, sum->total};
        if (!vec_push(&timings->rows, row))
            status = error_out_of_memory(error);
    }
    if (status != 0)
        address_timings_free(timings);
    line_timings_free(&numbers);
    vec_free(&places.items);
    return status;
}

uint64_t address_timings_extent(const struct native_symbol *symbol, const struct address_row *rows, size_t count)
{
    uint64_t last = rows[count - 1].address, size = symbol->size > 0 ? (uint64_t)symbol->size : 0;
    return last >= symbol->address && last - symbol->address >= size ? last - symbol->address + 1 : size;
}

void address_timings_free(struct address_timings *timings)
{
    vec_free(&timings->rows);
}
