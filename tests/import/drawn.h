/* What the drawings of several tests have in common. */
#ifndef SONDE_TESTS_DRAWN_H
#define SONDE_TESTS_DRAWN_H

#include "profile/profile.h"

#define MAIN "thread 1 Main tid=101 main sampled\n"
#define APP_MODULE "module 1 /opt/bin/app 0x1000-0x5000 bias=0x1000 build-id=0102030405060708090a0b0c0d0e0f1011121314\n"

static inline const char *text_of(const struct profile *profile, struct string_index index)
{
    return profile_text(profile, index).text;
}

#endif
