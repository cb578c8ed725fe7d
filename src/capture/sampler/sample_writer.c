#include "capture/sampler/sample_writer.h"

#include "stack/merge.h"

#include <string.h>

enum { SAMPLE_HEAD_MAX = 64 }; /* all of a SAMPLE but its frames */

/* --- the last stack ------------------------------------------------------------------------------------------------------ */

static bool same_frame(const struct frame_entry *a, const struct frame_entry *b)
{
    if (a->kind != b->kind || a->address != b->address)
        return false;
    if (a->kind == FRAME_NUMBERED)
        return a->position == b->position && a->runtime == b->runtime && a->tier == b->tier;
    return a->kind == FRAME_NATIVE ||
           (a->relevant_for_js == b->relevant_for_js && a->line == b->line && a->column == b->column &&
            a->category == b->category && a->subcategory == b->subcategory && slice_equal(a->text, b->text) &&
            slice_equal(a->file, b->file));
}

static size_t shared_frames(const struct sample_writer *writer, size_t count)
{
    size_t most = writer->frame_count < count ? writer->frame_count : count, shared = 0;
    while (shared < most && same_frame(&writer->frames[shared], &writer->merged[shared]))
        shared++;
    return shared;
}

static struct slice keep_text(struct sample_writer *writer, struct slice text, size_t *used)
{
    char *kept = writer->text + *used;
    if (text.length > sizeof writer->text - *used)
        text.length = sizeof writer->text - *used;
    if (text.length)
        memcpy(kept, text.text, text.length);
    *used += text.length;
    return (struct slice){kept, text.length};
}

/* Texts lie one behind the other in the order of the frames, so those of the shared frames stay where they are. */
static void keep_stack(struct sample_writer *writer, size_t count, size_t shared)
{
    size_t used = 0;
    for (size_t i = 0; i < shared; i++)
        if (writer->frames[i].kind != FRAME_NATIVE)
            used += writer->frames[i].text.length + writer->frames[i].file.length;
    for (size_t i = shared; i < count; i++) {
        struct frame_entry *kept = &writer->frames[i];
        *kept = writer->merged[i];
        if (kept->kind == FRAME_NATIVE)
            continue;
        kept->text = keep_text(writer, kept->text, &used);
        kept->file = keep_text(writer, kept->file, &used);
    }
    writer->frame_count = (uint32_t)count;
}

/* --- writing ------------------------------------------------------------------------------------------------------------- */

/* The bytes of the frames behind the first `shared`; false where they do not fit an entry. */
static bool encode_frames(struct sample_writer *writer, size_t count, size_t shared, struct stack_part *part)
{
    size_t used = 0, room = sizeof writer->bytes - SAMPLE_HEAD_MAX;
    uint64_t previous = 0;
    for (size_t i = shared; i < count; i++) {
        size_t length = frame_write(writer->bytes + used, room - used, &writer->merged[i], &previous);
        if (length == 0)
            return false;
        used += length;
    }
    part->shared = (uint32_t)shared;
    part->frames = (struct frames_slice){{(const char *)writer->bytes, used}, (uint32_t)(count - shared)};
    return true;
}

static bool put(struct chunk *chunk, const struct sample_entry *entry)
{
    size_t max = SAMPLE_HEAD_MAX + entry->stack.frames.bytes.length;
    uint8_t *out = chunk_reserve(chunk, max);
    size_t length = out ? entry_write_sample(out, max, entry) : 0;
    if (length > 0)
        chunk_commit(chunk, max, length);
    return length > 0;
}

static bool is_empty(const struct chunk *chunk)
{
    return atomic_load_explicit(&chunk->header.used, memory_order_relaxed) == 0;
}

/* Whether the last stack of this thread is in this use of the chunk. */
static bool has_stack_in(const struct sample_writer *writer, const struct live_session *session, const struct chunk *chunk)
{
    return writer->chunk == chunk && writer->generation == session->generation &&
           writer->sequence == atomic_load_explicit(&chunk->header.sequence, memory_order_relaxed);
}

static bool write_into(struct sample_writer *writer, const struct live_session *session, struct chunk *chunk,
                       struct sample_entry *entry, size_t count)
{
    size_t shared = has_stack_in(writer, session, chunk) ? shared_frames(writer, count) : 0;
    if (!encode_frames(writer, count, shared, &entry->stack) || !put(chunk, entry))
        return false;
    keep_stack(writer, count, shared);
    writer->chunk = chunk;
    writer->generation = session->generation;
    writer->sequence = atomic_load_explicit(&chunk->header.sequence, memory_order_relaxed);
    return true;
}

/* False: it fits none of those that are supplied, or there is none. */
static bool write_entry(struct sample_writer *writer, const struct live_session *session, struct sample_entry *entry,
                        size_t count)
{
    for (;;) {
        struct chunk *chunk = chunk_manager_take_supplied(session->chunks, writer->chunk, entry->time);
        if (!chunk)
            return false;
        bool written = write_into(writer, session, chunk, entry, count);
        if (written || is_empty(chunk)) {
            chunk_manager_pass_supplied_on(session->chunks, chunk, entry->time);
            return written;
        }
        chunk_manager_give_supplied_back(chunk, entry->time);
    }
}

void sample_write(struct sample_writer *writer, const struct live_session *session, const struct sample_facts *facts)
{
    const struct raw_stack *raw = &writer->raw;
    bool cut;
    size_t count = merge_stack(raw, false, writer->merged, &cut);
    struct sample_entry entry = {.thread = facts->thread,
                                 .time = raw->time,
                                 .clock = facts->clock,
                                 .in_call = facts->in_call,
                                 .in_fault = facts->in_fault,
                                 .ticks = facts->ticks,
                                 .skipped = facts->skipped,
                                 .has_event_delay = raw->has_event_delay,
                                 .event_delay_ns = raw->has_event_delay ? raw->event_delay_ns : 0,
                                 .stack.truncated = cut || raw->end != UNWIND_COMPLETE};
    if (!write_entry(writer, session, &entry, count)) {
        live_statistic_add(session, STATISTIC_SAMPLES_LOST, 1);
        return;
    }
    static const enum session_statistic counted[] = {STATISTIC_SAMPLES_TICK, STATISTIC_SAMPLES_EVENT, STATISTIC_FAULT_SAMPLES,
                                                     STATISTIC_FAULT_SAMPLES};
    live_statistic_add(session, counted[facts->clock], 1);
    if (entry.stack.truncated)
        live_statistic_add(session, STATISTIC_STACKS_TRUNCATED, 1);
    if (cut)
        live_statistic_add(session, STATISTIC_STACKS_CUT, 1);
}
