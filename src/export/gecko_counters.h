/* The counters of a session, in the order in which they were made known.
 *
 * Of a run of samples without change the first two and the last are kept: enough to draw it. */
#ifndef SONDE_EXPORT_GECKO_COUNTERS_H
#define SONDE_EXPORT_GECKO_COUNTERS_H

#include "common/arena.h"
#include "common/json_writer.h"
#include "common/map.h"
#include "common/vec.h"
#include "export/gecko_rows.h"
#include "session/entry.h"

struct gecko_counter_sample {
    uint64_t time;
    int64_t count;
    uint64_t number;
};

struct gecko_counter {
    uint32_t number; /* in the session */
    struct slice name, category, description;
    struct gecko_rows rows;              /* each the distance to the one before */
    struct gecko_counter_sample written; /* the newest one in the rows */
    struct gecko_counter_sample held;    /* the newest one of a run, if `run` > 2 */
    uint64_t run;                        /* samples without change up to now */
    bool has_numbers;
};

struct gecko_counters {
    VEC(struct gecko_counter) rows;
    struct map by_number;
};

/* Texts are kept in `arena`. False when the heap is empty, as everywhere here. */
bool gecko_counters_add(struct gecko_counters *counters, const struct counter_entry *entry, struct arena *arena);

/* Samples of counters that are not known are left out. */
bool gecko_counters_sample(struct gecko_counters *counters, const struct counter_sample_entry *entry);

/* After the last sample. */
bool gecko_counters_finish(struct gecko_counters *counters);

/* The key `counters`, unless no counter was ever sampled. */
void gecko_counters_write(const struct gecko_counters *counters, struct json_writer *w);

void gecko_counters_free(struct gecko_counters *counters);

#endif
