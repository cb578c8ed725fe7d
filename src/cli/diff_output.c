#include "cli/diff.h"

#include "api/export_out.h"
#include "cli/cut.h"
#include "cli/output_file.h"
#include "tree/comparison_boxes.h"

#include <errno.h>
#include <math.h>

struct picture {
    const struct diff *diff;
    const struct comparison_tree *tree;
    struct export_out out;
};

static const struct func_keys *keys_of(const struct picture *picture)
{
    return &picture->diff->comparison.keys;
}

/* ---- folded stacks ---- */

/* The names on the way to a node. */
static void put_path(struct picture *picture, uint32_t node)
{
    VEC(uint32_t) path = {0};
    bool fits = true;
    for (uint32_t at = node; at != INDEX_NONE && fits; at = picture->tree->nodes.items[at].parent)
        fits = vec_push(&path, picture->tree->nodes.items[at].key);
    for (size_t i = path.count; i-- > 0;) {
        export_name(&picture->out, func_key_name(keys_of(picture), path.items[i]), NAME_FOLDED);
        if (i > 0)
            export_print(&picture->out, ";");
    }
    picture->out.text.failed |= !fits;
    vec_free(&path);
}

/* Readers want whole numbers: times are in microseconds, shares in millionths. */
static double count_of(const struct diff *diff, double value)
{
    double unit = diff->per == PER_SHARE ? 1e4 : diff->type == WEIGHT_TRACING_MS ? 1000 : 1;
    return fmax(0, round(value * unit));
}

static int put_folded(struct picture *picture)
{
    for (size_t i = 0; i < picture->tree->order.count; i++) {
        uint32_t node = picture->tree->order.items[i];
        const double *self = picture->tree->nodes.items[node].self;
        double base = count_of(picture->diff, self[SIDE_BASE]), new = count_of(picture->diff, self[SIDE_NEW]);
        if (base + new == 0)
            continue;
        put_path(picture, node);
        export_print(&picture->out, " %.0f %.0f\n", base, new);
        if (export_flush(&picture->out) != 0)
            return picture->out.error->code;
    }
    return 0;
}

/* ---- the flame graph ---- */

enum { WIDTH = 1200, ROW = 16, HEAD = 58 };

static const double LEAST = 0.3; /* pixels: narrower boxes are not drawn */

static const char *fill_of(const struct compared_node *node)
{
    static const char *const more[] = {"#ffd9d2", "#ffb4a6", "#ff8a75", "#f2573d"};
    static const char *const less[] = {"#d4e4ff", "#aacbff", "#7aacfa", "#4385ee"};
    double delta = node->total[SIDE_NEW] - node->total[SIDE_BASE];
    double change = fabs(delta) / fmax(compared_node_size(node), 1e-300);
    int strength = change < 0.1 ? 0 : change < 0.25 ? 1 : change < 0.5 ? 2 : 3;
    return !node->significant ? "#dcdcde" : delta > 0 ? more[strength] : less[strength];
}

static void put_box(struct picture *picture, const struct comparison_boxes *boxes, uint32_t levels, uint32_t place,
                    bool inverted)
{
    const struct diff *diff = picture->diff;
    const struct compared_node *node = &picture->tree->nodes.items[place];
    struct export_out *out = &picture->out;
    double base = node->total[SIDE_BASE], new = node->total[SIDE_NEW], left = boxes->left[place] * WIDTH;
    double width = fmin(boxes->width[place] * WIDTH, WIDTH - left);
    double top = HEAD + (double)(inverted ? node->depth : levels - 1 - node->depth) * ROW;
    struct slice name = func_key_name(keys_of(picture), node->key), lib = func_key_lib(keys_of(picture), node->key);
    export_print(out, "<g><title>");
    export_name(out, name, NAME_XML);
    if (lib.length > 0) {
        export_print(out, " (");
        export_name(out, lib, NAME_XML);
        export_print(out, ")");
    }
    export_print(out, "\n%s %s, before %s, now %s; p ", diff_difference(diff, new - base).text, diff_unit(diff, new - base),
                 diff_number(diff, base).text, diff_number(diff, new).text);
    export_name(out, slice_of(diff_chance(node->chance).text), NAME_XML);
    export_print(out, "%s</title>", node->significant ? "" : ", may be chance");
    export_print(out, "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"%s/>", left, top,
                 fmax(width - 0.5, 0.3), ROW - 1, fill_of(node), base == 0 ? " stroke=\"#a00\"" : "");
    if (new == 0)
        export_print(out, "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"url(#gone)\"/>", left, top,
                     fmax(width - 0.5, 0.3), ROW - 1);
    if (width >= 12) {
        export_print(out, "<svg x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\"><text x=\"3\" y=\"11\">", left, top,
                     width - 3, ROW - 1);
        export_name(out, name, NAME_XML);
        export_print(out, "</text></svg>");
    }
    export_print(out, "</g>\n");
}

static void put_head(struct picture *picture, uint32_t levels, bool inverted)
{
    const struct diff *diff = picture->diff;
    const struct measure *of = diff->comparison.whole.of;
    struct export_out *out = &picture->out;
    unsigned height = HEAD + levels * ROW + 8;
    export_print(out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" "
                 "font-family=\"sans-serif\" font-size=\"10\">\n",
                 WIDTH, height, WIDTH, height);
    export_print(out, "<defs><pattern id=\"gone\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
                      "patternTransform=\"rotate(45)\"><rect width=\"2\" height=\"6\" fill=\"#fff\" opacity=\"0.7\"/></pattern>"
                      "</defs>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    export_print(out, "<text x=\"4\" y=\"20\" font-size=\"14\">%s → %s %s%s</text>\n",
                 diff_number(diff, of[SIDE_BASE].value).text, diff_number(diff, of[SIDE_NEW].value).text,
                 diff_unit(diff, of[SIDE_NEW].value), inverted ? ", inverted" : "");
    export_print(out, "<text x=\"4\" y=\"38\">");
    export_name(out, slice_of(load_name(diff->options->common.file)), NAME_XML);
    export_print(out, " → ");
    export_name(out, slice_of(load_name(diff->options->common.operand)), NAME_XML);
    export_print(out, "; red: more, blue: less, grey: may be chance, outlined: new, hatched: gone</text>\n");
}

static int put_svg(struct picture *picture)
{
    bool inverted = picture->diff->options->common.invert;
    size_t count = picture->tree->nodes.count;
    struct comparison_boxes boxes;
    int status = comparison_boxes_lay_out(&picture->diff->comparison, picture->tree, inverted, &boxes, picture->out.error);
    uint32_t levels = status == 0 ? comparison_boxes_levels(&boxes, picture->tree, LEAST / WIDTH) : 0;
    if (status == 0)
        put_head(picture, levels, inverted);
    for (size_t i = 0; i < count && status == 0; i++) {
        uint32_t node = boxes.by_parent[i];
        if (boxes.width[node] * WIDTH >= LEAST)
            put_box(picture, &boxes, levels, node, inverted);
        status = export_flush(&picture->out);
    }
    export_print(&picture->out, "</svg>\n");
    comparison_boxes_free(&boxes);
    return status;
}

/* ---- the file ---- */

/* The name without .gz or .zst. */
static struct slice plain_name(const char *output)
{
    struct slice name = slice_of(output);
    if (slice_ends_with(name, SLICE(".gz")))
        name.length -= 3;
    else if (slice_ends_with(name, SLICE(".zst")))
        name.length -= 4;
    return name;
}

static bool is_svg(const char *output)
{
    return slice_ends_with(plain_name(output), SLICE(".svg"));
}

int diff_output_check(const struct command *command, const char *output)
{
    struct slice name = plain_name(output);
    bool folded = strcmp(output, "-") == 0 || slice_ends_with(name, SLICE(".folded")) ||
                  slice_ends_with(name, SLICE(".collapsed")) || slice_ends_with(name, SLICE(".txt"));
    if (folded || is_svg(output))
        return EXIT_OK;
    return usage_error(command, "the name '%s' does not tell the format: .svg or .folded is wanted", output);
}

static int write_picture(const void *data, struct byte_sink *sink, struct error *error)
{
    struct picture picture = *(const struct picture *)data;
    picture.out = (struct export_out){.sink = sink, .error = error};
    int status = is_svg(picture.diff->options->output) ? put_svg(&picture) : put_folded(&picture);
    int written = export_end(&picture.out);
    return status != 0 ? status : written;
}

int diff_output_write(struct diff *diff)
{
    const struct common_options *options = &diff->options->common;
    bool svg = is_svg(diff->options->output);
    struct comparison_tree_cut cut = {
        .inverted = options->invert && svg, /* folded stacks have a direction of their own */
        .depth = options->depth.given ? options->depth.value : SIZE_MAX,
        .min = diff_least(diff),
    };
    /* Boxes that nobody sees. */
    if (svg && !options->min.given)
        cut.min = 1e-4 * fmax(diff->comparison.whole.of[SIDE_BASE].value, diff->comparison.whole.of[SIDE_NEW].value);
    struct comparison_tree tree;
    struct selection *first = &diff->runs[0].selection;
    int status = EXIT_OK;
    if (comparison_tree_build(&diff->comparison, diff->compared, &cut, &tree, &first->error) != 0)
        status = selection_report(first);
    else
        status = output_file_write(diff->options->output, write_picture, &(struct picture){.diff = diff, .tree = &tree});
    comparison_tree_free(&tree);
    return status;
}
