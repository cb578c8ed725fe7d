/* What the markers of all threads of a profile share: words, schemas by type, and which IPC markers belong together.
 *
 * Deriving markers makes names and payload fields the file did not have. The profile stays as it is; their texts are kept
 * here, and their indices go on where those of the profile's strings end:
 *
 *     string index   0 … n-1 the profile's strings   n … the catalog's
 *
 * So every string_index of a derived marker and of its payload is to be read with marker_text(). */
#ifndef SONDE_MARKERS_CATALOG_H
#define SONDE_MARKERS_CATALOG_H

#include "common/error.h"
#include "markers/ipc.h"
#include "profile/profile.h"

/* Names, types, keys and values that mean something to Sonde itself; the texts are in catalog.c. */
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

struct marker_catalog {
    const struct profile *profile;
    struct string_table added; /* texts that the profile does not have */
    struct string_index words[WORDS];
    struct marker_schema_list built_in;        /* found through `schemas` only */
    VEC(const struct marker_schema *) schemas; /* each type once */
    struct map schema_by_type;
    struct ipc_messages ipc;
    struct value_bytes jank; /* the payload of all Jank markers */
};

/* The profile must be complete and outlive the catalog. 0 or -ENOMEM; the catalog is to be freed in any case. */
int marker_catalog_init(struct marker_catalog *catalog, const struct profile *profile, struct error *error);
void marker_catalog_free(struct marker_catalog *catalog);

/* The text of a string of the profile or of the catalog. */
static inline struct slice marker_text(const struct marker_catalog *catalog, struct string_index index)
{
    size_t own = string_table_count(&catalog->profile->strings);
    return string_exists(index) && index.i >= own ? string_table_get(&catalog->added, string_at(index.i - own))
                                                  : string_table_get(&catalog->profile->strings, index);
}

/* The index of `text` where the profile or the catalog has it, else STRING_NONE. */
struct string_index marker_catalog_find(const struct marker_catalog *catalog, struct slice text);

/* The same, added if it is new; STRING_NONE when the heap is empty. */
struct string_index marker_catalog_add(struct marker_catalog *catalog, struct slice text);

/* The `type` of a payload, or STRING_NONE; `data` may be NULL. */
struct string_index marker_payload_type(const struct marker_catalog *catalog, const uint8_t *data);

/* The schema for a type of payload, or NULL. What Sonde makes itself of network and IPC markers is described by schemas of
 * its own, which stand before those of the file. */
const struct marker_schema *marker_catalog_schema(const struct marker_catalog *catalog, struct string_index type);

/* Its row in `schemas`, or INDEX_NONE. */
uint32_t marker_catalog_schema_row(const struct marker_catalog *catalog, struct string_index type);

/* Writes the payload of a derived marker. */
void marker_payload_to_json(const struct marker_catalog *catalog, const uint8_t *data, struct json_writer *w);

#endif
