/* CPU profiles of V8 (`node --cpu-prof`, the DevTools protocol): a tree of nodes, the node of each sample, and the time
 * between samples.
 *
 *     {"nodes": [{"id": 1, "callFrame": {"functionName": "(root)", …}, "children": [2, 5]}, …],
 *      "startTime": 1000000, "endTime": 1010000, "samples": [2, 4, …], "timeDeltas": [0, 500, …]}      (times in µs)
 *
 * Nodes name their children or their parent. The older form, nodes nested in each other under `head`, is read, too. */
#ifndef SONDE_IMPORT_CPUPROFILE_H
#define SONDE_IMPORT_CPUPROFILE_H

#include "common/byte_source.h"
#include "common/error.h"
#include "profile/profile.h"

/* True for the keys at the top of a file that only a CPU profile has. */
bool cpuprofile_has_key(struct slice key);

/* Reads a whole file into an empty profile, as import_profile() does. */
int cpuprofile_import(struct byte_source *source, struct profile *profile, struct error *error);

/* The same with the samples that the Firefox Profiler takes, each of which counts 1. */
int cpuprofile_import_thin(struct byte_source *source, struct profile *profile, struct error *error);

#endif
