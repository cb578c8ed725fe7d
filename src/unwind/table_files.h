/* Unwind tables that are mapped from the files of their libraries, and not copied, because they are large: the library of a
 * compiler has megabytes of them, of which samples need a few pages, and a build starts thousands of compilers.
 *
 * Files are mapped while the program and its libraries are being loaded, and never later: whoever opens one takes the number of
 * a descriptor, if only for a moment, and a program that runs may count on getting that number itself.
 *
 * What is cut off a mapped file cannot be read any more. A library can be overwritten in place, but then those who run it
 * hardly survive anyhow. Small tables are not worth that risk. */
#ifndef SONDE_UNWIND_TABLE_FILES_H
#define SONDE_UNWIND_TABLE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dl_phdr_info;

struct table_file {
    const uint8_t *bytes; /* starts with a page */
    size_t length;
    uint64_t address; /* where the module itself has these bytes */
};

enum { TABLE_FILES_MAX = 8 };

/* All 0: none. */
struct table_files {
    size_t count;
    struct table_file files[TABLE_FILES_MAX];
};

/* An index (.eh_frame_hdr) of this size comes with half a megabyte of tables, which take half a millisecond to copy. */
enum { TABLE_FILES_LARGE = 64 << 10 };

/* Maps the files of all loaded modules whose index has `least` bytes or more. Of the tables nothing is read. What cannot be
 * mapped, or need not be (module_stays), is left out. */
void table_files_map(struct table_files *files, size_t least);

/* One module, as dl_iterate_phdr() tells of it. False where the file does not start as the module does, or is too short. */
bool table_files_add(struct table_files *files, const struct dl_phdr_info *module, const char *path);

/* Gives away the file whose bytes include those at `address`: the mapping is the caller's. */
bool table_files_take(struct table_files *files, uint64_t address, struct table_file *out);

void table_file_unmap(struct table_file *file);
void table_files_unmap(struct table_files *files);

#endif
