#include "cli/gather.h"

#include "cli/load.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/report.h"
#include "cli/threads.h"
#include "export/exporter.h"
#include "export/gecko.h"
#include "import/session_paths.h"
#include "print/number.h"
#include "profile/quality.h"
#include "profile/time_span.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

/* The first one that can be read goes to the front. Why the others cannot be read the gathering log will say. */
static struct session_file *open_first(struct session_paths *paths, struct error *error)
{
    struct session_file *file = NULL;
    for (size_t i = 0; i < paths->items.count && !file; i++) {
        char *path = paths->items.items[i];
        *error = (struct error){0};
        file = session_file_open(path, error);
        if (file) {
            memmove(paths->items.items + 1, paths->items.items, i * sizeof path);
            paths->items.items[0] = path;
        }
    }
    if (!file && error->code == 0)
        error_set(error, -ENOENT, "there is no session in this folder");
    return file;
}

static int find_paths(const char *session, struct session_paths *paths, struct error *error)
{
    struct stat status;
    if (stat(session, &status) == 0 && S_ISDIR(status.st_mode))
        return session_folder_visit(session, session_paths_add, paths, error);
    return session_paths_add(paths, session, error);
}

/* The Gecko format comes from the session itself; the first process stands for the others. */
static int export_gecko(const struct gathering *gathering, struct byte_sink *sink, struct error *error)
{
    struct session_paths paths = {0};
    int status = find_paths(gathering->session, &paths, error);
    struct session_file *file = status == 0 ? open_first(&paths, error) : NULL;
    if (file) {
        struct gecko_options options = {
            .other_processes = (const char *const *)paths.items.items + 1,
            .other_process_count = paths.items.count - 1,
        };
        status = export_gecko_session(file, &options, sink, error);
        session_file_close(file);
    } else {
        status = error->code;
    }
    session_paths_free(&paths);
    return status;
}

struct writing {
    const struct gathering *gathering;
    const struct profile *profile;
};

static int write_profile(const void *data, struct byte_sink *sink, struct error *error)
{
    const struct writing *writing = data;
    return writing->gathering->gecko ? export_gecko(writing->gathering, sink, error)
                                     : export_processed(writing->profile, sink, error);
}

int gather_session(const struct gathering *gathering, struct profile *profile)
{
    int status = load_profile_with(gathering->session, &gathering->load, profile);
    if (status != EXIT_OK)
        return status;
    return output_file_write(gathering->output, write_profile, &(struct writing){gathering, profile});
}

/* Rows are no samples, some stand for time that none met; but they are all there is where nobody counted. */
static double samples_of(const struct profile *profile, const struct quality *quality)
{
    double samples = 0;
    if (!isnan(quality->taken))
        return quality->taken;
    for (size_t i = 0; i < profile->threads.count; i++)
        samples += (double)thread_times(profile, &profile->threads.items[i]).samples;
    return samples;
}

void gather_report(const struct gathering *gathering, const struct profile *profile)
{
    struct time_span span = profile_time_span(profile);
    struct quality quality = quality_of(profile);
    double samples = samples_of(profile, &quality);
    size_t markers = 0;
    for (size_t i = 0; i < profile->threads.count; i++)
        markers += marker_count(&profile->threads.items[i].markers);
    char waits[80] = "", lost[80] = "";
    if (quality.looks > 0)
        snprintf(waits, sizeof waits, " and %s observation%s of waits", number_grouped(quality.looks, 0).text,
                 quality.looks == 1 ? "" : "s");
    if (quality.lost > 0)
        snprintf(lost, sizeof lost, ", %s lost", number_grouped(quality.lost, 0).text);
    else if (quality.lost == 0)
        snprintf(lost, sizeof lost, ", none lost");
    report("%s: %s sample%s%s of %zu thread%s%s, %s marker%s, %s", gathering->output, number_grouped(samples, 0).text,
           samples == 1 ? "" : "s", waits, profile->threads.count, profile->threads.count == 1 ? "" : "s", lost,
           number_grouped((double)markers, 0).text, markers == 1 ? "" : "s",
           number_duration(isnan(span.start) ? 0 : span.end - span.start).text);
}

void gather_report_notes(const struct profile *profile)
{
    struct quality quality = quality_of(profile);
    if (!quality.notes)
        return;
    struct value notes = value_read(quality.notes);
    const uint8_t *at = notes.rest;
    for (uint32_t i = 0; i < notes.count; i++, at = value_skip(at)) {
        struct value note = value_read(at);
        struct slice text = note.kind == VALUE_STRING ? profile_text(profile, note.string) : SLICE("");
        if (text.length > 0)
            report("%.*s", (int)text.length, text.text);
    }
}
