/* WebSocket frames (RFC 6455) on the side of a server: the bytes of a client in, in any pieces, and messages out; messages in,
 * and the bytes of their frames out. No extensions, no sockets.
 *
 *      0               1               2 …
 *     ┌─┬───┬───────┬─┬─────────────┬──────────────────┬───────────┬─────────┐
 *     │F│000│opcode │M│ length      │ 16 or 64 bits of │ mask      │ payload │
 *     │ │   │       │ │ 0…125,      │ length, where it │ 4 bytes,  │         │
 *     │ │   │       │ │ 126 or 127  │ is 126 or 127    │ if M is 1 │         │
 *     └─┴───┴───────┴─┴─────────────┴──────────────────┴───────────┴─────────┘
 *
 * Frames of clients are masked, those of servers are not. */
#ifndef SONDE_SERVER_WEBSOCKET_FRAME_H
#define SONDE_SERVER_WEBSOCKET_FRAME_H

#include "common/text_buffer.h"

#include <stdint.h>

enum websocket_opcode {
    WEBSOCKET_CONTINUATION = 0,
    WEBSOCKET_TEXT = 1,
    WEBSOCKET_BINARY = 2,
    WEBSOCKET_CLOSE = 8,
    WEBSOCKET_PING = 9,
    WEBSOCKET_PONG = 10,
};

/* Why a connection is closed. */
enum {
    WEBSOCKET_NORMAL = 1000,
    WEBSOCKET_GOING_AWAY = 1001,
    WEBSOCKET_PROTOCOL_ERROR = 1002,
    WEBSOCKET_NO_CODE = 1005, /* the close frame of the other side has none; never sent */
    WEBSOCKET_NOT_UTF8 = 1007,
    WEBSOCKET_TOO_LARGE = 1009,
    WEBSOCKET_OUR_ERROR = 1011, /* the heap is empty */
};

enum { WEBSOCKET_HEAD_MOST = 14, WEBSOCKET_CONTROL_MOST = 125 };

/* What came of some bytes. */
enum websocket_event {
    WEBSOCKET_NOTHING_YET, /* all bytes are taken, and something is not complete */
    WEBSOCKET_MESSAGE,     /* `payload`, a text or not */
    WEBSOCKET_PINGED,      /* `payload` is to be sent back */
    WEBSOCKET_PONGED,
    WEBSOCKET_CLOSED, /* by the client, with `code` */
    WEBSOCKET_FAILED, /* close with `code`: from here on nothing is taken */
};

/* Zeroed at first, but for `most`. */
struct websocket_reader {
    size_t most; /* bytes of a message */

    struct slice payload; /* until the next call */
    bool is_text;
    unsigned code;

    unsigned char head[WEBSOCKET_HEAD_MOST]; /* of the frame that is being read */
    size_t head_length;
    uint64_t left;     /* bytes of its payload to come */
    bool in_payload;   /* the head is complete */
    unsigned mask_at;  /* which of the four bytes of the mask is next */
    bool in_message;   /* fragments of a message were there, and not the last one */
    bool done, failed; /* the last call gave a message; nothing is taken any more */
    struct text_buffer message;
    unsigned char control[WEBSOCKET_CONTROL_MOST]; /* payload of a frame that may come between fragments */
    size_t control_length;
};

/* Takes bytes from the start of `bytes` until something is complete: to be called again until nothing is there yet. */
enum websocket_event websocket_read(struct websocket_reader *reader, struct slice *bytes);

void websocket_reader_free(struct websocket_reader *reader);

/* Appends a frame that is all of a message. */
void websocket_write(enum websocket_opcode opcode, struct slice payload, struct text_buffer *out);

/* Appends a close frame; without a code where that is WEBSOCKET_NO_CODE. */
void websocket_write_close(unsigned code, struct text_buffer *out);

#endif
