#include "runtime/hotspot/methods.h"

/* What identifies the method at this address now. */
struct bytecodes {
    uint64_t start;
    uint32_t size;
};

static bool read_bytecodes(struct hotspot_reader *reader, uint64_t method, struct bytecodes *out)
{
    uint64_t code, size, constants;
    if (!hotspot_get(reader, method, METHOD_CONST, &code) || code == 0 || code % 8 != 0 ||
        !hotspot_get(reader, code, CONST_CODE_SIZE, &size) || !hotspot_get(reader, code, CONST_CONSTANTS, &constants) ||
        constants == 0 || constants % 8 != 0)
        return false;
    *out = (struct bytecodes){code + reader->layout->size[SIZE_CONST_METHOD], (uint32_t)size};
    return true;
}

static void tell(struct hotspot_methods *methods, uint32_t index)
{
    uint32_t at = atomic_load_explicit(&methods->count, memory_order_relaxed);
    do {
        if (at >= HOTSPOT_METHODS_TOLD_MAX)
            return;
    } while (!atomic_compare_exchange_weak_explicit(&methods->count, &at, at + 1, memory_order_relaxed, memory_order_relaxed));
    /* Release: what is known of the method comes with it. */
    atomic_store_explicit(&methods->order[at], index + 1, memory_order_release);
}

static void fill_in(struct hotspot_methods *methods, uint32_t index, const struct bytecodes *bytecodes, uint64_t time)
{
    struct hotspot_known_method *known = &methods->known[index];
    atomic_store_explicit(&known->size, bytecodes->size, memory_order_relaxed);
    atomic_store_explicit(&known->since, time, memory_order_relaxed);
    atomic_store_explicit(&known->bytecodes, bytecodes->start, memory_order_release);
    tell(methods, index);
}

/* The place of the method, or of the free entry where it belongs; false: there is no room. */
static bool find_place(const struct hotspot_methods *methods, uint64_t method, uint32_t *index)
{
    enum { PROBES = 64 };
    uint64_t hash = method * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    for (uint32_t i = 0; i < PROBES; i++) {
        *index = (uint32_t)((hash + i) % HOTSPOT_METHODS_MAX);
        uint64_t there = atomic_load_explicit(&methods->known[*index].method, memory_order_relaxed);
        if (there == method || there == 0)
            return true;
    }
    return false;
}

const struct hotspot_known_method *hotspot_method_meet(struct hotspot_reader *reader, struct hotspot_methods *methods,
                                                       uint64_t method, uint64_t time, bool fresh)
{
    uint32_t index;
    struct bytecodes now;
    uint64_t nobody = 0;
    if (method < 4096 || method % 8 != 0 || method >> 47 != 0 || !find_place(methods, method, &index))
        return NULL;
    struct hotspot_known_method *known = &methods->known[index];
    uint64_t start = atomic_load_explicit(&known->bytecodes, memory_order_acquire);
    bool is_here = atomic_load_explicit(&known->method, memory_order_relaxed) == method;
    if (is_here && start != 0 && !fresh)
        return known;
    if (!read_bytecodes(reader, method, &now))
        return NULL;
    if (is_here && start == now.start && atomic_load_explicit(&known->size, memory_order_relaxed) == now.size)
        return known;
    if (!is_here &&
        !atomic_compare_exchange_strong_explicit(&known->method, &nobody, method, memory_order_relaxed, memory_order_relaxed))
        return nobody == method ? known : NULL; /* the next time it is met */
    fill_in(methods, index, &now, time);
    return known;
}

const struct hotspot_known_method *hotspot_methods_next(const struct hotspot_methods *methods, uint32_t *at)
{
    if (*at >= HOTSPOT_METHODS_TOLD_MAX || *at >= atomic_load_explicit(&methods->count, memory_order_relaxed))
        return NULL;
    uint32_t index = atomic_load_explicit(&methods->order[*at], memory_order_acquire);
    if (index == 0 || index > HOTSPOT_METHODS_MAX)
        return NULL;
    ++*at;
    return &methods->known[index - 1];
}

bool hotspot_method_is(struct hotspot_reader *reader, const struct hotspot_known_method *known, uint64_t method)
{
    struct bytecodes now;
    return read_bytecodes(reader, method, &now) && now.start == atomic_load_explicit(&known->bytecodes, memory_order_acquire) &&
           now.size == atomic_load_explicit(&known->size, memory_order_relaxed);
}
