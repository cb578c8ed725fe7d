/* The texts of markers: the profile's strings, and those that deriving markers adds.
 *
 * Deriving markers makes names and payload fields the file did not have. The profile stays as it is; their texts are kept
 * here, and their indices go on where those of the profile's strings end:
 *
 *     string index   0 … n-1 the profile's strings   n … those added here
 *
 * So every string_index of a derived marker and of its payload is to be read with marker_text(). */
#ifndef SONDE_MARKERS_TEXTS_H
#define SONDE_MARKERS_TEXTS_H

#include "profile/profile.h"

/* Names, types, keys and values that mean something to Sonde itself; what they read is in texts.c. */
enum marker_word {
    WORD_TYPE,
    /* network requests */
    WORD_NETWORK,
    WORD_ID,
    WORD_STATUS,
    WORD_STATUS_START,
    WORD_START_TIME,
    WORD_END_TIME,
    WORD_FETCH_START,
    /* screenshots */
    WORD_SCREENSHOT,
    WORD_SCREENSHOT_END,
    WORD_WINDOW_ID,
    /* messages between processes */
    WORD_IPC,
    WORD_IPC_IN,
    WORD_IPC_OUT,
    WORD_SYNC_IPC_IN,
    WORD_SYNC_IPC_OUT,
    WORD_DIRECTION,
    WORD_SENDING,
    WORD_PHASE,
    WORD_ENDPOINT,
    WORD_TRANSFER_START,
    WORD_TRANSFER_END,
    WORD_SYNC,
    WORD_OTHER_PID,
    WORD_MESSAGE_SEQNO,
    WORD_MESSAGE_TYPE,
    WORD_SEND_START_TIME,
    WORD_SEND_END_TIME,
    WORD_RECV_END_TIME,
    WORD_SEND_TID,
    WORD_RECV_TID,
    WORD_SEND_THREAD_NAME,
    WORD_RECV_THREAD_NAME,
    WORD_NICE_DIRECTION,
    /* others */
    WORD_JANK,
    WORD_FILE_IO,
    WORDS
};

struct marker_texts {
    const struct profile *profile;
    struct string_table added; /* texts that the profile does not have */
    struct string_index words[WORDS];
};

/* Adds the words. The profile must be complete and outlive the texts. False when the heap is empty; the texts are to be freed
 * in any case. */
bool marker_texts_init(struct marker_texts *texts, const struct profile *profile);
void marker_texts_free(struct marker_texts *texts);

/* The text of a string of the profile or of those added. */
static inline struct slice marker_text(const struct marker_texts *texts, struct string_index index)
{
    size_t own = string_table_count(&texts->profile->strings);
    return string_exists(index) && index.i >= own ? string_table_get(&texts->added, string_at(index.i - own))
                                                  : string_table_get(&texts->profile->strings, index);
}

/* The index of `text` where there is one, else STRING_NONE. */
struct string_index marker_texts_find(const struct marker_texts *texts, struct slice text);

/* The same, added if it is new; STRING_NONE when the heap is empty. */
struct string_index marker_texts_add(struct marker_texts *texts, struct slice text);

/* The `type` of a payload, or STRING_NONE; `data` may be NULL. */
struct string_index marker_payload_type(const struct marker_texts *texts, const uint8_t *data);

/* Writes the payload of a derived marker. */
void marker_payload_to_json(const struct marker_texts *texts, const uint8_t *data, struct json_writer *w);

#endif
