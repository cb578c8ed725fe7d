/* The recorder's end of the socket, and processes that are played here. */
#ifndef TESTS_RECORD_MEETING_H
#define TESTS_RECORD_MEETING_H

#include "record/coordinator.h"

enum { DEADLINE_SECONDS = 60, LIMIT = 16 << 20, TIGHT = 1 << 20, NOBODY = 65534 };
/* Processes of LINK_LEAST_BYTES, where it is tight; those that have a file need as much again for their samples. */
enum { FIT = 12, FIT_OBSERVED = 6 };

struct meeting {
    char folder[64];
    struct coordinator *coordinator;
};

/* For cmocka: a session, and one of the least size. */
int meeting_begin(void **state);
int meeting_begin_tight(void **state);
int meeting_end(void **state);

/* -1 where nobody is let in. */
int connect_to(const char *folder);

/* Turns, until there is something to do no more. */
bool turn(struct meeting *meeting);

struct coordinator_figures figures(const struct meeting *meeting);

void say(int fd, struct link_message message, const char *text);

/* The latest that was said to it; false: it was hung up on, or nothing was said. */
bool hear(int fd, struct link_message *message);
bool is_hung_up(int fd);

/* What there is to say in the end, for coordinator_notes(). */
struct lines {
    char text[20][400];
    int count;
};

void add_line(void *data, const char *line);

/* Connects, and is heard. */
int join(struct meeting *meeting, int pid, uint32_t image);

#endif
