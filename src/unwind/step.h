/* The steps of the CPU that this is built for. */
#ifndef SONDE_UNWIND_STEP_H
#define SONDE_UNWIND_STEP_H

#if defined(__x86_64__)
#include "unwind/x86_64/step.h" /* IWYU pragma: export */
#elif defined(__aarch64__)
#include "unwind/aarch64/step.h" /* IWYU pragma: export */
#endif

#endif
