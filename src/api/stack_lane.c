#include "api/stack_lane.h"

/* The first pixel that no box covers yet. */
static uint32_t free_pixel(const struct stack_lane *lane)
{
    return lane->boxes.count > 0 ? lane->boxes.items[lane->boxes.count - 1].right : 0;
}

static uint32_t heaviest_category(const struct stack_lane *lane)
{
    const struct category_width *heaviest = &lane->in_pixel.items[0];
    for (size_t i = 1; i < lane->in_pixel.count; i++)
        if (lane->in_pixel.items[i].width > heaviest->width)
            heaviest = &lane->in_pixel.items[i];
    return heaviest->category;
}

static void join(struct stack_box *box, uint32_t node, double length, double end, bool highlighted)
{
    box->end = end;
    box->highlighted |= highlighted;
    box->merged = true;
    if (length > box->longest) {
        box->node = node;
        box->longest = length;
    }
}

/* The narrow calls of one pixel become a box, or the end of the one before. */
static bool end_pixel(struct stack_lane *lane)
{
    if (!lane->has_pixel)
        return true;
    lane->has_pixel = false;
    struct stack_box *box = &lane->pixel;
    box->category = heaviest_category(lane);
    struct stack_box *before = lane->boxes.count > 0 ? &lane->boxes.items[lane->boxes.count - 1] : NULL;
    if (!before || !before->narrow || before->right != box->left || before->category != box->category)
        return vec_push(&lane->boxes, *box);
    before->right = box->right;
    join(before, box->node, box->longest, box->end, box->highlighted);
    return true;
}

static bool weigh_category(struct stack_lane *lane, uint32_t category, double width)
{
    for (size_t i = 0; i < lane->in_pixel.count; i++)
        if (lane->in_pixel.items[i].category == category) {
            lane->in_pixel.items[i].width += width;
            return true;
        }
    return vec_push(&lane->in_pixel, ((struct category_width){category, width}));
}

static struct stack_box box_of(const struct stack_call *call, uint32_t left, uint32_t right, bool narrow)
{
    return (struct stack_box){
        .node = call->node,
        .category = call->category,
        .left = left,
        .right = right,
        .start = call->start,
        .end = call->end,
        .longest = call->right - call->left,
        .narrow = narrow,
        .highlighted = call->highlighted,
    };
}

/* Most calls of a long recording come here: a pixel has hundreds. */
static bool add_narrow(struct stack_lane *lane, const struct stack_call *call, uint32_t width)
{
    double length = call->right - call->left;
    uint32_t pixel = (uint32_t)((call->left + call->right) / 2);
    if (lane->has_pixel && pixel <= lane->pixel.left) {
        join(&lane->pixel, call->node, length, call->end, call->highlighted);
        return weigh_category(lane, call->category, length);
    }
    if (!end_pixel(lane))
        return false;
    pixel = pixel < width ? pixel : width - 1;
    /* What is under the edge of a wide box cannot be seen. */
    if (pixel < free_pixel(lane))
        return true;
    lane->has_pixel = true;
    lane->pixel = box_of(call, pixel, pixel + 1, true);
    lane->in_pixel.count = 0;
    return weigh_category(lane, call->category, length);
}

static bool add_wide(struct stack_lane *lane, const struct stack_call *call, uint32_t width)
{
    uint32_t left = (uint32_t)(call->left + 0.5), right = (uint32_t)(call->right + 0.5);
    uint32_t first = lane->has_pixel ? lane->pixel.right : free_pixel(lane);
    left = left > first ? left : first;
    if (right <= left)
        return add_narrow(lane, call, width);
    struct stack_box box = box_of(call, left, right, false);
    return end_pixel(lane) && vec_push(&lane->boxes, box);
}

bool stack_lane_add(struct stack_lane *lane, const struct stack_call *call, uint32_t width)
{
    return call->right - call->left >= 1 ? add_wide(lane, call, width) : add_narrow(lane, call, width);
}

bool stack_lane_finish(struct stack_lane *lane)
{
    return end_pixel(lane);
}

void stack_lane_free(struct stack_lane *lane)
{
    vec_free(&lane->boxes);
    vec_free(&lane->in_pixel);
}
