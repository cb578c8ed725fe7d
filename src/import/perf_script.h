/* The text that `perf script` prints: for each sample a line that says who and when, its frames from the innermost to the
 * outermost, and a blank line.
 *
 *     V8 Worker 24636/25607 [000] 94564.109216:     250000 cycles:u:
 *             55d0a4c2e1f0 parse+0x1f0 (/usr/bin/node)
 *             7f0bd0c8a1ca __libc_start_call_main+0x7a (/usr/lib/libc.so.6)
 *
 * Without call chains there is one line a sample, with the only frame at its end; that is read, too. */
#ifndef SONDE_IMPORT_PERF_SCRIPT_H
#define SONDE_IMPORT_PERF_SCRIPT_H

#include "common/byte_source.h"
#include "common/error.h"
#include "import/options.h"
#include "profile/profile.h"

/* True where `start`, the first bytes of a file (all of it, or some thousand at least), is what `perf script` prints. */
bool perf_script_recognise(struct slice start);

/* Reads a whole file into an empty profile, as import_profile() does; of several events the samples of one: that of the
 * options, or the first one. Frames have addresses where there are records of what was mapped (`--show-mmap-events`). */
int perf_script_import_with(const struct import_options *options, struct byte_source *source, struct profile *profile,
                            struct error *error);
int perf_script_import(struct byte_source *source, struct profile *profile, struct error *error);

#endif
