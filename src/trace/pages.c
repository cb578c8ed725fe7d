#include "trace/pages.h"

#include "trace/absolute_url.h"

/* ---- what events tell ---- */

static struct page_frame *frame_get(struct pages *pages, struct string_index id)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&pages->frame_of_id, hash_u64(id.i)); map_probe_next(&probe, &row);)
        if (string_same(pages->frames.items[row].id, id))
            return &pages->frames.items[row];
    struct page_frame frame = {id, INDEX_NONE, INDEX_NONE};
    row = (uint32_t)pages->frames.count;
    if (row >= INDEX_NONE - 1 || !vec_push(&pages->frames, frame) || !map_insert(&pages->frame_of_id, hash_u64(id.i), row))
        return NULL;
    return &pages->frames.items[row];
}

bool pages_add_frame(struct pages *pages, struct string_index id, struct string_index url, int64_t pid)
{
    struct page_frame *frame = frame_get(pages, id);
    if (!frame)
        return false;
    const struct page_visit *last = frame->last == INDEX_NONE ? NULL : &pages->visits.items[frame->last];
    if (last && last->pid == pid && string_same(last->url, url))
        return true;
    struct page_visit visit = {pid, url, INDEX_NONE};
    uint32_t row = (uint32_t)pages->visits.count;
    if (row >= INDEX_NONE - 1 || !vec_push(&pages->visits, visit))
        return false;
    if (frame->last == INDEX_NONE)
        frame->first = row;
    else
        pages->visits.items[frame->last].next = row;
    frame->last = row;
    return true;
}

static struct page_worklet *worklet_get(struct pages *pages, int64_t pid)
{
    uint64_t hash = hash_u64((uint64_t)pid);
    uint32_t row;
    for (struct map_probe probe = map_probe(&pages->worklet_of_pid, hash); map_probe_next(&probe, &row);)
        if (pages->worklets.items[row].pid == pid)
            return &pages->worklets.items[row];
    struct page_worklet worklet = {.pid = pid, .host = STRING_NONE};
    row = (uint32_t)pages->worklets.count;
    if (row >= INDEX_NONE - 1 || !vec_push(&pages->worklets, worklet) || !map_insert(&pages->worklet_of_pid, hash, row))
        return NULL;
    return &pages->worklets.items[row];
}

bool pages_add_worklet(struct pages *pages, int64_t pid, struct string_index host)
{
    struct page_worklet *worklet = worklet_get(pages, pid);
    if (worklet) {
        worklet->is_told = true;
        worklet->host = host;
    }
    return worklet;
}

bool pages_add_thread_name(struct pages *pages, int64_t pid, struct slice name)
{
    bool is_utility = slice_is(name, "auction_worklet.CrUtilityMain"), is_helper = slice_is(name, "AuctionV8HelperThread");
    if (!is_utility && !is_helper)
        return true;
    struct page_worklet *worklet = worklet_get(pages, pid);
    if (worklet) {
        worklet->has_utility |= is_utility;
        worklet->has_helper |= is_helper;
    }
    return worklet;
}

/* ---- what follows ---- */

/* The first address of a process counts, but one that is empty gives way to any other. */
static void visit(const struct page_visit *visit, const struct trace *trace, struct trace_process *process)
{
    if (string_exists(process->url) && !slice_is(string_table_get(&trace->strings, process->url), "about:blank"))
        return;
    bool is_url = url_is_absolute(string_table_get(&trace->strings, visit->url));
    process->url = is_url ? visit->url : STRING_NONE;
}

bool pages_judge(struct pages *pages, struct trace *trace, struct thread_list *threads, enum trace_rules rules)
{
    for (size_t i = 0; i < pages->frames.count; i++)
        for (uint32_t row = pages->frames.items[i].first; row != INDEX_NONE; row = pages->visits.items[row].next) {
            struct trace_process *process = thread_list_process(threads, trace, pages->visits.items[row].pid);
            if (!process)
                return false;
            visit(&pages->visits.items[row], trace, process);
        }
    for (size_t i = 0; i < trace->processes.count; i++) {
        struct trace_process *process = &trace->processes.items[i];
        process->kept = !pages->is_browser || string_exists(process->url);
    }
    for (size_t i = 0; i < pages->worklets.count && rules == TRACE_RULES_0_0_65; i++) {
        const struct page_worklet *worklet = &pages->worklets.items[i];
        struct trace_process *process = thread_list_process(threads, trace, worklet->pid);
        if (!process)
            return false;
        if (!process->kept && worklet->is_told && worklet->has_utility && worklet->has_helper) {
            process->kept = true;
            process->url = worklet->host;
        }
    }
    return true;
}

void pages_free(struct pages *pages)
{
    vec_free(&pages->frames);
    vec_free(&pages->visits);
    vec_free(&pages->worklets);
    map_free(&pages->frame_of_id);
    map_free(&pages->worklet_of_pid);
}
