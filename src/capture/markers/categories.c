#include "capture/markers/categories.h"

#include "capture/core/core.h"
#include "common/frame_tier.h"

#include <stdatomic.h>
#include <string.h>

struct category {
    const char *name, *colour;
    /* Of its subcategories, from 1 on. Written under the core lock, with release order: names are complete before they count.
     */
    _Atomic uint32_t count;
    bool by_tier; /* the first TIER_COUNT say how its code ran */
};

/* Names that were given, by numbers. Apart from the rest: there is much room, and who registers nothing takes none of it. */
_Alignas(4096) static char own_names[CATEGORIES_MAX][CATEGORY_NAME_ROOM];
_Alignas(4096) static char own_subcategories[CATEGORIES_MAX][SUBCATEGORIES_MAX][CATEGORY_NAME_ROOM]; /* the first is not used */

/* In the order of api.h. */
#define BUILT_IN(name, colour)                                                                                                 \
    {                                                                                                                          \
        name, colour, 1, false                                                                                                 \
    }
#define BY_TIER(name, colour)                                                                                                  \
    {                                                                                                                          \
        name, colour, TIER_COUNT, true                                                                                         \
    }
static struct category categories[CATEGORIES_MAX] = {
    BUILT_IN("Idle", "transparent"),  BUILT_IN("Other", "grey"),     BUILT_IN("I/O", "brown"),
    BUILT_IN("Network", "blue"),      BUILT_IN("Graphics", "green"), BY_TIER("JavaScript", "yellow"),
    BY_TIER("Java", "magenta"),       BUILT_IN("GC / CC", "orange"), BUILT_IN("IPC", "purple"),
    BUILT_IN("Blocked", "lightblue"), BUILT_IN("Test", "darkgrey"),  BUILT_IN("Profiler", "lightred"),
    BUILT_IN("Python", "yellow"),
};
static _Atomic uint32_t category_count = SONDE_CATEGORY_PYTHON + 1; /* as struct category.count */

static const char *const colours[] = {"transparent", "purple",  "green", "orange",   "yellow",   "lightblue", "blue",
                                      "brown",       "magenta", "red",   "lightred", "darkgrey", "grey"};

static const char *known_colour(const char *colour)
{
    for (size_t i = 0; colour && i < sizeof colours / sizeof *colours; i++)
        if (strcmp(colour, colours[i]) == 0)
            return colours[i];
    return "grey";
}

static bool name_is(const char *kept, const char *name)
{
    return strncmp(kept, name, CATEGORY_NAME_ROOM - 1) == 0;
}

/* The first stands for "none of them". */
static const char *subcategory_name(const struct category *category, uint32_t number)
{
    if (category->by_tier && number < TIER_COUNT)
        return frame_tier_title((enum frame_tier)number);
    return number == 0 ? "Other" : own_subcategories[category - categories][number];
}

/* --- what sessions learn of them --------------------------------------------------------------------------------------- */

enum { CATEGORY_ENTRY_MAX = 64 + (SUBCATEGORIES_MAX + 1) * CATEGORY_NAME_ROOM };

static size_t write_category(uint8_t *out, size_t room, const void *category)
{
    const struct category *each = category;
    char subcategories[SUBCATEGORIES_MAX * CATEGORY_NAME_ROOM];
    size_t length = 0;
    uint32_t count = atomic_load_explicit(&each->count, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            subcategories[length++] = '\0';
        const char *name = subcategory_name(each, i);
        size_t name_length = strlen(name);
        memcpy(subcategories + length, name, name_length);
        length += name_length;
    }
    struct category_entry entry = {
        .category = (uint32_t)(each - categories),
        .name = slice_of(each->name),
        .colour = slice_of(each->colour),
        .subcategories = {subcategories, length},
    };
    return entry_write_category(out, room, &entry);
}

static void say(const struct core_locked *locked, const struct category *category)
{
    if (active_state(locked))
        kept_put(locked, CATEGORY_ENTRY_MAX, write_category, category);
}

void categories_begin(const struct core_locked *locked)
{
    uint32_t count = atomic_load_explicit(&category_count, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++)
        say(locked, &categories[i]);
}

/* --- registering ------------------------------------------------------------------------------------------------------- */

sonde_category category_register(const char *name, const char *colour)
{
    if (!core_may_lock())
        return SONDE_CATEGORY_OTHER;
    const struct core_locked *locked = core_lock();
    sonde_category category = SONDE_CATEGORY_OTHER;
    uint32_t count = atomic_load_explicit(&category_count, memory_order_relaxed), i = 0;
    while (i < count && !name_is(categories[i].name, name))
        i++;
    if (i < count) {
        category = i;
    } else if (count < CATEGORIES_MAX) {
        struct category *each = &categories[count];
        text_copy(own_names[count], CATEGORY_NAME_ROOM, name);
        each->name = own_names[count];
        each->colour = known_colour(colour);
        atomic_store_explicit(&each->count, 1, memory_order_relaxed);
        atomic_store_explicit(&category_count, count + 1, memory_order_release);
        say(locked, each);
        category = count;
    }
    core_unlock(locked);
    return category;
}

sonde_category subcategory_register(sonde_category category, const char *name)
{
    if (!core_may_lock())
        return category;
    const struct core_locked *locked = core_lock();
    sonde_category result = category;
    uint32_t index = category_main(category);
    if (index < atomic_load_explicit(&category_count, memory_order_relaxed)) {
        struct category *each = &categories[index];
        uint32_t count = atomic_load_explicit(&each->count, memory_order_relaxed), i = 0;
        while (i < count && !name_is(subcategory_name(each, i), name))
            i++;
        if (i == count && count < SUBCATEGORIES_MAX) {
            text_copy(own_subcategories[index][count], CATEGORY_NAME_ROOM, name);
            atomic_store_explicit(&each->count, count + 1, memory_order_release);
            say(locked, each);
        }
        if (i < SUBCATEGORIES_MAX)
            result = index | i << 16;
    }
    core_unlock(locked);
    return result;
}

const char *category_label(sonde_category category)
{
    uint32_t index = category_main(category), sub = category_sub(category);
    /* Acquire: as the names were completed before they were counted. */
    if (index >= atomic_load_explicit(&category_count, memory_order_acquire))
        return "?";
    const struct category *each = &categories[index];
    if (sub >= atomic_load_explicit(&each->count, memory_order_acquire))
        return "?";
    return sub > 0 ? subcategory_name(each, sub) : each->name;
}
