#include "cli/diff.h"

#include "cli/cut.h"
#include "print/func_name.h"
#include "tree/comparison_tree.h"

#include <math.h>
#include <stdio.h>

/* What of the tree is shown, node by node: those that changed and the way to them, or with --all and as JSON all of it. */
struct walk {
    const struct diff *diff;
    const struct comparison_tree *tree;
    VEC(uint32_t) shown;
    uint8_t *has_later; /* for each of them: another child of the same parent comes later; a root, another root */
    size_t left_out;    /* because they differ no more than chance explains */
    size_t cut;         /* by --limit */
};

static const struct compared_node *node_of(const struct walk *walk, size_t i)
{
    return &walk->tree->nodes.items[walk->shown.items[i]];
}

static int build(struct diff *diff, struct comparison_tree *tree)
{
    const struct common_options *options = &diff->options->common;
    const struct measure *of = diff->comparison.whole.of;
    struct tree_cut asked = cut_of_tree(options, fmax(of[SIDE_BASE].value, of[SIDE_NEW].value));
    struct comparison_tree_cut cut = {.inverted = options->invert, .depth = asked.depth, .min = asked.min};
    struct selection *first = &diff->runs[0].selection;
    if (comparison_tree_build(&diff->comparison, diff->compared, &cut, tree, &first->error) != 0)
        return selection_report(first);
    return EXIT_OK;
}

static int choose(struct walk *walk)
{
    const struct diff *diff = walk->diff;
    const struct common_options *options = &diff->options->common;
    size_t limit = options->limit.given ? options->limit.value : SIZE_MAX;
    for (size_t i = 0; i < walk->tree->order.count; i++) {
        uint32_t node = walk->tree->order.items[i];
        if (!walk->tree->nodes.items[node].leads_to_change && !diff->options->all && !options->json) {
            walk->left_out++;
        } else if (walk->shown.count >= limit) {
            walk->cut++;
        } else if (!vec_push(&walk->shown, node)) {
            error_out_of_memory(&diff->runs[0].selection.error);
            return selection_report(&diff->runs[0].selection);
        }
    }
    return EXIT_OK;
}

/* ---- text ---- */

/* From the last to the first. EXIT_OK or EXIT_DATA after saying what is wrong. */
static int find_siblings(struct walk *walk)
{
    struct selection *first = &walk->diff->runs[0].selection;
    bool *seen = memory_zeroed(walk->tree->nodes.count + 1, sizeof *seen); /* a child of each node; at the end, a root */
    walk->has_later = memory_zeroed(walk->shown.count + 1, 1);
    bool fits = seen && walk->has_later;
    for (size_t i = walk->shown.count; fits && i-- > 0;) {
        uint32_t parent = node_of(walk, i)->parent;
        bool *of = &seen[parent == INDEX_NONE ? walk->tree->nodes.count : parent];
        walk->has_later[i] = *of;
        *of = true;
    }
    memory_release(seen);
    if (fits)
        return EXIT_OK;
    error_out_of_memory(&first->error);
    return selection_report(first);
}

/* A node directly below its parent is the first one shown of its siblings. */
static bool has_sibling(const struct walk *walk, size_t i)
{
    uint32_t parent = node_of(walk, i)->parent;
    bool is_first = parent == INDEX_NONE ? i == 0 : walk->shown.items[i - 1] == parent;
    return walk->has_later[i] || !is_first;
}

/* The branches that are open: at which depth, and whether more of them come. */
struct guide {
    uint32_t depth;
    bool last;
};

struct guides {
    VEC(struct guide) items;
};

/* As `sonde tree` draws them: what is the only one below its caller stands in the same column. */
static void add_guides(struct guides *guides, const struct walk *walk, size_t i, struct line *line)
{
    const struct compared_node *node = node_of(walk, i);
    while (guides->items.count > 0 && guides->items.items[guides->items.count - 1].depth >= node->depth)
        guides->items.count--;
    for (size_t k = 0; k < guides->items.count; k++)
        line_add(line, guides->items.items[k].last ? SLICE("   ") : SLICE("│  "), 3);
    if (!has_sibling(walk, i))
        return;
    bool last = !walk->has_later[i];
    line_add(line, last ? SLICE("└─ ") : SLICE("├─ "), 3);
    if (!vec_push(&guides->items, ((struct guide){node->depth, last})))
        line->failed = true;
}

enum { NUMBER_WIDTH = 12, NAME_LEAST = 24 };

static void add_number(struct line *line, const struct terminal *terminal, enum style style, const char *number)
{
    line_add(line, terminal_style(terminal, style), 0);
    line_print(line, "%*s", NUMBER_WIDTH, number);
    line_add(line, terminal_style(terminal, STYLE_PLAIN), 0);
}

static void print_node(const struct walk *walk, size_t i, struct guides *guides, struct line *line, struct text_buffer *scratch,
                       const struct terminal *terminal)
{
    const struct diff *diff = walk->diff;
    const struct compared_node *node = node_of(walk, i);
    const struct func_keys *keys = &diff->comparison.keys;
    double base = node->total[SIDE_BASE], new = node->total[SIDE_NEW];
    enum style style = node->significant ? STYLE_PLAIN : STYLE_DIM;
    add_number(line, terminal, diff_style(new - base, node->significant), diff_difference(diff, new - base).text);
    add_number(line, terminal, style, diff_number(diff, base).text);
    add_number(line, terminal, style, diff_number(diff, new).text);
    line_print(line, "  ");
    add_guides(guides, walk, i, line);
    size_t room = terminal->width > line->width + NAME_LEAST ? terminal->width - line->width : NAME_LEAST;
    line_add(line, terminal_style(terminal, style), 0);
    line_add_func_name(line, func_name_shown(terminal, func_key_name(keys, node->key), scratch), room);
    line_add(line, terminal_style(terminal, STYLE_DIM), 0);
    struct slice lib = func_key_lib(keys, node->key);
    if (lib.length > 0 && line->width + 2 + text_width(lib) <= terminal->width) {
        line_print(line, "  ");
        line_add_name(line, lib, SIZE_MAX);
    }
    if (base == 0 || new == 0)
        line_print(line, base == 0 ? "  (new)" : "  (gone)");
    line_add(line, terminal_style(terminal, STYLE_PLAIN), 0);
    output_line(line);
}

static void print_rest(const struct walk *walk)
{
    if (walk->shown.count == 0)
        puts("no call path changed by more than chance explains");
    else if (walk->left_out + walk->cut > 0)
        putchar('\n');
    if (walk->cut > 0)
        printf("… %s more than the first %zu (--limit)\n", number_grouped((double)walk->cut, 0).text, walk->shown.count);
    if (walk->left_out > 0)
        printf("… %s more that differ no more than chance explains (--all)\n", number_grouped((double)walk->left_out, 0).text);
}

int diff_print_tree(struct diff *diff, const struct terminal *terminal)
{
    struct comparison_tree tree;
    struct walk walk = {.diff = diff, .tree = &tree};
    struct line line = {0};
    struct text_buffer scratch = {0};
    struct guides guides = {0};
    int status = build(diff, &tree);
    if (status == EXIT_OK)
        status = choose(&walk);
    if (status == EXIT_OK)
        status = find_siblings(&walk);
    if (status == EXIT_OK && walk.shown.count > 0) {
        line_print(&line, "%*s", NUMBER_WIDTH - 7, "");
        line_add(&line, terminal_style(terminal, STYLE_HEADING), 0);
        line_add(&line, SLICE("Δ total"), 7);
        line_add(&line, terminal_style(terminal, STYLE_PLAIN), 0);
        add_number(&line, terminal, STYLE_HEADING, "base");
        add_number(&line, terminal, STYLE_HEADING, "new");
        line_add(&line, terminal_style(terminal, STYLE_HEADING), 0);
        line_print(&line, "  function%s", diff->options->common.invert ? ", and its callers below it" : "");
        line_add(&line, terminal_style(terminal, STYLE_PLAIN), 0);
        output_line(&line);
    }
    for (size_t i = 0; i < walk.shown.count && status == EXIT_OK; i++)
        print_node(&walk, i, &guides, &line, &scratch, terminal);
    if (status == EXIT_OK)
        print_rest(&walk);
    bool failed = line.failed || scratch.failed;
    line_free(&line);
    text_free(&scratch);
    vec_free(&guides.items);
    memory_release(walk.has_later);
    vec_free(&walk.shown);
    comparison_tree_free(&tree);
    return status == EXIT_OK ? output_finish(failed) : status;
}

/* ---- JSON ---- */

static void put_node(struct json_output *output, const struct func_keys *keys, const struct compared_node *node)
{
    json_write_begin_object(output->writer);
    diff_put_func(output, keys, node->key);
    diff_put_sum(output, "Total", node->total[SIDE_BASE], node->total[SIDE_NEW]);
    diff_put_sum(output, "Self", node->self[SIDE_BASE], node->self[SIDE_NEW]);
    json_put_number(output, "p", node->chance);
    json_put_boolean(output, "significant", node->significant);
    json_write_key(output->writer, "children");
    json_write_begin_array(output->writer);
}

int diff_put_tree(struct diff *diff, struct json_output *output)
{
    const struct common_options *options = &diff->options->common;
    struct comparison_tree tree;
    struct walk walk = {.diff = diff, .tree = &tree};
    int status = build(diff, &tree);
    if (status == EXIT_OK)
        status = choose(&walk);
    json_put_boolean(output, "inverted", options->invert);
    json_put_boolean(output, "truncated", walk.cut > 0 || options->min.given || options->depth.given);
    json_write_key(output->writer, "nodes");
    json_write_begin_array(output->writer);
    size_t open = 0;
    for (size_t i = 0; i < walk.shown.count && status == EXIT_OK; i++) {
        const struct compared_node *node = node_of(&walk, i);
        json_end_nodes(output, &open, node->depth);
        put_node(output, &diff->comparison.keys, node);
        open++;
    }
    json_end_nodes(output, &open, 0);
    json_write_end_array(output->writer);
    vec_free(&walk.shown);
    comparison_tree_free(&tree);
    return status;
}
