/* What the files of members.h share. */
#ifndef SONDE_RECORD_MEMBERS_PRIVATE_H
#define SONDE_RECORD_MEMBERS_PRIVATE_H

#include "record/members.h"

/* A file of the session is known once its process has joined, or once it was found. */
bool members_is_known(const struct members *members, int pid, uint32_t image);
bool members_make_known(struct members *members, int pid, uint32_t image);

void members_remove(struct members *members, struct member *member);

#endif
