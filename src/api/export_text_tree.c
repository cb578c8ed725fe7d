#include "api/export_out.h"
#include "api/export_rows.h"
#include "print/number.h"
#include "print/tree_lines.h"

static void put_line(struct export_out *out, struct line *line)
{
    text_add(&out->text, (struct slice){line->bytes.items, line->bytes.count});
    text_add_char(&out->text, '\n');
    line_clear(line);
}

int export_text_tree(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error)
{
    (void)ask;
    static const struct terminal file = {.width = SIZE_MAX};
    struct export_out out = {.sink = sink, .error = error};
    struct answer *answer = &asking->kept->answer;
    struct ordered_tree tree;
    struct tree_lines lines;
    struct tree_walk walk;
    /* It makes the inverted tree, if that is what is to be walked. */
    int status = kept_answer_tree(asking->kept, asking->state.inverted, &tree, error);
    if (status != 0)
        return status;
    enum weight_type type = answer->weights.type;
    tree_lines_begin(&lines, asking->whole->funcs, answer, &file);
    tree_walk_begin(&walk, answer, tree.inverted, &TREE_CUT_NOTHING, error);
    export_print(&out, "total    %s %s\n\n", number_weight(answer->tree.root_total, type).text,
                 number_unit(answer->tree.root_total, type));
    tree_lines_heading(&lines, tree.inverted);
    put_line(&out, &lines.line);
    for (struct tree_row row; tree_walk_next(&walk, &row);) {
        tree_lines_row(&lines, &row);
        put_line(&out, &lines.line);
        if (export_flush(&out) != 0)
            break;
    }
    status = tree_walk_end(&walk);
    if (status == 0 && lines.line.failed)
        status = error_out_of_memory(error);
    tree_lines_free(&lines);
    int written = export_end(&out);
    return status != 0 ? status : written;
}
