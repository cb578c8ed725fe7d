/* CPU time that is spent for nothing. */
#ifndef SONDE_TESTS_HARMLESS_BURN_H
#define SONDE_TESTS_HARMLESS_BURN_H

#include "chaos/targets/check.h"

static volatile uint32_t burn_result; /* so that it is not left out */

static inline void burn(unsigned rounds)
{
    burn_result = compute(burn_result, rounds);
}

#endif
