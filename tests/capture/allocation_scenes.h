#ifndef TESTS_CAPTURE_ALLOCATION_SCENES_H
#define TESTS_CAPTURE_ALLOCATION_SCENES_H

#include <stdbool.h>

/* What the recorded program does. False: there is no such scene. */
bool allocation_scene_play(const char *name);

#endif
