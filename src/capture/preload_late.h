/* Functions of the C library that libsonde-preload stands in front of, and few programs call: the real ones are not looked for
 * before that. */
#ifndef SONDE_CAPTURE_PRELOAD_LATE_H
#define SONDE_CAPTURE_PRELOAD_LATE_H

#include <dlfcn.h>
#include <stdatomic.h>

/* The real one; NULL where the C library has none. Twice at the same time does no harm. */
#define LATE(name)                                                                                                             \
    ({                                                                                                                         \
        static void *_Atomic place_of_##name;                                                                                  \
        (__typeof__(name) *)find_late(&place_of_##name, #name);                                                                \
    })

static inline void *find_late(void *_Atomic *place, const char *name)
{
    void *found = atomic_load_explicit(place, memory_order_relaxed);
    if (!found) {
        found = dlsym(RTLD_NEXT, name);
        atomic_store_explicit(place, found, memory_order_relaxed);
    }
    return found;
}

#endif
