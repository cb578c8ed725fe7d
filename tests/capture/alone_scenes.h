/* What the recorded programs of alone.c do. */
#ifndef SONDE_TESTS_CAPTURE_ALONE_SCENES_H
#define SONDE_TESTS_CAPTURE_ALONE_SCENES_H

/* In the recorded program. Its exit status: 0 = all went as it was meant to. */
int alone_scene_play(const char *name);

#endif
