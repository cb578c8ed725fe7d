/* The object of a CPU profile, as the Profiler domain of the DevTools protocol defines it, in a file or within an event:
 *
 *     {"startTime":1000, "endTime":2000, "samples":[2,2], "timeDeltas":[10,10],
 *      "nodes":[{"id":1,"callFrame":{"functionName":"(root)",…},"children":[2]}, {"id":2,…}]}
 *
 * Nothing in it is judged here but that it is JSON: a value of the wrong kind is as if it were not there, an item of the wrong
 * kind in a list of numbers keeps its place. */
#ifndef SONDE_TRACE_PROFILE_READ_H
#define SONDE_TRACE_PROFILE_READ_H

#include "trace/trace.h"
#include "trace/trace_keys.h"

struct profile_reader {
    struct json_reader *json;
    struct string_table *strings;
};

/* The value of one key of the object; false, with nothing read, for a key that it does not have. */
bool profile_read_key(struct profile_reader *reader, struct trace_profile *profile, enum trace_key key);

/* The object; `profile` is emptied first, and keeps its memory. False where something else stands there, which is passed over.
 */
bool profile_read(struct profile_reader *reader, struct trace_profile *profile);

/* A list of numbers in place of what `numbers` has; `other` where an item is none. False where there is no list. */
bool profile_read_numbers(struct json_reader *json, struct numbers *numbers, double other);

/* Empty, but with its memory. */
void profile_clear(struct trace_profile *profile);

#endif
