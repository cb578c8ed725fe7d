/* What the files of coordinator.h share.
 *
 *     coordinator.c          beginning and end, a turn, when the next one is due
 *     coordinator_link.c     the socket: who connects, what members say and what they are told
 *     coordinator_report.c   figures, the status for `sonde ctl`, the notes of the session
 */
#ifndef SONDE_RECORD_COORDINATOR_PRIVATE_H
#define SONDE_RECORD_COORDINATOR_PRIVATE_H

#include "record/coordinator.h"
#include "record/members.h"
#include "record/observer.h"

#include <time.h>

struct coordinator {
    struct members members;
    int folder, listener, events, timer;
    struct quota *quota; /* NULL = the file system has no shared mappings */
    struct observer *observer;
    uint64_t looks_bytes; /* of the limit, that are the observer's */
    int look_timer;       /* when the observer has its next turn */
    bool look_is_due;     /* it fires at once */
    bool accepting;
    bool stop_asked;
    unsigned timer_ms;
    unsigned pause_ms;
    size_t newcomers;               /* in this turn */
    size_t starts;                  /* notices that were taken in this turn */
    uint64_t searched_ns;           /* when the folder was searched last … */
    struct timespec folder_changed; /* … what it said about its last change … */
    uint64_t starts_before;         /* … and how many starts had been told of */
    size_t files_most;              /* connections that we may have open */
    uint64_t balanced_ns;           /* when the memory was last shared out */
    char packet[sizeof(struct link_message) + LINK_TEXT_MAX + 1];
};

/* ---- coordinator.c ---- */

/* CLOCK_MONOTONIC. */
uint64_t coordinator_now(void);

/* Adds a descriptor to those whose events a turn takes: `whose` comes with the event. */
bool coordinator_watch(const struct coordinator *coordinator, int fd, void *whose);

/* Hands a process that has just joined to the observer; does nothing for all others. */
void coordinator_observe(struct coordinator *coordinator, struct member *member);

/* Takes the notices of started programs out of their slots. */
void coordinator_take_starts(struct coordinator *coordinator, uint64_t now);

/* ---- coordinator_link.c ---- */

/* Makes the socket in the folder and listens. False with errno set. */
bool coordinator_listen(struct coordinator *coordinator);

/* Accepts connections of this user, up to the number of descriptors that is allowed. */
void coordinator_accept(struct coordinator *coordinator);

/* While nothing is accepted, processes that connect wait in the queue of the socket, and hold the least meanwhile. */
void coordinator_set_accepting(struct coordinator *coordinator, bool accepting);

/* Reads the packets of a member, and answers its command. A member that has hung up, or makes no sense, is gone afterwards. */
void coordinator_receive(struct coordinator *coordinator, struct member *member);

/* Closes connections that have sent nothing for too long. */
void coordinator_drop_silent(struct coordinator *coordinator, uint64_t now);

/* Sends a LINK_STATE to each member whose limit has changed, or that waits for an answer. */
void coordinator_send_states(struct coordinator *coordinator);

/* ---- coordinator_report.c ---- */

/* The answer to `sonde ctl status`, of up to `capacity` bytes; returns its length. */
int coordinator_put_status(struct coordinator *coordinator, char *text, size_t capacity);

#endif
