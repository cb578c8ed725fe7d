#include "capture/state.h"

_Atomic uint64_t state_word;
