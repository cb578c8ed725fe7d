/* What the recorded programs of the sampling tests do. Each prints facts about itself, one in a line: `name value`. */
#ifndef SONDE_TESTS_SCENES_H
#define SONDE_TESTS_SCENES_H

#include <stdbool.h>

enum { FUNCTION_BYTES = 128 }; /* each function whose address is a fact is aligned to so much, and shorter */

/* False if there is none of this name. */
bool scene_play(const char *name);

#endif
