#include "capture/stack_writer.h"

#include "capture/pages.h"

#include <stdatomic.h>
#include <string.h>

enum {
    FRAMES_BYTES = STACK_FRAMES_MAX * sizeof(struct frame_entry),
    STACK_HEAD_MAX = 32, /* all of a STACK entry but the frames */
};

static uint64_t sequence_of(const struct chunk *chunk)
{
    /* Only the thread that took the chunk sets it. */
    return chunk ? atomic_load_explicit(&chunk->header.sequence, memory_order_relaxed) : 0;
}

static void count_lost(struct stack_writer *writer, size_t bytes)
{
    struct session_file_header *header = chunk_manager_header(writer->chunks);
    atomic_fetch_add_explicit(&header->statistics[STATISTIC_ENTRIES_LOST], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&header->statistics[STATISTIC_BYTES_LOST], bytes, memory_order_relaxed);
}

static bool next_chunk(struct stack_writer *writer, uint64_t now_ns)
{
    stack_writer_end(writer, now_ns);
    writer->chunk = chunk_manager_take(writer->chunks, CHUNK_SAMPLES, now_ns);
    return writer->chunk;
}

void stack_writer_end(struct stack_writer *writer, uint64_t now_ns)
{
    if (writer->chunk)
        chunk_manager_give_back(writer->chunks, writer->chunk, now_ns);
    writer->chunk = NULL;
}

static uint8_t *reserve(struct stack_writer *writer, size_t max)
{
    uint8_t *out = chunk_reserve(writer->chunk, max);
    return out || !chunk_manager_extend(writer->chunks, writer->chunk) ? out : chunk_reserve(writer->chunk, max);
}

bool stack_writer_put(struct stack_writer *writer, uint64_t now_ns, size_t max,
                      size_t (*write)(uint8_t *out, size_t room, const void *entry), const void *entry)
{
    uint8_t *out = writer->chunk ? reserve(writer, max) : NULL;
    if (!out && next_chunk(writer, now_ns))
        out = reserve(writer, max);
    size_t length = out ? write(out, max, entry) : 0;
    if (length == 0) {
        count_lost(writer, max);
        return false;
    }
    chunk_commit(writer->chunk, max, length);
    return true;
}

/* --- the thread's last stack -------------------------------------------------------------------------------------------- */

static bool same_frame(const struct frame_entry *a, const struct frame_entry *b)
{
    if (a->kind != b->kind || a->address != b->address)
        return false;
    return a->kind == FRAME_NATIVE ||
           (a->relevant_for_js == b->relevant_for_js && a->line == b->line && a->column == b->column &&
            a->category == b->category && a->subcategory == b->subcategory && slice_equal(a->text, b->text) &&
            slice_equal(a->file, b->file));
}

static size_t shared_frames(const struct registration *thread, const struct frame_entry *frames, size_t count)
{
    size_t most = thread->sampled.frame_count < count ? thread->sampled.frame_count : count, shared = 0;
    while (shared < most && same_frame(&thread->sampled.frames[shared], &frames[shared]))
        shared++;
    return shared;
}

static bool memory_ready(struct registration *thread)
{
    if (thread->sampled.frames)
        return true;
    char *pages = pages_map(FRAMES_BYTES + RAW_TEXT_BYTES);
    thread->sampled.frames = (void *)pages;
    thread->sampled.text = pages ? pages + FRAMES_BYTES : NULL;
    return pages;
}

static struct slice keep_text(struct registration *thread, struct slice text, size_t *used)
{
    if (text.length > RAW_TEXT_BYTES - *used) /* not from a raw_stack */
        text.length = RAW_TEXT_BYTES - *used;
    char *kept = thread->sampled.text + *used;
    if (text.length)
        memcpy(kept, text.text, text.length);
    *used += text.length;
    return (struct slice){kept, text.length};
}

/* Texts lie one behind the other in the order of the frames, so those of the shared frames can stay. */
static void keep_stack(struct registration *thread, const struct frame_entry *frames, size_t count, size_t shared,
                       bool truncated)
{
    size_t used = 0;
    for (size_t i = 0; i < shared; i++)
        if (frames[i].kind != FRAME_NATIVE)
            used += thread->sampled.frames[i].text.length + thread->sampled.frames[i].file.length;
    for (size_t i = shared; i < count; i++) {
        struct frame_entry *kept = &thread->sampled.frames[i];
        *kept = frames[i];
        if (kept->kind == FRAME_NATIVE)
            continue;
        kept->text = keep_text(thread, frames[i].text, &used);
        kept->file = keep_text(thread, frames[i].file, &used);
    }
    thread->sampled.frame_count = (uint32_t)count;
    thread->sampled.truncated = truncated;
}

/* --- STACK entries ------------------------------------------------------------------------------------------------------ */

static size_t write_stack(uint8_t *out, size_t room, const void *entry)
{
    return entry_write_stack(out, room, entry);
}

static bool write_frames(struct stack_writer *writer, const struct registration *thread, size_t shared,
                         struct stack_entry *entry)
{
    size_t used = 0;
    uint64_t previous = 0;
    for (size_t i = shared; i < thread->sampled.frame_count; i++) {
        size_t length = frame_write(writer->frames + used, sizeof writer->frames - STACK_HEAD_MAX - used,
                                    &thread->sampled.frames[i], &previous);
        if (length == 0)
            return false;
        used += length;
    }
    *entry = (struct stack_entry){
        .thread = thread->info.number,
        .shared = (uint32_t)shared,
        .truncated = thread->sampled.truncated,
        .frames = {.bytes = {(const char *)writer->frames, used}, .count = thread->sampled.frame_count - (uint32_t)shared}};
    return true;
}

/* The stack that is kept; its first `shared` frames are those of the STACK before. */
static bool put_stack(struct stack_writer *writer, uint64_t now_ns, struct registration *thread, size_t shared)
{
    struct stack_entry entry;
    if (thread->sampled.stack_chunk != sequence_of(writer->chunk) || !writer->chunk)
        shared = 0;
    if (!write_frames(writer, thread, shared, &entry)) {
        count_lost(writer, sizeof writer->frames);
        goto lost;
    }
    size_t max = STACK_HEAD_MAX + entry.frames.bytes.length;
    if (shared && !reserve(writer, max)) {
        /* It begins a new chunk, so it has to be whole. */
        if (!write_frames(writer, thread, 0, &entry)) {
            count_lost(writer, sizeof writer->frames);
            goto lost;
        }
        max = STACK_HEAD_MAX + entry.frames.bytes.length;
    }
    if (!stack_writer_put(writer, now_ns, max, write_stack, &entry))
        goto lost;
    thread->sampled.stack_chunk = sequence_of(writer->chunk);
    return true;
lost:
    thread->sampled.stack_chunk = 0; /* what readers know is not what is kept: the next one is whole */
    return false;
}

bool stack_writer_stack(struct stack_writer *writer, uint64_t now_ns, struct registration *thread,
                        const struct frame_entry *frames, size_t count, bool truncated)
{
    if (!memory_ready(thread)) {
        count_lost(writer, sizeof writer->frames);
        return false;
    }
    size_t shared = shared_frames(thread, frames, count);
    bool same = shared == count && count == thread->sampled.frame_count && truncated == thread->sampled.truncated;
    if (same && thread->sampled.stack_chunk)
        return true;
    keep_stack(thread, frames, count, shared, truncated);
    return put_stack(writer, now_ns, thread, shared);
}

void stack_writer_restate(struct stack_writer *writer, uint64_t now_ns, struct registration *thread, uint64_t victim)
{
    if (thread->sampled.stack_chunk == 0 || thread->sampled.stack_chunk > victim)
        return;
    /* The victim is done, so it is not the chunk that is being written, and the stack goes whole into that. */
    put_stack(writer, now_ns, thread, 0);
}
