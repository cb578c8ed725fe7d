/* The symbolication API of the Firefox Profiler's ecosystem, as functions from JSON text to JSON text (docs/symbols.md):
 *
 *     /symbolicate/v5    addresses ─▶ functions, files, lines, inlined calls
 *     /source/v1         an address and a file that is named there ─▶ its text
 *     /asm/v1            a range of addresses ─▶ instructions
 *
 * A web page asks, so nothing that is asked is trusted. Modules are known by name and id, never by a path of the request, and
 * only those that were handed in are looked for; a source file is read only if the debug information of the very address that
 * is asked for names it. Requests that are too large are refused whole. What is wrong is answered as `{ "error": "…" }`. */
#ifndef SONDE_SYMBOLS_API_H
#define SONDE_SYMBOLS_API_H

#include "common/text_buffer.h"
#include "profile/profile.h"
#include "symbols/module.h"
#include "symbols/source_file.h"

/* What one request may have. */
enum {
    API_MOST_BYTES = 64 << 20,
    API_MOST_JOBS = 1000,     /* of /symbolicate/v5 … */
    API_MOST_MODULES = 20000, /* … in all jobs */
    API_MOST_STACKS = 1 << 20,
    API_MOST_FRAMES = 4 << 20,
    API_MOST_TEXT = 4096,        /* bytes of a name, an id or a path */
    API_MOST_ANSWER = 256 << 20, /* what would be longer is refused */
};

/* A module that may be asked for. Texts may be empty, and are the caller's. */
struct api_module {
    struct slice name, path, debug_name, breakpad_id, code_id;
};

struct api_modules {
    VEC(struct api_module) items;
};

/* Those of a profile, which must outlive them. False when the heap is empty. */
bool api_modules_of_profile(const struct profile *profile, struct api_modules *modules);
void api_modules_free(struct api_modules *modules);

struct symbol_api {
    const struct symbol_search *search;
    const struct source_search *sources;
    const struct api_module *modules;
    size_t module_count;
};

/* Appends the answer to `response`: always one JSON object. `path` is what follows the server's token. 0, or -ENOMEM, and
 * `response` is as it was then. */
int symbol_api_answer(const struct symbol_api *api, struct slice path, struct slice request, struct text_buffer *response);

#endif
