/* How the code of a frame ran: what a language runtime had made of the function by then. */
#ifndef SONDE_COMMON_FRAME_TIER_H
#define SONDE_COMMON_FRAME_TIER_H

#include "common/slice.h"

/* The numbers stand in sessions. Each is also the subcategory of JavaScript and Java that frames of this tier have; that of
 * TIER_NONE is "Other". */
enum frame_tier {
    TIER_NONE,
    TIER_INTERPRETER,
    TIER_BASELINE,  /* compiled as it stands */
    TIER_MID,       /* compiled with some of the optimisations */
    TIER_OPTIMISED, /* compiled with all of them */
    TIER_INLINED,   /* part of the code of its caller */
    TIER_WASM,      /* WebAssembly, by whichever compiler */
    TIER_BUILTIN,   /* code of the runtime itself: no function of the program */
    TIER_WASM_BASELINE,
    TIER_WASM_OPTIMISED,
    TIER_COUNT
};

/* As people and the column `implementation` of the Gecko format have it; empty for TIER_NONE. */
struct slice frame_tier_name(enum frame_tier tier);

/* The same as a subcategory. */
const char *frame_tier_title(enum frame_tier tier);

#endif
