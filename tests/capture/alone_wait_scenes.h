/* What the recorded programs of alone_waits.c do. */
#ifndef SONDE_TESTS_CAPTURE_ALONE_WAIT_SCENES_H
#define SONDE_TESTS_CAPTURE_ALONE_WAIT_SCENES_H

/* In the recorded program. Its exit status: 0 = all went as it was meant to. */
int alone_wait_scene_play(const char *name);

#endif
