/* The categories of a process by their numbers, which are the indices in the profile. Where there are several processes they
 * share one list, which is what readers go by: then the numbers of each have a place in that. */
#ifndef SONDE_EXPORT_GECKO_CATEGORIES_H
#define SONDE_EXPORT_GECKO_CATEGORIES_H

#include "common/arena.h"
#include "common/json_writer.h"
#include "common/vec.h"
#include "session/reader.h"

struct gecko_category {
    struct slice name, colour;
    struct slice subcategories; /* as in the entry */
    uint32_t subcategory_count; /* 0 = the number is not taken */
};

struct gecko_categories {
    VEC(struct gecko_category) rows;
    const struct gecko_categories *shared; /* NULL = this is the only process; else somebody else's */
    VEC(uint32_t) places;                  /* in `shared`, of each row */
    uint32_t idle, ready, kernel;          /* numbers of those that rows need, once they are finished; UINT32_MAX = none */
    uint32_t native;                       /* of native frames, where runtimes told of code; UINT32_MAX = none */
    uint32_t of_runtime[RUNTIME_KIND_COUNT];
};

/* What a thread does that waits, and one that wants a CPU and has none. */
#define GECKO_IDLE SLICE("Idle")
#define GECKO_READY SLICE("Waiting for CPU")

/* Texts are kept in `arena`. False when the heap is empty; numbers that no program would have are left out. */
bool gecko_categories_add(struct gecko_categories *categories, const struct category_entry *entry, struct arena *arena);

/* Fills up: numbers that are not taken, a grey category, which is what the front-end gives to frames without any, those of time
 * in which threads did not run, where there is such time, and those of code of runtimes and native code beside it. */
bool gecko_categories_finish(struct gecko_categories *categories, bool has_waits, bool has_ready, bool has_code);

/* Makes sure that a list has the categories of time in which threads did not run: other processes may need them. */
bool gecko_categories_add_waits(struct gecko_categories *categories, bool has_waits, bool has_ready);

/* Adds those categories of `other` whose names are not there yet. False when the heap is empty. */
bool gecko_categories_join(struct gecko_categories *shared, const struct gecko_categories *other, struct arena *arena);

/* Adds those of a file, of which nothing else is read. 0 or a negative errno. */
int gecko_categories_join_file(struct gecko_categories *shared, struct session_file *file, struct arena *arena,
                               struct error *error);

/* Gives every row its place in `shared`. False when the heap is empty. */
bool gecko_categories_share(struct gecko_categories *categories, const struct gecko_categories *shared);

/* The value of `categories`. */
void gecko_categories_write(const struct gecko_categories *categories, struct json_writer *w);

void gecko_categories_free(struct gecko_categories *categories);

static inline bool gecko_category_exists(const struct gecko_categories *categories, uint32_t category)
{
    return category < categories->rows.count;
}

/* The index in the profile of a category that exists. */
static inline uint32_t gecko_category_place(const struct gecko_categories *categories, uint32_t category)
{
    return categories->shared ? categories->places.items[category] : category;
}

/* The index in the profile of the category if it exists, otherwise of the first grey one. */
uint32_t gecko_category_or_default(const struct gecko_categories *categories, uint32_t category);

/* The subcategory if the category, which exists, has it in the profile; otherwise the first. */
static inline uint32_t gecko_subcategory(const struct gecko_categories *categories, uint32_t category, uint32_t subcategory)
{
    const struct gecko_categories *list = categories->shared ? categories->shared : categories;
    return subcategory < list->rows.items[gecko_category_place(categories, category)].subcategory_count ? subcategory : 0;
}

#endif
