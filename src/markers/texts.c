#include "markers/texts.h"

static const char *const word_texts[WORDS] = {
    [WORD_TYPE] = "type",
    [WORD_NETWORK] = "Network",
    [WORD_ID] = "id",
    [WORD_STATUS] = "status",
    [WORD_STATUS_START] = "STATUS_START",
    [WORD_START_TIME] = "startTime",
    [WORD_END_TIME] = "endTime",
    [WORD_FETCH_START] = "fetchStart",
    [WORD_SCREENSHOT] = "CompositorScreenshot",
    [WORD_SCREENSHOT_END] = "CompositorScreenshotWindowDestroyed",
    [WORD_WINDOW_ID] = "windowID",
    [WORD_IPC] = "IPC",
    [WORD_IPC_IN] = "IPCIn",
    [WORD_IPC_OUT] = "IPCOut",
    [WORD_SYNC_IPC_IN] = "SyncIPCIn",
    [WORD_SYNC_IPC_OUT] = "SyncIPCOut",
    [WORD_DIRECTION] = "direction",
    [WORD_SENDING] = "sending",
    [WORD_PHASE] = "phase",
    [WORD_ENDPOINT] = "endpoint",
    [WORD_TRANSFER_START] = "transferStart",
    [WORD_TRANSFER_END] = "transferEnd",
    [WORD_SYNC] = "sync",
    [WORD_OTHER_PID] = "otherPid",
    [WORD_MESSAGE_SEQNO] = "messageSeqno",
    [WORD_MESSAGE_TYPE] = "messageType",
    [WORD_SEND_START_TIME] = "sendStartTime",
    [WORD_SEND_END_TIME] = "sendEndTime",
    [WORD_RECV_END_TIME] = "recvEndTime",
    [WORD_SEND_TID] = "sendTid",
    [WORD_RECV_TID] = "recvTid",
    [WORD_SEND_THREAD_NAME] = "sendThreadName",
    [WORD_RECV_THREAD_NAME] = "recvThreadName",
    [WORD_NICE_DIRECTION] = "niceDirection",
    [WORD_JANK] = "Jank",
    [WORD_FILE_IO] = "FileIO",
};

struct string_index marker_texts_find(const struct marker_texts *texts, struct slice text)
{
    struct string_index found = string_table_find(&texts->profile->strings, text);
    if (string_exists(found))
        return found;
    found = string_table_find(&texts->added, text);
    return string_exists(found) ? string_at(string_table_count(&texts->profile->strings) + found.i) : STRING_NONE;
}

struct string_index marker_texts_add(struct marker_texts *texts, struct slice text)
{
    size_t own = string_table_count(&texts->profile->strings);
    struct string_index found = string_table_find(&texts->profile->strings, text);
    if (string_exists(found))
        return found;
    found = string_table_add(&texts->added, text);
    return string_exists(found) && own + found.i < INDEX_NONE ? string_at(own + found.i) : STRING_NONE;
}

bool marker_texts_init(struct marker_texts *texts, const struct profile *profile)
{
    *texts = (struct marker_texts){.profile = profile};
    for (size_t i = 0; i < WORDS; i++) {
        texts->words[i] = marker_texts_add(texts, slice_of(word_texts[i]));
        if (!string_exists(texts->words[i]))
            return false;
    }
    return true;
}

void marker_texts_free(struct marker_texts *texts)
{
    string_table_free(&texts->added);
}

struct string_index marker_payload_type(const struct marker_texts *texts, const uint8_t *data)
{
    const uint8_t *at = value_find(data, texts->words[WORD_TYPE]);
    if (!at)
        return STRING_NONE;
    struct value type = value_read(at);
    return type.kind == VALUE_STRING ? type.string : STRING_NONE;
}

void marker_payload_to_json(const struct marker_texts *texts, const uint8_t *data, struct json_writer *w)
{
    value_to_json_extended(data, &texts->profile->strings, &texts->added, w);
}
