/* The versions of the Gecko format, and what the reader has to know of each: the only place that does.
 *
 *     24  the oldest one read
 *     26  schemas have FileIO.threadId and DOMEvent.eventType; in older ones these fields are there but have no label
 *     27  no `optimizations` in frames: column positions come from the schema, so nothing to do
 *     28  the field format unique-string (31: flow-id, terminating-flow-id; 35: hexadecimal): the schema tells
 *     29  counter.samples instead of counter.sample_groups[0].samples
 *     32  locations may end in [number], an index of the process's `sources`
 *     33  every process has `sources`
 *     34  sources.id instead of sources.uuid; startLine, startColumn, sourceMapURL
 *     36  Text.name and Log.message are unique-strings: the schema tells
 */
#ifndef SONDE_IMPORT_GECKO_VERSIONS_H
#define SONDE_IMPORT_GECKO_VERSIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { GECKO_OLDEST = 24, GECKO_NEWEST = 36 };

/* The name of the column that identifies a source. */
static inline const char *gecko_source_id_column(int64_t version)
{
    return version < 34 ? "uuid" : "id";
}

/* Whether counters have a list of groups, of which only the first was ever written. */
static inline bool gecko_has_sample_groups(int64_t version)
{
    return version < 29;
}

/* Whether a process may have `sources`, so that locations cannot be read before them. */
static inline bool gecko_may_have_sources(int64_t version)
{
    return version >= 32;
}

#endif
