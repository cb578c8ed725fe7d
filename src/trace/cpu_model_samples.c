/* The samples of a CPU profile: in the order of time, and with what the sampler missed put right. */
#include "trace/cpu_model.h"

#include <errno.h>
#include <math.h>

/* What JavaScript takes for true. */
static bool is_time(double t)
{
    return t != 0 && !isnan(t);
}

/* --- times --- */

/* Merges the sorted halves of from[0..count) into `to`; of equal times the one on the left comes first. */
static void merge_halves(uint32_t *to, const uint32_t *from, size_t half, size_t count, const double *times)
{
    if (half >= count || !(times[from[half]] < times[from[half - 1]])) {
        memcpy(to, from, count * sizeof *to);
        return;
    }
    size_t left = 0, right = half;
    for (size_t i = 0; i < count; i++) {
        bool take_right = left == half || (right < count && times[from[right]] < times[from[left]]);
        to[i] = take_right ? from[right++] : from[left++];
    }
}

/* The places 0..count in the order of their times; equal ones stay as they were. NULL when the heap is empty. */
static uint32_t *order_of_times(const double *times, size_t count)
{
    uint32_t *order = memory_array(count, sizeof *order);
    uint32_t *spare = memory_array(count, sizeof *spare);
    if (!order || !spare) {
        memory_release(order);
        memory_release(spare);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t half = 1; half < count; half *= 2) {
        for (size_t i = 0; i < count; i += 2 * half)
            merge_halves(spare + i, order + i, half, count - i < 2 * half ? count - i : 2 * half, times);
        uint32_t *merged = spare;
        spare = order;
        order = merged;
    }
    memory_release(spare);
    return order;
}

static bool is_sorted(const double *times, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (times[i] < times[i - 1])
            return false;
    return true;
}

/* Sorts the times, if they are not, and gives each the sample that belongs to it, if there is one. */
static int sort_samples(struct cpu_model *model, struct error *error)
{
    const struct trace_profile *profile = model->profile;
    double *times = model->times.items;
    size_t count = model->times.count;
    uint32_t *order = NULL;
    double *sorted = NULL;
    int result = 0;
    if (!is_sorted(times, count)) {
        order = order_of_times(times, count);
        sorted = memory_array(count, sizeof *sorted);
        if (!order || !sorted) {
            result = error_out_of_memory(error);
            goto out;
        }
        for (size_t i = 0; i < count; i++)
            sorted[i] = times[order[i]];
        memcpy(times, sorted, count * sizeof *times);
    }
    for (size_t i = 0; i < count; i++) {
        size_t place = order ? order[i] : i;
        model->samples.items[i] =
            place < profile->samples.count ? cpu_model_find(model, profile->samples.items[place]) : INDEX_NONE;
    }
    model->samples.count = count;
out:
    memory_release(order);
    memory_release(sorted);
    return result;
}

/* --- repair --- */

static bool is_special(const struct cpu_model *model, uint32_t row)
{
    return row == model->program || row == model->garbage || row == model->idle;
}

/* Where the sampler cannot read the stack of a script it says (program). A single such sample between two of the same top-level
 * function is taken for what was before it.
 *
 * Before an unknown sample the engine leaves the loop's turn without moving on: `previous` and `current` then lag behind the
 * place that is looked at, for the rest of the profile. That is not sensible, but it is what the results show. */
static int repair_samples(struct cpu_model *model, struct error *error)
{
    uint32_t *samples = model->samples.items;
    if (model->program == INDEX_NONE || model->samples.count < 3)
        return 0;
    uint32_t *top_levels = memory_array(model->nodes.count, sizeof *top_levels);
    if (!top_levels)
        return error_out_of_memory(error);
    for (uint32_t row = 0; row < model->nodes.count; row++)
        top_levels[row] = model->nodes.items[row].depth <= 0 ? row : top_levels[model->nodes.items[row].parent];

    uint32_t previous = samples[0], current = samples[1];
    for (size_t i = 1; i + 1 < model->samples.count; i++) {
        uint32_t next = samples[i + 1];
        if (previous == INDEX_NONE || next == INDEX_NONE)
            continue;
        if (current == model->program && !is_special(model, previous) && !is_special(model, next) &&
            top_levels[previous] == top_levels[next])
            samples[i] = previous;
        previous = current;
        current = next;
    }
    memory_release(top_levels);
    return 0;
}

int cpu_model_build_samples(struct cpu_model *model, struct error *error)
{
    const struct trace_profile *profile = model->profile;
    size_t count = profile->has_deltas ? profile->deltas.count : 0;
    if (profile->samples.count == 0 || count == 0)
        return 0;
    if (count >= INDEX_NONE)
        return error_set(error, -E2BIG, "the CPU profile has more than 4 billion samples");
    if (!vec_reserve(&model->times, count + 1) || !vec_reserve(&model->samples, count))
        return error_out_of_memory(error);

    double *times = model->times.items;
    double time = profile->start;
    for (size_t i = 0; i < count; i++)
        times[i] = time += profile->deltas.items[i];
    model->times.count = count;
    int result = sort_samples(model, error);
    if (result != 0)
        return result;

    /* Nobody knows when the last sample ended: it is given the mean distance. Where there is only one, that is NaN. */
    for (size_t i = 0; i < count; i++)
        times[i] /= 1000;
    times[count] = times[count - 1] + (times[count - 1] - times[0]) / (double)(count - 1);
    model->times.count = count + 1;
    if (is_time(times[0]))
        model->start = times[0];
    if (is_time(times[count]))
        model->end = times[count];
    return repair_samples(model, error);
}
