/* The local page: the files that browsers load from here, packed with gzip when the command was built (web/pack_files.py).
 * They are the same for everybody, and hold nothing of a profile: whoever has no token may have them. */
#ifndef SONDE_SERVER_PAGE_FILES_H
#define SONDE_SERVER_PAGE_FILES_H

#include "common/text_buffer.h"
#include "server/token.h"

#include <stdint.h>

struct page_file {
    const char *name; /* without a slash */
    const char *type;
    const char *bytes;
    size_t length;
    bool immutable; /* the name has a hash of the content in it */
};

struct page_files {
    const struct page_file *items; /* by name */
    size_t count;                  /* 0 = the command was built without the page */
};

/* Those of this command, defined by what web/ generates. */
extern const struct page_files page_files;

/* The file of a path: `/NAME`, and index.html for `/`. NULL where there is none. */
const struct page_file *page_file_find(const struct page_files *files, struct slice path);

/* Appends the address of the page of a server. What follows the `#` stays in the browser: the page keeps it, and takes it out
 * of the address. */
void page_link(uint16_t port, const struct token *token, struct text_buffer *link);

/* Appends what browsers let the page do: load files of its own server and ask that, nothing else. `host` is what the request
 * has as Host, checked. */
void page_policy(struct slice host, struct text_buffer *policy);

#endif
