#include "cli/json_tree.h"
#include "cli/selection_output.h"

static void put_category(struct json_output *output, const struct profile *profile, uint32_t pair)
{
    uint32_t index = pair_category(pair);
    if (index >= profile->categories.rows.count) {
        json_put_null(output, "category");
        return;
    }
    const struct category *category = &profile->categories.rows.items[index];
    json_put_slice(output, "category", profile_text(profile, category->name));
    uint32_t subcategory = pair_subcategory(pair);
    if (subcategory > 0 && subcategory < category->subcategories.count)
        json_put_slice(output, "subcategory", profile_text(profile, category->subcategories.items[subcategory]));
}

/* Only of inlined functions: the symbol of the function they were inlined into; "divergent" where that was not always the
 * same. */
static void put_inlined(struct json_output *output, const struct profile *profile, uint32_t inlined)
{
    if (inlined == INLINED_DIVERGENT)
        json_put_text(output, "inlinedInto", "divergent");
    else if (inlined != INLINED_NOT)
        json_put_slice(output, "inlinedInto",
                       profile_text(profile, native_symbol_get(&profile->native_symbols, native_symbol_at(inlined)).name));
}

/* Up to and including the opening bracket of its children. */
static void put_node(struct json_output *output, const struct selection *selection, const struct func_list *funcs,
                     const struct tier_list *tiers, bool has_uncertainty, const struct tree_row *row)
{
    json_write_begin_object(output->writer);
    json_put_func(output, funcs, row->func);
    json_put_slice_or_null(output, "file", func_list_filename(funcs, row->func));
    put_category(output, &selection->profile, row->pair);
    if (!func_list_is_grouped(funcs))
        put_inlined(output, &selection->profile, row->inlined);
    json_put_tiers(output, tiers, row->func);
    json_put_number(output, "total", row->total);
    json_put_number(output, "self", row->self);
    if (has_uncertainty) {
        json_put_uncertainty(output, "total", row->total_uncertainty);
        json_put_uncertainty(output, "self", row->self_uncertainty);
    }
    json_write_key(output->writer, "children");
    json_write_begin_array(output->writer);
}

int json_put_tree(struct json_output *output, const char *key, struct selection *selection, struct answer *answer,
                  bool inverted, const struct tree_cut *cut, size_t from_level)
{
    struct tree_walk walk;
    struct tier_list tiers;
    int status = tier_list_build(answer, &tiers, &selection->error);
    if (status != 0)
        return status;
    json_write_key(output->writer, key);
    json_write_begin_array(output->writer);
    size_t open = 0;
    tree_walk_begin(&walk, answer, inverted, cut, &selection->error);
    for (struct tree_row row; tree_walk_next(&walk, &row);) {
        if (row.depth < from_level)
            continue;
        json_end_nodes(output, &open, row.depth - from_level);
        put_node(output, selection, answer->view.funcs, &tiers, answer->tree.self_uncertainty, &row);
        open++;
    }
    json_end_nodes(output, &open, 0);
    json_write_end_array(output->writer);
    tier_list_free(&tiers);
    return tree_walk_end(&walk);
}

int json_tree_truncated(struct selection *selection, struct answer *answer, bool inverted, const struct tree_cut *cut,
                        bool *truncated)
{
    *truncated = false;
    if (cut->limit == SIZE_MAX && cut->depth == SIZE_MAX && cut->min == 0)
        return 0;
    struct tree_walk walk;
    struct tree_row row;
    tree_walk_begin(&walk, answer, inverted, cut, &selection->error);
    while (!walk.cut_any && tree_walk_next(&walk, &row))
        ;
    *truncated = walk.cut_any;
    return tree_walk_end(&walk);
}
