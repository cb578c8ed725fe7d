/* What a profile says of the machine it was recorded on. */
#ifndef SONDE_API_MACHINE_H
#define SONDE_API_MACHINE_H

#include "profile/profile.h"

/* How many CPUs it had; 0 = unknown. */
uint32_t machine_cpus(const struct profile *profile);

#endif
