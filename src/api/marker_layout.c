#include "api/marker_layout.h"

#include "api/row_packing.h"

#include <stdlib.h>

struct layout {
    struct marker_layout *out;
    const struct marker_store *store;
    const struct marker_refs *markers;
    const struct name_order *names;
    const struct marker_arrangement *arrangement;
    struct map by_group;
    uint32_t *group_of;         /* for each marker */
    uint32_t *by_place;         /* places of markers, group by group, each in the order of starts */
    uint32_t *group_starts;     /* for each group: where it starts in `by_place` */
    uint32_t *row_of, *next_of; /* for each marker of a group: its row; for each row: where its next marker goes */
    uint32_t placed;            /* markers that have a row */
};

/* ---- categories ---- */

uint32_t marker_category(const struct profile *profile, const struct marker *marker)
{
    return marker->category.i < profile->categories.rows.count ? marker->category.i : INDEX_NONE;
}

uint64_t category_place(const struct profile *profile, const struct name_order *names, uint32_t category)
{
    if (category == INDEX_NONE)
        return UINT64_MAX;
    struct string_index name = profile->categories.rows.items[category].name;
    struct slice text = profile_text(profile, name);
    uint64_t part = slice_is(text, "Test") ? 0 : slice_is(text, "Other") ? 2 : 1;
    return part << 62 | (uint64_t)name_order_rank(names, name) << 24 | (category & 0xffffff);
}

static bool is_among(const struct slice *texts, size_t count, struct slice text)
{
    for (size_t i = 0; i < count; i++)
        if (slice_equal(texts[i], text))
            return true;
    return false;
}

/* Markers without a category are shown with those of `Other`. */
static bool is_folded(const struct layout *layout, const struct marker_group *group)
{
    const struct profile *profile = layout->store->profile;
    struct slice name = group->category == INDEX_NONE
                            ? SLICE("Other")
                            : profile_text(profile, profile->categories.rows.items[group->category].name);
    const struct marker_arrangement *arrangement = layout->arrangement;
    return !group->pinned && is_among(arrangement->folded, arrangement->folded_count, name);
}

/* ---- groups ---- */

static bool same_group(const struct marker_group *x, const struct marker_group *y)
{
    return x->category == y->category && string_same(x->name, y->name) && x->thread == y->thread &&
           x->intervals == y->intervals;
}

/* The group of a marker, as it is before it has a place. */
static struct marker_group group_like(const struct layout *layout, struct marker_ref ref)
{
    const struct marker *marker = marker_store_get(layout->store, ref);
    const struct marker_texts *texts = &layout->store->catalog.texts;
    struct string_index network = texts->words[WORD_NETWORK];
    bool is_network = string_same(marker_payload_type(texts, marker->data), network);
    return (struct marker_group){
        .category = marker_category(layout->store->profile, marker),
        .name = is_network ? network : marker->name,
        .rank = is_network ? INDEX_NONE : name_order_rank(layout->names, marker->name),
        .thread = ref.thread,
        .intervals = marker_has_end(marker),
    };
}

static bool find_group(struct layout *layout, size_t place)
{
    struct marker_group like = group_like(layout, layout->markers->items.items[place]);
    uint64_t hash = hash_combine(hash_combine(like.category, like.name.i), (uint64_t)like.thread << 1 | like.intervals);
    uint32_t row = INDEX_NONE;
    bool found = false;
    for (struct map_probe probe = map_probe(&layout->by_group, hash); !found && map_probe_next(&probe, &row);)
        found = same_group(&layout->out->groups.items[row], &like);
    if (!found) {
        const struct marker_arrangement *arrangement = layout->arrangement;
        struct slice name = marker_text(&layout->store->catalog.texts, like.name);
        like.pinned = is_among(arrangement->pinned, arrangement->pinned_count, name);
        row = (uint32_t)layout->out->groups.count;
        if (!vec_push(&layout->out->groups, like) || !map_insert(&layout->by_group, hash, row))
            return false;
    }
    layout->out->groups.items[row].count++;
    layout->group_of[place] = row;
    return true;
}

static int compare_groups(const void *a, const void *b, void *data)
{
    const struct layout *layout = data;
    const struct marker_group *x = &layout->out->groups.items[*(const uint32_t *)a],
                              *y = &layout->out->groups.items[*(const uint32_t *)b];
    const struct profile *profile = layout->store->profile;
    if (x->pinned != y->pinned)
        return y->pinned - x->pinned;
    if (x->pinned && x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    uint64_t left = category_place(profile, layout->names, x->category),
             right = category_place(profile, layout->names, y->category);
    if (left != right)
        return left < right ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->intervals - y->intervals;
}

/* Brings the groups into their order, and their markers together. */
static bool sort_groups(struct layout *layout, struct arena *arena)
{
    size_t groups = layout->out->groups.count, count = layout->markers->items.count;
    uint32_t *order = arena_allocate(arena, (groups + 1) * sizeof *order);
    uint32_t *place_of = arena_allocate(arena, (groups + 1) * sizeof *place_of);
    struct marker_group *sorted = memory_array(groups + 1, sizeof *sorted);
    layout->group_starts = arena_allocate(arena, (groups + 1) * sizeof *layout->group_starts);
    if (!order || !place_of || !layout->group_starts || !sorted) {
        memory_release(sorted);
        return false;
    }
    for (size_t i = 0; i < groups; i++)
        order[i] = (uint32_t)i;
    if (groups > 1)
        qsort_r(order, groups, sizeof *order, compare_groups, layout);
    uint32_t start = 0;
    for (size_t i = 0; i < groups; i++) {
        sorted[i] = layout->out->groups.items[order[i]];
        place_of[order[i]] = (uint32_t)i;
        layout->group_starts[i] = start;
        start += sorted[i].count;
    }
    for (size_t i = 0; i < count; i++)
        layout->by_place[layout->group_starts[place_of[layout->group_of[i]]]++] = (uint32_t)i;
    for (size_t i = 0; i < groups; i++) {
        layout->group_starts[i] -= sorted[i].count;
        layout->out->groups.items[i] = sorted[i];
    }
    memory_release(sorted);
    return true;
}

/* ---- rows ---- */

static bool pack_group(struct layout *layout, struct marker_group *group, const uint32_t *places)
{
    struct row_packing packing = {0};
    bool fits = true;
    for (uint32_t i = 0; i < group->count && fits; i++) {
        const struct marker *marker = marker_store_get(layout->store, layout->markers->items.items[places[i]]);
        layout->row_of[i] = group->intervals ? row_packing_add(&packing, marker->start, marker_over(marker)) : 0;
        fits = layout->row_of[i] != UINT32_MAX;
    }
    group->rows = group->intervals ? packing.rows : 1;
    row_packing_free(&packing);
    return fits;
}

/* The markers of a group, row by row. */
static bool place_group(struct layout *layout, struct marker_group *group, const uint32_t *places)
{
    struct marker_layout *out = layout->out;
    if (!pack_group(layout, group, places))
        return false;
    for (uint32_t row = 0; row < group->rows; row++)
        layout->next_of[row] = 0;
    for (uint32_t i = 0; i < group->count; i++)
        layout->next_of[layout->row_of[i]]++;
    uint32_t start = layout->placed;
    layout->placed += group->count;
    group->row = out->rows;
    for (uint32_t row = 0; row < group->rows; row++) {
        uint32_t count = layout->next_of[row];
        layout->next_of[row] = start;
        if (!vec_push(&out->row_starts, start))
            return false;
        start += count;
    }
    for (uint32_t i = 0; i < group->count; i++)
        out->markers[layout->next_of[layout->row_of[i]]++] = layout->markers->items.items[places[i]];
    out->rows += group->rows;
    return true;
}

/* The head of the bucket of a group. */
static bool add_bucket(struct layout *layout, const struct marker_group *group)
{
    struct marker_layout *out = layout->out;
    uint32_t category = group->pinned ? INDEX_NONE : group->category;
    out->pinned |= group->pinned;
    return vec_push(&out->buckets, ((struct marker_bucket){category, out->rows++, 1})) &&
           vec_push(&out->row_starts, layout->placed);
}

static bool same_bucket(const struct marker_group *x, const struct marker_group *y)
{
    return x->pinned == y->pinned && (x->pinned || x->category == y->category);
}

static bool place_groups(struct layout *layout)
{
    struct marker_layout *out = layout->out;
    size_t count = out->groups.count;
    struct marker_group before = {0};
    out->groups.count = 0;
    for (size_t i = 0; i < count; i++) {
        struct marker_group group = out->groups.items[i];
        if ((i == 0 || !same_bucket(&before, &group)) && !add_bucket(layout, &group))
            return false;
        before = group;
        if (is_folded(layout, &group))
            continue;
        group.bucket = (uint32_t)out->buckets.count - 1;
        if (!place_group(layout, &group, layout->by_place + layout->group_starts[i]))
            return false;
        out->buckets.items[group.bucket].rows += group.rows;
        out->groups.items[out->groups.count++] = group;
    }
    return vec_push(&out->row_starts, layout->placed);
}

int marker_layout_make(struct marker_layout *out, const struct marker_store *store, const struct marker_refs *markers,
                       const struct name_order *names, const struct marker_arrangement *arrangement, struct error *error)
{
    *out = (struct marker_layout){0};
    size_t count = markers->items.count + 1;
    struct arena arena = {0};
    struct layout layout = {.out = out, .store = store, .markers = markers, .names = names, .arrangement = arrangement};
    out->markers = memory_array(count, sizeof *out->markers);
    bool fits = out->markers && (layout.group_of = arena_allocate(&arena, count * sizeof(uint32_t))) &&
                (layout.by_place = arena_allocate(&arena, count * sizeof(uint32_t))) &&
                (layout.row_of = arena_allocate(&arena, count * sizeof(uint32_t))) &&
                (layout.next_of = arena_allocate(&arena, count * sizeof(uint32_t)));
    for (size_t i = 0; i < markers->items.count && fits; i++)
        fits = find_group(&layout, i);
    fits = fits && sort_groups(&layout, &arena) && place_groups(&layout);
    map_free(&layout.by_group);
    arena_free(&arena);
    return fits ? 0 : error_out_of_memory(error);
}

void marker_layout_free(struct marker_layout *layout)
{
    vec_free(&layout->buckets);
    vec_free(&layout->groups);
    vec_free(&layout->row_starts);
    memory_release(layout->markers);
    layout->markers = NULL;
}
