/* What `sonde info` says of a profile, as it is gathered (info.c) and printed (info_json.c, info_text.c). */
#ifndef SONDE_CLI_INFO_H
#define SONDE_CLI_INFO_H

#include "cli/common_options.h"
#include "cli/memory_use.h"
#include "cli/modules.h"
#include "profile/profile.h"
#include "profile/quality.h"
#include "profile/time_span.h"

struct info_process {
    struct slice pid, name;
    double start, end; /* NaN = unknown */
};

struct info {
    const char *file;
    struct profile profile;
    struct time_span span;
    VEC(struct info_process) processes;
    struct map process_rows; /* by pid */
    size_t sample_count, look_count, marker_count;
    bool has_faults;                   /* page faults were recorded */
    bool has_times;                    /* rows of some thread say what they stand for */
    size_t native_frames, bare_frames; /* frames of native code; those of them that are still an address */
    struct module_list modules;
    struct quality quality;
    struct memory_use memory;
    struct error error;
};

/* Of the code of a thread, as its samples count them. */
double info_page_faults(const struct thread *thread);

/* Both return 0 or a negative errno. */
int info_print_json(const struct info *info);
int info_print_text(const struct info *info, const struct common_options *options);

#endif
