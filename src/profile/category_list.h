/* Categories: what kind of work a frame or marker stands for, with a colour and subcategories. */
#ifndef SONDE_PROFILE_CATEGORY_LIST_H
#define SONDE_PROFILE_CATEGORY_LIST_H

#include "common/vec.h"
#include "profile/indices.h"

struct category {
    struct string_index name;
    struct string_index color;
    VEC(struct string_index) subcategories; /* the first is the category itself, usually called "Other" */
};

struct category_list {
    VEC(struct category) rows;
};

/* Adds a category with one subcategory "Other"; category_none() when the heap is empty. */
struct category_index category_list_add(struct category_list *list, struct string_table *strings, struct slice name,
                                        struct slice color);

/* The eight categories of profiles that bring none: Other (grey), Idle, Layout, JavaScript, GC / CC, Network, Graphics, DOM. */
bool category_list_add_default(struct category_list *list, struct string_table *strings);

/* What frames without a category have: the first grey one, or category_none(). */
struct category_index category_list_default(const struct category_list *list, const struct string_table *strings);

/* The first one called `name`, or category_none(). */
struct category_index category_list_find(const struct category_list *list, const struct string_table *strings,
                                         struct slice name);

void category_list_free(struct category_list *list);

#endif
