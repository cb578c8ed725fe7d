#include "capture/core/settings.h"

#include <errno.h>
#include <string.h>

static int take_text(const char **out, size_t room, const char *text, const char *what, struct error *error)
{
    *out = text ? text : "";
    size_t length = strlen(*out);
    if (length >= room)
        return error_set(error, -EINVAL, "%s: too long (%zu characters, at most %zu)", what, length, room - 1);
    return 0;
}

/* The members that the caller's version knows. */
static struct sonde_start_options known_options(const struct sonde_start_options *options)
{
    struct sonde_start_options known = {0};
    if (options)
        memcpy(&known, options, options->size < sizeof known ? options->size : sizeof known);
    return known;
}

int settings_from_options(struct settings *settings, const struct sonde_start_options *options, struct error *error)
{
    struct sonde_start_options given = known_options(options);
    double interval_ms = given.interval_ms > 0 ? given.interval_ms : 1;
    double duration_s = given.duration_s > 0 ? given.duration_s : 0;
    if (interval_ms > SETTINGS_INTERVAL_MAX_MS)
        return error_set(error, -EINVAL, "interval: at most %g ms", SETTINGS_INTERVAL_MAX_MS);
    if (duration_s > SETTINGS_DURATION_MAX_S)
        return error_set(error, -EINVAL, "duration: at most %g s", SETTINGS_DURATION_MAX_S);
    *settings = (struct settings){
        .interval_ns = (uint64_t)(interval_ms * 1e6),
        .duration_ns = (uint64_t)(duration_s * 1e9),
        .buffer_bytes = given.buffer_bytes > 0 ? given.buffer_bytes : SETTINGS_BUFFER_DEFAULT,
    };
    if (settings->interval_ns < SETTINGS_INTERVAL_MIN_NS)
        settings->interval_ns = SETTINGS_INTERVAL_MIN_NS;
    if (settings->buffer_bytes < SETTINGS_BUFFER_MIN)
        settings->buffer_bytes = SETTINGS_BUFFER_MIN;

    const char *bad = NULL;
    int bad_length = 0;
    if (features_parse(given.features ? given.features : "default", &settings->features, &bad, &bad_length) != 0)
        return error_set(error, -EINVAL, "there is no feature \"%.*s\"", bad_length, bad);
    int result = take_text(&settings->filters, FILTER_TEXT, given.threads, "thread filters", error);
    if (result == 0)
        result = take_text(&settings->folder, PATH_ROOM, given.session, "session folder", error);
    return result;
}

bool settings_match(const struct settings *settings, const struct active_state *active)
{
    return settings->interval_ns == active->interval_ns && settings->duration_ns == active->duration_ns &&
           settings->buffer_bytes == active->buffer_bytes && settings->features == active->features &&
           strcmp(settings->filters, active->filters) == 0 &&
           (active->folder_is_ours ? settings->folder[0] == '\0' : strcmp(settings->folder, active->folder) == 0);
}
