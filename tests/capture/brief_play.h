/* Scenes of brief.c, alone.c and alone_waits.c: the test starts itself with the library in it, to do what a scene says, where
 * CPUs are scarce, and reads what that leaves in the session. There is a process between: the program is not the recorder's
 * own. */
#ifndef SONDE_TESTS_CAPTURE_BRIEF_PLAY_H
#define SONDE_TESTS_CAPTURE_BRIEF_PLAY_H

#include "session/format.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PLAYED_FILES_MOST = 8 };

struct left_file {
    char *path;
    pid_t pid;
    unsigned image;
    struct session_file_header header;
    char *text; /* session_dump.h */
};

struct played {
    char folder[64]; /* until it is forgotten */
    pid_t pid;
    int status;
    uint64_t used_ns; /* CPU time of the program and of its children that it has waited for */
    uint64_t taken;   /* from the room */
    unsigned joined;  /* the program, and others that it started … */
    unsigned joined_itself;
    struct left_file files[PLAYED_FILES_MOST];
    size_t file_count;
};

/* How it differs from a build on a busy machine. */
struct difference {
    bool no_room, not_scarce, of_recorder, at_a_rate;
};

/* The path of the test, which some scenes start again; set by play_begin(), which comes first. False: it cannot be found. */
extern char play_self[PATH_MAX];
bool play_begin(void);

struct played play_with(const char *scene, const struct difference *difference);
struct played play_scene(const char *scene);
void played_forget(struct played *played);

/* The file of the program, as it was when it had become another so many times; and the first one of another process. */
const struct left_file *played_image(const struct played *played, unsigned image);
const struct left_file *played_child(const struct played *played);

/* It says who it is and when it ended, and nothing else. */
void assert_brief(const struct left_file *file, enum session_state state);

/* The program has a whole session, which has ended with it. */
void assert_whole(const struct left_file *file);

#endif
