/* A profile as one HTML file, which shows itself in any browser, without a server or a network:
 *
 *     the template (web/build_report.py): the page, its style and scripts, the engine as WebAssembly
 *     <script type="application/octet-stream" class="sonde-profile" data-name="…" data-view="…">
 *       the processed profile, packed with gzip, as base64
 *     </script>
 *     another one, class="sonde-base", where it is compared with one
 *     the end of the document */
#ifndef SONDE_EXPORT_HTML_H
#define SONDE_EXPORT_HTML_H

#include "common/byte_sink.h"
#include "profile/profile.h"

struct html_report {
    const struct profile *profile;
    struct slice template; /* packed with gzip */
    struct slice name;     /* of the file that the profile is from */
    /* What the page shows first: the state of a request (docs/api.md) as JSON, with the path that is `selected`; may be empty.
     */
    struct slice view;
    const struct profile *base; /* what it is compared with; NULL = nothing */
    struct slice base_name;
};

/* 0 or a negative errno. */
int export_html(const struct html_report *report, struct byte_sink *sink, struct error *error);

#endif
