#include "capture/core/settings.h"

#include "common/proc_file.h"
#include "common/slice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    const struct settings *running = &active->settings;
    return settings->interval_ns == running->interval_ns && settings->duration_ns == running->duration_ns &&
           settings->buffer_bytes == running->buffer_bytes && settings->features == running->features &&
           strcmp(settings->filters, running->filters) == 0 &&
           strcmp(settings->folder, active->folder_is_ours ? "" : running->folder) == 0;
}

/* --- thread filters ------------------------------------------------------------------------------------------------------- */

/* Takes the next filter off the list; empty ones are skipped. */
static bool next_filter(const char **list, struct slice *filter)
{
    do {
        size_t length = strcspn(*list, ",");
        *filter = (struct slice){*list, length};
        *list += length;
        if (**list == ',')
            ++*list;
    } while (filter->length == 0 && **list);
    return filter->length > 0;
}

static bool is_pid_filter(struct slice filter)
{
    return slice_starts_with(filter, SLICE("pid:"));
}

/* An exact match of the text: no spaces, no leading zeros. */
static bool pid_filter_names(struct slice filter, int pid)
{
    char text[24];
    snprintf(text, sizeof text, "pid:%d", pid);
    return slice_equal(filter, slice_of(text));
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool name_contains(const char *name, struct slice part)
{
    for (; *name; name++) {
        size_t i = 0;
        while (i < part.length && lower(name[i]) == lower(part.text[i]))
            i++;
        if (i == part.length)
            return true;
    }
    return false;
}

bool filters_select_thread(const char *filters, const char *name, int pid)
{
    bool any = false;
    struct slice filter;
    while (next_filter(&filters, &filter)) {
        any = true;
        if (slice_is(filter, "*") || name_contains(name, filter))
            return true;
        if (is_pid_filter(filter) && pid_filter_names(filter, pid))
            return true;
    }
    return !any;
}

bool filters_exclude_process(const char *filters, int pid)
{
    bool any = false;
    struct slice filter;
    while (next_filter(&filters, &filter)) {
        any = true;
        if (!is_pid_filter(filter) || pid_filter_names(filter, pid))
            return false;
    }
    return any;
}

/* --- numbers, by hand: those of the C library depend on the program's locale --------------------------------------------- */

static const char *read_whole(const char *text, uint64_t *value)
{
    const char *end = number_parse(text, 10, value);
    return end > text && *value < UINT64_MAX ? end : NULL;
}

static bool read_decimal(const char *text, double *value)
{
    const char *end = decimal_parse(text, value);
    return end > text && *end == '\0';
}

/* A number of entries of 8 bytes, or of bytes with a unit behind it. */
static bool read_size(const char *text, uint64_t *bytes)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } units[] = {
        {"", 8},
        {"KB", 1000},
        {"KiB", UINT64_C(1) << 10},
        {"MB", 1000000},
        {"MiB", UINT64_C(1) << 20},
        {"GB", 1000000000},
        {"GiB", UINT64_C(1) << 30},
    };
    uint64_t number;
    const char *unit = read_whole(text, &number);
    for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0)
            return number > 0 && !__builtin_mul_overflow(number, units[i].bytes, bytes) && *bytes <= INT64_MAX;
    return false;
}

/* --- variables ----------------------------------------------------------------------------------------------------------- */

static int wrong(struct error *error, const char *name, const char *value, const char *allowed)
{
    return error_set(error, -EINVAL, "%s is \"%.100s\"; allowed: %s", name, value, allowed);
}

static bool is_yes(const char *value)
{
    return value && *value && strcmp(value, "0") != 0 && strcmp(value, "N") != 0 && strcmp(value, "n") != 0;
}

static int read_features(const char *list, struct error *error)
{
    uint64_t features = 0;
    const char *bad;
    int bad_length;
    if (features_parse(list, &features, &bad, &bad_length) == 0)
        return 0;
    char allowed[FEATURES_LONGEST];
    features_list(UINT64_MAX, ", ", allowed);
    return error_set(error, -EINVAL, "SONDE_STARTUP_FEATURES has \"%.*s\"; allowed: default, all, %s",
                     bad_length < 40 ? bad_length : 40, bad, allowed);
}

static int read_start_options(struct environment *environment, char *(*get)(const char *name), struct error *error)
{
    struct sonde_start_options *options = &environment->options;
    options->size = sizeof *options;
    const char *value = get("SONDE_STARTUP_INTERVAL");
    if (value && (!read_decimal(value, &options->interval_ms) || !(options->interval_ms > 0) ||
                  options->interval_ms > SETTINGS_INTERVAL_MAX_MS))
        return wrong(error, "SONDE_STARTUP_INTERVAL", value, "milliseconds above 0, at most 5000");
    value = get("SONDE_STARTUP_DURATION");
    if (value && (!read_decimal(value, &options->duration_s) || options->duration_s > SETTINGS_DURATION_MAX_S))
        return wrong(error, "SONDE_STARTUP_DURATION", value, "seconds, 0 for no limit");
    value = get("SONDE_STARTUP_ENTRIES");
    if (value && !read_size(value, &options->buffer_bytes))
        return wrong(error, "SONDE_STARTUP_ENTRIES", value,
                     "a number above 0 of entries of 8 bytes, or of bytes with KB, KiB, MB, MiB, GB or GiB behind it");
    options->features = get("SONDE_STARTUP_FEATURES");
    if (options->features && read_features(options->features, error) != 0)
        return error->code;
    options->threads = get("SONDE_STARTUP_FILTERS");
    if (options->threads && strlen(options->threads) >= FILTER_TEXT)
        return wrong(error, "SONDE_STARTUP_FILTERS", options->threads, "parts of thread names, at most 1023 characters");
    options->session = get("SONDE_SESSION");
    if (options->session && strlen(options->session) >= PATH_ROOM)
        return wrong(error, "SONDE_SESSION", options->session, "a folder, at most 4095 characters");
    return 0;
}

int environment_read(struct environment *environment, char *(*get)(const char *name), int pid, struct error *error)
{
    *environment = (struct environment){0};
    environment->help = get("SONDE_HELP") != NULL;

    const char *value = get("SONDE_SESSION_PID");
    uint64_t number;
    if (value) {
        const char *rest = read_whole(value, &number);
        if (!rest || *rest)
            return wrong(error, "SONDE_SESSION_PID", value, "a process id");
        environment->foreign = number != (uint64_t)pid;
    }
    if (environment->foreign)
        return 0;

    value = get("SONDE_LOG");
    if (value) {
        if (value[0] < '1' || value[0] > '5' || value[1])
            return wrong(error, "SONDE_LOG", value, "1 (least) to 5 (most)");
        environment->log_level = value[0] - '0';
    }
    value = get("SONDE_STARTUP");
    environment->start = is_yes(value);
    environment->joins = value && strcmp(value, "recorder") == 0;
    environment->signals = is_yes(get("SONDE_SIGNALS"));
    value = get("SONDE_SHUTDOWN");
    if (value && *value) {
        if (strlen(value) >= PATH_ROOM)
            return wrong(error, "SONDE_SHUTDOWN", value, "a file, at most 4095 characters");
        environment->shutdown_path = value;
    }
    const char *session = get("SONDE_SESSION");
    environment->children = environment->start && session && *session && !get("SONDE_SESSION_PID");
    return read_start_options(environment, get, error);
}

/* --- help ---------------------------------------------------------------------------------------------------------------- */

void environment_help(void)
{
    dprintf(STDOUT_FILENO, "%s",
            "This program has Sonde, a profiler, in it. Variables that it looks at:\n"
            "\n"
            "  SONDE_HELP                prints this and ends the program\n"
            "  SONDE_STARTUP             records from the start, unless empty, 0, N or n\n"
            "  SONDE_STARTUP_INTERVAL    milliseconds between samples, above 0 and at most 5000 (1)\n"
            "  SONDE_STARTUP_ENTRIES     memory for the recording: a number of entries of 8 bytes,\n"
            "                            or of bytes with KB, KiB, MB, MiB, GB or GiB behind it (128MiB)\n"
            "  SONDE_STARTUP_DURATION    seconds after which the recording stops; 0 = never (0)\n"
            "  SONDE_STARTUP_FILTERS     which threads: parts of their names, with commas between (all)\n"
            "  SONDE_STARTUP_FEATURES    what is recorded: names from the list below, with commas between (default)\n"
            "  SONDE_SHUTDOWN            file for the profile at the end of the program; %p = process id\n"
            "  SONDE_SESSION             folder for the recording itself (a temporary one)\n"
            "  SONDE_SESSION_PID         the process that is to be recorded; all others stay as they are\n"
            "  SONDE_SIGNALS             1: SIGUSR1 starts a recording; SIGUSR2 stops it and writes the profile\n"
            "                            (SONDE_SHUTDOWN, else sonde-profile-PID.json in $TMPDIR or /tmp)\n"
            "  SONDE_LOG                 1 (least) to 5 (most): tells on standard error what the profiler does\n"
            "\n"
            "Features (D = in the default; \"all\" has all that add something):\n"
            "\n");
    for (int i = 0; i < FEATURE_COUNT; i++)
        dprintf(STDOUT_FILENO, "  %c %-20s %s\n", features_default() & FEATURE_BIT(i) ? 'D' : '-',
                feature_name((enum feature)i), feature_description((enum feature)i));
}
