/* compare: this profile beside another one, as `sonde diff` compares them: functions, or both call trees as one. */
#include "api/ask.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { TEXT_MOST = 1000 }; /* bytes */

enum { IS_SIGNIFICANT = 1, LEADS_TO_CHANGE = 2, SELF_CHANGED = 4, TOTAL_CHANGED = 8 };

/* A function is told once, however many rows are of it. */
struct told {
    uint32_t *place_of; /* by key; INDEX_NONE = not told */
    uint32_t *keys;
    size_t count;
};

struct compare_columns {
    uint32_t *place, *depth;
    uint8_t *flags;
    double *base_self, *new_self, *base_total, *new_total, *p;
    double *self_error, *total_error, *left, *width;
};

/* ---- functions ---- */

static bool told_begin(struct asking *asking, const struct comparison *comparison, struct told *told)
{
    size_t count = comparison->keys.rows.count;
    told->place_of = asking_array(asking, count, sizeof *told->place_of);
    told->keys = asking_array(asking, count, sizeof *told->keys);
    for (size_t i = 0; i < count && told->place_of; i++)
        told->place_of[i] = INDEX_NONE;
    return told->place_of && told->keys;
}

static uint32_t told_place(struct told *told, uint32_t key)
{
    if (told->place_of[key] == INDEX_NONE) {
        told->place_of[key] = (uint32_t)told->count;
        told->keys[told->count++] = key;
    }
    return told->place_of[key];
}

static void put_texts(struct asking *asking, const char *name, const struct told *told,
                      struct slice (*text_of)(const struct func_keys *keys, uint32_t key))
{
    json_write_key(asking->reply->json, name);
    json_write_begin_array(asking->reply->json);
    for (size_t i = 0; i < told->count; i++) {
        struct slice text = text_of(&asking->comparison->comparison.keys, told->keys[i]);
        json_write_string(asking->reply->json, slice_until(text, text.length < TEXT_MOST ? text.length : TEXT_MOST));
    }
    json_write_end_array(asking->reply->json);
}

/* What the functions are in this profile, by which it is asked for more of them; null where they are gone. */
static int put_funcs(struct asking *asking, const struct told *told)
{
    const struct kept_comparison *kept = asking->comparison;
    const uint32_t *keys_of = kept->comparison.keys_of[SIDE_NEW];
    uint32_t *funcs = asking_array(asking, told->count, sizeof *funcs);
    if (!funcs)
        return -ENOMEM;
    for (size_t i = 0; i < told->count; i++)
        funcs[i] = INDEX_NONE;
    for (uint32_t func = kept->answers[SIDE_NEW].view.funcs->count; func-- > 0;)
        if (keys_of[func] != INDEX_NONE && told->place_of[keys_of[func]] != INDEX_NONE)
            funcs[told->place_of[keys_of[func]]] = func;
    json_write_key(asking->reply->json, "funcs");
    json_write_begin_array(asking->reply->json);
    for (size_t i = 0; i < told->count; i++)
        if (funcs[i] == INDEX_NONE)
            json_write_null(asking->reply->json);
        else
            json_write_integer(asking->reply->json, funcs[i]);
    json_write_end_array(asking->reply->json);
    return 0;
}

static int put_told(struct asking *asking, const struct told *told)
{
    put_texts(asking, "names", told, func_key_name);
    put_texts(asking, "libraries", told, func_key_lib);
    put_texts(asking, "files", told, func_key_file);
    return put_funcs(asking, told);
}

/* ---- the head ---- */

static void put_side(struct asking *asking, const char *key, enum comparison_side side)
{
    const struct kept_comparison *kept = asking->comparison;
    struct json_writer *w = asking->reply->json;
    const struct profile *profile = side == SIDE_BASE ? asking->base->profile : asking->profile;
    json_write_key(w, key);
    json_write_begin_object(w);
    json_write_key(w, "threads");
    json_write_begin_array(w);
    for (size_t i = 0; i < kept->threads[side].count; i++)
        json_write_integer(w, kept->threads[side].items[i].i);
    json_write_end_array(w);
    json_write_key(w, "names");
    json_write_begin_array(w);
    for (size_t i = 0; i < kept->threads[side].count; i++)
        json_write_string(w, profile_text(profile, profile->threads.items[kept->threads[side].items[i].i].name));
    json_write_end_array(w);
    reply_put_number(asking->reply, "total", kept->comparison.whole.of[side].value);
    json_write_end_object(w);
}

static void put_head(struct asking *asking, const struct ask *ask)
{
    static const char *const verdicts[] = {"same", "slower", "faster"};
    const struct kept_comparison *kept = asking->comparison;
    const struct comparison *comparison = &kept->comparison;
    const struct compared_sum *whole = &comparison->whole;
    struct reply *reply = asking->reply;
    reply_put_text(reply, "of", ask->of == ROWS_OF_TREE ? "tree" : "functions");
    reply_put_text(reply, "per", ask->shares ? "share" : "run");
    reply_put_text(reply, "weight_type", weight_type_name(kept->type));
    put_side(asking, "base", SIDE_BASE);
    put_side(asking, "new", SIDE_NEW);
    reply_put_number(reply, "error", change_error(&whole->of[SIDE_BASE], &whole->of[SIDE_NEW]));
    reply_put_number(reply, "p", whole->chance);
    reply_put_text(reply, "verdict", verdicts[comparison->verdict]);
    reply_put_number(reply, "noise", comparison->terms.noise);
    reply_put_number(reply, "level", comparison->terms.level);
    reply_put_count(reply, "functions", comparison->funcs.count);
    reply_put_count(reply, "significant", comparison->significant);
}

/* ---- columns ---- */

static bool make_columns(struct asking *asking, struct compare_columns *columns, size_t count)
{
    double **const numbers[] = {&columns->base_self,   &columns->new_self, &columns->base_total,
                                &columns->new_total,   &columns->p,        &columns->self_error,
                                &columns->total_error, &columns->left,     &columns->width};
    bool fits = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fits &= (*numbers[i] = asking_array(asking, count, sizeof(double))) != NULL;
    columns->place = asking_array(asking, count, sizeof *columns->place);
    columns->depth = asking_array(asking, count, sizeof *columns->depth);
    columns->flags = asking_array(asking, count, 1);
    return fits && columns->place && columns->depth && columns->flags;
}

static void put_sums(struct reply *reply, const struct compare_columns *columns, size_t count)
{
    reply_column(reply, "place", REPLY_U32, columns->place, count);
    reply_column(reply, "flags", REPLY_U8, columns->flags, count);
    reply_column(reply, "base_self", REPLY_F64, columns->base_self, count);
    reply_column(reply, "new_self", REPLY_F64, columns->new_self, count);
    reply_column(reply, "base_total", REPLY_F64, columns->base_total, count);
    reply_column(reply, "new_total", REPLY_F64, columns->new_total, count);
    reply_column(reply, "p", REPLY_F64, columns->p, count);
}

/* ---- the list of functions ---- */

static double magnitude(const struct compared_func *func)
{
    return fmax(fabs(compared_delta(&func->self)), fabs(compared_delta(&func->total)));
}

/* Those first that changed most. */
static int compare_changes(const void *left, const void *right)
{
    const struct compared_func *a = *(const struct compared_func *const *)left,
                               *b = *(const struct compared_func *const *)right;
    double x = magnitude(a), y = magnitude(b);
    return x != y ? (x < y) - (x > y) : (a->key > b->key) - (a->key < b->key);
}

static uint8_t flags_of_func(const struct compared_func *func, double level)
{
    if (!func->significant)
        return 0;
    return (uint8_t)(IS_SIGNIFICANT | (func->self.chance <= level ? SELF_CHANGED : 0) |
                     (func->total.chance <= level ? TOTAL_CHANGED : 0));
}

static int put_functions(struct asking *asking, const struct ask *ask)
{
    const struct comparison *comparison = &asking->comparison->comparison;
    size_t all = comparison->funcs.count, count = all < ask->after ? all : ask->after;
    const struct compared_func **funcs = asking_array(asking, all, sizeof *funcs);
    struct compare_columns columns;
    struct told told = {0};
    if (!funcs || !make_columns(asking, &columns, count) || !told_begin(asking, comparison, &told))
        return -ENOMEM;
    for (size_t i = 0; i < all; i++)
        funcs[i] = &comparison->funcs.items[i];
    if (all > 1)
        qsort(funcs, all, sizeof *funcs, compare_changes);
    for (size_t i = 0; i < count; i++) {
        const struct measure *self = funcs[i]->self.of, *total = funcs[i]->total.of;
        columns.place[i] = told_place(&told, funcs[i]->key);
        columns.flags[i] = flags_of_func(funcs[i], comparison->terms.level);
        columns.base_self[i] = self[SIDE_BASE].value;
        columns.new_self[i] = self[SIDE_NEW].value;
        columns.base_total[i] = total[SIDE_BASE].value;
        columns.new_total[i] = total[SIDE_NEW].value;
        columns.self_error[i] = change_error(&self[SIDE_BASE], &self[SIDE_NEW]);
        columns.total_error[i] = change_error(&total[SIDE_BASE], &total[SIDE_NEW]);
        columns.p[i] = funcs[i]->chance;
    }
    reply_put_count(asking->reply, "count", all);
    if (put_told(asking, &told) != 0)
        return -ENOMEM;
    reply_begin_columns(asking->reply);
    put_sums(asking->reply, &columns, count);
    reply_column(asking->reply, "self_error", REPLY_F64, columns.self_error, count);
    reply_column(asking->reply, "total_error", REPLY_F64, columns.total_error, count);
    reply_end_columns(asking->reply);
    return 0;
}

/* ---- the tree ---- */

static int compare_sizes(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

/* So large a node must be to be among the `most` largest: no other one is as large as the first that is left out. */
static int find_least(struct asking *asking, const struct comparison_tree *tree, size_t most, double *least)
{
    size_t count = tree->order.count;
    *least = 0;
    if (count <= most)
        return 0;
    double *sizes = asking_array(asking, count, sizeof *sizes);
    if (!sizes)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        sizes[i] = compared_node_size(&tree->nodes.items[tree->order.items[i]]);
    qsort(sizes, count, sizeof *sizes, compare_sizes);
    *least = nextafter(sizes[most], INFINITY);
    return 0;
}

/* The rows to be shown, in their order: none without its caller. Returns how many. */
static size_t choose_nodes(const struct comparison_tree *tree, double least, uint32_t *chosen)
{
    size_t count = 0;
    uint32_t left_out = INDEX_NONE; /* depth of the last node that is not shown, while rows below it come */
    for (size_t i = 0; i < tree->order.count; i++) {
        const struct compared_node *node = &tree->nodes.items[tree->order.items[i]];
        if (left_out != INDEX_NONE && node->depth > left_out)
            continue;
        bool shown = compared_node_size(node) >= least;
        left_out = shown ? INDEX_NONE : node->depth;
        if (shown)
            chosen[count++] = tree->order.items[i];
    }
    return count;
}

static void fill_node(const struct compare_columns *columns, size_t i, const struct compared_node *node, uint32_t place)
{
    columns->place[i] = place;
    columns->depth[i] = node->depth;
    columns->flags[i] =
        (uint8_t)((node->significant ? IS_SIGNIFICANT | TOTAL_CHANGED : 0) | (node->leads_to_change ? LEADS_TO_CHANGE : 0));
    columns->base_self[i] = node->self[SIDE_BASE];
    columns->new_self[i] = node->self[SIDE_NEW];
    columns->base_total[i] = node->total[SIDE_BASE];
    columns->new_total[i] = node->total[SIDE_NEW];
    columns->p[i] = node->chance;
}

static int put_tree(struct asking *asking, const struct ask *ask)
{
    struct error error = {0};
    const struct comparison_tree *tree;
    const struct comparison_boxes *boxes;
    struct told told = {0};
    struct compare_columns columns;
    double least;
    if (kept_comparison_tree(asking->comparison, asking->state.inverted, &tree, &boxes, &error) != 0)
        return asking_failed(asking, &error);
    uint32_t *chosen = asking_array(asking, tree->order.count, sizeof *chosen);
    if (!chosen || find_least(asking, tree, ask->after, &least) != 0)
        return -ENOMEM;
    size_t count = choose_nodes(tree, least, chosen);
    if (!make_columns(asking, &columns, count) || !told_begin(asking, &asking->comparison->comparison, &told))
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct compared_node *node = &tree->nodes.items[chosen[i]];
        fill_node(&columns, i, node, told_place(&told, node->key));
        columns.left[i] = boxes->left[chosen[i]];
        columns.width[i] = boxes->width[chosen[i]];
    }
    reply_put_boolean(asking->reply, "inverted", asking->state.inverted);
    reply_put_count(asking->reply, "count", tree->order.count);
    reply_put_number(asking->reply, "whole", boxes->whole);
    if (put_told(asking, &told) != 0)
        return -ENOMEM;
    reply_begin_columns(asking->reply);
    put_sums(asking->reply, &columns, count);
    reply_column(asking->reply, "depth", REPLY_U32, columns.depth, count);
    reply_column(asking->reply, "left", REPLY_F64, columns.left, count);
    reply_column(asking->reply, "width", REPLY_F64, columns.width, count);
    reply_end_columns(asking->reply);
    return 0;
}

int ask_compare(struct asking *asking, const struct ask *ask)
{
    struct error error = {0};
    if (!asking->base)
        return asking_refuse(asking, NULL, "there is no other profile to compare with");
    if (kept_comparison_make(asking->comparison, asking->base, asking->whole, asking->first, &asking->state, ask->shares,
                             &error) != 0)
        return asking_failed(asking, &error);
    put_head(asking, ask);
    return ask->of == ROWS_OF_TREE ? put_tree(asking, ask) : put_functions(asking, ask);
}
