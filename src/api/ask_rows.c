/* rows, toggle, open_all, open_heavy: the rows of a tree or of the list of functions that are on the screen. */
#include "api/ask.h"

#include "api/func_texts.h"
#include "api/heavy_path.h"
#include "api/row_flags.h"
#include "api/row_mix.h"
#include "api/window.h"

#include <errno.h>
#include <string.h>

/* ---- columns ---- */

struct row_columns {
    const uint8_t *matches; /* of each func: it is highlighted; NULL = none is */
    uint32_t *node, *func, *depth, *name, *library, *file, *into;
    uint16_t *category, *subcategory;
    uint8_t *flags;
    double *total, *self;
};

static int make_columns(struct asking *asking, const struct ask *ask, struct row_columns *columns, size_t count)
{
    uint32_t **const numbers[] = {&columns->node,    &columns->func, &columns->depth, &columns->name,
                                  &columns->library, &columns->file, &columns->into};
    bool fits = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fits &= (*numbers[i] = asking_array(asking, count, sizeof(uint32_t))) != NULL;
    columns->category = asking_array(asking, count, sizeof(uint16_t));
    columns->subcategory = asking_array(asking, count, sizeof(uint16_t));
    columns->flags = asking_array(asking, count, 1);
    columns->total = asking_array(asking, count, sizeof(double));
    columns->self = asking_array(asking, count, sizeof(double));
    fits = fits && columns->category && columns->subcategory && columns->flags && columns->total && columns->self;
    return fits ? asking_highlight(asking, ask, &columns->matches) : -ENOMEM;
}

/* The texts of a function: of a row in any list. */
static void fill_func(struct asking *asking, struct row_columns *columns, size_t i, uint32_t func)
{
    struct func_texts texts = func_texts_of(asking->whole->funcs, func);
    columns->func[i] = func;
    columns->name[i] = texts.name.i;
    columns->library[i] = texts.library.i;
    columns->file[i] = texts.file.i;
    columns->flags[i] = func_is_label(&texts) ? ROW_LABEL : 0;
    columns->flags[i] |= columns->matches && columns->matches[func] ? ROW_HIGHLIGHTED : 0;
    reply_use_string(asking->reply, texts.name);
    reply_use_string(asking->reply, texts.library);
    reply_use_string(asking->reply, texts.file);
}

static void fill_inlined(struct asking *asking, struct row_columns *columns, size_t i, uint32_t inlined)
{
    columns->into[i] = INDEX_NONE;
    columns->flags[i] |= row_inlined_flag(inlined);
    if (inlined == INLINED_DIVERGENT || inlined == INLINED_NOT)
        return;
    struct string_index name = native_symbol_get(&asking->profile->native_symbols, native_symbol_at(inlined)).name;
    columns->into[i] = name.i;
    reply_use_string(asking->reply, name);
}

static void fill_row(struct asking *asking, struct row_columns *columns, size_t i, const struct ordered_tree *tree,
                     const struct shown_row *row)
{
    struct ordered_node node = ordered_tree_node(tree, row->node);
    fill_func(asking, columns, i, node.func);
    fill_inlined(asking, columns, i, node.inlined);
    columns->flags[i] |= (uint8_t)(ordered_tree_has_children(tree, row->node) ? ROW_HAS_CHILDREN : 0);
    columns->flags[i] |= (uint8_t)(row->open ? ROW_OPEN : 0);
    columns->node[i] = row->node;
    columns->depth[i] = row->depth;
    columns->category[i] = (uint16_t)pair_category(node.pair);
    columns->subcategory[i] = (uint16_t)pair_subcategory(node.pair);
    columns->total[i] = node.total;
    columns->self[i] = node.self;
}

static void put_func_columns(struct reply *reply, const struct row_columns *columns, size_t count)
{
    reply_column(reply, "func", REPLY_U32, columns->func, count);
    reply_column(reply, "flags", REPLY_U8, columns->flags, count);
    reply_column(reply, "total", REPLY_F64, columns->total, count);
    reply_column(reply, "self", REPLY_F64, columns->self, count);
    reply_column(reply, "name", REPLY_ID, columns->name, count);
    reply_column(reply, "library", REPLY_ID, columns->library, count);
    reply_column(reply, "file", REPLY_ID, columns->file, count);
}

static void put_row_columns(struct reply *reply, const struct row_columns *columns, size_t count)
{
    reply_column(reply, "node", REPLY_U32, columns->node, count);
    reply_column(reply, "depth", REPLY_U32, columns->depth, count);
    reply_column(reply, "category", REPLY_U16, columns->category, count);
    reply_column(reply, "subcategory", REPLY_U16, columns->subcategory, count);
    reply_column(reply, "inlined_into", REPLY_ID, columns->into, count);
}

/* ---- columns that somebody asks for ---- */

/* What the function of each row has anywhere in the tree. */
static int put_anywhere(struct asking *asking, const uint32_t *funcs, size_t count)
{
    const struct function_list *list;
    struct error error = {0};
    if (kept_answer_functions(asking->kept, FUNCTIONS_BY_TOTAL, &list, &error) != 0)
        return asking_failed(asking, &error);
    size_t func_count = asking->whole->funcs->count;
    double *of_func = asking_array(asking, func_count, sizeof *of_func);
    double *anywhere = asking_array(asking, count, sizeof *anywhere);
    if (!of_func || !anywhere)
        return -ENOMEM;
    memset(of_func, 0, func_count * sizeof *of_func);
    for (size_t i = 0; i < list->rows.count; i++)
        of_func[list->rows.items[i].func] = list->rows.items[i].total;
    for (size_t i = 0; i < count; i++)
        anywhere[i] = of_func[funcs[i]];
    reply_column(asking->reply, "function_total", REPLY_F64, anywhere, count);
    return 0;
}

/* Rows of the inverted tree have none. */
static int put_mix(struct asking *asking, const struct row_list *list, const struct window *window)
{
    struct row_mix mix = {0};
    if (!asking->state.inverted && !row_mix_find(&asking->kept->answer, list, window->first, window->end, &mix)) {
        row_mix_free(&mix);
        return -ENOMEM;
    }
    size_t count = mix.parts.count;
    uint32_t *row = asking_array(asking, count, sizeof *row);
    uint16_t *category = asking_array(asking, count, sizeof *category);
    double *total = asking_array(asking, count, sizeof *total);
    bool fits = row && category && total;
    for (size_t i = 0; i < count && fits; i++) {
        row[i] = mix.parts.items[i].row;
        category[i] = (uint16_t)mix.parts.items[i].category;
        total[i] = mix.parts.items[i].total;
    }
    row_mix_free(&mix);
    if (!fits)
        return -ENOMEM;
    reply_column(asking->reply, "mix_row", REPLY_U32, row, count);
    reply_column(asking->reply, "mix_category", REPLY_U16, category, count);
    reply_column(asking->reply, "mix_total", REPLY_F64, total, count);
    return 0;
}

static int put_more_columns(struct asking *asking, const struct ask *ask, const struct row_columns *columns,
                            const struct row_list *list, const struct window *window)
{
    int status = ask->with_function ? put_anywhere(asking, columns->func, window->end - window->first) : 0;
    return status == 0 && ask->with_mix ? put_mix(asking, list, window) : status;
}

/* ---- which rows ---- */

static void put_window(struct asking *asking, const struct window *window)
{
    struct reply *reply = asking->reply;
    const struct answer *answer = &asking->kept->answer;
    reply_put_text(reply, "weight_type", weight_type_name(answer->weights.type));
    reply_put_number(reply, "root_total", answer->tree.root_total);
    reply_put_count(reply, "sample_count", (size_t)answer->tree.row_count);
    window_put(window, reply);
}

/* ---- trees ---- */

static int put_tree_rows(struct asking *asking, const struct ask *ask, const struct open_rows *open, const struct path *anchor)
{
    struct error error = {0};
    struct ordered_tree tree;
    const struct row_list *list;
    bool inverted = asking->state.inverted;
    int status = kept_answer_tree(asking->kept, inverted, &tree, &error);
    if (status == 0)
        status = kept_answer_rows(asking->kept, inverted, open, ask->siblings, &list, &error);
    if (status != 0)
        return asking_failed(asking, &error);
    size_t length = 0, found = anchor ? row_list_find(list, &tree, anchor, &length) : SIZE_MAX;
    bool exact = anchor && found != SIZE_MAX && length == anchor->funcs.count;
    struct window window = window_of(ask, list->rows.count, found, exact);
    put_window(asking, &window);
    struct path above = {0};
    if (row_list_above(list, &tree, window.first, &above))
        reply_put_funcs(asking->reply, "above", above.funcs.items, above.funcs.count);
    else
        status = -ENOMEM;
    path_free(&above);
    size_t count = window.end - window.first;
    struct row_columns columns;
    if (status != 0 || make_columns(asking, ask, &columns, count) != 0)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        fill_row(asking, &columns, i, &tree, &list->rows.items[window.first + i]);
    reply_begin_columns(asking->reply);
    put_func_columns(asking->reply, &columns, count);
    put_row_columns(asking->reply, &columns, count);
    status = put_more_columns(asking, ask, &columns, list, &window);
    reply_end_columns(asking->reply);
    return status;
}

/* ---- functions ---- */

static size_t find_function(const struct function_list *list, const struct path *anchor)
{
    for (size_t i = 0; i < list->rows.count && anchor->funcs.count > 0; i++)
        if (list->rows.items[i].func == anchor->funcs.items[anchor->funcs.count - 1])
            return i;
    return SIZE_MAX;
}

static int put_functions(struct asking *asking, const struct ask *ask)
{
    struct error error = {0};
    const struct function_list *list;
    if (kept_answer_functions(asking->kept, ask->sort, &list, &error) != 0)
        return asking_failed(asking, &error);
    size_t found = ask->has_anchor ? find_function(list, &ask->anchor) : SIZE_MAX;
    struct window window = window_of(ask, list->rows.count, found, found != SIZE_MAX);
    size_t count = window.end - window.first;
    struct row_columns columns;
    if (make_columns(asking, ask, &columns, count) != 0)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct function_row *row = &list->rows.items[window.first + i];
        fill_func(asking, &columns, i, row->func);
        columns.total[i] = row->total;
        columns.self[i] = row->self;
    }
    put_window(asking, &window);
    reply_begin_columns(asking->reply);
    put_func_columns(asking->reply, &columns, count);
    reply_end_columns(asking->reply);
    return 0;
}

/* ---- asks ---- */

int ask_rows(struct asking *asking, const struct ask *ask)
{
    int status = asking_answer(asking);
    if (status != 0)
        return status;
    if (ask->of == ROWS_OF_FUNCTIONS)
        return put_functions(asking, ask);
    struct open_rows open;
    if (!open_rows_read(&open, ask->open.steps.items, ask->open.steps.count))
        return -ENOMEM;
    /* What has become of them. */
    if (ask->has_since) {
        json_write_key(asking->reply->json, "open");
        open_rows_write(&open, asking->reply->json);
        reply_put_funcs(asking->reply, "path", ask->anchor.funcs.items, ask->anchor.funcs.count);
    }
    status = put_tree_rows(asking, ask, &open, ask->has_anchor ? &ask->anchor : NULL);
    open_rows_free(&open);
    return status;
}

/* Opens what the ask wants; `end` becomes the row that it leads to. */
static int change(struct asking *asking, const struct ask *ask, struct open_rows *open, struct path *end)
{
    struct ordered_tree tree;
    struct error error = {0};
    bool fits = path_copy(end, &ask->path);
    if (ask->kind == ASK_TOGGLE) {
        fits = fits && open_rows_toggle(open, end);
    } else if (ask->kind == ASK_OPEN_ALL) {
        fits = fits && open_rows_open_below(open, end);
    } else {
        if (fits && (kept_answer_tree(asking->kept, asking->state.inverted, &tree, &error) != 0 ||
                     heavy_path_extend(&tree, HEAVY_SPLIT, end, &error) != 0))
            return asking_failed(asking, &error);
        fits = fits && open_rows_open(open, end);
    }
    return fits ? 0 : -ENOMEM;
}

int ask_open_rows(struct asking *asking, const struct ask *ask)
{
    int status = asking_answer(asking);
    if (status != 0)
        return status;
    struct open_rows open;
    if (!open_rows_read(&open, ask->open.steps.items, ask->open.steps.count))
        return -ENOMEM;
    struct path end = {0};
    status = change(asking, ask, &open, &end);
    if (status == 0) {
        json_write_key(asking->reply->json, "open");
        open_rows_write(&open, asking->reply->json);
        reply_put_funcs(asking->reply, "path", end.funcs.items, end.funcs.count);
        struct ask at = *ask;
        at.has_path |= !ask->has_anchor && !ask->has_row;
        const struct path *anchor = ask->has_anchor ? &ask->anchor : &end;
        if (ask->has_row)
            at.has_path = at.has_anchor = false;
        status = put_tree_rows(asking, &at, &open, ask->has_row ? NULL : anchor);
    }
    path_free(&end);
    open_rows_free(&open);
    return status;
}
