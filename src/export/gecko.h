/* The Gecko profile format, version 36, straight from a session: live or finished, from outside or in the recorded program
 * itself. Needs libc alone.
 *
 * One pass over the session; recording goes on meanwhile. What is kept in between is packed, and given back thread by thread
 * as it is written. The first failure ends the output, and its text is the error. */
#ifndef SONDE_EXPORT_GECKO_H
#define SONDE_EXPORT_GECKO_H

#include "common/byte_sink.h"
#include "common/error.h"
#include "session/reader.h"

#include <stddef.h>
#include <stdint.h>

struct gecko_options {
    const char *process_type; /* NULL = "default", which the front-end expects of the first process */
    const char *product;      /* NULL = the name of the process */
    uint64_t shutdown_ns;     /* when the process ended; 0 = as the session says */
    uint64_t since_ns;        /* leaves out what happened before, except what is needed to understand the rest */
    void (*progress)(void *data, double share); /* may be NULL; `share` never falls, and ends at 1 */
    void *progress_data;
    const char *const *other_processes; /* files of other processes, which go below `processes`; one that cannot be read */
    size_t other_process_count;         /* is left out, and the gathering log says why */
    uint64_t rows_most; /* rows of samples a process has, about; 0 = as many as the memory of a browser is good for */
};

/* Writes the profile of `file`'s process, with what was seen of it from outside, if that is in a file beside it. `options` may
 * be NULL. What was written before a failure is no profile. */
int export_gecko_session(struct session_file *file, const struct gecko_options *options, struct byte_sink *sink,
                         struct error *error);

#endif
