#include "api/ask.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

int asking_refuse(struct asking *asking, const char *field, const char *format, ...)
{
    char name[80];
    snprintf(name, sizeof name, "asks[%zu]%s%s", asking->number, field ? "." : "", field ? field : "");
    struct error why = {0};
    va_list arguments;
    va_start(arguments, format);
    error_set_va(&why, -EINVAL, format, arguments);
    va_end(arguments);
    return fault_set(asking->fault, "unavailable", name, "%s: %s", name, why.message);
}

int asking_failed(struct asking *asking, const struct error *error)
{
    return error->code == -ENOMEM ? -ENOMEM : asking_refuse(asking, NULL, "%s", error->message);
}

int asking_answer(struct asking *asking)
{
    if (asking->kept)
        return 0;
    struct error error = {0};
    asking->kept = answers_get(asking->answers, asking->whole, &asking->state, &error);
    if (asking->kept)
        return 0;
    if (error.code == -ENOMEM)
        return -ENOMEM;
    const char *field = error.code == -ENODATA ? "state.strategy" : "state";
    return fault_set(asking->fault, "unavailable", field, "%s: %s", field, error.message);
}

/* ---- ranges ---- */

struct time_range asking_range(const struct asking *asking, bool preview)
{
    const struct query *query = &asking->state.query;
    struct time_range range = query->range;
    range.start = isnan(range.start) ? asking->root_start : range.start;
    range.end = isnan(range.end) ? asking->root_end : range.end;
    if (preview && !isnan(query->preview.start))
        range.start = fmax(range.start, query->preview.start);
    if (preview && !isnan(query->preview.end))
        range.end = fmin(range.end, query->preview.end);
    return range;
}

bool range_is_empty(struct time_range range)
{
    return !(range.start < range.end) || !isfinite(range.end - range.start);
}

void asking_put_range(struct asking *asking, struct time_range range)
{
    struct json_writer *w = asking->reply->json;
    json_write_key(w, "range");
    json_write_begin_array(w);
    json_write_number(w, range.start - asking->start);
    json_write_number(w, range.end - asking->start);
    json_write_end_array(w);
}

/* ---- markers ---- */

int asking_markers(struct asking *asking)
{
    struct error error = {0};
    int status = marker_store_open(asking->markers, &error);
    asking->reply->marker_texts = status == 0 ? &asking->markers->catalog.texts : NULL;
    return status;
}

int asking_marker_set(struct asking *asking, struct marker_set **set)
{
    const struct query *query = &asking->state.query;
    struct marker_wish wish = {
        .threads = query->threads,
        .thread_count = query->thread_count,
        .range = asking_range(asking, false),
        .search = asking->state.marker_search,
    };
    struct error error = {0};
    int status = asking_markers(asking);
    return status == 0 ? marker_sets_get(asking->marker_sets, asking->markers, &wish, set, &error) : status;
}

int asking_marker_layout(struct asking *asking, const struct ask *ask, struct marker_set **set,
                         const struct marker_layout **layout)
{
    const struct marker_arrangement arrangement = {
        .pinned = ask->pinned.items,
        .pinned_count = ask->pinned.count,
        .folded = ask->folded.items,
        .folded_count = ask->folded.count,
    };
    struct error error = {0};
    int status = asking_marker_set(asking, set);
    return status == 0 ? marker_set_layout(asking->markers, *set, &arrangement, layout, &error) : status;
}

/* ---- searches ---- */

int asking_highlight(struct asking *asking, const struct ask *ask, const uint8_t **matches)
{
    *matches = NULL;
    if (ask->highlight.length == 0)
        return 0;
    struct func_matches *found = &asking->answers->matches;
    struct error error = {0};
    if (func_matches_make(found, asking->whole->funcs, ask->highlight, &error) != 0)
        return error.code == -ENOMEM ? -ENOMEM : asking_refuse(asking, "highlight", "%s", error.message);
    *matches = found->of_func;
    return 0;
}

void *asking_array(struct asking *asking, size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : arena_allocate(asking->arena, bytes > 0 ? bytes : 1);
}
