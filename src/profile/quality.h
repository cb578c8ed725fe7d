/* How good a recording is, as the profile itself tells. */
#ifndef SONDE_PROFILE_QUALITY_H
#define SONDE_PROFILE_QUALITY_H

#include "profile/profile.h"

/* NaN, or an empty text = unknown: profiles that others made do not say. */
struct quality {
    double taken, lost;                              /* samples */
    double looks, looks_ms;                          /* at threads, from outside, and the CPU time that they took */
    struct slice clock;                              /* of the samples: "events", "ticks", "both" */
    double fault_period, faults_minor, faults_major; /* page faults: from sample to sample, and how many there were */
    struct slice clock_refused;                      /* why not events: the name of an errno */
    double tick_ms;                                  /* how far the kernel's ticks are apart */
    double truncated_share;                          /* of the CPU time: oldest frames are missing */
    double kernel_ms, not_sampled_ms;                /* CPU time without a stack */
    double profiler_start_ms;                        /* CPU time that recording took to begin */
    double unseen_ms;                                /* waiting time without a stack */
    double gone_ms;                                  /* time whose samples or looks were recycled */
    double stopped_p50, stopped_p99;                 /* ms a thread was held for a sample */
    struct slice event;                              /* of which the samples are, where the file had several */
    const uint8_t *events;   /* a packed object: the samples of each by its name; NULL = there was one */
    struct slice samples_of; /* "events": the file has no samples, and what they say was made of its events */
    const uint8_t *notes;    /* a packed array of texts for people; NULL = none */
};

/* What the profile says, as it stands in meta.sonde.quality; NULL where it says nothing. */
const uint8_t *quality_find(const struct profile *profile);

struct quality quality_of(const struct profile *profile);

/* What would allow the better clock; empty where it was not refused, or for a reason that has no remedy. */
const char *quality_clock_advice(const struct quality *quality);

#endif
