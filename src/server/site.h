/* The site that shows a profile: profiler.firefox.com, or a deployment of one's own.
 *
 *     https://profiler.example.com:8443/next    the URL, as it is configured
 *     https://profiler.example.com:8443         its origin, as browsers write it in `Origin`
 */
#ifndef SONDE_SERVER_SITE_H
#define SONDE_SERVER_SITE_H

#include "common/error.h"
#include "common/text_buffer.h"
#include "server/token.h"

#include <stdint.h>

#define SITE_USUAL "https://profiler.firefox.com"

enum { SITE_MOST = 512 };

struct site {
    char url[SITE_MOST]; /* without a slash at its end */
    char origin[SITE_MOST];
};

/* http:// or https://, a host, and perhaps a port and a path. -EINVAL for everything else. */
int site_parse(struct slice url, struct site *site, struct error *error);

/* Appends the address under which the site loads the profile of the server at `port`, and asks it for symbols. */
void site_link(const struct site *site, uint16_t port, const struct token *token, struct text_buffer *link);

#endif
