#include "trace/begin_end.h"

#include <stdlib.h>

static void set_duration(struct trace *trace, const struct begin_or_end *begin, double end)
{
    trace->threads.items[begin->thread].events.items[begin->event].dur = end - begin->ts;
}

/* ---- the rules of 0.0.65 ---- */

static bool join_on_one_stack(const struct begins_and_ends *list, struct trace *trace)
{
    VEC(uint32_t) open = {0};
    bool ok = true;
    for (size_t i = 0; i < list->count && ok; i++) {
        const struct begin_or_end *item = &list->items[i];
        if (item->event != INDEX_NONE) {
            ok = vec_push(&open, (uint32_t)i);
        } else if (open.count > 0) {
            const struct begin_or_end *begin = &list->items[open.items[--open.count]];
            if (string_same(begin->name, item->name) && string_same(begin->category, item->category))
                set_duration(trace, begin, item->ts);
        }
    }
    vec_free(&open);
    return ok;
}

/* ---- the newest rules ---- */

struct open_begin {
    uint32_t item;        /* of the list */
    uint32_t below;       /* begun before it on the thread; INDEX_NONE = none */
    uint32_t below_alike; /* and under the same name */
    bool ended;
};

/* A name on a thread. */
struct open_name {
    uint32_t thread;
    struct string_index name;
    uint32_t last; /* of open; INDEX_NONE = none */
};

struct join {
    const struct begins_and_ends *list;
    VEC(struct open_begin) open;
    VEC(uint32_t) last; /* of open, by thread; those that have ended since are passed over */
    VEC(struct open_name) names;
    struct map name_rows;
};

/* NULL when the heap is empty. */
static struct open_name *find_name(struct join *join, const struct begin_or_end *item)
{
    uint64_t hash = hash_combine(item->thread, item->name.i);
    uint32_t row;
    for (struct map_probe probe = map_probe(&join->name_rows, hash); map_probe_next(&probe, &row);)
        if (join->names.items[row].thread == item->thread && string_same(join->names.items[row].name, item->name))
            return &join->names.items[row];
    row = (uint32_t)join->names.count;
    bool ok = vec_push(&join->names, ((struct open_name){item->thread, item->name, INDEX_NONE})) &&
              map_insert(&join->name_rows, hash, row);
    return ok ? &join->names.items[row] : NULL;
}

static bool take_begin(struct join *join, uint32_t i)
{
    const struct begin_or_end *item = &join->list->items[i];
    struct open_name *name = find_name(join, item);
    uint32_t *last = &join->last.items[item->thread];
    if (!name)
        return false;
    struct open_begin open = {i, *last, name->last, false};
    *last = name->last = (uint32_t)join->open.count;
    return vec_push(&join->open, open);
}

/* The last of the thread that has not ended; INDEX_NONE = none. */
static uint32_t last_of_thread(struct join *join, uint32_t thread)
{
    uint32_t *last = &join->last.items[thread];
    while (*last != INDEX_NONE && join->open.items[*last].ended)
        *last = join->open.items[*last].below;
    return *last;
}

static bool take_end(struct join *join, struct trace *trace, const struct begin_or_end *end)
{
    const struct begin_or_end *named = end;
    if (end->thread == INDEX_NONE)
        return true;
    if (!string_exists(end->name)) {
        uint32_t last = last_of_thread(join, end->thread);
        if (last == INDEX_NONE)
            return true;
        named = &join->list->items[join->open.items[last].item];
    }
    struct open_name *name = find_name(join, named);
    if (!name)
        return false;
    if (name->last == INDEX_NONE)
        return true;
    struct open_begin *open = &join->open.items[name->last];
    set_duration(trace, &join->list->items[open->item], end->ts);
    open->ended = true;
    name->last = open->below_alike;
    return true;
}

static int compare_times(const void *a, const void *b)
{
    const struct begin_or_end *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_by_time(struct begins_and_ends *list)
{
    for (size_t i = 1; i < list->count; i++)
        if (list->items[i].ts < list->items[i - 1].ts) {
            qsort(list->items, list->count, sizeof *list->items, compare_times);
            return;
        }
}

static bool join_by_thread(struct begins_and_ends *list, struct trace *trace)
{
    struct join join = {.list = list};
    bool ok = vec_reserve(&join.last, trace->threads.count + 1);
    for (size_t i = 0; ok && i < trace->threads.count; i++)
        ok = vec_push(&join.last, INDEX_NONE);
    sort_by_time(list);
    for (uint32_t i = 0; ok && i < list->count; i++)
        ok = list->items[i].event != INDEX_NONE ? take_begin(&join, i) : take_end(&join, trace, &list->items[i]);
    vec_free(&join.open);
    vec_free(&join.last);
    vec_free(&join.names);
    map_free(&join.name_rows);
    return ok;
}

bool begin_end_join(struct begins_and_ends *list, struct trace *trace, enum trace_rules rules)
{
    if (list->count >= INDEX_NONE)
        return false;
    return rules == TRACE_RULES_0_0_65 ? join_on_one_stack(list, trace) : join_by_thread(list, trace);
}
