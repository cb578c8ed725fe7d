/* Records a scene (allocation_scenes.h), and has what it said and what was recorded of it: both as blocks. */
#ifndef TESTS_CAPTURE_RECORDED_BLOCKS_H
#define TESTS_CAPTURE_RECORDED_BLOCKS_H

#include "common/vec.h"
#include "session/reader.h"

#include <stdbool.h>
#include <stdint.h>

struct block {
    uint64_t address, size, time, frames;
    bool is_freed;
};
typedef VEC(struct block) block_list;

struct scene_recording {
    const char *scene;
    const char *what;     /* of allocations */
    const char *variable; /* one more, NAME=VALUE; or NULL */
    const char *behind;   /* a library that is preloaded behind ours; or NULL */
    int status;           /* as the scene ends: wait() */
};

extern block_list told, recorded;
extern struct session_file_header header; /* of the file of the program */

void scene_record(const struct scene_recording *how);
/* Before the next one. */
int scene_forget(void **state);

uint64_t bytes_recorded(void);

/* What the program said is what was recorded, and freed, as often. */
void assert_recorded_as_told(void);

#endif
