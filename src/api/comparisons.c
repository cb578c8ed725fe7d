#include "api/comparisons.h"

#include "tree/comparison_unit.h"

void kept_comparison_free(struct kept_comparison *kept)
{
    for (int inverted = 0; inverted < 2; inverted++) {
        comparison_boxes_free(&kept->boxes[inverted]);
        comparison_tree_free(&kept->trees[inverted]);
    }
    comparison_free(&kept->comparison);
    for (int side = 0; side < SIDES; side++) {
        answer_free(&kept->answers[side]);
        vec_free(&kept->threads[side]);
    }
    text_free(&kept->key);
    *kept = (struct kept_comparison){0};
}

/* One recording's answer, of all of its time. */
static int ask_side(struct kept_comparison *kept, enum comparison_side side, const struct view *whole,
                    const struct query *asked, struct error *error)
{
    struct query query = *asked;
    query.range = query.preview = (struct time_range){NAN, NAN};
    query.with_variance = true;
    query.inverted = false;
    for (size_t i = 0; i < query.thread_count; i++)
        if (!vec_push(&kept->threads[side], query.threads[i]))
            return error_out_of_memory(error);
    query.threads = kept->threads[side].items;
    return query_run(whole, &query, &kept->answers[side], error);
}

static int compare(struct kept_comparison *kept, const struct view *const wholes[SIDES], const struct query *query, bool shares,
                   struct error *error)
{
    struct measured_run measured[SIDES];
    size_t wrong;
    for (int side = 0; side < SIDES; side++)
        measured[side] = (struct measured_run){
            .answer = &kept->answers[side],
            .strategy = query->strategy,
            .interval = wholes[side]->profile->meta.interval,
        };
    int status = comparison_find_unit(measured, SIDES, &kept->type, &wrong, error);
    for (int side = 0; side < SIDES && status == 0; side++) {
        double all = kept->answers[side].tree.root_total, scale = measured[side].unit;
        if (shares)
            scale = all > 0 ? 100 / all : 0;
        kept->runs[side] =
            (struct compared_run){.answer = &kept->answers[side], .side = (enum comparison_side)side, .scale = scale};
    }
    struct comparison_terms terms = {
        .shares = shares,
        .sums_are_exact = comparison_is_of_all(query),
        .noise = COMPARISON_USUAL_NOISE,
        .level = COMPARISON_USUAL_LEVEL,
    };
    return status == 0 ? comparison_build(kept->runs, SIDES, &terms, &kept->comparison, error) : status;
}

static bool is_kept(const struct kept_comparison *kept, const struct text_buffer *key)
{
    return kept->key.bytes.count > 0 && slice_equal(text_slice(&kept->key), text_slice(key));
}

static int make(struct kept_comparison *kept, struct base_profile *base, const struct view *whole,
                const struct first_view *first, const struct state *state, bool shares, struct error *error)
{
    const struct view *const wholes[SIDES] = {[SIDE_BASE] = &base->whole, [SIDE_NEW] = whole};
    struct state asked;
    int status = base_profile_query(base, whole, first, state, &asked, error);
    if (status == 0)
        status = ask_side(kept, SIDE_BASE, &base->whole, &asked.query, error);
    state_free(&asked);
    if (status == 0)
        status = ask_side(kept, SIDE_NEW, whole, &state->query, error);
    return status == 0 ? compare(kept, wholes, &state->query, shares, error) : status;
}

int kept_comparison_make(struct kept_comparison *kept, struct base_profile *base, const struct view *whole,
                         const struct first_view *first, const struct state *state, bool shares, struct error *error)
{
    struct text_buffer key = {0};
    state_add_key(&state->query, whole, false, &key);
    text_add_char(&key, shares ? 's' : 'r');
    if (key.failed) {
        text_free(&key);
        return error_out_of_memory(error);
    }
    if (is_kept(kept, &key)) {
        text_free(&key);
        return 0;
    }
    kept_comparison_free(kept);
    int status = make(kept, base, whole, first, state, shares, error);
    if (status == 0) {
        kept->key = key;
        return 0;
    }
    text_free(&key);
    kept_comparison_free(kept);
    return status;
}

int kept_comparison_tree(struct kept_comparison *kept, bool inverted, const struct comparison_tree **tree,
                         const struct comparison_boxes **boxes, struct error *error)
{
    /* Bottom-up each level has all that ends above it: what nobody sees is left out. */
    const struct measure *of = kept->comparison.whole.of;
    double least = inverted ? 1e-4 * fmax(of[SIDE_BASE].value, of[SIDE_NEW].value) : 0;
    struct comparison_tree_cut cut = {.inverted = inverted, .depth = SIZE_MAX, .min = least};
    int status = 0;
    if (!kept->tree_made[inverted]) {
        status = comparison_tree_build(&kept->comparison, kept->runs, &cut, &kept->trees[inverted], error);
        if (status == 0)
            status =
                comparison_boxes_lay_out(&kept->comparison, &kept->trees[inverted], inverted, &kept->boxes[inverted], error);
        kept->tree_made[inverted] = status == 0;
        if (status != 0) {
            comparison_boxes_free(&kept->boxes[inverted]);
            comparison_tree_free(&kept->trees[inverted]);
        }
    }
    *tree = &kept->trees[inverted];
    *boxes = &kept->boxes[inverted];
    return status;
}
