/* pprof profiles, as Go, pprof-rs, and many continuous profilers write them: stacks and what each came to, in one or several
 * types (`samples/count`, `cpu/nanoseconds`, `inuse_space/bytes`). Nothing says when, so the stacks of a thread stand one after
 * the other. */
#ifndef SONDE_IMPORT_PPROF_H
#define SONDE_IMPORT_PPROF_H

#include "common/byte_source.h"
#include "common/error.h"
#include "profile/profile.h"

/* Reads a whole file into an empty profile, as import_profile() does: what each stack came to of the type called `type`, with
 * its unit or without. NULL is the type that pprof itself shows: that which the file says, else the last. */
int pprof_import_event(const char *type, struct byte_source *source, struct profile *profile, struct error *error);
int pprof_import(struct byte_source *source, struct profile *profile, struct error *error);

#endif
