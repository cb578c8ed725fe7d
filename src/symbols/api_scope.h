/* What requests of the API may be about: how large they may be, and which modules and source files they can reach. */
#ifndef SONDE_SYMBOLS_API_SCOPE_H
#define SONDE_SYMBOLS_API_SCOPE_H

#include "profile/profile.h"
#include "symbols/request.h"
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

/* What all requests are answered from. */
struct symbol_api {
    const struct symbol_search *search;
    const struct source_search *sources;
    const struct api_module *modules;
    size_t module_count;
    uint32_t pid; /* of the recorded process, for code that was compiled at run time; 0 = unknown */
};

#endif
