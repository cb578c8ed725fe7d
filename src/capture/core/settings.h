/* What a session is asked to be. */
#ifndef SONDE_CAPTURE_CORE_SETTINGS_H
#define SONDE_CAPTURE_CORE_SETTINGS_H

#include "capture/core/core.h"

struct settings {
    uint64_t interval_ns, duration_ns, buffer_bytes;
    uint64_t features;
    const char *filters; /* shorter than FILTER_TEXT */
    const char *folder;  /* shorter than PATH_ROOM; empty = a temporary one */
};

enum { SETTINGS_INTERVAL_MIN_NS = 1000 };
#define SETTINGS_BUFFER_DEFAULT (UINT64_C(128) << 20)
#define SETTINGS_BUFFER_MIN (UINT64_C(1) << 20)
#define SETTINGS_INTERVAL_MAX_MS 5000.0
#define SETTINGS_DURATION_MAX_S 1e9

/* Defaults stand in for what is not given. Texts stay where they are. -EINVAL with `error` filled where something makes no
 * sense. */
int settings_from_options(struct settings *settings, const struct sonde_start_options *options, struct error *error);

/* A session with these settings would be the same as the one that runs. */
bool settings_match(const struct settings *settings, const struct active_state *active);

#endif
