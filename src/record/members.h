/* The processes of a session, as their recorder knows them: their ids, the messages they send, and the state they are sent.
 *
 *     connected ──LINK_JOIN──▶ joined ──hangs up──▶ leaving ──has ended──▶ left ──quota gets short──▶ an ended_file
 *         └──LINK_COMMAND──▶ gives commands
 *
 * No sockets here: packets come in as bytes, which are not trusted, and what is to be sent is computed from the members. */
#ifndef SONDE_RECORD_MEMBERS_H
#define SONDE_RECORD_MEMBERS_H

#include "common/map.h"
#include "ipc/link.h"
#include "record/budget.h"
#include "record/ended_file.h"
#include "record/missing.h"

enum member_role {
    MEMBER_CONNECTED, /* has sent nothing yet */
    MEMBER_JOINED,
    MEMBER_LEAVING, /* has disconnected; its process may still live, and write to its file */
    MEMBER_COMMANDS,
};

struct member {
    enum member_role role;
    int fd;              /* for the coordinator alone; -1 = none */
    bool is_watched;     /* for the coordinator alone: `fd` is in its epoll set */
    bool is_observed;    /* for the coordinator alone: the observer has the process */
    int peer;            /* its process id, as the kernel tells it */
    uint64_t peer_start; /* its start time, once it has disconnected: a later process with the same id has another. 0 before */
    int pid;             /* its process id, as it tells it: it may live in a container. Its file is PID-IMAGE.sonde */
    uint32_t image;
    bool is_itself; /* pid and peer are the same: the file is its own, for sure */
    bool is_over;   /* its process has a later file by now */
    bool no_room;   /* the limit is used up: it is told to stop, and its file is removed */
    uint64_t since_ns;
    struct budget_process share;
    bool answer_due;           /* to a LINK_USAGE or LINK_JOIN */
    uint32_t stop_number;      /* of the LINK_STATE that told it to stop; 0 = it was not told */
    uint32_t goes_by;          /* the number of the LINK_STATE that it has applied, as it last reported */
    enum link_command command; /* of MEMBER_COMMANDS: to be answered; 0 = none */
};

/* The file of a process that has ended, or has closed its recording. It was not read yet, only its size is known. */
struct left_file {
    int pid;
    uint32_t image;
    uint64_t bytes;    /* of disk space, when it ended, … */
    uint64_t ended_ns; /* … which was then or just before */
    bool was_found;    /* it had not joined … */
    uint64_t taken;    /* … and had taken so much of the quota */
};

struct members {
    int folder; /* of the session */
    struct budget budget;
    enum link_recording recording;
    VEC(struct member *) list;
    VEC(struct ended_file *) ended;
    VEC(struct left_file) left; /* the oldest first */
    uint64_t left_bytes;        /* of all in `left`; part of budget.others */
    struct map known;           /* files of members and of ended processes: rows of `names` */
    VEC(uint64_t) names;
    struct missing missing;
    uint64_t unreadable_bytes;         /* of files of ended processes that could not be read */
    uint64_t joined, expired, refused; /* counts: processes (also those whose file was found), files, connections */
    size_t unknown, unknown_live;      /* files of the last search that are not in `known`; those whose process lives */
    uint64_t no_room;                  /* a count: processes that were not recorded because the limit was used up */
};

/* `quota` is the caller's; NULL = there is none. */
void members_init(struct members *members, int folder, uint64_t limit_bytes, struct quota *quota);
void members_free(struct members *members);

/* NULL when the heap is empty. */
struct member *members_add(struct members *members, int peer, uint64_t now_ns);

/* Takes one packet. False: it is malformed, and the caller is to close the connection. */
bool members_receive(struct members *members, struct member *member, const void *packet, size_t length, uint64_t now_ns);

/* The connection of the member was closed, by either side. A member that had not joined is freed. */
void members_hang_up(struct members *members, struct member *member);

/* Of the members that are leaving, removes the ones whose process has ended, and takes in what ended processes left where the
 * session gets short of quota. True while other members are leaving. */
bool members_let_go(struct members *members, uint64_t now_ns);

/* Whether the quota is so short that files of ended processes are to be trimmed, which nobody has looked at yet. */
bool members_are_short(const struct members *members);

/* Reads and trims up to `most` files of ended processes: disk space that is unused there is freed, and the rest can be evicted
 * piece by piece. */
void members_take_in(struct members *members, size_t most);

/* Takes a notice of a started program. */
void members_note_start(struct members *members, const struct start_notice *start);

/* Searches the folder for files that belong to no member: of processes that were too short to join, could not, or were killed
 * before. Their bytes count. Files that are complete, or whose process is gone, are treated as files of ended processes.
 *
 * A process that lives counts with its file and with what it took of the quota without reporting it: rather too much than too
 * little. */
void members_count_others(struct members *members, uint64_t now_ns);

/* Computes the limits of all members anew (budget.h), and evicts the oldest data of ended processes. */
void members_balance(struct members *members, uint64_t now_ns);

/* Whether members record, pause or stop: those that are there, and those that join later. */
void members_tell(struct members *members, enum link_recording recording);

/* The LINK_STATE for a member: the caller sends it where `share.to_tell` or `answer_due` is set, and clears those. */
struct link_message members_state(const struct members *members, const struct member *member);

/* Whether a process has, or had, a file with this image or a later one. */
bool members_left_file(const struct members *members, int pid, uint32_t image);

/* How many processes have joined and live, or have a file without having joined as the last search of the folder found. */
size_t members_live(const struct members *members);

#endif
