/* Talking to the recorder of a session, from outside. */
#ifndef SONDE_RECORD_CONTROL_H
#define SONDE_RECORD_CONTROL_H

#include "common/error.h"
#include "ipc/link.h"

struct control_answer {
    struct link_message message;
    char text[LINK_TEXT_MAX + 1];
};

/* Asks the recorder of the session in `folder` to do something, and waits some seconds for its answer. -ECONNREFUSED where
 * nobody records it (any more), -ETIMEDOUT where the recorder does not answer. */
int control_ask(const char *folder, enum link_command command, struct control_answer *answer, struct error *error);

#endif
