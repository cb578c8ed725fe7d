/* A profile as one HTML file, which shows itself in any browser, without a server or a network:
 *
 *     the template: the page, its style and script, the engine
 *     <script type="application/octet-stream" class="sonde-profile" data-name="…" data-view="…">
 *       the processed profile, packed with gzip, as base64
 *     </script> */
#ifndef SONDE_REPORT_HTML_REPORT_H
#define SONDE_REPORT_HTML_REPORT_H

#include "common/byte_sink.h"
#include "profile/profile.h"

struct html_report {
    const struct profile *profile;
    struct slice name; /* of the file it was read from */
    struct slice view; /* what the page shows first: the state of a request (docs/api.md), as JSON */
};

/* 0 or a negative errno; -ENOTSUP where the command was built without the template. */
int html_report_check(struct error *error);
int html_report_write(const struct html_report *report, struct byte_sink *sink, struct error *error);

#endif
