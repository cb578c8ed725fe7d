#include "trace/profile_pieces.h"

/* ---- putting together ---- */

static uint32_t find_profile(const struct profile_pieces *pieces, const struct trace *trace, uint64_t hash, int64_t pid,
                             struct string_index id)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&pieces->by_id, hash); map_probe_next(&probe, &row);)
        if (trace->profiles.items[row].pid == pid && string_same(trace->profiles.items[row].id, id))
            return row;
    return INDEX_NONE;
}

/* The profile that the event belongs to, which may be new; NULL when the heap is empty. */
static struct trace_profile *profile_of(struct profile_pieces *pieces, struct trace *trace, const struct event_text *event)
{
    int64_t pid = (int64_t)event->pid;
    struct string_index id = string_table_add(&trace->strings, text_slice(&event->id));
    if (!string_exists(id))
        return NULL;
    uint64_t hash = hash_combine((uint64_t)pid, id.i);
    uint32_t row = find_profile(pieces, trace, hash, pid, id);
    if (row == INDEX_NONE) {
        struct trace_profile profile = {.pid = pid, .id = id, .has_samples = true, .has_deltas = true};
        row = (uint32_t)trace->profiles.count;
        if (row >= INDEX_NONE - 1 || !vec_push(&trace->profiles, profile) || !map_insert(&pieces->by_id, hash, row))
            return NULL;
    }
    return &trace->profiles.items[row];
}

static void set_source(struct trace_profile *profile, enum trace_source source)
{
    if (source != TRACE_SOURCE_UNKNOWN)
        profile->source = source;
}

bool profile_pieces_begin(struct profile_pieces *pieces, struct trace *trace, const struct event_text *event)
{
    struct trace_profile *profile = profile_of(pieces, trace, event);
    if (!profile)
        return false;
    profile->start = event->ts;
    profile->tid = (int64_t)event->tid;
    profile->has_owner = true;
    set_source(profile, event->details.piece.source);
    return true;
}

static bool append_numbers(struct numbers *to, const struct numbers *from)
{
    if (from->count == 0)
        return true;
    if (!vec_reserve(to, to->count + from->count))
        return false;
    memcpy(to->items + to->count, from->items, from->count * sizeof *from->items);
    to->count += from->count;
    return true;
}

static bool append_zeros(struct numbers *to, size_t count)
{
    if (!vec_reserve(to, to->count + count))
        return false;
    for (size_t i = 0; i < count; i++)
        to->items[to->count++] = 0;
    return true;
}

static bool append_nodes(struct trace_profile *profile, const struct trace_profile *piece, struct string_index no_script)
{
    size_t first = profile->nodes.count, base = profile->children.count;
    if (first + piece->nodes.count >= INDEX_NONE || base + piece->children.count >= INDEX_NONE ||
        !vec_reserve(&profile->nodes, first + piece->nodes.count))
        return false;
    for (size_t i = 0; i < piece->nodes.count; i++) {
        struct trace_node *node = &profile->nodes.items[first + i];
        struct trace_function function = piece->functions.items[piece->nodes.items[i].function];
        *node = piece->nodes.items[i];
        node->first_child += (uint32_t)base;
        if (!string_exists(function.script_id))
            function.script_id = no_script;
        node->function = trace_profile_add_function(profile, &function);
        if (node->function == INDEX_NONE)
            return false;
    }
    profile->nodes.count += piece->nodes.count;
    return append_numbers(&profile->children, &piece->children) && append_numbers(&profile->hits, &piece->hits);
}

static bool append_stacks(struct trace_profile *profile, const struct trace_profile *piece)
{
    for (size_t i = 0; i < piece->stacks.count; i++)
        if (!trace_profile_add_stack(profile, piece->stacks.items[i].trace_id, piece->stacks.items[i].node))
            return false;
    return true;
}

/* The end that the engine works with is that of the first chunk. */
static void set_end(struct trace_profile *profile)
{
    if (profile->end != 0)
        return;
    profile->end = profile->start;
    for (size_t i = 0; i < profile->deltas.count; i++)
        profile->end += profile->deltas.items[i];
}

bool profile_pieces_append(struct profile_pieces *pieces, struct trace *trace, const struct event_text *event)
{
    const struct profile_piece *piece = &event->details.piece;
    size_t samples = piece->profile.samples.count;
    /* What a script id that is missing becomes when the engine makes text of it. */
    struct string_index no_script = string_table_add(&trace->strings, SLICE("undefined"));
    struct trace_profile *profile = profile_of(pieces, trace, event);
    if (!profile || !string_exists(no_script))
        return false;
    if (!append_nodes(profile, &piece->profile, no_script) || !append_numbers(&profile->samples, &piece->profile.samples) ||
        !append_numbers(&profile->deltas, &piece->deltas) || !append_stacks(profile, &piece->profile))
        return false;
    if (!(piece->has_lines ? append_numbers(&profile->lines, &piece->lines) : append_zeros(&profile->lines, samples)) ||
        !(piece->has_columns ? append_numbers(&profile->columns, &piece->columns) : append_zeros(&profile->columns, samples)))
        return false;
    profile->is_timed |= piece->profile.is_timed;
    if (profile->samples.count != profile->deltas.count)
        return true;
    set_end(profile);
    set_source(profile, piece->source);
    return true;
}

bool profile_pieces_put(struct profile_pieces *pieces, struct trace *trace, struct event_text *event)
{
    struct trace_profile *profile = profile_of(pieces, trace, event);
    if (!profile)
        return false;
    struct trace_profile whole = event->details.piece.profile;
    event->details.piece.profile = (struct trace_profile){0};
    whole.pid = profile->pid;
    whole.tid = (int64_t)event->tid;
    whole.id = profile->id;
    whole.has_owner = true;
    whole.source = profile->source;
    whole.stacks.count = 0; /* the engine does not look for them here */
    trace_profile_free(profile);
    *profile = whole;
    return true;
}

void profile_pieces_free(struct profile_pieces *pieces)
{
    map_free(&pieces->by_id);
}

/* ---- choosing ---- */

/* Higher is better; of equal ones the first is taken. */
static int source_rank(enum trace_source source, bool cpu_mode)
{
    if (source == TRACE_SOURCE_INTERNAL)
        return cpu_mode ? 0 : 2;
    return source == TRACE_SOURCE_INSPECTOR ? 1 : 0;
}

static bool is_better(const struct trace *trace, uint32_t profile, uint32_t other)
{
    return source_rank(trace->profiles.items[profile].source, trace->cpu_mode) >
           source_rank(trace->profiles.items[other].source, trace->cpu_mode);
}

/* The published engine passes over threads that have nothing but samples. */
static bool is_used(const struct trace *trace, const struct trace_thread *thread, enum trace_rules rules)
{
    if (trace->profiles.items[thread->profile].nodes.count == 0)
        return false;
    return rules == TRACE_RULES_NEWEST || trace->cpu_mode || thread->events.count > 0;
}

static bool find_best(struct trace *trace, struct thread_list *threads)
{
    for (uint32_t i = 0; i < trace->profiles.count; i++) {
        const struct trace_profile *profile = &trace->profiles.items[i];
        if (!profile->has_owner)
            continue;
        struct trace_thread *thread = thread_list_get(threads, trace, profile->pid, profile->tid);
        if (!thread)
            return false;
        if (thread->profile == INDEX_NONE || is_better(trace, i, thread->profile))
            thread->profile = i;
    }
    return true;
}

bool profile_pieces_choose(struct trace *trace, struct thread_list *threads, enum trace_rules rules)
{
    size_t count = trace->profiles.count, kept = 0;
    if (!find_best(trace, threads))
        return false;
    bool *is_chosen = memory_zeroed(count + 1, sizeof *is_chosen);
    uint32_t *rows = memory_array(count + 1, sizeof *rows);
    if (is_chosen && rows) {
        for (size_t i = 0; i < trace->threads.count; i++) {
            struct trace_thread *thread = &trace->threads.items[i];
            if (thread->profile != INDEX_NONE && !is_used(trace, thread, rules))
                thread->profile = INDEX_NONE;
            if (thread->profile != INDEX_NONE)
                is_chosen[thread->profile] = true;
        }
        for (size_t i = 0; i < count; i++) {
            rows[i] = (uint32_t)kept;
            if (is_chosen[i])
                trace->profiles.items[kept++] = trace->profiles.items[i];
            else
                trace_profile_free(&trace->profiles.items[i]);
        }
        trace->profiles.count = kept;
        for (size_t i = 0; i < trace->threads.count; i++)
            if (trace->threads.items[i].profile != INDEX_NONE)
                trace->threads.items[i].profile = rows[trace->threads.items[i].profile];
    }
    bool done = is_chosen && rows;
    memory_release(is_chosen);
    memory_release(rows);
    return done;
}
