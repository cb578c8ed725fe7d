/* What a session records, by names that are the contract (SONDE_STARTUP_FEATURES, `sonde record --features`). */
#ifndef SONDE_IPC_FEATURE_SET_H
#define SONDE_IPC_FEATURE_SET_H

#include <stddef.h>
#include <stdint.h>

enum feature {
    FEATURE_STACKWALK,           /* native stacks */
    FEATURE_JS,                  /* frames of language runtimes */
    FEATURE_NOMARKERSTACKS,      /* markers capture no stacks */
    FEATURE_NOSTACKSAMPLING,     /* no stacks at all; CPU time still */
    FEATURE_CPUALLTHREADS,       /* CPU time of threads that the filter leaves out … */
    FEATURE_SAMPLINGALLTHREADS,  /* … their stacks … */
    FEATURE_MARKERSALLTHREADS,   /* … and their markers */
    FEATURE_UNREGISTEREDTHREADS, /* look for threads that nobody registered */
    FEATURE_PROCESSCPU,
    FEATURE_POWER,
    FEATURE_CPUFREQ,
    FEATURE_BANDWIDTH,
    FEATURE_MEMORY,
    FEATURE_FLOWS,
    FEATURE_COUNT
};
#define FEATURE_BIT(feature) (UINT64_C(1) << (feature))

/* Adds the features named in the comma-separated `list` ("default" = the defaults, "all"; empty elements are skipped) to
 * *features. Returns 0, or -EINVAL with the first unknown name in *bad (not terminated) and its length; the known ones are
 * added all the same. */
int features_parse(const char *list, uint64_t *features, const char **bad, int *bad_length);

uint64_t features_default(void);

/* The names of these features, with `between` between them. Returns the length. */
enum { FEATURES_LONGEST = 300 }; /* all names */
size_t features_list(uint64_t features, const char *between, char text[FEATURES_LONGEST]);

/* NULL-terminated name and what it records, for help and for the profile. */
const char *feature_name(enum feature feature);
const char *feature_description(enum feature feature);

#endif
