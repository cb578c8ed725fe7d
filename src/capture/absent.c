/* Weak stand-ins for parts that are not there yet, so that the libraries link. Each goes when its part comes. */
#include "capture/clock.h"
#include "capture/handler.h"
#include "capture/merge.h"
#include "capture/sampler.h"

#define WEAK __attribute__((weak))
WEAK struct sampler *sampler_start(const struct core_locked *l, struct error *e)
{
    (void)l;
    (void)e;
    static char s;
    return (struct sampler *)&s;
}
WEAK void sampler_join(struct sampler *s)
{
    (void)s;
}
WEAK bool sampler_put(const struct core_locked *l, size_t m, size_t (*w)(uint8_t *, size_t, const void *), const void *e)
{
    (void)l;
    (void)m;
    (void)w;
    (void)e;
    return false;
}
WEAK void sampler_statistics(const struct core_locked *l, const struct sampler *s, struct sonde_buffer_info *i)
{
    (void)l;
    (void)s;
    (void)i;
}
WEAK void sampler_forget(struct sampler *s)
{
    (void)s;
}
WEAK _Atomic int handler_signal;
WEAK void handler_signal_taken(int s)
{
    (void)s;
}
WEAK void stack_of_myself(struct registration *t, bool n, struct raw_stack *r)
{
    (void)t;
    (void)n;
    r->time = clock_now();
}
WEAK size_t merge_stack(const struct raw_stack *r, bool s, struct frame_entry *f, bool *c)
{
    (void)r;
    (void)s;
    (void)f;
    *c = false;
    return 0;
}
