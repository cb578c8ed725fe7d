#include "record/settings.h"

#include <stdio.h>

static bool set_number(struct environment *environment, const char *name, double number)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", number);
    return environment_set(environment, name, text);
}

bool settings_apply(const struct capture_settings *settings, struct environment *environment)
{
    char bytes[40];
    snprintf(bytes, sizeof bytes, "%zuKiB", settings->buffer_bytes / 1024 + (settings->buffer_bytes % 1024 > 0));
    return environment_set(environment, "SONDE_STARTUP", "1") &&
           environment_set(environment, "SONDE_SESSION", settings->folder) &&
           set_number(environment, "SONDE_STARTUP_INTERVAL", 1000 / settings->rate) &&
           set_number(environment, "SONDE_STARTUP_DURATION", settings->duration) &&
           environment_set(environment, "SONDE_STARTUP_ENTRIES", bytes) &&
           environment_set(environment, "SONDE_STARTUP_FEATURES", settings->features) &&
           environment_set(environment, "SONDE_STARTUP_FILTERS", settings->threads ? settings->threads : "");
}
