#include "export/gecko.h"

#include "common/clock.h"
#include "common/memory.h"
#include "common/number_text.h"
#include "export/gecko_session.h"
#include "export/gecko_table.h"
#include "export/gecko_time.h"

#include <errno.h>
#include <time.h>

/* A process whose file could not be read. */
struct missing_process {
    const char *path;
    uint64_t time;
    struct error error;
};

/* What the processes of one profile share. */
struct gecko_export {
    const struct gecko_options *options;
    struct json_writer *w;
    struct error *error;
    size_t done, count; /* processes */
    struct session_file_header root;
    VEC(struct missing_process) missing;
    VEC(int32_t) pids;                  /* of the processes so far */
    struct gecko_categories categories; /* of all of them */
    struct arena arena;
    struct session_file *looks; /* of the folder of the process written last; NULL = none */
    char looks_path[PATH_MAX];
};

/* More rows than this no front-end shows. */
static const uint64_t default_rows_most = 20000000;

/* ---- a process ---- */

/* Everything but the processes below it. False when the heap is empty. */
static bool write_process(struct gecko_session *session, const struct gecko_options *options, bool root,
                          struct gecko_progress *progress, struct json_writer *w)
{
    json_write_key(w, "libs");
    gecko_libs_write(&session->libs, w);
    json_write_key(w, "meta");
    gecko_write_meta(session, options, root, w);
    json_write_key(w, "pages");
    json_write_raw(w, SLICE("[]"));
    gecko_counters_write(&session->counters, w);
    json_write_key(w, "sources");
    gecko_table_begin(w, SLICE("{\"id\":0,\"filename\":1,\"startLine\":2,\"startColumn\":3,\"sourceMapURL\":4}"));
    gecko_table_end(w);
    json_write_key(w, "threads");
    if (!gecko_write_threads(session, options, progress, w))
        return false;
    json_write_key(w, "pausedRanges");
    gecko_write_pauses(session, w);
    json_write_key(w, "profilingLog");
    gecko_write_log(session, w);
    return true;
}

/* A time of the first process in the time of another one. */
static uint64_t time_in(const struct session_file_header *other, const struct session_file_header *root, uint64_t time)
{
    uint64_t absolute = gecko_time(root->start_monotonic_ns) + gecko_time(time), start = gecko_time(other->start_monotonic_ns);
    return absolute > start ? absolute - start : 0;
}

static uint32_t images_before(const struct gecko_export *x, int32_t pid)
{
    uint32_t count = 0;
    for (size_t i = 0; i < x->pids.count; i++)
        count += x->pids.items[i] == pid;
    return count;
}

/* Readers shift the times of a process by its start since 1970: that all processes are on one timeline takes one clock, which
 * is the monotonic one. */
static void align_start(struct session_file_header *header, const struct session_file_header *root)
{
    header->start_realtime_ns = root->start_realtime_ns + (header->start_monotonic_ns - root->start_monotonic_ns);
}

/* Readers go by the categories of the first process: they must be there before anything refers to them. */
static bool join_categories(struct gecko_export *x, const struct gecko_session *root)
{
    if (!gecko_categories_join(&x->categories, &root->categories, &x->arena))
        return false;
    for (size_t i = 0; i < x->options->other_process_count; i++) {
        struct error ignored = {0}; /* the same file is opened again, and then it is said */
        struct session_file *file = session_file_open(x->options->other_processes[i], &ignored);
        int result = file ? gecko_categories_join_file(&x->categories, file, &x->arena, &ignored) : 0;
        session_file_close(file);
        if (result == -ENOMEM)
            return false;
    }
    return gecko_categories_add_waits(&x->categories, true, true);
}

static bool share_categories(struct gecko_export *x, struct gecko_session *session, bool root)
{
    if (x->options->other_process_count == 0)
        return true;
    return (!root || join_categories(x, session)) && gecko_categories_share(&session->categories, &x->categories);
}

/* What was seen of the process from outside. Without it the profile has no waits, which is no failure. */
static struct gecko_looks find_looks(struct gecko_export *x, const struct session_file *file)
{
    char path[PATH_MAX] = "";
    struct gecko_looks looks = {0};
    struct error ignored = {0};
    if (!session_looks_path(session_file_path(file), path, &looks.owner))
        return looks;
    if (strcmp(path, x->looks_path) != 0) {
        session_file_close(x->looks);
        x->looks = session_file_open(path, &ignored);
        strcpy(x->looks_path, path);
    }
    looks.file = x->looks;
    return looks;
}

/* Reads one process and writes it up to the value of `processes`. `error` is filled where the file cannot be read, and then
 * nothing was written, or where the heap is empty. */
static int export_process(struct gecko_export *x, struct session_file *file, bool root, struct error *error)
{
    struct gecko_session session = {0};
    struct gecko_options options = *x->options;
    struct gecko_progress progress = {
        .report = options.progress,
        .data = options.progress_data,
        .from = (double)x->done / (double)x->count,
        .to = (double)(x->done + 1) / (double)x->count,
    };
    struct session_file_header header;
    session_file_header(file, &header);
    if (root) {
        x->root = header;
    } else {
        options.since_ns = time_in(&header, &x->root, options.since_ns);
        options.shutdown_ns = 0;
        options.product = NULL;
    }
    if (options.shutdown_ns == 0)
        options.shutdown_ns = header.end_ns;
    struct gecko_looks looks = find_looks(x, file);
    uint64_t rows_most = options.rows_most > 0 ? options.rows_most : default_rows_most;
    int result = gecko_session_collect(&session, file, &looks, options.since_ns, rows_most, &progress, error);
    align_start(&session.header, &x->root);
    session.image = images_before(x, header.pid);
    if (result == 0 && (!vec_push(&x->pids, header.pid) || !share_categories(x, &session, root)))
        result = error_out_of_memory(error);
    if (result == 0) {
        json_write_begin_object(x->w);
        if (!write_process(&session, &options, root, &progress, x->w))
            result = error_out_of_memory(error);
        json_write_key(x->w, "processes");
    }
    gecko_session_free(&session);
    x->done++;
    return result;
}

/* ---- the others ---- */

static uint64_t now_of(const struct session_file_header *header)
{
    uint64_t time = clock_read(CLOCK_MONOTONIC);
    return time > header->start_monotonic_ns ? time - header->start_monotonic_ns : 0;
}

/* One that cannot be read is no failure: the log says so. */
static int export_other(struct gecko_export *x, const char *path)
{
    struct missing_process missing = {.path = path};
    struct session_file *file = session_file_open(path, &missing.error);
    int result = file ? export_process(x, file, false, &missing.error) : missing.error.code;
    if (file)
        session_file_close(file);
    if (result == 0) {
        json_write_raw(x->w, SLICE("[]"));
        json_write_end_object(x->w);
        return 0;
    }
    missing.time = now_of(&x->root);
    if (result == -ENOMEM || !vec_push(&x->missing, missing))
        return error_out_of_memory(x->error);
    return 0;
}

static int write_others(struct gecko_export *x)
{
    int result = 0;
    json_write_begin_array(x->w);
    for (size_t i = 0; i < x->options->other_process_count && result == 0; i++)
        result = export_other(x, x->options->other_processes[i]);
    json_write_end_array(x->w);
    return result;
}

static void write_time_under(struct json_writer *w, const char *key, uint64_t time)
{
    json_write_key(w, key);
    gecko_write_time(w, time);
}

static void write_gathering_log(const struct gecko_export *x, uint64_t begin)
{
    struct json_writer *w = x->w;
    char pid[NUMBER_TEXT_SIZE];
    json_write_begin_object(w);
    json_write_key_slice(w, (struct slice){pid, integer_text(x->root.pid, pid)});
    json_write_begin_object(w);
    write_time_under(w, "profileGatheringLogBegin_TSms", begin);
    json_write_key(w, "events");
    json_write_begin_array(w);
    for (size_t i = 0; i < x->missing.count; i++) {
        json_write_begin_array(w);
        gecko_write_time(w, x->missing.items[i].time);
        json_write_text(w, "Process missing");
        json_write_text(w, x->missing.items[i].path);
        json_write_text(w, x->missing.items[i].error.message);
        json_write_end_array(w);
    }
    json_write_end_array(w);
    write_time_under(w, "profileGatheringLogEnd_TSms", now_of(&x->root));
    json_write_end_object(w);
    json_write_end_object(w);
}

static int write_profile(struct gecko_export *x, struct session_file *file)
{
    int result = export_process(x, file, true, x->error);
    if (result != 0)
        return result;
    uint64_t begin = now_of(&x->root);
    result = write_others(x);
    json_write_key(x->w, "profileGatheringLog");
    write_gathering_log(x, begin);
    json_write_end_object(x->w);
    return result;
}

int export_gecko_session(struct session_file *file, const struct gecko_options *options, struct byte_sink *sink,
                         struct error *error)
{
    static const struct gecko_options defaults = {0};
    struct gecko_export x = {.options = options ? options : &defaults, .error = error};
    x.count = 1 + x.options->other_process_count;
    x.w = json_writer_open(sink, 0, error);
    if (!x.w)
        return error->code;
    int result = write_profile(&x, file);
    int written = json_writer_close(x.w);
    vec_free(&x.missing);
    vec_free(&x.pids);
    gecko_categories_free(&x.categories);
    arena_free(&x.arena);
    session_file_close(x.looks);
    if (result == 0)
        result = written;
    if (result == 0 && x.options->progress)
        x.options->progress(x.options->progress_data, 1);
    return result;
}
