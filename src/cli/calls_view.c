#include "cli/calls_view.h"

#include "tree/sample_stacks.h"

struct viewed {
    struct selection *selection;
    struct view view;
    uint32_t *categories;           /* of the stacks of the view */
    uint32_t *stacks;               /* of the samples of all threads, one thread after the other */
    struct sampled_thread *threads; /* point into `stacks` */
};

static size_t thread_samples(const struct viewed *viewed, size_t row)
{
    struct thread_index thread = viewed->selection->threads.items.items[row];
    return sample_count(&viewed->selection->profile.threads.items[thread.i].samples);
}

static int read_samples(struct viewed *viewed)
{
    struct selection *selection = viewed->selection;
    size_t count = selection->threads.items.count, samples = 0;
    for (size_t i = 0; i < count; i++)
        samples += thread_samples(viewed, i);
    viewed->threads = memory_array(count + 1, sizeof *viewed->threads);
    viewed->stacks = memory_array(samples + 1, sizeof *viewed->stacks);
    if (!viewed->threads || !viewed->stacks)
        return error_out_of_memory(&selection->error);
    uint32_t *stacks = viewed->stacks;
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        struct thread_index thread = selection->threads.items.items[i];
        viewed->threads[i] = (struct sampled_thread){thread, stacks};
        status = sample_stacks_read(&selection->whole, &viewed->view, thread, selection->query.exclude_idle, stacks,
                                    &selection->error);
        stacks += thread_samples(viewed, i);
    }
    return status;
}

static int read_categories(struct viewed *viewed)
{
    viewed->categories = memory_array((size_t)viewed->view.count + 1, sizeof *viewed->categories);
    if (!viewed->categories)
        return error_out_of_memory(&viewed->selection->error);
    for (uint32_t i = 0; i < viewed->view.count; i++)
        viewed->categories[i] = pair_category(viewed->view.pair[i]);
    return 0;
}

int calls_view_trace(struct selection *selection, struct trace *trace, struct path *selected)
{
    struct viewed viewed = {.selection = selection};
    struct query query = selection->query;
    query.search = SLICE("");
    int status = query_view(&selection->whole, &query, &viewed.view, selected, &selection->error);
    if (status == 0)
        status = read_categories(&viewed);
    if (status == 0)
        status = read_samples(&viewed);
    if (status == 0) {
        struct sampled_stacks stacks = {
            .count = viewed.view.count,
            .prefix = viewed.view.prefix,
            .func = viewed.view.func,
            .category = viewed.categories,
        };
        status = trace_from_profile(trace, &selection->profile, &stacks, viewed.threads, selection->threads.items.count,
                                    selection_zero(selection), &selection->error);
    }
    memory_release(viewed.threads);
    memory_release(viewed.stacks);
    memory_release(viewed.categories);
    view_free(&viewed.view);
    return status;
}
