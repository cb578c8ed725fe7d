/* Chrome traces: samples become stacks, events become markers, counter events become counters.
 *
 *     {"traceEvents": [{"ph":"X","pid":7,"tid":9,"ts":1000,"dur":60,"name":"FunctionCall","args":{"data":{…}}}, …]}
 *
 *     X            an interval                     Profile, ProfileChunk, CpuProfile   samples
 *     B … E        an interval, by thread          C                                   counters, one for each number
 *     b … e, S … F an interval, by id              M                                   names and order of threads
 *     I i n R T p  a moment                        s t f N O D and others              left out
 *
 * All samples are kept, at the µs they have; the Firefox Profiler, whose way to name and order things this follows otherwise,
 * thins them out. */
#ifndef SONDE_IMPORT_TRACE_EVENTS_H
#define SONDE_IMPORT_TRACE_EVENTS_H

#include "common/byte_source.h"
#include "common/error.h"
#include "profile/profile.h"

/* Reads a whole file into an empty profile, as import_profile() does. */
int trace_events_import(struct byte_source *source, struct profile *profile, struct error *error);

/* The same with the samples that the Firefox Profiler takes, each of which counts 1. */
int trace_events_import_thin(struct byte_source *source, struct profile *profile, struct error *error);

#endif
