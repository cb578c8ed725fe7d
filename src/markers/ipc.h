/* Messages between processes: up to five IPC markers, on both sides, that are about one message.
 *
 *     sender    endpoint ── transfer start ── transfer end
 *     receiver                                     └──▶ transfer end ── endpoint
 *
 * They belong together when sender, receiver, number and type of the message are the same. */
#ifndef SONDE_MARKERS_IPC_H
#define SONDE_MARKERS_IPC_H

#include "common/map.h"
#include "common/vec.h"
#include "markers/texts.h"

#include <stdbool.h>

enum ipc_step { IPC_SENT, IPC_SEND_START, IPC_SEND_END, IPC_RECEIVE_END, IPC_RECEIVED, IPC_STEPS };

struct ipc_message {
    struct {
        struct thread_index thread; /* thread_none() = this step was not recorded */
        struct marker_index row;
        double time; /* ms */
    } steps[IPC_STEPS];
    struct string_index other_pid;                   /* as the first marker that was found says it */
    struct string_index sender_name, receiver_name;  /* "Renderer (Thread ID: 12)"; STRING_NONE = unknown */
    struct string_index sent_to_text, received_text; /* "sent to …", "received from …" */
};

/* A marker that stands for its message. */
struct ipc_link {
    struct thread_index thread;
    struct marker_index row;
    uint32_t message;
};

struct ipc_messages {
    VEC(struct ipc_message) rows;
    VEC(struct ipc_link) links;
    struct map by_marker; /* rows of `links` */
};

/* Finds all messages in all threads of the profile, `messages` being zeroed; does nothing where the profile has no IPC markers.
 * False when the heap is empty. */
bool ipc_messages_find(struct ipc_messages *messages, struct marker_texts *texts);
void ipc_messages_free(struct ipc_messages *messages);

/* The message that this raw marker stands for, or NULL: of several markers of a message on one thread only one does. */
const struct ipc_message *ipc_message_of(const struct ipc_messages *messages, struct thread_index thread,
                                         struct marker_index row);

/* What an IPC payload says of the marker itself. */
struct ipc_payload {
    bool sending, sync;
    enum ipc_step step; /* IPC_STEPS = none that is known */
};
struct ipc_payload ipc_payload_read(const struct marker_texts *texts, const uint8_t *data);

#endif
