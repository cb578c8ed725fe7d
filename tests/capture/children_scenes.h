/* What the recorded programs of children.c do. */
#ifndef SONDE_TESTS_CAPTURE_CHILDREN_SCENES_H
#define SONDE_TESTS_CAPTURE_CHILDREN_SCENES_H

#include <limits.h>

enum { CHILDREN_SCENE_DEADLINE_S = 100 };

/* The path of the test, which some start again; set before. */
extern char children_scene_self[PATH_MAX];

/* In the recorded program. Its exit status: 0 = all went as it was meant to. */
int children_scene_play(const char *name);

#endif
