/* Times of a session are 64 bits that nobody vouches for. Up to half that size, sums and differences of two stay in range. */
#ifndef SONDE_EXPORT_GECKO_TIME_H
#define SONDE_EXPORT_GECKO_TIME_H

#include "common/json_writer.h"

#include <stdint.h>

#define GECKO_LATEST (UINT64_C(1) << 61)

static inline uint64_t gecko_time(uint64_t time)
{
    return time < GECKO_LATEST ? time : GECKO_LATEST;
}

static inline uint64_t gecko_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline void gecko_write_time(struct json_writer *w, uint64_t time)
{
    json_write_milliseconds(w, (int64_t)gecko_time(time));
}

#endif
