#include "trace/cpu_model.h"

/* Called like this anywhere else in the tree, they are functions like any other. A later one takes the place of an earlier one
 * of the same name, until all three are found. */
static void find_special_nodes(struct cpu_model *model, const struct string_table *strings)
{
    uint32_t garbage = INDEX_NONE, program = INDEX_NONE, idle = INDEX_NONE;
    for (uint32_t row = 1; row < model->nodes.count; row++) {
        if (model->nodes.items[row].parent != 0)
            continue;
        struct slice name = string_table_get(strings, cpu_model_function(model, row)->name);
        if (slice_is(name, "(garbage collector)"))
            garbage = row;
        else if (slice_is(name, "(program)"))
            program = row;
        else if (slice_is(name, "(idle)"))
            idle = row;
        if (garbage != INDEX_NONE && program != INDEX_NONE && idle != INDEX_NONE)
            break;
    }
    /* Samples name nodes by their ids, so these, too, are the places where their ids are found. */
    model->garbage = garbage == INDEX_NONE ? INDEX_NONE : cpu_model_find(model, cpu_model_raw(model, garbage)->id);
    model->program = program == INDEX_NONE ? INDEX_NONE : cpu_model_find(model, cpu_model_raw(model, program)->id);
    model->idle = idle == INDEX_NONE ? INDEX_NONE : cpu_model_find(model, cpu_model_raw(model, idle)->id);
}

int cpu_model_build(struct cpu_model *model, const struct trace_profile *profile, const struct string_table *strings,
                    struct error *error)
{
    model->profile = profile;
    model->start = profile->start / 1000;
    model->end = profile->end / 1000;
    int result = cpu_model_build_tree(model, error);
    if (result != 0)
        return result;
    find_special_nodes(model, strings);
    return cpu_model_build_samples(model, error);
}

void cpu_model_keep_stacks(struct cpu_model *model)
{
    vec_free(&model->node_times);
    node_ids_free(&model->ids);
    vec_free(&model->row_of_raw);
}

void cpu_model_free(struct cpu_model *model)
{
    cpu_model_keep_stacks(model);
    vec_free(&model->nodes);
    vec_free(&model->samples);
    vec_free(&model->times);
}

uint32_t cpu_model_find(const struct cpu_model *model, double id)
{
    uint32_t raw = node_ids_find(&model->ids, id);
    return raw == INDEX_NONE ? INDEX_NONE : model->row_of_raw.items[raw];
}
