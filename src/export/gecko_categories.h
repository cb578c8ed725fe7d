/* The categories of a session by their numbers, which are the indices in the profile. */
#ifndef SONDE_EXPORT_GECKO_CATEGORIES_H
#define SONDE_EXPORT_GECKO_CATEGORIES_H

#include "common/arena.h"
#include "common/json_writer.h"
#include "common/vec.h"
#include "session/entry.h"

struct gecko_category {
    struct slice name, colour;
    struct slice subcategories; /* as in the entry */
    uint32_t subcategory_count; /* 0 = the number is not taken */
};

struct gecko_categories {
    VEC(struct gecko_category) rows;
};

/* Texts are kept in `arena`. False when the heap is empty; numbers that no program would have are left out. */
bool gecko_categories_add(struct gecko_categories *categories, const struct category_entry *entry, struct arena *arena);

/* Fills up: numbers that are not taken, and a grey category, which is what the front-end gives to frames without any. */
bool gecko_categories_finish(struct gecko_categories *categories);

/* The value of `categories`. */
void gecko_categories_write(const struct gecko_categories *categories, struct json_writer *w);

void gecko_categories_free(struct gecko_categories *categories);

static inline bool gecko_category_exists(const struct gecko_categories *categories, uint32_t category)
{
    return category < categories->rows.count;
}

/* The category if it exists, otherwise the first grey one. */
uint32_t gecko_category_or_default(const struct gecko_categories *categories, uint32_t category);

/* The subcategory if the category, which exists, has it; otherwise the first. */
static inline uint32_t gecko_subcategory(const struct gecko_categories *categories, uint32_t category, uint32_t subcategory)
{
    return subcategory < categories->rows.items[category].subcategory_count ? subcategory : 0;
}

#endif
