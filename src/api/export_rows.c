/* Functions and the rows of a tree as tables. */
#include "api/export_rows.h"

#include "api/export_table.h"

static void put_head(struct export_table *table, const char *of, const struct answer *answer)
{
    if (!table->json)
        return;
    json_write_key(table->json, "of");
    json_write_text(table->json, of);
    json_write_key(table->json, "weight_type");
    json_write_text(table->json, weight_type_name(answer->weights.type));
    json_write_key(table->json, "root_total");
    json_write_number(table->json, answer->tree.root_total);
}

static void put_func(struct export_table *table, const struct func_list *funcs, uint32_t func)
{
    export_table_count(table, func);
    export_table_text(table, func_list_name(funcs, func));
    export_table_text(table, func_list_resource_name(funcs, func));
    export_table_text(table, func_list_filename(funcs, func));
}

int export_functions(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error)
{
    static const char *const columns[] = {"func", "name", "library", "file", "total", "self", NULL};
    const struct function_list *list;
    struct export_table table;
    int status = kept_answer_functions(asking->kept, ask->sort, &list, error);
    if (status == 0)
        status = export_table_begin(&table, columns, ask->format == EXPORT_JSON, sink, error);
    if (status != 0)
        return status;
    put_head(&table, "functions", &asking->kept->answer);
    export_table_rows(&table);
    for (size_t i = 0; i < list->rows.count; i++) {
        const struct function_row *row = &list->rows.items[i];
        put_func(&table, asking->whole->funcs, row->func);
        export_table_number(&table, row->total);
        export_table_number(&table, row->self);
        if (!export_table_next(&table))
            break;
    }
    return export_table_end(&table, 0);
}

static struct slice category_name(const struct profile *profile, uint32_t pair)
{
    uint32_t category = pair_category(pair);
    return category < profile->categories.rows.count ? profile_text(profile, profile->categories.rows.items[category].name)
                                                     : SLICE("");
}

static void put_rows(struct export_table *table, struct asking *asking, const struct ordered_tree *tree,
                     const struct row_list *list)
{
    for (size_t i = 0; i < list->rows.count; i++) {
        struct ordered_node node = ordered_tree_node(tree, list->rows.items[i].node);
        export_table_count(table, list->rows.items[i].depth);
        put_func(table, asking->whole->funcs, node.func);
        export_table_text(table, category_name(asking->profile, node.pair));
        export_table_number(table, node.total);
        export_table_number(table, node.self);
        if (!export_table_next(table))
            break;
    }
}

int export_tree_rows(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error)
{
    static const char *const columns[] = {"depth", "func", "name", "library", "file", "category", "total", "self", NULL};
    static const struct open_step all = {OPEN_BELOW, 0};
    struct ordered_tree tree;
    struct open_rows open;
    struct row_list list = {0};
    struct export_table table;
    int status = kept_answer_tree(asking->kept, asking->state.inverted, &tree, error);
    if (status != 0)
        return status;
    if (!open_rows_read(&open, &all, 1))
        return error_out_of_memory(error);
    status = row_list_build(&tree, asking->whole->funcs, &open, ROWS_BY_TOTAL, &list, error);
    open_rows_free(&open);
    if (status == 0)
        status = export_table_begin(&table, columns, ask->format == EXPORT_JSON, sink, error);
    if (status == 0) {
        put_head(&table, asking->state.inverted ? "inverted tree" : "tree", &asking->kept->answer);
        export_table_rows(&table);
        put_rows(&table, asking, &tree, &list);
        status = export_table_end(&table, 0);
    }
    row_list_free(&list);
    return status;
}
