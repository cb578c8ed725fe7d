#include "trace/entry_names.h"

#include "trace/entry_walk.h"
#include "trace/event_arguments.h"
#include "trace/event_styles.h"

enum identity_kind {
    IDENTITY_CALL,
    /* calls of the runtime of V8, which are told apart by what they are for only */
    IDENTITY_NATIVE_PARSE,
    IDENTITY_NATIVE_COMPILE,
    IDENTITY_NATIVE_OTHER,
    IDENTITY_EVENT,
    IDENTITY_TIME_STAMP,
    IDENTITY_REQUEST,
};

struct finder {
    struct entry_names *names;
    const struct thread_calls *calls;
    const struct trace *trace;
    struct event_arguments *arguments; /* of each event; NULL = none are known */
    uint32_t *of_node, *of_event_name; /* identities that are known: by row of the model, by string index */
    struct error *error;
};

static struct slice text_of(const struct trace *trace, struct string_index index)
{
    return string_table_get(&trace->strings, index);
}

struct slice call_display_name(const struct trace *trace, const struct trace_function *function)
{
    struct slice name = text_of(trace, function->name);
    return name.length > 0 ? name : SLICE("(anonymous)");
}

/* ---- identities ---- */

static uint64_t number_bits(double number)
{
    uint64_t bits;
    number += 0.0; /* there is one zero */
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static uint64_t identity_hash(const struct entry_identity *identity)
{
    uint64_t hash = hash_combine(identity->kind, (uint64_t)identity->name << 32 | identity->location);
    return hash_combine(hash_combine(hash, number_bits(identity->line)), number_bits(identity->column));
}

static bool identity_equal(const struct entry_identity *a, const struct entry_identity *b)
{
    return a->kind == b->kind && a->name == b->name && a->location == b->location && a->line == b->line &&
           a->column == b->column;
}

/* Its row, a new one where it is new; INDEX_NONE when the heap is empty. */
static uint32_t add_identity(struct entry_names *names, const struct entry_identity *identity)
{
    uint64_t hash = identity_hash(identity);
    uint32_t row;
    for (struct map_probe probe = map_probe(&names->by_identity, hash); map_probe_next(&probe, &row);)
        if (identity_equal(&names->identities.items[row], identity))
            return row;
    row = (uint32_t)names->identities.count;
    return vec_push(&names->identities, *identity) && map_insert(&names->by_identity, hash, row) ? row : INDEX_NONE;
}

static bool is_empty(const struct trace *trace, struct string_index index)
{
    return text_of(trace, index).length == 0;
}

static struct entry_identity identity_of_function(const struct trace *trace, const struct trace_function *function)
{
    struct entry_identity identity = {IDENTITY_CALL, function->name.i, INDEX_NONE, function->line, function->column};
    if (!is_empty(trace, function->script_id))
        identity.location = function->script_id.i;
    else if (!is_empty(trace, function->url))
        identity.location = function->url.i;
    if (slice_is(text_of(trace, function->url), "native V8Runtime")) {
        struct slice name = text_of(trace, function->name);
        identity.name = INDEX_NONE;
        identity.kind = slice_starts_with(name, SLICE("Parse")) ? IDENTITY_NATIVE_PARSE
                        : slice_starts_with(name, SLICE("Compile")) || slice_starts_with(name, SLICE("Recompile"))
                            ? IDENTITY_NATIVE_COMPILE
                            : IDENTITY_NATIVE_OTHER;
    }
    return identity;
}

static bool is_about_request(struct slice name)
{
    return slice_is(name, "ResourceReceivedData") || slice_is(name, "ResourceFinish") ||
           slice_is(name, "ResourceReceiveResponse");
}

static struct entry_identity identity_of_event(const struct finder *finder, uint32_t row)
{
    const struct trace_event *event = &finder->calls->thread->events.items[row];
    const struct event_arguments *arguments = finder->arguments ? &finder->arguments[row] : NULL;
    struct slice name = text_of(finder->trace, event->name);
    if (arguments && arguments->has_data && slice_is(name, "TimeStamp") && event->phase == 'I')
        return (struct entry_identity){IDENTITY_TIME_STAMP, arguments->name.i, INDEX_NONE, 0, 0};
    if (arguments && is_about_request(name))
        return (struct entry_identity){IDENTITY_REQUEST, arguments->request.i, INDEX_NONE, 0, 0};
    return (struct entry_identity){IDENTITY_EVENT, event->name.i, INDEX_NONE, 0, 0};
}

static uint32_t find_identity(struct finder *finder, struct call_entry entry)
{
    struct entry_names *names = finder->names;
    if (entry.is_call) {
        uint32_t *known = &finder->of_node[finder->calls->calls.items[entry.row].node];
        if (*known == INDEX_NONE) {
            struct entry_identity identity = identity_of_function(finder->trace, call_function(finder->calls, entry.row));
            *known = add_identity(names, &identity);
        }
        return *known;
    }
    struct entry_identity identity = identity_of_event(finder, entry.row);
    if (identity.kind != IDENTITY_EVENT || !string_exists(string_at(identity.name)))
        return add_identity(names, &identity);
    uint32_t *known = &finder->of_event_name[identity.name];
    if (*known == INDEX_NONE)
        *known = add_identity(names, &identity);
    return *known;
}

/* ---- groups ---- */

static struct slice category_of_call(const struct finder *finder, uint32_t call)
{
    const struct trace_profile *profile = finder->calls->model->profile;
    if (profile->categories.count > 0)
        return text_of(finder->trace,
                       profile->categories.items[finder->calls->model->nodes.items[finder->calls->calls.items[call].node].raw]);
    struct slice name = text_of(finder->trace, call_function(finder->calls, call)->name);
    return event_style_title(slice_is(name, "(idle)")      ? EVENT_STYLE_IDLE
                             : slice_is(name, "(program)") ? EVENT_STYLE_SYSTEM
                                                           : EVENT_STYLE_SCRIPTING);
}

static struct slice category_of_event(const struct finder *finder, const struct trace_event *event)
{
    struct slice category = text_of(finder->trace, event->category);
    if (finder->trace->of_profile)
        return category;
    return event_style_title(event_style_of(text_of(finder->trace, event->name), category));
}

/* Of the entry itself; the empty text where it has none. STRING_NONE when the heap is empty. */
static struct string_index find_group(struct finder *finder, struct call_entry entry, enum entry_grouping grouping)
{
    struct string_table *texts = &finder->names->texts;
    if (entry.is_call) {
        struct string_index url = call_function(finder->calls, entry.row)->url;
        struct slice group = grouping == ENTRY_GROUP_URL        ? text_of(finder->trace, url)
                             : grouping == ENTRY_GROUP_CATEGORY ? category_of_call(finder, entry.row)
                                                                : SLICE("");
        return string_table_add(texts, group);
    }
    if (grouping == ENTRY_GROUP_CATEGORY)
        return string_table_add(texts, category_of_event(finder, &finder->calls->thread->events.items[entry.row]));
    struct string_index group = STRING_NONE;
    if (finder->arguments)
        group = grouping == ENTRY_GROUP_URL ? finder->arguments[entry.row].url : finder->arguments[entry.row].frame;
    return string_exists(group) ? group : string_table_add(texts, SLICE(""));
}

/* Few events say for which frame they are, and no call does: what runs in one that does is for the same frame. */
static int inherit_groups(struct finder *finder)
{
    const struct thread_calls *calls = finder->calls;
    struct string_index *groups = finder->names->group_of.items;
    VEC(struct open_entry) open = {0};
    int status = 0;
    for (size_t i = 0; i < calls->entries.count && status == 0; i++) {
        struct entry_times times = entry_times(calls, calls->entries.items[i]);
        while (open.count > 0 && open.items[open.count - 1].end <= times.ts)
            open.count--;
        bool empty = string_table_get(&finder->names->texts, groups[i]).length == 0;
        if (empty && open.count > 0)
            groups[i] = groups[open.items[open.count - 1].place];
        if (!vec_push(&open, ((struct open_entry){(uint32_t)i, times.ts + times.dur})))
            status = error_out_of_memory(finder->error);
    }
    vec_free(&open);
    return status;
}

/* ---- all entries ---- */

static int find_all(struct finder *finder, enum entry_grouping grouping)
{
    struct entry_names *names = finder->names;
    const struct thread_calls *calls = finder->calls;
    if (!vec_reserve(&names->identity_of, calls->entries.count) ||
        (grouping != ENTRY_GROUP_NONE && !vec_reserve(&names->group_of, calls->entries.count)))
        return error_out_of_memory(finder->error);
    for (size_t i = 0; i < calls->entries.count; i++) {
        uint32_t identity = find_identity(finder, calls->entries.items[i]);
        if (identity == INDEX_NONE)
            return error_out_of_memory(finder->error);
        names->identity_of.items[names->identity_of.count++] = identity;
        if (grouping == ENTRY_GROUP_NONE)
            continue;
        struct string_index group = find_group(finder, calls->entries.items[i], grouping);
        if (!string_exists(group))
            return error_out_of_memory(finder->error);
        names->group_of.items[names->group_of.count++] = group;
    }
    return grouping == ENTRY_GROUP_FRAME ? inherit_groups(finder) : 0;
}

static uint32_t *unknown_rows(size_t count)
{
    uint32_t *rows = memory_array(count > 0 ? count : 1, sizeof *rows);
    if (rows)
        memset(rows, 0xff, count * sizeof *rows);
    return rows;
}

int entry_names_find(struct entry_names *names, const struct thread_calls *calls, const struct trace *trace,
                     enum entry_grouping grouping, struct error *error)
{
    struct finder finder = {.names = names, .calls = calls, .trace = trace, .error = error};
    size_t events = calls->thread->events.count;
    finder.of_node = unknown_rows(calls->model ? calls->model->nodes.count : 0);
    finder.of_event_name = unknown_rows(string_table_count(&trace->strings));
    if (trace->arguments.count > 0 && events > 0)
        finder.arguments = memory_array(events, sizeof *finder.arguments);
    int status;
    if (!finder.of_node || !finder.of_event_name || (trace->arguments.count > 0 && events > 0 && !finder.arguments))
        status = error_out_of_memory(error);
    else
        status = finder.arguments ? event_arguments_read(trace, calls->thread, &names->texts, finder.arguments, error) : 0;
    if (status == 0)
        status = find_all(&finder, grouping);
    memory_release(finder.of_node);
    memory_release(finder.of_event_name);
    memory_release(finder.arguments);
    return status;
}

void entry_names_free(struct entry_names *names)
{
    vec_free(&names->identities);
    map_free(&names->by_identity);
    vec_free(&names->identity_of);
    vec_free(&names->group_of);
    string_table_free(&names->texts);
}
