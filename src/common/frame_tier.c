#include "common/frame_tier.h"

struct names {
    const char *name, *title;
};

static const struct names names[TIER_COUNT] = {
    [TIER_NONE] = {"", "Other"},
    [TIER_INTERPRETER] = {"interpreter", "Interpreter"},
    [TIER_BASELINE] = {"baseline", "Baseline"},
    [TIER_MID] = {"mid-tier", "Mid-tier"},
    [TIER_OPTIMISED] = {"optimised", "Optimised"},
    [TIER_INLINED] = {"inlined", "Inlined"},
    [TIER_WASM] = {"wasm", "Wasm"},
    [TIER_BUILTIN] = {"builtin", "Builtin"},
    [TIER_WASM_BASELINE] = {"wasm baseline", "Wasm baseline"},
    [TIER_WASM_OPTIMISED] = {"wasm optimised", "Wasm optimised"},
};

struct slice frame_tier_name(enum frame_tier tier)
{
    return slice_of(names[tier < TIER_COUNT ? tier : TIER_NONE].name);
}

const char *frame_tier_title(enum frame_tier tier)
{
    return names[tier < TIER_COUNT ? tier : TIER_NONE].title;
}
