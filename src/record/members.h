/* The processes of a session, as their recorder knows them: who they are, what they say, what they are told.
 *
 *     connected ──LINK_JOIN──▶ joined ──hangs up──▶ leaving ──has ended──▶ left ──room is needed──▶ an ended_file
 *         └──LINK_COMMAND──▶ gives commands
 *
 * No sockets here: packets come in as bytes, of which none is believed, and what is to go out is found in the members. */
#ifndef SONDE_RECORD_MEMBERS_H
#define SONDE_RECORD_MEMBERS_H

#include "common/map.h"
#include "ipc/link.h"
#include "record/budget.h"
#include "record/ended_file.h"
#include "record/missing.h"

enum member_role {
    MEMBER_CONNECTED, /* has said nothing yet */
    MEMBER_JOINED,
    MEMBER_LEAVING, /* has hung up; its process may still be there, and write */
    MEMBER_COMMANDS,
};

struct member {
    enum member_role role;
    int fd;              /* -1 = none; the coordinator's … */
    bool is_watched;     /* … and these, too: it waits for what comes … */
    bool is_observed;    /* … and the process is looked after from outside */
    int peer;            /* its process, as the kernel says … */
    uint64_t peer_start; /* … and the time that tells it from a later one with this number, once it has hung up; 0 before */
    int pid;             /* as the process says: it may live in a container. Names its file, with … */
    uint32_t image;
    bool is_itself; /* both are the same: its file is its own, for sure */
    bool is_over;   /* its process has a later file by now */
    bool no_room;   /* the limit has none for it: it is told to stop, and its file goes */
    uint64_t since_ns;
    struct budget_process share;
    bool answer_due;           /* to a LINK_USAGE or LINK_JOIN */
    uint32_t stop_number;      /* of the state that told it to stop; 0 = it was not told */
    uint32_t goes_by;          /* the number that it said last */
    enum link_command command; /* of MEMBER_COMMANDS: to be answered; 0 = none */
};

/* What a process left that has said that it writes no more: nobody has looked what is in it yet. */
struct left_file {
    int pid;
    uint32_t image;
    uint64_t bytes;    /* of disk space, when it ended, … */
    uint64_t ended_ns; /* … which was then or just before */
    bool was_found;    /* it had not joined … */
    uint64_t taken;    /* … and had taken so much from the room */
};

struct members {
    int folder; /* of the session */
    struct budget budget;
    enum link_recording recording;
    VEC(struct member *) list;
    VEC(struct ended_file *) ended;
    VEC(struct left_file) left; /* the oldest first */
    uint64_t left_bytes;        /* of them all; budget.others has it in it */
    struct map known;           /* files of members, and of those that ended: rows of `names` */
    VEC(uint64_t) names;
    struct missing missing;
    uint64_t unreadable_bytes;         /* of files that ended and could not be looked at */
    uint64_t joined, expired, refused; /* processes (also those whose file was found), files, connections: counted */
    size_t unknown, unknown_live;      /* files of the last search that are not known yet; those whose process is there */
    uint64_t no_room;                  /* processes, too */
};

/* `room` is the caller's; NULL = there is none. */
void members_init(struct members *members, int folder, uint64_t limit_bytes, struct room *room);
void members_free(struct members *members);

/* NULL when the heap is empty. */
struct member *members_add(struct members *members, int peer, uint64_t now_ns);

/* One packet. False: it makes no sense, and the member is to be hung up on. */
bool members_receive(struct members *members, struct member *member, const void *packet, size_t length, uint64_t now_ns);

/* It has hung up, or is hung up on. One that had not joined is gone afterwards. */
void members_hang_up(struct members *members, struct member *member);

/* Of those that are leaving, takes leave of the ones that have ended, and takes in what was left where the session gets short
 * of room. True while there are others. */
bool members_let_go(struct members *members, uint64_t now_ns);

/* Whether somebody may soon need the room of what nobody has looked at yet. */
bool members_are_short(const struct members *members);

/* Looks at what processes left, at up to `most` files: what is unused there goes back to the system, and the rest can expire
 * piece by piece. */
void members_take_in(struct members *members, size_t most);

/* A process has told of a program through the room. */
void members_note_start(struct members *members, const struct room_start *start);

/* Looks for files in the folder that no member answers for: of processes that were too short to join, could not, or were killed
 * before. They count, and those that are complete, or whose process is gone, are treated as what an ended process left.
 *
 * One that lives counts with its file, and with what it took from the room as long as it has not said so: that is too much
 * rather than too little. */
void members_count_others(struct members *members, uint64_t now_ns);

/* Decides anew who may hold how much, and throws away what is too old. */
void members_balance(struct members *members, uint64_t now_ns);

/* From now on, and for those that come later. */
void members_tell(struct members *members, enum link_recording recording);

/* The LINK_STATE for a member: the caller sends it where `share.to_tell` or `answer_due` is set, and takes those back. */
struct link_message members_state(const struct members *members, const struct member *member);

/* Whether a process has, or had, a file with this image or a later one. */
bool members_left_file(const struct members *members, int pid, uint32_t image);

/* Processes that are joined now, and those that were there without when the folder was searched last. */
size_t members_live(const struct members *members);

#endif
