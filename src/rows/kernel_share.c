/* How much CPU time was used in the kernel, and how much of that in system calls and page faults ("calls" below).
 *
 * The kernel's ticks see both kinds of time. Two counts are made of them:
 *
 *     all ticks of a thread   ├── its own code ──┤── interrupts, … ──┤── system calls, page faults ──┤
 *     the kernel's (stime)                       ├────────────────── kernel ─────────────────────────┤
 *     the handler's                                                  ├───────── in a call ───────────┤
 *
 * A tick in a page fault that is not known as such (unwind/call.h) reaches the handler like one in the thread's own code: only
 * the kernel's count tells them apart. Where that was not looked up, calls are taken for all of the kernel's time.
 *
 * What events do not see is taken for kernel time (cpu_share.c). But events get lost: where the machine is a virtual one and is
 * not given a CPU, its clocks go on, and one event comes instead of two. So the ticks tell the most that can have been kernel
 * time; what is left of the CPU time beyond that belongs to the samples of the thread's own code. */
#include "rows/shares.h"

/* Without the library of mathematics. */
static double square_root(double number)
{
    double root = number > 1 ? number : 1;
    for (int i = 0; i < 64; i++)
        root = (root + number / root) / 2;
    return root;
}

void kernel_share_of(const struct observed *observed, struct kernel_share *share)
{
    double in_calls = 0, all = 0;
    for (size_t i = 0; i < observed->samples.count; i++) {
        const struct observed_sample *sample = &observed->samples.items[i];
        in_calls += observed_is_in_kernel(sample) ? sample->ticks : 0;
        all += (double)sample->ticks + (double)sample->skipped;
    }
    double in_kernel = in_calls;
    if (observed->kernel_of_ns > 0)
        in_kernel = (double)observed->kernel_ns / (double)observed->kernel_of_ns * all;
    if (in_kernel < in_calls)
        in_kernel = in_calls;
    double most = in_kernel > 0 ? in_kernel + 2 * square_root(in_kernel) : 0; /* two standard deviations */
    *share = (struct kernel_share){
        .most = all > most ? most / all : 1,
        .outside_calls = all > 0 ? (in_kernel - in_calls) / all : 0,
        .in_calls = in_kernel > 0 ? in_calls / in_kernel : 1,
    };
}

static bool is_kernel_row(const struct observed *observed, const struct thread_row *row)
{
    return row->kind == ROW_KERNEL || (row->kind == ROW_CPU && observed_is_in_kernel(&observed->samples.items[row->sample]));
}

void kernel_share_limit(const struct kernel_share *share, const struct observed *observed, struct thread_rows *rows)
{
    uint64_t kernel = 0, user = 0;
    for (size_t i = 0; i < rows->rows.count; i++) {
        const struct thread_row *row = &rows->rows.items[i];
        if (row->kind == ROW_CPU || row->kind == ROW_KERNEL)
            *(is_kernel_row(observed, row) ? &kernel : &user) += row->weight_ns;
    }
    uint64_t most = (uint64_t)((double)(kernel + user) * share->most);
    if (kernel <= most || user == 0)
        return;
    uint64_t given = 0;
    struct thread_row *last = NULL;
    for (size_t i = 0; i < rows->rows.count; i++) {
        struct thread_row *row = &rows->rows.items[i];
        if (row->kind != ROW_CPU && row->kind != ROW_KERNEL)
            continue;
        if (is_kernel_row(observed, row)) {
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
