#include "export/gecko_categories.h"

#include "common/count.h"
#include "export/gecko_text.h"

enum { MOST_CATEGORIES = 4096 };

static uint32_t count_texts(struct slice separated)
{
    uint32_t count = 1;
    for (size_t i = 0; i < separated.length; i++)
        count += separated.text[i] == '\0';
    return count;
}

/* The front-end shows what is not in its list in its default colour; with a name from the list that is said openly. */
static struct slice known_colour(struct slice colour)
{
    static const char *const colours[] = {"transparent", "purple",  "green", "orange",   "yellow",   "lightblue", "blue",
                                          "brown",       "magenta", "red",   "lightred", "darkgrey", "grey"};
    for (size_t i = 0; i < COUNT(colours); i++)
        if (slice_equal(colour, slice_of(colours[i])))
            return slice_of(colours[i]);
    return SLICE("grey");
}

bool gecko_categories_add(struct gecko_categories *categories, const struct category_entry *entry, struct arena *arena)
{
    if (entry->category >= MOST_CATEGORIES)
        return true;
    struct gecko_category category = {entry->name, known_colour(entry->colour), entry->subcategories,
                                      count_texts(entry->subcategories)};
    if (!vec_reserve(&categories->rows, entry->category + 1u) || !gecko_keep(arena, &category.name) ||
        !gecko_keep(arena, &category.subcategories))
        return false;
    while (categories->rows.count <= entry->category)
        categories->rows.items[categories->rows.count++] = (struct gecko_category){0};
    categories->rows.items[entry->category] = category;
    return true;
}

static bool is_grey(const struct gecko_category *category)
{
    return slice_is(category->colour, "grey");
}

/* UINT32_MAX = none. */
static uint32_t find_name(const struct gecko_categories *categories, struct slice name)
{
    for (size_t i = 0; i < categories->rows.count; i++)
        if (slice_equal(categories->rows.items[i].name, name))
            return (uint32_t)i;
    return UINT32_MAX;
}

static bool ensure(struct gecko_categories *categories, struct slice name, struct slice colour)
{
    struct gecko_category category = {name, colour, SLICE("Other"), 1};
    return find_name(categories, name) != UINT32_MAX || vec_push(&categories->rows, category);
}

bool gecko_categories_add_waits(struct gecko_categories *categories, bool has_waits, bool has_ready)
{
    return (!has_waits || ensure(categories, GECKO_IDLE, SLICE("transparent"))) &&
           (!has_ready || ensure(categories, GECKO_READY, SLICE("yellow")));
}

/* What frames of a runtime are, and native frames where there is one: they would have the category of the script that called
 * them. */
#define NATIVE SLICE("Native")
static const struct {
    struct slice name, colour;
} of_runtimes[RUNTIME_KIND_COUNT] = {
    [RUNTIME_PYTHON] = {{"Python", 6}, {"green", 5}},
    [RUNTIME_V8] = {{"JavaScript", 10}, {"yellow", 6}},
    [RUNTIME_HOTSPOT] = {{"Java", 4}, {"magenta", 7}},
};

static bool add_code(struct gecko_categories *categories)
{
    bool done = ensure(categories, NATIVE, SLICE("blue"));
    for (size_t i = 1; done && i < RUNTIME_KIND_COUNT; i++)
        done = ensure(categories, of_runtimes[i].name, of_runtimes[i].colour);
    return done;
}

bool gecko_categories_finish(struct gecko_categories *categories, bool has_waits, bool has_ready, bool has_code)
{
    static const struct gecko_category other = {{"Other", 5}, {"grey", 4}, {"Other", 5}, 1};
    bool grey = false;
    for (size_t i = 0; i < categories->rows.count; i++) {
        struct gecko_category *category = &categories->rows.items[i];
        if (category->subcategory_count == 0)
            *category = other;
        grey |= is_grey(category);
    }
    if (!(grey || vec_push(&categories->rows, other)) || !gecko_categories_add_waits(categories, has_waits, has_ready) ||
        (has_code && !add_code(categories)))
        return false;
    categories->idle = find_name(categories, GECKO_IDLE);
    categories->ready = find_name(categories, GECKO_READY);
    categories->kernel = find_name(categories, SLICE("Kernel"));
    categories->native = has_code ? find_name(categories, NATIVE) : UINT32_MAX;
    for (size_t i = 1; i < RUNTIME_KIND_COUNT; i++)
        categories->of_runtime[i] = find_name(categories, of_runtimes[i].name);
    return true;
}

uint32_t gecko_category_or_default(const struct gecko_categories *categories, uint32_t category)
{
    if (gecko_category_exists(categories, category))
        return gecko_category_place(categories, category);
    if (categories->shared)
        return gecko_category_or_default(categories->shared, UINT32_MAX);
    category = 0;
    while (!is_grey(&categories->rows.items[category]))
        category++;
    return category;
}

/* ---- several processes ---- */

bool gecko_categories_join(struct gecko_categories *shared, const struct gecko_categories *other, struct arena *arena)
{
    for (size_t i = 0; i < other->rows.count; i++) {
        struct gecko_category category = other->rows.items[i];
        if (category.subcategory_count == 0 || find_name(shared, category.name) != UINT32_MAX ||
            shared->rows.count >= MOST_CATEGORIES)
            continue;
        if (!gecko_keep(arena, &category.name) || !gecko_keep(arena, &category.subcategories) ||
            !vec_push(&shared->rows, category))
            return false;
    }
    return true;
}

struct joining {
    struct gecko_categories categories;
    bool has_code;
    struct arena arena;
};

enum { JOINING_DONE = 1 };

static int join_entry(void *data, const struct any_entry *entry, struct error *error)
{
    struct joining *joining = data;
    if (!entry_kind_is_kept(entry->kind))
        return JOINING_DONE;
    joining->has_code |= entry->kind == ENTRY_CODE;
    if (entry->kind == ENTRY_CATEGORY && !gecko_categories_add(&joining->categories, &entry->category, &joining->arena))
        return error_out_of_memory(error);
    return 0;
}

int gecko_categories_join_file(struct gecko_categories *shared, struct session_file *file, struct arena *arena,
                               struct error *error)
{
    static const struct session_visitor visitor = {.entry = join_entry};
    struct joining joining = {0};
    struct session_reading reading;
    int result = session_file_visit(file, &visitor, &joining, &reading, error);
    if (result == JOINING_DONE)
        result = 0;
    if (result == 0 && joining.has_code && !add_code(&joining.categories))
        result = error_out_of_memory(error);
    if (result == 0 && !gecko_categories_join(shared, &joining.categories, arena))
        result = error_out_of_memory(error);
    gecko_categories_free(&joining.categories);
    arena_free(&joining.arena);
    return result;
}

bool gecko_categories_share(struct gecko_categories *categories, const struct gecko_categories *shared)
{
    if (!vec_reserve(&categories->places, categories->rows.count + 1))
        return false;
    categories->shared = shared;
    uint32_t other = gecko_category_or_default(shared, UINT32_MAX);
    for (size_t i = 0; i < categories->rows.count; i++) {
        uint32_t place = find_name(shared, categories->rows.items[i].name);
        categories->places.items[i] = place != UINT32_MAX ? place : other;
    }
    categories->places.count = categories->rows.count;
    return true;
}

/* ---- writing ---- */

static void write_subcategories(struct slice rest, struct json_writer *w)
{
    json_write_begin_array(w);
    for (bool more = true; more;) {
        const char *end = memchr(rest.text, '\0', rest.length);
        size_t length = end ? (size_t)(end - rest.text) : rest.length;
        struct slice text = slice_until(rest, length);
        json_write_string(w, text.length > 0 ? text : SLICE("Other"));
        more = end;
        if (more)
            rest = slice_from(rest, length + 1);
    }
    json_write_end_array(w);
}

void gecko_categories_write(const struct gecko_categories *categories, struct json_writer *w)
{
    if (categories->shared)
        categories = categories->shared;
    json_write_begin_array(w);
    for (size_t i = 0; i < categories->rows.count; i++) {
        const struct gecko_category *category = &categories->rows.items[i];
        json_write_begin_object(w);
        json_write_key(w, "name");
        json_write_string(w, category->name);
        json_write_key(w, "color");
        json_write_string(w, category->colour);
        json_write_key(w, "subcategories");
        write_subcategories(category->subcategories, w);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

void gecko_categories_free(struct gecko_categories *categories)
{
    vec_free(&categories->rows);
    vec_free(&categories->places);
}
