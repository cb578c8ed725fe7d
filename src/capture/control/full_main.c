/* What libsonde adds to the base: it brings its parts there. */
#include "capture/core/full.h"

#include "capture/core/clock.h"
#include "capture/runtime/providers.h"
#include "capture/sampler/module_watch.h"

static const struct full_part *const parts[] = {
    &module_watch, /* first: the others may unwind */
    &looks_part,   &counter_cpu_part, &counter_memory_part, &counter_power_part, &counter_frequency_part, &unregistered_part,
    NULL,
};

/* Tells the base, before it begins, that we are there. */
extern const int sonde_full_1;
__attribute__((visibility("default"))) const int sonde_full_1 = 1;

const struct capture_base *full_base;
bool full_is_loading;
const char *full_root = "";

static void full_attached(const struct capture_base *base)
{
    full_base = base;
    clock_origin = *base->clock_origin;
}

/* Calls a function of every part that has it. */
#define EACH_PART(function, ...)                                                                                               \
    for (const struct full_part *const *part = parts; *part; part++)                                                           \
        if ((*part)->function)                                                                                                 \
            (*part)->function(__VA_ARGS__);

static void full_begin(uint64_t features, uint64_t now_ns)
{
    EACH_PART(begin, features, now_ns)
}

static void full_loop(uint64_t now_ns)
{
    EACH_PART(loop, now_ns)
}

static void full_after_loop(uint64_t now_ns)
{
    EACH_PART(after_loop, now_ns)
}

static void full_end(void)
{
    EACH_PART(end)
}

static void full_forked(void)
{
    clock_origin = *full_base->clock_origin;
    module_watch_forked();
    full_end();
}

void full_attach(void)
{
    static const struct capture_parts table = {
        .size = sizeof table,
        .attached = full_attached,
        .walk = walk_stack,
        .begin = full_begin,
        .refresh = module_watch_refresh,
        .needs_background = providers_need_background,
        .loop = full_loop,
        .look = looks_take,
        .after_loop = full_after_loop,
        .end = full_end,
        .forked = full_forked,
    };
    full_is_loading = true;
    sonde_base_attach(&table); /* starts the session, if there is to be one */
    full_is_loading = false;
}
