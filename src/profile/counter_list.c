#include "profile/counter_list.h"

struct counter *counter_list_add(struct counter_list *list, struct arena *arena)
{
    if (!vec_reserve(&list->rows, list->rows.count + 1))
        return NULL;
    struct counter *counter = &list->rows.items[list->rows.count++];
    *counter = (struct counter){
        .name = STRING_NONE,
        .category = STRING_NONE,
        .description = STRING_NONE,
        .pid = STRING_NONE,
        .main_thread = thread_none(),
    };
    column_init(&counter->time, COLUMN_NUMBERS, arena);
    column_init(&counter->count, COLUMN_NUMBERS, arena);
    column_init(&counter->number, COLUMN_NUMBERS, arena);
    return counter;
}

void counter_free(struct counter *counter)
{
    column_free(&counter->time);
    column_free(&counter->count);
    column_free(&counter->number);
    value_bytes_free(&counter->display);
}

void counter_list_free(struct counter_list *list)
{
    for (size_t i = 0; i < list->rows.count; i++)
        counter_free(&list->rows.items[i]);
    vec_free(&list->rows);
}

bool counter_list_seal(struct counter_list *list)
{
    bool sealed = true;
    for (size_t i = 0; i < list->rows.count; i++) {
        struct counter *counter = &list->rows.items[i];
        sealed = sealed && column_seal(&counter->time) && column_seal(&counter->count) && column_seal(&counter->number);
    }
    return sealed;
}

size_t counter_list_bytes(const struct counter_list *list)
{
    size_t bytes = list->rows.capacity * sizeof *list->rows.items;
    for (size_t i = 0; i < list->rows.count; i++) {
        const struct counter *counter = &list->rows.items[i];
        bytes += column_bytes(&counter->time) + column_bytes(&counter->count) + column_bytes(&counter->number) +
                 counter->display.bytes.capacity;
    }
    return bytes;
}
