#include "import/session.h"

#include "import/foreign.h"
#include "import/session_paths.h"
#include "import/session_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- which paths are sessions ---- */

bool session_recognise(struct slice start)
{
    return slice_starts_with(start, SLICE(SESSION_MAGIC));
}

bool session_recognise_path(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    if (S_ISDIR(status.st_mode))
        return true;
    /* Only of files that can be read from their start again: a pipe would lose these bytes. */
    int fd = S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    char start[sizeof SESSION_MAGIC - 1];
    bool is_session = fd >= 0 && pread(fd, start, sizeof start, 0) == (ssize_t)sizeof start &&
                      session_recognise((struct slice){start, sizeof start});
    if (fd >= 0)
        close(fd);
    return is_session;
}

/* ---- entries ---- */

static bool read_kept(struct session_import *import, const struct any_entry *entry)
{
    struct session_thread *thread;
    switch (entry->kind) {
    case ENTRY_PROCESS:
        return session_process_meta(import, &entry->process);
    case ENTRY_CONFIGURATION:
        return session_configuration(import, &entry->configuration);
    case ENTRY_CATEGORY:
        return session_add_category(import, &entry->category);
    case ENTRY_THREAD:
        return session_add_thread(import, &entry->thread);
    case ENTRY_THREAD_NAME:
        return session_name_thread(import, &entry->thread_name);
    case ENTRY_THREAD_END:
        thread = session_find_thread(import, entry->thread_end.thread);
        if (thread) {
            thread->end = entry->thread_end.time;
            observed_end(&thread->observed, &entry->thread_end);
        }
        return true;
    case ENTRY_MODULE:
        return session_add_module(import, &entry->module);
    case ENTRY_MODULE_END:
        session_end_module(import, &entry->module_end);
        return true;
    case ENTRY_MARKER_TYPE:
        return session_add_marker_type(import, &entry->marker_type);
    case ENTRY_RUNTIME:
        return session_note_runtime(import, &entry->runtime);
    case ENTRY_COUNTER:
        return session_add_counter(import, &entry->counter);
    case ENTRY_ALLOCATIONS:
        return session_note_allocations(import, &entry->allocations);
    case ENTRY_CODE:
        return code_index_add(&import->process.code, &entry->code);
    case ENTRY_CODE_MOVED:
        return code_index_move(&import->process.code, &entry->code_moved);
    default:
        return true;
    }
}

/* All that others refer to is known. */
static bool complete_kept(struct session_import *import)
{
    struct session_process *process = &import->process;
    if (process->complete_kept)
        return true;
    process->complete_kept = true;
    struct profile *profile = import->profile;
    if (profile->categories.rows.count == 0 && !category_list_add_default(&profile->categories, &profile->strings))
        return false;
    session_sort_modules(import);
    return code_index_finish(&process->code) && session_begin_threads(import);
}

static bool read_event(struct session_import *import, const struct any_entry *entry)
{
    switch (entry->kind) {
    case ENTRY_SAMPLE:
        return session_sample(import, &entry->sample);
    case ENTRY_LOOK:
        return session_look(import, &entry->look);
    case ENTRY_COUNTER_SAMPLE:
        session_counter_sample(import, &entry->counter_sample);
        return true;
    case ENTRY_PAUSE:
    case ENTRY_RESUME:
    case ENTRY_PAUSE_SAMPLING:
    case ENTRY_RESUME_SAMPLING:
        return session_pause(import, entry->kind, entry->time);
    case ENTRY_MARKER:
        return session_marker(import, &entry->marker);
    case ENTRY_ALLOCATION:
        return session_allocation(import, &entry->allocation);
    case ENTRY_FREE:
        return session_free(import, &entry->free);
    case ENTRY_UNMAP:
        return session_unmap(import, &entry->unmap);
    case ENTRY_OBJECT:
        return session_object(import, &entry->object);
    case ENTRY_CALLER:
        session_caller(import, &entry->caller);
        return true;
    case ENTRY_CALL_PATH:
        return session_call_path(import, &entry->call_path);
    case ENTRY_ALLOCATED:
        return session_allocated(import, &entry->allocated);
    case ENTRY_FREED:
        return session_freed(import, &entry->freed);
    default:
        return true;
    }
}

static int read_entry(void *data, const struct any_entry *entry, struct error *error)
{
    struct session_import *import = data;
    bool done;
    if (entry_kind_is_kept(entry->kind))
        done = import->process.complete_kept || read_kept(import, entry);
    else
        done = complete_kept(import) && read_event(import, entry);
    return done ? 0 : error_out_of_memory(error);
}

/* Of the looks, what is kept is read before anything else. */
static int read_kept_entry(void *data, const struct any_entry *entry, struct error *error)
{
    return !entry_kind_is_kept(entry->kind) || read_kept(data, entry) ? 0 : error_out_of_memory(error);
}

static void change_chunk(void *data)
{
    struct session_import *import = data;
    import->process.chunk++;
}

static void report_progress(void *data, double share)
{
    const struct session_import *import = data;
    double done = ((double)import->files_read + share) / (double)import->file_count;
    if (import->progress)
        import->progress->report(import->progress->data, (uint64_t)(done * 1e6), 1000000);
}

/* ---- processes ---- */

static void process_free(struct session_process *process)
{
    for (size_t i = 0; i < process->threads.count; i++) {
        vec_free(&process->threads.items[i].path.steps);
        observed_free(&process->threads.items[i].observed);
        vec_free(&process->threads.items[i].faults);
    }
    for (size_t i = 0; i < process->tids.count; i++)
        vec_free(&process->tids.items[i].path.steps);
    vec_free(&process->tids);
    map_free(&process->tid_rows);
    map_free(&process->thread_of_tid);
    pauses_free(&process->pauses);
    vec_free(&process->modules.rows);
    code_index_free(&process->code);
    vec_free(&process->threads);
    map_free(&process->thread_of_number);
    vec_free(&process->frames);
    map_free(&process->frame_of_key);
    vec_free(&process->marker_path.steps);
    vec_free(&process->categories);
    vec_free(&process->types);
    vec_free(&process->fields);
    vec_free(&process->counters);
    vec_free(&process->allocations);
    vec_free(&process->objects);
    vec_free(&process->means);
    vec_free(&process->calls.path.steps);
    vec_free(&process->calls.stacks);
    vec_free(&process->allocation_path.steps);
    value_bytes_free(&process->paused);
    *process = (struct session_process){0};
}

/* What the process was before ended when it became this; or it was another process, of the same number. */
static bool count_image(struct session_import *import)
{
    struct session_process *process = &import->process;
    uint64_t start = process->header.start_monotonic_ns;
    bool unended = process->header.end_ns == 0, replaced = process->header.state == SESSION_REPLACED;
    for (size_t i = 0; i < import->images.count; i++) {
        struct session_images *images = &import->images.items[i];
        if (images->pid != process->header.pid)
            continue;
        process->image = images->count++;
        if (session_same_process(start, images->start_ns)) {
            import->quality.unended -= images->unended;
            import->quality.replaced -= images->replaced;
        } else {
            images->cpu_ns = 0;
        }
        images->start_ns = start;
        images->unended = unended;
        images->replaced = replaced;
        return true;
    }
    return vec_push(&import->images, ((struct session_images){process->header.pid, 1, start, unended, replaced, 0}));
}

static bool begin_process(struct session_import *import, const struct session_file *file)
{
    struct session_process *process = &import->process;
    struct meta *meta = &import->profile->meta;
    session_file_header(file, &process->header);
    if (import->process_count++ == 0) {
        import->first_start_ns = process->header.start_monotonic_ns;
        meta->interval = (double)process->header.interval_ns / 1e6;
        meta->start_time = (double)process->header.start_realtime_ns / 1e6;
    }
    /* Files come sorted by their start; one that says otherwise is not believed. */
    if (process->header.start_monotonic_ns > import->first_start_ns)
        process->shift_ns = process->header.start_monotonic_ns - import->first_start_ns;
    process->name = import->no_text;
    if (!count_image(import))
        return false;
    process->pid = session_id(import, process->header.pid);
    return string_exists(process->pid);
}

static bool finish_process(struct session_import *import, const char *path, const struct session_reading *reading,
                           size_t first_counter)
{
    struct session_process *process = &import->process;
    if (!complete_kept(import) || !session_end_pause(import) || !session_finish_threads(import) || !session_note_unseen(import))
        return false;
    bool has_main = import->profile->threads.count > process->first_thread;
    session_finish_counters(import, first_counter, has_main ? thread_at(process->first_thread) : thread_none());
    return session_log_file(import, reading) && session_add_statistics(import, path, reading);
}

/* What the process wrote itself, and what was seen of it from outside. */
static int read_entries(struct session_import *import, const char *path, struct session_file *file,
                        struct session_reading *reading, struct error *error)
{
    static const struct session_visitor all = {
        .entry = read_entry, .chunk_changed = change_chunk, .progress = report_progress, .markers_changed = change_chunk};
    static const struct session_visitor kept = {.entry = read_kept_entry},
                                        seen = {.entry = read_entry, .chunk_changed = change_chunk};
    struct session_reading of_looks = {0};
    uint64_t owner = 0;
    int failed = session_open_looks(import, path, &owner, error);
    if (!failed && import->looks)
        failed = session_file_visit_owner(import->looks, owner, &kept, import, &of_looks, error);
    if (!failed)
        failed = session_file_visit(file, &all, import, reading, error);
    if (!failed && !complete_kept(import))
        failed = error_out_of_memory(error);
    if (!failed && import->looks) {
        failed = session_file_visit_owner(import->looks, owner, &seen, import, &of_looks, error);
        session_add_reading(reading, &of_looks);
    }
    return failed;
}

static int read_process(struct session_import *import, const char *path, struct session_file *file, struct error *error)
{
    struct session_reading reading = {0};
    size_t first_counter = import->profile->counters.rows.count;
    int failed = 0;
    if (!begin_process(import, file))
        failed = error_out_of_memory(error);
    if (!failed)
        failed = read_entries(import, path, file, &reading, error);
    if (!failed && !finish_process(import, path, &reading, first_counter))
        failed = error_out_of_memory(error);
    process_free(&import->process);
    return failed;
}

/* ---- files ---- */

/* A file of a folder that cannot be read costs its process, not the others. */
static int read_file(struct session_import *import, const char *path, struct error *error)
{
    struct error reason = {0};
    struct session_file *file = session_file_open(path, &reason);
    int failed = reason.code;
    if (file) {
        failed = read_process(import, path, file, error);
        session_file_close(file);
    } else if (failed == -ENOMEM || !import->is_folder) {
        *error = reason;
    } else if (failed == -ENOENT) {
        failed = 0; /* its time was over, since the folder was read */
    } else {
        failed = session_add_damage(import, path, reason.message) ? 0 : error_out_of_memory(error);
    }
    import->files_read++;
    return failed;
}

/* How many there are is known before the first is read. */
static int read_folder(struct session_import *import, const char *folder)
{
    struct session_paths paths = {0};
    size_t unbegun = 0;
    int failed = session_folder_visit_counted(folder, session_paths_add, &paths, &unbegun, import->error);
    import->is_folder = true;
    import->file_count = paths.items.count;
    import->quality.unbegun = unbegun;
    if (!failed && !session_read_notes(import, folder))
        failed = error_out_of_memory(import->error);
    for (size_t i = 0; i < paths.items.count && !failed; i++)
        failed = read_file(import, paths.items.items[i], import->error);
    session_paths_free(&paths);
    return failed;
}

/* ---- the whole ---- */

/* Nothing was read: why? */
static int say_nothing(struct session_import *import)
{
    const struct session_quality *quality = &import->quality;
    if (quality->damages.count > 0) {
        struct slice line = profile_text(import->profile, quality->damages.items[0]);
        return error_set(import->error, -EINVAL, "%.*s", (int)line.length, line.text);
    }
    if (quality->unbegun > 0)
        return error_set(import->error, -ENODATA, "nothing was recorded: the program was killed before, or has just started");
    return error_set(import->error, -ENOENT, "there is no session in this folder");
}

static int finish(struct session_import *import)
{
    struct profile *profile = import->profile;
    if (import->process_count == 0)
        return say_nothing(import);
    if (!session_finish_meta(import))
        return error_out_of_memory(import->error);
    stack_builder_append_to(&import->stacks, 0, &profile->stacks);
    return profile_finish(profile, import->error);
}

int session_import(const char *path, const struct byte_progress *progress, struct profile *profile, struct error *error)
{
    struct session_import import = {
        .profile = profile,
        .progress = progress,
        .error = error,
        .file_count = 1,
        .profiling_start = NAN,
        .profiling_end = NAN,
        .first_row = NAN,
        .last_row = NAN,
        .quality = {.earliest_ns = UINT64_MAX},
        .ready_frame = INDEX_NONE,
        .start_frame = INDEX_NONE,
        .own_frame = INDEX_NONE,
        .fault_frame = INDEX_NONE,
        .unseen_frame = INDEX_NONE,
        .kernel_frame = INDEX_NONE,
        .mapped_frame = INDEX_NONE,
        .not_sampled_frame = INDEX_NONE,
    };
    struct stat status;
    int failed = 0;
    const struct foreign_format *foreign = foreign_recognise_folder(path);
    if (foreign)
        return foreign_refuse(foreign, error);
    location_resolver_init(&import.locations, profile);
    import.no_text = session_text(&import, SLICE(""));
    profile->meta.product = import.no_text;
    if (!string_exists(import.no_text))
        failed = error_out_of_memory(error);
    else if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        failed = read_folder(&import, path);
    else
        failed = read_file(&import, path, error);
    if (!failed)
        failed = finish(&import);
    location_resolver_free(&import.locations);
    stack_builder_free(&import.stacks);
    map_free(&import.func_of_address);
    vec_free(&import.native_funcs);
    map_free(&import.frame_of_content);
    vec_free(&import.shared_frames);
    vec_free(&import.images);
    vec_free(&import.allocations.unseen);
    vec_free(&import.quality.damages);
    vec_free(&import.quality.unwalked);
    vec_free(&import.quality.said);
    vec_free(&import.quality.in_step);
    session_file_close(import.looks);
    vec_free(&import.gathered);
    text_free(&import.arguments);
    value_bytes_free(&import.configuration);
    return failed;
}

/* The reader of sessions wants a file. */
static int copy_to_memory(struct byte_source *source, int fd, struct error *error)
{
    char bytes[16 << 10];
    for (;;) {
        ssize_t length = source->read(source, bytes, sizeof bytes, error);
        if (length <= 0)
            return (int)length;
        if (write(fd, bytes, (size_t)length) != length)
            return error_set(error, -errno, "%s", strerror(errno));
    }
}

int session_import_source(struct byte_source *source, struct profile *profile, struct error *error)
{
    char path[40];
    int fd = memfd_create("sonde-session", MFD_CLOEXEC);
    if (fd < 0)
        return error_set(error, -errno, "%s", strerror(errno));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int failed = copy_to_memory(source, fd, error);
    if (!failed)
        failed = session_import(path, NULL, profile, error);
    close(fd);
    return failed;
}
