/* How the processes of a session and their recorder talk: over a socket in the session folder.
 *
 *     SESSION/control                     SOCK_SEQPACKET; every packet is one struct link_message, and an answer may have text
 *
 *     process                             recorder
 *     connects                    ──▶     closes the connection if the process is of another user
 *     LINK_JOIN                   ──▶
 *                                 ◀──     LINK_STATE: how much it may hold, and whether it records or pauses
 *     LINK_USAGE                  ──▶     sent when what it holds or the state that it has applied has changed; while one is
 *                                         not answered, later ones are merged
 *                                 ◀──     LINK_STATE: the answer; and at any time, when something has changed
 *     LINK_CHILD                  ──▶     it starts a program that may not be recorded, and no slot for notices (starts.h)
 *                                         is free; also without joining
 *     disconnects, or is killed   ──▶     its recording stays in its file
 *
 *     sonde ctl
 *     LINK_COMMAND                ──▶
 *                                 ◀──     LINK_ANSWER, when it is done
 *
 * Neither waits for the other. A process polls its socket now and then, and records all the same when there is no recorder (any
 * more): a recorder that is killed takes nothing with it. The recorder trusts no message: a message concerns only the process
 * that sent it, its numbers are checked against bounds, and what is recorded is in the files.
 *
 * A process that needs more than its limit takes of the quota of the session by itself (quota.h), and may then hold that much
 * more: its limit is limit_bytes, plus what it took since the taken_bytes of the same LINK_STATE.
 *
 * A lower limit counts from the moment at which the process has applied it: until its LINK_USAGE has the number of that
 * LINK_STATE the recorder counts the previous limit, and gives the difference to nobody else. Before the first answer a process
 * holds what link_first_bytes() says, after the recorder's end what it was allowed last, and where there never was one what its
 * environment says. */
#ifndef SONDE_IPC_LINK_H
#define SONDE_IPC_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

#define LINK_NAME "control"
#define LINK_OWN_THREADS "sonde" /* what the names of the library's own threads begin with; so the recorder knows them */
enum {
    LINK_VERSION = 2,
    LINK_TEXT_MAX = 4000,
    LINK_LEAST_BYTES = 64 << 10, /* a process may hold this, and a chunk for each writing thread, whatever its limit is */
};

/* What a process may hold before it is answered first, without taking it from the quota of the session: most processes need no
 * more, and where many share little it is the least. */
static inline uint64_t link_first_bytes(uint64_t session_bytes)
{
    const uint64_t share = session_bytes / 1024, most = 4 << 20;
    return share < LINK_LEAST_BYTES ? LINK_LEAST_BYTES : share > most ? most : share;
}

enum link_kind {
    LINK_JOIN = 1, /* pid, image */
    LINK_STATE,    /* number, limit_bytes, taken_bytes, recording, result */
    LINK_USAGE,   /* number (of the LINK_STATE it has applied; 0 = none yet), used_bytes, done_bytes, wanted_bytes, taken_bytes,
                     oldest_ns */
    LINK_CHILD,   /* pid, image (the first that the program can have), reason; text: the path of the program */
    LINK_COMMAND, /* command; text: the file of a dump */
    LINK_ANSWER,  /* result; text: what to tell */
};

enum link_recording { LINK_RECORD, LINK_PAUSE, LINK_STOP };
enum link_command { LINK_COMMAND_STATUS = 1, LINK_COMMAND_PAUSE, LINK_COMMAND_RESUME, LINK_COMMAND_STOP, LINK_COMMAND_DUMP };

/* Why a program that is started may leave no recording. */
enum link_reason {
    LINK_REASON_UNKNOWN,     /* to be looked up in the file */
    LINK_REASON_ENVIRONMENT, /* it is started without what tells it to record */
    LINK_REASON_FOLDER,      /* it could not reach the session's folder: another root, another user */
};

struct link_message {
    uint32_t kind;
    uint32_t version;
    int32_t pid;
    uint32_t image; /* N of PID-N.sonde */
    uint32_t recording, command, reason;
    int32_t result;        /* 0 or a negative errno; of a LINK_STATE that says stop: -ENOSPC = the session has no room for it */
    uint64_t limit_bytes;  /* of chunks that the process may hold, in use or done */
    uint64_t used_bytes;   /* held (with disk space), and being written, ready for it, or never to be thrown away */
    uint64_t done_bytes;   /* held, and can be thrown away */
    uint64_t wanted_bytes; /* it would take more */
    uint64_t
        taken_bytes;     /* of the quota, in all; of a LINK_STATE: as far as the recorder knows, and limit_bytes has it in it */
    uint64_t oldest_ns;  /* CLOCK_MONOTONIC: when the oldest chunk that is done was done; 0 = there is none */
    uint32_t text_bytes; /* that follow */
    uint32_t number;     /* of a LINK_STATE: rises when the limit or `recording` of this process change, from 1 */
};

/* The socket of a session, through a descriptor of its folder: the name of a socket is short, and that of a folder need not
 * be. Needs /proc. */
bool link_address(int folder, struct sockaddr_un *address);

/* A packet: the message, and a text of message->text_bytes. Never waits; false with errno set. */
bool link_send(int fd, const struct link_message *message, const char *text);

#endif
