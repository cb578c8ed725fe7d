/* Looks as LOOK entries. */
#ifndef SONDE_LOOKER_LOOK_WRITER_H
#define SONDE_LOOKER_LOOK_WRITER_H

#include "looker/look.h"

enum { LOOK_HEAD_MAX = 96 }; /* all of a LOOK but its frames */

/* Fills in `entry`, whose frames are put into `bytes`. Of a look at the same wait as before there are none: readers know it by
 * the number of runs. `origin_ns` is what times of the session count from. False where the frames do not fit. */
bool look_entry_make(const struct look_thread *thread, const struct look *look, uint64_t origin_ns, uint8_t *bytes, size_t room,
                     struct look_entry *entry);

/* Hands a look to `put`, if it `is_worth_it`, and before it the last one of a wait that has ended: it lasted at least until
 * then. A look at the same wait that is not worth it is kept in *same for that; its time 0 = there is none. */
void look_note(struct look *same, const struct look *look, bool is_worth_it, void (*put)(void *data, const struct look *look),
               void *data);

#endif
