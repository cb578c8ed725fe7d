/* What is left of the limit of a session: one number, in a file that the recorder and all processes of the session map. The
 * same page says whether the session is paused or over, and has the slots for notices of started programs (starts.h).
 *
 *     SESSION/quota
 *
 *     recorder                  process
 *     puts in what no process   has reached its limit: takes a part of the quota, which raises its limit at once, without a
 *     holds, takes it back      message and without waiting
 *                         ◀──   reports it with its next LINK_USAGE (link.h), and in the header of its file, which stays
 *                               should the process be killed
 *
 * So a burst loses no data while the session has quota left, however busy the recorder is. All processes together stay below
 * the limit, since the quota counts as if it were held. A process that is killed after it took quota and before it wrote that
 * down leaks what it took: the recorder has that much less to give. */
#ifndef SONDE_IPC_QUOTA_H
#define SONDE_IPC_QUOTA_H

#include "ipc/starts.h"

#include <stdbool.h>
#include <stdint.h>

#define QUOTA_NAME "quota"
enum { QUOTA_BYTES = 32 << 10 }; /* of the disk, as well; the limit of the session has it in it */

struct quota {
    _Atomic uint64_t free;  /* bytes. Relaxed: it publishes nothing else */
    _Atomic bool is_over;   /* written by the recorder: nothing is to be recorded any more. Relaxed */
    _Atomic bool is_paused; /* written by the recorder: nothing is to be recorded for the time being. Relaxed */
    int32_t recorder;       /* the recorder's process id */
    struct starts starts;
};
_Static_assert(sizeof(struct quota) == QUOTA_BYTES, "the file has no more disk space than it needs");
_Static_assert(offsetof(struct quota, starts.slots) % sizeof(struct start_slot) == 0, "no slot is on two pages");

/* Called by the recorder: makes the file, with nothing in it. NULL with errno set. */
struct quota *quota_make(int folder);

/* The one in the folder, or in the folder of the file at `path`; NULL where there is none. */
struct quota *quota_open(const char *folder);
struct quota *quota_open_beside(const char *path);

/* Of the recorder or of a process. `quota` may be NULL. */
void quota_close(struct quota *quota);

uint64_t quota_free(const struct quota *quota);
void quota_put(struct quota *quota, uint64_t bytes);

/* The session is over: a process that has not begun to record by now does not begin. */
void quota_set_over(struct quota *quota);
bool quota_is_over(const struct quota *quota);

/* The session is paused, or goes on: for processes that get no message, because they have not joined. `quota` may be NULL. */
void quota_set_paused(struct quota *quota, bool paused);

/* Takes up to `most` bytes, or none where there are not even `least`; returns how many. */
uint64_t quota_take(struct quota *quota, uint64_t least, uint64_t most);

/* See starts.h. `quota` may be NULL: then there are no slots. */
bool quota_tell_start(struct quota *quota, const struct start_notice *start);
size_t quota_take_starts(struct quota *quota, void (*take)(void *data, const struct start_notice *start), void *data);

#endif
