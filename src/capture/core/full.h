/* libsonde: what it adds to the base, part by part. Each part is a table of functions in a file of its own and is listed in
 * full_main.c. Members may be NULL. Who calls them, and when: parts.h. */
#ifndef SONDE_CAPTURE_CORE_FULL_H
#define SONDE_CAPTURE_CORE_FULL_H

#include "capture/core/parts.h"

struct full_part {
    void (*begin)(uint64_t features, uint64_t now_ns);
    void (*loop)(uint64_t now_ns);
    void (*after_loop)(uint64_t now_ns);
    void (*end)(void); /* also in a forked child, whose parent had begun */
};

/* Brings everything to the base; a session that is to begin begins with it. */
void full_attach(void);

/* The base, from the loading of libsonde on. */
extern const struct capture_base *full_base;
/* libsonde is being loaded: files are being opened anyhow, and nobody counts on the numbers of descriptors. */
extern bool full_is_loading;
/* The folder that /sys is in: empty, but for tests. */
extern const char *full_root;

/* process_counters.c, power.c, frequency.c, unregistered.c */
extern const struct full_part counter_cpu_part, counter_memory_part, counter_power_part, counter_frequency_part,
    unregistered_part;

/* looks.c: at the threads of this process, in the background thread. */
extern const struct full_part looks_part;
uint64_t looks_take(uint64_t now_ns);

#endif
