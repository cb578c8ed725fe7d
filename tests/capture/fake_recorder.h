/* The recorder's end of a session's socket, played by a test. */
#ifndef SONDE_TESTS_FAKE_RECORDER_H
#define SONDE_TESTS_FAKE_RECORDER_H

#include "ipc/link.h"

#include <stdbool.h>

/* A socket SESSION/control that listens; processes are accepted when the test asks. */
int fake_recorder_open(const char *folder);

/* The next one that comes, within seconds; -1 = nobody does. */
int fake_recorder_accept(int listener, int patience_ms);

/* The next packet; false when there is none in time, or the process has hung up. `text` may be NULL. */
bool fake_recorder_receive(int fd, struct link_message *message, char text[LINK_TEXT_MAX + 1], int patience_ms);

void fake_recorder_send_state(int fd, uint32_t number, uint64_t limit_bytes, enum link_recording recording);

#endif
