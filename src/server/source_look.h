/* Looks for a source file, or for the code of a module, among the files of this machine; it may take long. */
#ifndef SONDE_SERVER_SOURCE_LOOK_H
#define SONDE_SERVER_SOURCE_LOOK_H

#include "api/sources.h"
#include "common/arena.h"
#include "symbols/api_scope.h"
#include "symbols/code_listing.h"

/* What was found, and what its texts are in. */
struct looked_source {
    struct found_source found;
    VEC(struct tried_place) tried;
    struct source_file file;
    struct arena arena;
};

struct looked_code {
    struct found_code found;
    VEC(struct found_instruction) rows;
    struct code_listing listing;
    struct error error;
};

/* What was looked for in vain is no failure: `found` says so. 0 or -ENOMEM. Both are zeroed before, and to be freed. */
int source_look(const struct symbol_api *symbols, const struct source_wish *wish, struct looked_source *looked);
int code_look(const struct symbol_api *symbols, const struct code_wish *wish, struct looked_code *looked);

void looked_source_free(struct looked_source *looked);
void looked_code_free(struct looked_code *looked);

#endif
