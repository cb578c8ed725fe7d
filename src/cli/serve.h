/* Profiles served to a browser, until a signal ends it: what `sonde view` does, and `sonde record` at its end. */
#ifndef SONDE_CLI_SERVE_H
#define SONDE_CLI_SERVE_H

#include "cli/viewed_files.h"
#include "server/site.h"

struct serve_options {
    const char *const *files; /* the first is shown */
    size_t file_count;
    const char *base; /* what the first is compared with, which is the second of them; NULL = nothing */
    bool firefox;     /* in place of our own page, if there is one */
    bool no_open;
    uint16_t port;    /* 0 = any that is free */
    struct site site; /* of the Firefox Profiler */
    struct view_search search;
};

/* The site of the Firefox Profiler: $PROFILER_URL, under the name that samply has for it, or the usual one. */
int serve_site(struct site *site, struct error *error);

/* Whether this command has a page of its own. */
bool serve_has_page(void);

/* Reads the first file, prints the address, opens a browser on it and waits for SIGINT, SIGTERM or SIGHUP. EXIT_OK, or
 * EXIT_DATA after saying what is wrong. */
int serve_files(const struct serve_options *options);

#endif
