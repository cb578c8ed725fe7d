/* Stacks of JavaScript at the moments at which Sonde samples them: V8's own answers, in a file of these records. */
#ifndef SONDE_TESTS_V8_BOTH_STACKS_H
#define SONDE_TESTS_V8_BOTH_STACKS_H

#include <stdint.h>

enum { V8_FRAMES_MAX = 255, V8_RECORDS_MAX = 1 << 14 };

struct v8_record {
    uint64_t before, after; /* sonde_now() around both */
    int32_t tid;
    uint32_t count;                 /* of frames; 0 = V8 has no answer */
    uint64_t pc;                    /* where the thread was interrupted */
    uint64_t frames[V8_FRAMES_MAX]; /* youngest first */
};

struct v8_records {
    uint64_t count; /* may be more than there is room for */
    struct v8_record records[V8_RECORDS_MAX];
};

#endif
