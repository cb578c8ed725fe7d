/* A flame graph as one SVG file: no script, no fonts of its own; the same state gives the same bytes.
 *
 * Every box has its whole name as text, cut by a frame of its own, so that a browser finds it, and its numbers as a title,
 * which shows when the mouse is over it. */
#include "api/export_out.h"
#include "api/export_rows.h"
#include "print/number.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 1200, ROW = 16, HEAD = 40, MOST_BOXES = 100000 };

struct svg_box {
    uint32_t node, depth;
    double left, width;
};

struct svg {
    struct asking *asking;
    struct ordered_tree tree;
    struct export_out out;
    struct node_list children;
    VEC(struct svg_box) boxes; /* level by level */
    uint32_t levels;
};

/* ---- which boxes ---- */

static int compare_names(const void *left, const void *right, void *data)
{
    const struct svg *svg = data;
    uint32_t a = ordered_tree_node(&svg->tree, *(const uint32_t *)left).func;
    uint32_t b = ordered_tree_node(&svg->tree, *(const uint32_t *)right).func;
    const struct func_list *funcs = svg->asking->whole->funcs;
    int order = slice_compare(func_list_name(funcs, a), func_list_name(funcs, b));
    return order != 0 ? order : (a > b) - (a < b);
}

/* Children of at least a pixel, side by side. */
static int add_children(struct svg *svg, uint32_t node, uint32_t depth, double left, double per_total)
{
    int status = ordered_tree_children(&svg->tree, node, &svg->children, svg->out.error);
    size_t count = status == 0 ? svg->children.nodes.count : 0;
    if (count > 1)
        qsort_r(svg->children.nodes.items, count, sizeof(uint32_t), compare_names, svg);
    for (size_t i = 0; i < count; i++) {
        uint32_t child = svg->children.nodes.items[i];
        double width = fabs(ordered_tree_total(&svg->tree, child)) * per_total;
        if (width >= 1 && left < WIDTH && svg->boxes.count < MOST_BOXES) {
            if (!vec_push(&svg->boxes, ((struct svg_box){child, depth, left, width})))
                return error_out_of_memory(svg->out.error);
            svg->levels = depth + 1;
        }
        left += width;
    }
    return status;
}

static int add_all(struct svg *svg)
{
    double total = svg->tree.answer->tree.root_total, per_total = total != 0 ? WIDTH / total : 0;
    int status = add_children(svg, INDEX_NONE, 0, 0, per_total);
    for (size_t i = 0; i < svg->boxes.count && status == 0; i++) {
        struct svg_box box = svg->boxes.items[i];
        status = add_children(svg, box.node, box.depth + 1, box.left, per_total);
    }
    return status;
}

/* ---- how they look ---- */

static const char *colour_of(const struct profile *profile, uint32_t pair)
{
    static const struct {
        struct slice name;
        const char *colour;
    } colours[] = {
        {SLICE("transparent"), "#e0e0e2"}, {SLICE("lightblue"), "#a2d0ff"}, {SLICE("red"), "#eb8090"},
        {SLICE("lightred"), "#d28087"},    {SLICE("orange"), "#ffca80"},    {SLICE("blue"), "#80b0ef"},
        {SLICE("green"), "#88de80"},       {SLICE("purple"), "#b180d2"},    {SLICE("yellow"), "#fff094"},
        {SLICE("brown"), "#d2a480"},       {SLICE("magenta"), "#f680da"},   {SLICE("lightgreen"), "#98f385"},
        {SLICE("grey"), "#d8d8d9"},        {SLICE("darkgrey"), "#b9b9b9"},
    };
    uint32_t category = pair_category(pair);
    if (category < profile->categories.rows.count)
        for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
            if (slice_equal(profile_text(profile, profile->categories.rows.items[category].color), colours[i].name))
                return colours[i].colour;
    return "#d8d8d9";
}

static void put_box(struct svg *svg, const struct svg_box *box)
{
    const struct func_list *funcs = svg->asking->whole->funcs;
    const struct answer *answer = svg->tree.answer;
    struct ordered_node node = ordered_tree_node(&svg->tree, box->node);
    struct slice library = func_list_resource_name(funcs, node.func);
    struct export_out *out = &svg->out;
    uint32_t row = svg->tree.inverted ? box->depth : svg->levels - 1 - box->depth;
    double width = fmin(box->width, WIDTH - box->left), top = HEAD + (double)row * ROW;
    export_print(out, "<g><title>");
    export_name(out, func_list_name(funcs, node.func), NAME_XML);
    if (library.length > 0) {
        export_print(out, " (");
        export_name(out, library, NAME_XML);
        export_print(out, ")");
    }
    export_print(out, "\n%.12g %s, %.2f%%</title>", node.total, number_unit(0, answer->weights.type),
                 100 * fabs(node.total) / answer->tree.root_total);
    export_print(out, "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>", box->left, top,
                 fmax(width - 0.5, 0.5), ROW - 1, colour_of(svg->asking->profile, node.pair));
    export_print(out, "<svg x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\"><text x=\"3\" y=\"11\">", box->left, top,
                 fmax(width - 3, 0), ROW - 1);
    export_name(out, func_list_name(funcs, node.func), NAME_XML);
    export_print(out, "</text></svg></g>\n");
}

static void put_head(struct svg *svg)
{
    const struct answer *answer = svg->tree.answer;
    unsigned height = HEAD + svg->levels * ROW + 8;
    export_print(&svg->out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" "
                 "font-family=\"sans-serif\" font-size=\"10\">\n",
                 WIDTH, height, WIDTH, height);
    export_print(&svg->out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    export_print(&svg->out, "<text x=\"4\" y=\"24\" font-size=\"14\">%.12g %s%s</text>\n", answer->tree.root_total,
                 number_unit(0, answer->weights.type), svg->tree.inverted ? ", inverted" : "");
}

int export_svg(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error)
{
    (void)ask;
    struct svg svg = {.asking = asking, .out = {.sink = sink, .error = error}};
    int status = kept_answer_tree(asking->kept, asking->state.inverted, &svg.tree, error);
    if (status == 0)
        status = add_all(&svg);
    if (status == 0)
        put_head(&svg);
    for (size_t i = 0; i < svg.boxes.count && status == 0; i++) {
        put_box(&svg, &svg.boxes.items[i]);
        status = export_flush(&svg.out);
    }
    export_print(&svg.out, "</svg>\n");
    vec_free(&svg.children.nodes);
    vec_free(&svg.boxes);
    int written = export_end(&svg.out);
    return status != 0 ? status : written;
}
