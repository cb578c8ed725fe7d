/* The call tree. */
#include "top/panel.h"

#include "print/number.h"

static size_t count(const struct top *top)
{
    return top->look.rows.count;
}

static void heading(struct top *top, struct line *line)
{
    static const char *const sorts[] = {"total", "self", "name"};
    top->tree.terminal = top->terminal;
    tree_lines_heading(&top->tree, top->look.query.inverted);
    line_add(line, (struct slice){top->tree.line.bytes.items, top->tree.line.bytes.count}, top->tree.line.width);
    line_clear(&top->tree.line);
    if (top->look.sort != SORT_TOTAL)
        line_print(line, ", by %s", sorts[top->look.sort]);
}

/* The branches that lead to a row, as drawing the rows above it would have left them. */
static void start_at(struct top *top, size_t row)
{
    const struct look_row *rows = top->look.rows.items;
    struct tree_branch *branches;
    size_t count = 0;
    top->tree.branches.count = 0;
    for (size_t i = row + 1, depth = SIZE_MAX; i-- > 0 && depth > 0;)
        if (i == row || rows[i].depth < depth) {
            depth = rows[i].depth;
            if (i != row && rows[i].siblings > 1 &&
                vec_push(&top->tree.branches, ((struct tree_branch){depth, rows[i].sibling + 1 == rows[i].siblings})))
                count++;
        }
    branches = top->tree.branches.items;
    for (size_t i = 0; i < count / 2; i++) {
        struct tree_branch branch = branches[i];
        branches[i] = branches[count - 1 - i];
        branches[count - 1 - i] = branch;
    }
}

static void draw(struct top *top, size_t at, bool first, struct line *line)
{
    const struct look_row *of = &top->look.rows.items[at];
    struct ordered_tree tree = look_tree(&top->look);
    struct ordered_node node = ordered_tree_node(&tree, of->node);
    struct tree_row row = {
        .node = of->node,
        .func = node.func,
        .pair = node.pair,
        .inlined = node.inlined,
        .total = node.total,
        .self = node.self,
        .depth = of->depth,
        .sibling = of->sibling,
        .siblings = of->siblings,
    };
    if (first)
        start_at(top, at);
    top->tree.toggle = !of->has_children ? SLICE("  ") : of->open ? SLICE("▾ ") : SLICE("▸ ");
    top->tree.emphasis = top->found && node.func < top->look.answer->view.funcs->count && top->found[node.func];
    tree_lines_row(&top->tree, &row);
    line_add(line, (struct slice){top->tree.line.bytes.items, top->tree.line.bytes.count}, top->tree.line.width);
    line_clear(&top->tree.line);
}

static bool key(struct top *top, int key)
{
    struct look *look = &top->look;
    const struct look_row *row = look_row(look);
    switch (key) {
    case KEY_RIGHT:
        if (row && row->open)
            panel_choose(top, look->chosen + 1);
        else
            top_worked(top, look_unfold(look));
        return true;
    case KEY_LEFT:
        if (row && row->open)
            top_worked(top, look_fold(look));
        else
            look_to_parent(look);
        return true;
    case '<':
    case '>':
        top_worked(top, look_sort(look, (enum look_sort)((look->sort + (key == '<' ? SORT_COUNT - 1 : 1)) % SORT_COUNT)));
        return true;
    case ' ':
        top_worked(top, look_toggle(look));
        return true;
    case KEY_SHIFT_RIGHT:
    case 'h':
        top_worked(top, look_heavy_path(look));
        return true;
    case '*':
        if (top_worked(top, look_open_below(look)) && look->rows_are_cut)
            top_say(top, "only the first %s rows are shown", number_grouped((double)look->rows.count, 0).text);
        return true;
    default:
        return false;
    }
}

const struct panel tree_panel = {
    .keys = "? keys  Tab functions  Enter source  / find  i invert  q quit",
    .count = count,
    .heading = heading,
    .draw = draw,
    .key = key,
};
