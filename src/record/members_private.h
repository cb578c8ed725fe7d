/* What the files of members.h share. */
#ifndef SONDE_RECORD_MEMBERS_PRIVATE_H
#define SONDE_RECORD_MEMBERS_PRIVATE_H

#include "record/members.h"

/* A file of the session is known once its process has joined, or once it was found. */
bool members_is_known(const struct members *members, int pid, uint32_t image);
bool members_make_known(struct members *members, int pid, uint32_t image);

/* Takes the file of this process out of `left`, where it was found before the process joined. False: it is not there. */
bool members_take_back(struct members *members, int pid, uint32_t image, struct left_file *found);

void members_remove(struct members *members, struct member *member);

#endif
