/* How much CPU time can have been used in the kernel.
 *
 * What events do not see is taken for kernel time. But events get lost: where the machine is a virtual one and is not given a
 * CPU, its clocks go on, and one event comes instead of two. Ticks see both kinds of time, so their counts tell, roughly, how
 * much of it was the kernel's; what is left of the CPU time beyond the most that they allow belongs to the samples of user
 * code. */
#include "rows/shares.h"

/* Without the library of mathematics. */
static double square_root(double number)
{
    double root = number > 1 ? number : 1;
    for (int i = 0; i < 64; i++)
        root = (root + number / root) / 2;
    return root;
}

static bool is_in_kernel(const struct observed *observed, const struct thread_row *row)
{
    if (row->kind != ROW_CPU)
        return row->kind == ROW_KERNEL;
    const struct observed_sample *sample = &observed->samples.items[row->sample];
    return !sample->by_event && sample->in_call;
}

/* The largest share of the kernel's that is likely, by the ticks in the kernel and in all; 1 where they say nothing. */
static double most_likely_share(const struct observed *observed)
{
    double in_kernel = 0, all = 0;
    for (size_t i = 0; i < observed->samples.count; i++) {
        const struct observed_sample *sample = &observed->samples.items[i];
        in_kernel += !sample->by_event && sample->in_call;
        all += !sample->by_event + (double)sample->skipped;
    }
    double most = in_kernel > 0 ? in_kernel + 2 * square_root(in_kernel) : 0;
    return all > most ? most / all : 1;
}

void kernel_limit_apply(const struct observed *observed, struct thread_rows *rows)
{
    uint64_t kernel = 0, user = 0;
    for (size_t i = 0; i < rows->rows.count; i++) {
        const struct thread_row *row = &rows->rows.items[i];
        if (row->kind == ROW_CPU || row->kind == ROW_KERNEL)
            *(is_in_kernel(observed, row) ? &kernel : &user) += row->weight_ns;
    }
    uint64_t most = (uint64_t)((double)(kernel + user) * most_likely_share(observed));
    if (kernel <= most || user == 0)
        return;
    uint64_t given = 0;
    struct thread_row *last = NULL;
    for (size_t i = 0; i < rows->rows.count; i++) {
        struct thread_row *row = &rows->rows.items[i];
        if (row->kind != ROW_CPU && row->kind != ROW_KERNEL)
            continue;
        if (is_in_kernel(observed, row)) {
            row->weight_ns = proportion(most, row->weight_ns, kernel);
        } else {
            row->weight_ns += proportion(kernel - most, row->weight_ns, user);
            last = row;
        }
        given += row->weight_ns;
    }
    /* What was lost by rounding. */
    last->weight_ns += kernel + user - given;
    rows->sums.kernel_ns = proportion(most, rows->sums.kernel_ns, kernel);
}
