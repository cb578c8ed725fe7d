/* What libsonde-preload finds here: allocations/library.h. */
#include "allocations/library.h"

#include "preload_allocations/adapt.h"
#include "preload_allocations/functions.h"
#include "preload_allocations/java_objects.h"
#include "preload_allocations/maps.h"
#include "preload_allocations/operators.h"
#include "preload_allocations/real.h"
#include "preload_allocations/sampler.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* The bounds of this library, from the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

/* Memory checkers have an allocator of their own, whose blocks say more than we could, and complain about those that stand in
 * front of it. */
static bool is_checked(void)
{
    static const char *const marks[] = {"__asan_init", "__msan_init", "__tsan_init", "__lsan_init", "__hwasan_init"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (dlsym(RTLD_DEFAULT, marks[i]))
            return true;
    dlerror();
    return false;
}

static void describe(struct allocator_facts *facts)
{
    *facts = (struct allocator_facts){0};
    real_find();
    operators_find();
    maps_find();
    java_objects_find();
    void *called = dlsym(RTLD_DEFAULT, "malloc");
    /* A program that has one in its own file comes before all libraries. */
    bool is_ours = called == (void *)malloc;
    Dl_info where;
    if (dladdr(is_ours ? (void *)real.malloc : called, &where) != 0 && where.dli_fname &&
        strlen(where.dli_fname) < sizeof facts->path)
        strcpy(facts->path, where.dli_fname);
    facts->is_checked = is_checked();
    facts->is_unseen = !is_ours || facts->is_checked;
}

static void empty(void)
{
    if (madvise(&live, sizeof live, MADV_DONTNEED) != 0)
        memset(&live, 0, sizeof live);
}

static void begin(const struct allocation_recorder *to, const struct allocation_plan *wanted)
{
    static bool has_begun;
    if (!to) {
        atomic_store_explicit(&recorder, NULL, memory_order_relaxed);
        sampler_rest();
        return;
    }
    if (has_begun)
        empty();
    else
        /* A kernel before 4.14 does not, and pages may be larger: then only fork() empties it. */
        madvise(&live, sizeof live, MADV_WIPEONFORK);
    has_begun = true;
    plan = *wanted;
    adapt_begin(plan.mean);
    if (plan.is_all)
        live_blocks_take_all(&live);
    /* Release: all that is above is known to who finds it. */
    atomic_store_explicit(&recorder, to, memory_order_release);
}

static void forked(void)
{
    int saved_errno = errno;
    atomic_store_explicit(&recorder, NULL, memory_order_relaxed);
    if (atomic_load_explicit(&live.count, memory_order_relaxed) != 0 || plan.is_all)
        empty();
    own = (struct own_state){0}; /* the thread begins anew, with the session of the child */
    errno = saved_errno;
}

__attribute__((visibility("default"))) extern const struct allocation_library sonde_allocations_1;
const struct allocation_library sonde_allocations_1 = {
    .size = sizeof(struct allocation_library),
    .start = __ehdr_start,
    .end = _end,
    .live = &live,
    .describe = describe,
    .begin = begin,
    .forked = forked,
};
