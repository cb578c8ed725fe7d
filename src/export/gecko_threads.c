#include "common/number_text.h"
#include "export/gecko.h"
#include "export/gecko_session.h"
#include "export/gecko_time.h"

/* The number of a process or of a thread; 12.1, 12.2 … where the process was other programs before: to the front-end they are
 * processes of their own. */
static void write_id(const struct gecko_session *session, int32_t id, struct json_writer *w)
{
    char text[2 * NUMBER_TEXT_SIZE];
    if (session->image == 0) {
        json_write_integer(w, id);
        return;
    }
    size_t length = integer_text(id, text);
    text[length++] = '.';
    length += integer_text(session->image, text + length);
    json_write_string(w, (struct slice){text, length});
}

static const char *process_type_of(const struct gecko_options *options)
{
    return options->process_type ? options->process_type : "default";
}

static void write_head(const struct gecko_session *session, const struct gecko_thread *thread,
                       const struct gecko_options *options, struct json_writer *w)
{
    json_write_key(w, "processType");
    json_write_text(w, process_type_of(options));
    json_write_key(w, "name");
    /* To the front-end this name makes the main thread. */
    json_write_string(w, thread->main ? SLICE("GeckoMain") : thread->name);
    json_write_key(w, "processName");
    json_write_string(w, options->other_process_count > 0 ? session->process_title : session->process_name);
    json_write_key(w, "registerTime");
    gecko_write_time(w, thread->register_ns);
    json_write_key(w, "unregisterTime");
    if (thread->end_ns != UINT64_MAX)
        gecko_write_time(w, thread->end_ns);
    else
        json_write_null(w);
}

static bool write_samples(const struct gecko_session *session, struct gecko_thread *thread, struct gecko_progress *progress,
                          struct json_writer *w)
{
    const struct rows_recording recording = {
        .interval_ns = session->interval_ns,
        .tick_ns = session->header.tick_ns,
        .pauses = &session->paused,
        .samples_recycled = session->header.statistics[STATISTIC_CHUNKS_RECYCLED] > 0,
        .looks_recycled = session->looks_recycled,
        .end_ns = session->header.end_ns,
    };
    struct thread_rows rows = {0};
    /* What nobody asked for may be known all the same: when it ended, say. */
    bool done = !thread->sampled || thread_rows_make(&thread->observed, &recording, &rows);
    done = done && gecko_samples_write(&rows, &thread->observed, &thread->stacks, &session->categories, session->grid_ns,
                                       session->since_ns, progress, w);
    thread_rows_free(&rows);
    return done;
}

/* False when the heap is empty. */
static bool write_thread(const struct gecko_session *session, struct gecko_thread *thread, const struct gecko_options *options,
                         struct gecko_progress *progress, struct json_writer *w)
{
    const struct gecko_marker_context context = {&session->types, &session->categories, process_type_of(options),
                                                 session->header.pid};
    if (!gecko_stacks_begin(&thread->stacks))
        return false;
    json_write_begin_object(w);
    write_head(session, thread, options, w);
    json_write_key(w, "samples");
    if (!write_samples(session, thread, progress, w))
        return false;
    json_write_key(w, "markers");
    if (!gecko_markers_write(&thread->markers, &thread->stacks, &context, progress, w))
        return false;
    json_write_key(w, "pid");
    write_id(session, session->header.pid, w);
    json_write_key(w, "tid");
    write_id(session, thread->tid, w);
    gecko_stacks_write(&thread->stacks, &session->categories, w);
    json_write_key(w, "tracedObjectShapes");
    json_write_raw(w, SLICE("[]"));
    json_write_key(w, "tracedValues");
    json_write_text(w, "");
    json_write_end_object(w);
    return true;
}

bool gecko_write_threads(struct gecko_session *session, const struct gecko_options *options, struct gecko_progress *progress,
                         struct json_writer *w)
{
    bool done = true;
    for (size_t i = 0; i < session->order.count; i++) {
        const struct gecko_thread *thread = &session->threads.items[session->order.items[i].row];
        progress->total += gecko_samples_time(&thread->observed) / session->grid_ns + thread->markers.rows.count;
    }
    json_write_begin_array(w);
    for (size_t i = 0; i < session->order.count && done && json_writer_ok(w); i++) {
        struct gecko_thread *thread = &session->threads.items[session->order.items[i].row];
        done = write_thread(session, thread, options, progress, w);
        gecko_thread_release(thread);
    }
    json_write_end_array(w);
    return done;
}
