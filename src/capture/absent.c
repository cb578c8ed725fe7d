/* Weak stand-ins for parts that are not there yet, so that the libraries link. Each goes when its part comes. */
#include "capture/api_parts.h"
#include "capture/handler.h"
#include "capture/lifecycle.h"
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
WEAK void categories_begin(const struct core_locked *l)
{
    (void)l;
}
WEAK void marker_types_begin(const struct core_locked *l)
{
    (void)l;
}
WEAK void counters_begin(const struct core_locked *l)
{
    (void)l;
}
WEAK uint32_t label_push(const char *l, const char *d, const void *s, sonde_category c, unsigned f)
{
    (void)l;
    (void)d;
    (void)s;
    (void)c;
    (void)f;
    return SONDE_LABEL_NONE;
}
WEAK void label_pop(uint32_t d)
{
    (void)d;
}
WEAK sonde_category category_register(const char *n, const char *c)
{
    (void)n;
    (void)c;
    return 0;
}
WEAK sonde_category subcategory_register(sonde_category c, const char *n)
{
    (void)c;
    (void)n;
    return 0;
}
WEAK void thread_sleep(void)
{
}
WEAK void thread_wake(void)
{
}
WEAK void thread_set_runtime(sonde_runtime_walk *w, void *r)
{
    (void)w;
    (void)r;
}
WEAK void thread_set_event_delay(uint64_t (*d)(void *), void *l)
{
    (void)d;
    (void)l;
}
WEAK void marker_add(struct sonde_marker_type *t, const char *n, size_t l, sonde_category c,
                     const struct sonde_marker_options *o, const void *v)
{
    (void)t;
    (void)n;
    (void)l;
    (void)c;
    (void)o;
    (void)v;
}
WEAK uint64_t flow_of(const void *o)
{
    (void)o;
    return 0;
}
WEAK struct sonde_marker_type marker_type_text, marker_type_text_stack, marker_type_tracing, marker_type_stack;
WEAK sonde_backtrace *backtrace_capture(enum sonde_capture c)
{
    (void)c;
    return NULL;
}
WEAK void backtrace_free(sonde_backtrace *b)
{
    (void)b;
}
WEAK void counter_register(struct sonde_counter *c)
{
    (void)c;
}
WEAK void bandwidth_add(uint64_t b)
{
    (void)b;
}
