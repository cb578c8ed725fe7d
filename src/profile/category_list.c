#include "profile/category_list.h"

struct category_index category_list_add(struct category_list *list, struct string_table *strings, struct slice name,
                                        struct slice color)
{
    struct category category = {.name = string_table_add(strings, name), .color = string_table_add(strings, color)};
    struct string_index other = string_table_add(strings, SLICE("Other"));
    if (!string_exists(category.name) || !string_exists(category.color) || !string_exists(other))
        return category_none();
    if (!vec_push(&category.subcategories, other) || !vec_push(&list->rows, category)) {
        vec_free(&category.subcategories);
        return category_none();
    }
    return category_at(list->rows.count - 1);
}

bool category_list_add_default(struct category_list *list, struct string_table *strings)
{
    static const struct {
        const char *name, *color;
    } defaults[] = {
        {"Other", "grey"},     {"Idle", "transparent"},  {"Layout", "purple"},  {"JavaScript", "yellow"},
        {"GC / CC", "orange"}, {"Network", "lightblue"}, {"Graphics", "green"}, {"DOM", "blue"},
    };
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (!category_exists(category_list_add(list, strings, slice_of(defaults[i].name), slice_of(defaults[i].color))))
            return false;
    return true;
}

struct category_index category_list_default(const struct category_list *list, const struct string_table *strings)
{
    struct string_index grey = string_table_find(strings, SLICE("grey"));
    for (size_t i = 0; string_exists(grey) && i < list->rows.count; i++)
        if (string_same(list->rows.items[i].color, grey))
            return category_at(i);
    return category_none();
}

struct category_index category_list_find(const struct category_list *list, const struct string_table *strings,
                                         struct slice name)
{
    struct string_index wanted = string_table_find(strings, name);
    for (size_t i = 0; string_exists(wanted) && i < list->rows.count; i++)
        if (string_same(list->rows.items[i].name, wanted))
            return category_at(i);
    return category_none();
}

void category_list_free(struct category_list *list)
{
    for (size_t i = 0; i < list->rows.count; i++)
        vec_free(&list->rows.items[i].subcategories);
    vec_free(&list->rows);
}
