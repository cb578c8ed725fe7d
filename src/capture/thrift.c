#include "capture/thrift.h"

enum {
    COST_SHARE = 100, /* of the work, 1 in so many */
    LONGEST_STRIDE = 32,
    DELIVERY_NS = 20000, /* what a signal costs besides: the kernel's part, and caches that are not warm any more */
    ANSWERS_LEAST = 4,   /* until the cost is known … */
    TICKS_PLENTY = 16,   /* … and where CPUs are not scarce so many ticks … */
    LOOKS_LEAST = 16,    /* … or, where they are, so many looks at which nobody ran */
};

void thrift_begin(struct thrift *thrift, bool on, bool cpus_scarce)
{
    *thrift = (struct thrift){.on = on, .stride = on && cpus_scarce ? THRIFT_FIRST_STRIDE : 1};
}

uint64_t thrift_next_look(uint64_t stride, uint64_t time_ns, uint64_t interval_ns, uint64_t shift)
{
    uint64_t tick = time_ns / interval_ns + shift;
    return stride - tick % stride;
}

/* The cost goes down as the stride goes up. It has to be worth less than half of what is allowed before it is made smaller, or
 * it would go up and down for ever. */
static uint64_t stride_for(uint64_t stride, uint64_t cost_ns, uint64_t allowed_ns)
{
    for (; stride < LONGEST_STRIDE && cost_ns > allowed_ns; stride *= 2)
        cost_ns /= 2;
    for (; stride > 1 && cost_ns < allowed_ns / 2; stride /= 2)
        cost_ns *= 2;
    return stride;
}

void thrift_add(struct thrift *thrift, const struct thrift_look *look)
{
    if (!thrift->on)
        return;
    thrift->held_ns += look->held_ns;
    thrift->sampler_ns += look->sampler_ns;
    thrift->work_ns += look->work_ns;
    thrift->answers += look->answers;
    thrift->looks++;
    bool known = look->cpus_scarce ? thrift->answers >= ANSWERS_LEAST || thrift->looks >= LOOKS_LEAST
                                   : thrift->answers >= ANSWERS_LEAST && thrift->answers * thrift->stride >= TICKS_PLENTY;
    if (!known)
        return;
    uint64_t cost = thrift->held_ns;
    if (look->cpus_scarce)
        cost += thrift->answers * DELIVERY_NS + thrift->sampler_ns;
    *thrift = (struct thrift){.on = true, .stride = stride_for(thrift->stride, cost, thrift->work_ns / COST_SHARE)};
}
