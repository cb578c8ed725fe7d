/* The origin of a URL, as browsers see it: `https://user@E.com:443/a.js` is of `https://e.com`. */
#ifndef SONDE_IMPORT_WEB_ORIGIN_H
#define SONDE_IMPORT_WEB_ORIGIN_H

#include "common/string_table.h"

struct web_origin {
    struct string_index origin; /* scheme and host; STRING_NONE for what is no http, https or moz-extension URL */
    struct string_index host;   /* with the port where it is not the usual one; STRING_NONE where it is empty */
};

/* Host names beyond ASCII stay as they are (browsers would write them in Punycode). False when the heap is empty. */
bool web_origin_parse(struct slice url, struct string_table *strings, struct web_origin *origin);

#endif
