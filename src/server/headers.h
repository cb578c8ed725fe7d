/* Headers of a request. Texts live as long as it. */
#ifndef SONDE_SERVER_HEADERS_H
#define SONDE_SERVER_HEADERS_H

#include "server/request.h"

struct header {
    const char *name;
    struct slice value; /* the first; `text` NULL = none */
    size_t count;
};

struct header header_find(const struct request *request, const char *name);

/* Calls `visit` for each item of a list that is separated by commas, in all headers of that name, until it says true. Whether
 * it did. */
bool header_any(const struct request *request, const char *name, bool (*visit)(const void *data, struct slice item),
                const void *data);

/* Whether such a list has the word, in capitals or not. */
bool header_has_word(const struct request *request, const char *name, const char *word);

/* Whether whoever asks takes replies packed like this. */
bool header_accepts_encoding(const struct request *request, const char *encoding);

#endif
