#include "api/name_order.h"

#include "common/lower_case.h"

#include <stdlib.h>

static uint32_t row_of(const struct name_order *order, struct string_index name)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&order->by_name, hash_u64(name.i)); map_probe_next(&probe, &row);)
        if (string_same(order->rows.items[row].name, name))
            return row;
    return INDEX_NONE;
}

bool name_order_add(struct name_order *order, struct string_index name)
{
    return row_of(order, name) != INDEX_NONE ||
           (vec_push(&order->rows, (struct ordered_name){.name = name}) &&
            map_insert(&order->by_name, hash_u64(name.i), (uint32_t)order->rows.count - 1));
}

uint32_t name_order_rank(const struct name_order *order, struct string_index name)
{
    uint32_t row = row_of(order, name);
    return row == INDEX_NONE ? INDEX_NONE : order->rows.items[row].rank;
}

struct sorted_name {
    struct slice lower, text;
    uint32_t row;
};

static int compare_names(const void *a, const void *b)
{
    const struct sorted_name *x = a, *y = b;
    int order = slice_compare(x->lower, y->lower);
    return order != 0 ? order : slice_compare(x->text, y->text);
}

bool name_order_finish(struct name_order *order, const struct marker_texts *texts)
{
    struct arena arena = {0};
    size_t count = order->rows.count;
    struct sorted_name *sorted = memory_array(count, sizeof *sorted);
    bool fits = sorted || count == 0;
    for (size_t i = 0; i < count && fits; i++) {
        struct slice text = marker_text(texts, order->rows.items[i].name);
        char *lower = arena_bytes(&arena, lower_case_room(text) + 1);
        fits = lower != NULL;
        if (fits)
            sorted[i] = (struct sorted_name){{lower, lower_case(text, lower)}, text, (uint32_t)i};
    }
    if (fits && count > 1)
        qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 0; i < count && fits; i++)
        order->rows.items[sorted[i].row].rank = (uint32_t)i;
    memory_release(sorted);
    arena_free(&arena);
    return fits;
}

void name_order_free(struct name_order *order)
{
    vec_free(&order->rows);
    map_free(&order->by_name);
}
