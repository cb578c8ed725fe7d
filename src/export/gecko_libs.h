/* The modules of a session: `libs`.
 *
 * The front-end finds the library of an address by its place alone. Where a module was unloaded and another one took its
 * addresses, both are listed, and frames in the older one get the name of the younger one, or the other way round: the format
 * has no times for libraries. Such places are therefore named in the log. */
#ifndef SONDE_EXPORT_GECKO_LIBS_H
#define SONDE_EXPORT_GECKO_LIBS_H

#include "common/arena.h"
#include "common/json_writer.h"
#include "common/vec.h"
#include "session/entry.h"

struct gecko_lib {
    uint64_t start, end, bias;
    struct slice path, build_id;
    size_t row; /* in the order in which they were loaded */
};

struct gecko_libs {
    VEC(struct gecko_lib) rows; /* after gecko_libs_finish() by address, and each once */
};

/* Texts are kept in `arena`. False when the heap is empty. */
bool gecko_libs_add(struct gecko_libs *libs, const struct module_entry *entry, struct arena *arena);

/* After the last one. */
void gecko_libs_finish(struct gecko_libs *libs);

/* The value of `libs`. */
void gecko_libs_write(const struct gecko_libs *libs, struct json_writer *w);

/* The paths of modules whose addresses another one has or had, too, as an array. */
void gecko_libs_write_overlaps(const struct gecko_libs *libs, struct json_writer *w);

void gecko_libs_free(struct gecko_libs *libs);

#endif
