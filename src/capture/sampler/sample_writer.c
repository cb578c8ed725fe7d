#include "capture/sampler/sample_writer.h"

#include "stack/merge.h"

#include <string.h>

enum { SAMPLE_HEAD_MAX = 64 }; /* all of a SAMPLE but its frames */

/* --- the last stack ------------------------------------------------------------------------------------------------------ */

static bool same_frame(const struct frame_entry *a, const struct frame_entry *b)
{
    if (a->kind != b->kind || a->address != b->address)
        return false;
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
    writer->has_stack = true;
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

/* False: none is supplied. */
static bool next_chunk(struct sample_writer *writer, const struct live_session *session, uint64_t now_ns)
{
    if (writer->chunk && writer->generation == session->generation)
        chunk_manager_give_supplied_back(writer->chunk, now_ns);
    writer->chunk = chunk_manager_take_supplied(session->chunks, now_ns);
    writer->generation = session->generation;
    writer->has_stack = false;
    writer->frame_count = 0;
    return writer->chunk;
}

static bool write_entry(struct sample_writer *writer, const struct live_session *session, struct sample_entry *entry,
                        size_t count)
{
    if (writer->chunk && writer->generation == session->generation) {
        size_t shared = writer->has_stack ? shared_frames(writer, count) : 0;
        if (encode_frames(writer, count, shared, &entry->stack) && put(writer->chunk, entry)) {
            keep_stack(writer, count, shared);
            return true;
        }
    }
    if (!next_chunk(writer, session, entry->time) || !encode_frames(writer, count, 0, &entry->stack) ||
        !put(writer->chunk, entry))
        return false;
    keep_stack(writer, count, 0);
    return true;
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
                                 .skipped = facts->skipped,
                                 .has_event_delay = raw->has_event_delay,
                                 .event_delay_ns = raw->has_event_delay ? raw->event_delay_ns : 0,
                                 .stack.truncated = cut || raw->end != UNWIND_COMPLETE};
    if (!write_entry(writer, session, &entry, count)) {
        live_statistic_add(session, STATISTIC_SAMPLES_LOST, 1);
        return;
    }
    live_statistic_add(session, facts->clock == SAMPLE_BY_EVENT ? STATISTIC_SAMPLES_EVENT : STATISTIC_SAMPLES_TICK, 1);
    if (entry.stack.truncated)
        live_statistic_add(session, STATISTIC_STACKS_TRUNCATED, 1);
    if (cut)
        live_statistic_add(session, STATISTIC_STACKS_CUT, 1);
}

void sample_writer_end(struct sample_writer *writer, struct chunk_manager *chunks, uint64_t generation, uint64_t now_ns)
{
    if (writer->chunk && writer->generation == generation)
        chunk_manager_pass_supplied_on(chunks, writer->chunk, now_ns);
    sample_writer_forget(writer);
}
