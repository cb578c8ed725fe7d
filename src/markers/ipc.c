#include "markers/ipc.h"

#include "common/number_text.h"
#include "common/text_buffer.h"
#include "markers/thread_names.h"

#include <math.h>

static bool has_word(const struct marker_texts *texts, const uint8_t *data, enum marker_word key, enum marker_word word)
{
    const uint8_t *at = value_find(data, texts->words[key]);
    if (!at)
        return false;
    struct value value = value_read(at);
    return value.kind == VALUE_STRING && string_same(value.string, texts->words[word]);
}

static bool is_absent(const struct marker_texts *texts, const uint8_t *data, enum marker_word key)
{
    return !value_find(data, texts->words[key]);
}

struct ipc_payload ipc_payload_read(const struct marker_texts *texts, const uint8_t *data)
{
    const uint8_t *sync = value_find(data, texts->words[WORD_SYNC]);
    struct ipc_payload payload = {
        .sending = has_word(texts, data, WORD_DIRECTION, WORD_SENDING),
        .sync = sync && value_read(sync).kind == VALUE_TRUE,
        .step = IPC_STEPS,
    };
    if (is_absent(texts, data, WORD_PHASE) || has_word(texts, data, WORD_PHASE, WORD_ENDPOINT))
        payload.step = payload.sending ? IPC_SENT : IPC_RECEIVED;
    else if (has_word(texts, data, WORD_PHASE, WORD_TRANSFER_END))
        payload.step = payload.sending ? IPC_SEND_END : IPC_RECEIVE_END;
    else if (has_word(texts, data, WORD_PHASE, WORD_TRANSFER_START) && payload.sending)
        payload.step = IPC_SEND_START;
    return payload;
}

/* ---- collecting ---- */

static void add_value_text(struct text_buffer *text, const struct marker_texts *texts, const uint8_t *at)
{
    if (!at)
        return;
    struct value value = value_read(at);
    double number;
    if (value.kind == VALUE_STRING) {
        text_add(text, marker_text(texts, value.string));
    } else if (value_as_number(&value, &number) && isfinite(number)) {
        char digits[NUMBER_TEXT_SIZE];
        text_add(text, (struct slice){digits, number_text(number, digits)});
    }
}

/* "SENDER,RECEIVER,NUMBER,TYPE" */
static void put_key(struct text_buffer *key, const struct marker_texts *texts, const struct thread *thread, const uint8_t *data,
                    bool sending)
{
    struct slice own_pid = marker_text(texts, thread->pid);
    const uint8_t *other_pid = value_find(data, texts->words[WORD_OTHER_PID]);
    text_cut(key, 0);
    if (sending)
        text_add(key, own_pid);
    else
        add_value_text(key, texts, other_pid);
    text_add_char(key, ',');
    if (sending)
        add_value_text(key, texts, other_pid);
    else
        text_add(key, own_pid);
    text_add_char(key, ',');
    add_value_text(key, texts, value_find(data, texts->words[WORD_MESSAGE_SEQNO]));
    text_add_char(key, ',');
    add_value_text(key, texts, value_find(data, texts->words[WORD_MESSAGE_TYPE]));
}

static struct ipc_message *message_at(struct ipc_messages *messages, size_t row)
{
    if (row == messages->rows.count) {
        struct ipc_message message = {0};
        for (size_t i = 0; i < IPC_STEPS; i++)
            message.steps[i].thread = thread_none();
        message.other_pid = message.sender_name = message.receiver_name = STRING_NONE;
        if (!vec_push(&messages->rows, message))
            return NULL;
    }
    return &messages->rows.items[row];
}

struct collector {
    struct ipc_messages *messages;
    struct marker_texts *texts;
    struct string_table keys; /* the index of a key is the row of its message */
    struct text_buffer text;
};

static bool collect_marker(struct collector *collector, struct thread_index thread, struct marker_index row,
                           const uint8_t *data)
{
    struct marker_texts *texts = collector->texts;
    struct ipc_payload payload = ipc_payload_read(texts, data);
    if (payload.step == IPC_STEPS)
        return true;
    put_key(&collector->text, texts, &texts->profile->threads.items[thread.i], data, payload.sending);
    struct string_index key = string_table_add(&collector->keys, text_slice(&collector->text));
    struct ipc_message *message = string_exists(key) ? message_at(collector->messages, key.i) : NULL;
    if (collector->text.failed || !message)
        return false;
    /* Of two markers for one step the first counts. */
    if (thread_exists(message->steps[payload.step].thread))
        return true;
    message->steps[payload.step].thread = thread;
    message->steps[payload.step].row = row;
    const uint8_t *time = value_find(data, texts->words[WORD_START_TIME]);
    struct value value = time ? value_read(time) : (struct value){.kind = VALUE_NULL};
    if (!value_as_number(&value, &message->steps[payload.step].time))
        message->steps[payload.step].time = column_get_number(&texts->profile->threads.items[thread.i].markers.start, row.i);
    if (!string_exists(message->other_pid)) {
        text_cut(&collector->text, 0);
        add_value_text(&collector->text, texts, value_find(data, texts->words[WORD_OTHER_PID]));
        message->other_pid = marker_texts_add(texts, text_slice(&collector->text));
    }
    return !collector->text.failed && string_exists(message->other_pid);
}

static bool collect_thread(struct collector *collector, struct thread_index index)
{
    const struct marker_table *markers = &collector->texts->profile->threads.items[index.i].markers;
    int64_t data[COLUMN_BLOCK_ROWS];
    size_t count = marker_count(markers);
    for (size_t row = 0; row < count; row++) {
        size_t place = row % COLUMN_BLOCK_ROWS;
        if (place == 0)
            column_read(&markers->data, row, count - row < COLUMN_BLOCK_ROWS ? count - row : COLUMN_BLOCK_ROWS, data);
        if (data[place] == COLUMN_ABSENT)
            continue;
        const uint8_t *payload = markers->payloads.bytes.items + data[place];
        if (string_same(marker_payload_type(collector->texts, payload), collector->texts->words[WORD_IPC]) &&
            !collect_marker(collector, index, marker_at(row), payload))
            return false;
    }
    return true;
}

/* ---- texts ---- */

static struct string_index text_about(struct collector *collector, struct slice start, struct string_index name)
{
    text_cut(&collector->text, 0);
    text_add(&collector->text, start);
    text_add(&collector->text, marker_text(collector->texts, name));
    return collector->text.failed ? STRING_NONE : marker_texts_add(collector->texts, text_slice(&collector->text));
}

static bool describe_message(struct collector *collector, struct ipc_message *message, const struct string_index *names)
{
    struct thread_index sender = message->steps[IPC_SENT].thread, receiver = message->steps[IPC_RECEIVED].thread;
    if (thread_exists(sender))
        message->sender_name = names[sender.i];
    if (thread_exists(receiver))
        message->receiver_name = names[receiver.i];
    message->sent_to_text =
        text_about(collector, SLICE("sent to "), thread_exists(receiver) ? message->receiver_name : message->other_pid);
    message->received_text =
        text_about(collector, SLICE("received from "), thread_exists(sender) ? message->sender_name : message->other_pid);
    return string_exists(message->sent_to_text) && string_exists(message->received_text);
}

/* ---- which markers stand for a message ---- */

static uint64_t marker_hash(struct thread_index thread, struct marker_index row)
{
    return hash_u64((uint64_t)thread.i << 32 | row.i);
}

static bool link_step(struct ipc_messages *messages, uint32_t message, enum ipc_step step)
{
    struct ipc_link link = {messages->rows.items[message].steps[step].thread, messages->rows.items[message].steps[step].row,
                            message};
    return vec_push(&messages->links, link) &&
           map_insert(&messages->by_marker, marker_hash(link.thread, link.row), (uint32_t)messages->links.count - 1);
}

/* The two ends do. Where one of them is missing, the first marker of each other thread does, too. */
static bool link_message(struct ipc_messages *messages, uint32_t row)
{
    static const enum ipc_step order[] = {IPC_SENT, IPC_RECEIVED, IPC_SEND_START, IPC_SEND_END, IPC_RECEIVE_END};
    const struct ipc_message *message = &messages->rows.items[row];
    bool both_ends = thread_exists(message->steps[IPC_SENT].thread) && thread_exists(message->steps[IPC_RECEIVED].thread);
    for (size_t i = 0; i < (both_ends ? 2 : IPC_STEPS); i++) {
        struct thread_index thread = message->steps[order[i]].thread;
        bool known = !thread_exists(thread);
        for (size_t before = 0; before < i && i >= 2 && !known; before++)
            known = thread_same(message->steps[order[before]].thread, thread);
        if (!known && !link_step(messages, row, order[i]))
            return false;
    }
    return true;
}

static bool describe_and_link(struct collector *collector)
{
    struct ipc_messages *messages = collector->messages;
    struct string_index *names = memory_array(collector->texts->profile->threads.count, sizeof *names);
    bool ok = names && thread_names_make(collector->texts, names);
    for (size_t i = 0; ok && i < messages->rows.count; i++)
        ok = describe_message(collector, &messages->rows.items[i], names) && link_message(messages, (uint32_t)i);
    memory_release(names);
    return ok;
}

bool ipc_messages_find(struct ipc_messages *messages, struct marker_texts *texts)
{
    const struct profile *profile = texts->profile;
    /* Every message has a number; where no payload has that key there is no need to look at them all. */
    if (!string_exists(string_table_find(&profile->strings, SLICE("messageSeqno"))))
        return true;
    struct collector collector = {.messages = messages, .texts = texts};
    bool ok = true;
    for (size_t i = 0; ok && i < profile->threads.count; i++)
        if (!profile->threads.items[i].tid_is_text)
            ok = collect_thread(&collector, thread_at(i));
    if (ok && messages->rows.count > 0)
        ok = describe_and_link(&collector);
    string_table_free(&collector.keys);
    text_free(&collector.text);
    return ok;
}

void ipc_messages_free(struct ipc_messages *messages)
{
    vec_free(&messages->rows);
    vec_free(&messages->links);
    map_free(&messages->by_marker);
}

const struct ipc_message *ipc_message_of(const struct ipc_messages *messages, struct thread_index thread,
                                         struct marker_index row)
{
    uint32_t found;
    for (struct map_probe probe = map_probe(&messages->by_marker, marker_hash(thread, row)); map_probe_next(&probe, &found);) {
        const struct ipc_link *link = &messages->links.items[found];
        if (thread_same(link->thread, thread) && marker_same(link->row, row))
            return &messages->rows.items[link->message];
    }
    return NULL;
}
