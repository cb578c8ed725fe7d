/* Files for the tests of byte sources and sinks, in a folder of their own. */
#ifndef SONDE_TESTS_COMMON_BYTES_SUPPORT_H
#define SONDE_TESTS_COMMON_BYTES_SUPPORT_H

#include "common/byte_sink.h"
#include "common/byte_source.h"

/* Set-up and tear-down of a group. */
extern char bytes_folder[];
int make_folder(void **state);
int remove_folder(void **state);

/* Lives until the next call. */
const char *path_of(const char *name);

/* Everything a source gives, to be released; its last answer (0 or an error) in `*end`. */
struct slice read_all(struct byte_source *source, size_t capacity, ssize_t *end, struct error *error);
void assert_source_gives(struct byte_source *source, size_t capacity, struct slice expected);

void write_file(const char *path, enum byte_packing packing, struct slice bytes);

/* The file as it is, not unpacked. To be released. */
struct slice raw_file(const char *path);

/* Text that packs to about a tenth. To be released. */
struct slice sample(size_t lines);

void release(struct slice bytes);

#endif
