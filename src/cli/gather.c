#include "cli/gather.h"

#include "cli/load.h"
#include "cli/number.h"
#include "cli/options.h"
#include "cli/quality.h"
#include "cli/report.h"
#include "export/exporter.h"
#include "profile/time_span.h"

#include <math.h>
#include <stdio.h>

static int write_profile(const struct gathering *gathering, const struct profile *profile)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_create(gathering->output, byte_packing_of_name(gathering->output), &error);
    int status = -1;
    if (sink) {
        status = export_processed(profile, sink, &error);
        int closed = byte_sink_close(sink, status == 0, &error);
        if (status == 0)
            status = closed;
    }
    return status == 0 ? EXIT_OK
                       : report_file(strcmp(gathering->output, "-") == 0 ? "standard output" : gathering->output, &error);
}

int gather_session(const struct gathering *gathering, struct profile *profile)
{
    int status = load_profile(gathering->session, profile);
    return status == EXIT_OK ? write_profile(gathering, profile) : status;
}

void gather_report(const struct gathering *gathering, const struct profile *profile)
{
    struct time_span span = profile_time_span(profile);
    struct quality quality = quality_of(profile);
    size_t samples = 0, markers = 0;
    for (size_t i = 0; i < profile->threads.count; i++) {
        samples += sample_count(&profile->threads.items[i].samples);
        markers += marker_count(&profile->threads.items[i].markers);
    }
    char lost[80] = "";
    if (quality.lost > 0)
        snprintf(lost, sizeof lost, ", %s lost", number_grouped(quality.lost, 0).text);
    else if (quality.lost == 0)
        snprintf(lost, sizeof lost, ", none lost");
    report("%s: %s samples of %zu thread%s%s, %s marker%s, %s", gathering->output, number_grouped((double)samples, 0).text,
           profile->threads.count, profile->threads.count == 1 ? "" : "s", lost, number_grouped((double)markers, 0).text,
           markers == 1 ? "" : "s", number_duration(isnan(span.start) ? 0 : span.end - span.start).text);
}
