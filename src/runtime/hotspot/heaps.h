/* What was learnt of the VM's code cache: where its heaps are, and how much of each is committed.
 *
 * What the VM's variables say is read once and kept here; heaps grow, and are read again where a pc lies behind what is known
 * of them. Any thread reads and writes it, in signal handlers: all that differs over time is atomic, and only grows. */
#ifndef SONDE_RUNTIME_HOTSPOT_HEAPS_H
#define SONDE_RUNTIME_HOTSPOT_HEAPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { HOTSPOT_HEAPS_MAX = 8, HOTSPOT_KIND_BITS = 4, HOTSPOT_NAMES_MAX = 256 };

struct hotspot_heap {
    _Atomic uint64_t low, high;                   /* committed code; low 0 = none */
    _Atomic uint64_t segments_low, segments_high; /* committed bytes of its segments */
    _Atomic uint64_t segment_bits;
};

struct hotspot_code {
    bool is_own; /* of this process: what is committed can be read directly. Set by who makes it, all else is 0 then */
    _Atomic uint64_t low, high; /* of all heaps, committed or not; 0 = the VM has not got so far */
    _Atomic uint64_t call_stub_return, continuation_return;
    _Atomic uint32_t heap_count;
    struct hotspot_heap heaps[HOTSPOT_HEAPS_MAX];
    /* What the names of blobs, which stay where they are, say of their kind: address << HOTSPOT_KIND_BITS | kind. */
    _Atomic uint64_t names[HOTSPOT_NAMES_MAX];
};

/* All `length` bytes from `address` on are in committed memory of a heap of this process. */
static inline bool hotspot_code_is_there(const struct hotspot_code *code, uint64_t address, uint64_t length)
{
    uint32_t count = atomic_load_explicit(&code->heap_count, memory_order_acquire);
    for (uint32_t i = 0; code->is_own && i < count && i < HOTSPOT_HEAPS_MAX; i++) {
        uint64_t low = atomic_load_explicit(&code->heaps[i].low, memory_order_relaxed);
        uint64_t high = atomic_load_explicit(&code->heaps[i].high, memory_order_acquire);
        if (address >= low && address < high)
            return high - address >= length;
    }
    return false;
}

#endif
