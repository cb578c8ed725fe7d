/* Sonde: tell a profiler what your program does.
 *
 *     #include <sonde/sonde.h>
 *
 *     static SONDE_COUNTER(queue_length, "Queue length", "Queue", "Requests that wait");
 *
 *     SONDE_MARKER_TYPE(http_request, "HTTP request",
 *                       SONDE_FIELD_URL(url), SONDE_FIELD_INTEGER(status), SONDE_FIELD_BYTES(size));
 *
 *     int main(void)
 *     {
 *         SONDE_LABEL("start-up", OTHER);                // a frame in every stack until the end of the block
 *         SONDE_MARKER_SCOPE("load", "config.toml");     // an interval with a text until the end of the block
 *         sonde_marker_instant("cache miss", OTHER);
 *         sonde_counter_add(&queue_length, +1);
 *         SONDE_MARKER(http_request, "GET", NETWORK, .url = "https://…", .status = 200, .size = 1234);
 *     }
 *
 * Nothing needs to be linked. Where the library is not loaded every call does nothing; `sonde record ./program` loads it, and
 * so does linking with `pkg-config --cflags --libs sonde`. While it is loaded but not recording, a marker costs two loads and
 * a branch.
 *
 * Unless something below says otherwise, it may be called from any thread, registered or not, at any time, also before
 * main(), but not from a signal handler (a marker that a handler adds while its thread is adding one is dropped and counted).
 * Names and texts are copied by the call, except those of labels, which must live as long as their block.
 *
 * A category is named by what stands behind SONDE_CATEGORY_ in api.h: OTHER, IO, NETWORK, …, or one of your own. */
#ifndef SONDE_SONDE_H
#define SONDE_SONDE_H

#include "sonde/api.h"
#include "sonde/fields.h"
#include "sonde/link.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether markers are being recorded, for work that is done only for them. Also in signal handlers. */
static inline bool sonde_is_recording(void)
{
    return __builtin_expect((sonde_state_() & (SONDE_STATE_ACTIVE | SONDE_STATE_PAUSED)) == SONDE_STATE_ACTIVE, 0);
}

/* Nanoseconds since the start of the process; 0 where the library is not loaded. Also in signal handlers. */
static inline uint64_t sonde_now(void)
{
    const struct sonde_api *api = sonde_api_();
    return api ? api->now() : 0;
}

/* --- labels: what the program is doing, as frames in the stacks of samples -------------------------------------------- */

/* Until the end of the block. A label costs a few nanoseconds, recording or not, so that one which began before a recording
 * is in it; a hot one costs nothing while nothing is recorded, and is then not there. `dynamic`: a text that is read when a
 * sample is taken. */
#define SONDE_LABEL(label, category) SONDE_LABEL_(true, label, NULL, SONDE_CATEGORY_##category, 0)
#define SONDE_LABEL_HOT(label, category) SONDE_LABEL_(sonde_is_recording(), label, NULL, SONDE_CATEGORY_##category, 0)
#define SONDE_LABEL_DYNAMIC(label, dynamic, category) SONDE_LABEL_(true, label, dynamic, SONDE_CATEGORY_##category, 0)
/* With SONDE_LABEL_METHOD and others of api.h. */
#define SONDE_LABEL_FLAGS(label, dynamic, category, flags) SONDE_LABEL_(true, label, dynamic, SONDE_CATEGORY_##category, flags)

/* For interpreters and others whose labels do not follow the blocks of C: `stack_address` (a variable of the function that
 * does the work) says where among the native frames the label is shown. What push returns is given to pop. */
static inline uint32_t sonde_label_push(const char *label, const char *dynamic, const void *stack_address,
                                        sonde_category category, unsigned flags)
{
    const struct sonde_api *api = sonde_api_();
    return api ? api->label_push(label, dynamic, stack_address, category, flags) : SONDE_LABEL_NONE;
}

static inline void sonde_label_pop(uint32_t pushed)
{
    if (pushed != SONDE_LABEL_NONE)
        sonde_api_()->label_pop(pushed);
}

/* --- markers: what happened when --------------------------------------------------------------------------------------- */

/* A moment; the two ends of an interval, which are matched by their name; a whole interval that began at `start`, a
 * sonde_now(). */
#define sonde_marker_instant(name, category) sonde_marker_add_(name, SONDE_CATEGORY_##category, SONDE_INSTANT, 0)
#define sonde_marker_start(name, category) sonde_marker_add_(name, SONDE_CATEGORY_##category, SONDE_START, 0)
#define sonde_marker_end(name, category) sonde_marker_add_(name, SONDE_CATEGORY_##category, SONDE_END, 0)
#define sonde_marker_since(start, name, category) sonde_marker_add_(name, SONDE_CATEGORY_##category, SONDE_INTERVAL, start)

/* The same with a text, formatted as by printf, but only if it is recorded. */
#define SONDE_MARKER_TEXT(name, category, ...)                                                                                 \
    SONDE_MARKER_TEXT_(name, SONDE_CATEGORY_##category, SONDE_INSTANT, 0, __VA_ARGS__)
#define SONDE_MARKER_TEXT_SINCE(start, name, category, ...)                                                                    \
    SONDE_MARKER_TEXT_(name, SONDE_CATEGORY_##category, SONDE_INTERVAL, start, __VA_ARGS__)

/* An interval until the end of the block, with a text (NULL = none), which must live as long. It is written when the block
 * ends: one that goes on when the recording ends is missing, so for long work use sonde_marker_start and sonde_marker_end. */
#define SONDE_MARKER_SCOPE(name, text) SONDE_MARKER_SCOPE_(name, text, SONDE_CATEGORY_OTHER)
#define SONDE_MARKER_SCOPE_IN(category, name, text) SONDE_MARKER_SCOPE_(name, text, SONDE_CATEGORY_##category)

/* A typed marker: the fields are declared once, outside of functions (1 to 16 of those in fields.h), and then given by name.
 * `name` is shown, and unique among the types of the program. */
#define SONDE_MARKER_TYPE(id, name, ...) SONDE_MARKER_TYPE_(id, name, (NULL, NULL, NULL, NULL, NULL, NULL, false), __VA_ARGS__)
/* … with more about its look: SONDE_MARKER_TYPE_LOOK(id, name, (.chart_label = "{marker.data.url}", .stack_based = true), …),
 * members as in struct sonde_marker_look. */
#define SONDE_MARKER_TYPE_LOOK(id, name, look, ...) SONDE_MARKER_TYPE_(id, name, look, __VA_ARGS__)

#define SONDE_MARKER(id, name, category, ...)                                                                                  \
    SONDE_MARKER_(id, name, SONDE_CATEGORY_##category, (SONDE_INSTANT, 0, 0, SONDE_NO_STACK, NULL, 0), __VA_ARGS__)
#define SONDE_MARKER_SINCE(start, id, name, category, ...)                                                                     \
    SONDE_MARKER_(id, name, SONDE_CATEGORY_##category, (SONDE_INTERVAL, start, 0, SONDE_NO_STACK, NULL, 0), __VA_ARGS__)
/* With all options: SONDE_MARKER_WITH((.phase = SONDE_INSTANT, .capture = SONDE_FULL_STACK), http_request, "GET", NETWORK, …)
 */
#define SONDE_MARKER_WITH(options, id, name, category, ...)                                                                    \
    SONDE_MARKER_(id, name, SONDE_CATEGORY_##category, options, __VA_ARGS__)

/* All options, for markers without a type: NULL = an instant now. `values`: what the fields of `type` say, or NULL. */
static inline void sonde_marker_add(struct sonde_marker_type *type, const char *name, sonde_category category,
                                    const struct sonde_marker_options *options, const void *values)
{
    if (sonde_is_recording())
        sonde_api_()->marker_add(type, name, strlen(name), category, options, values);
}

/* A marker of the kind "tracing": start and end of an activity of a family. */
#define sonde_marker_tracing(name, category, family, phase)                                                                    \
    sonde_marker_tracing_(name, SONDE_CATEGORY_##category, family, phase)

/* The stack of the calling thread, for markers that are added later (options.backtrace), also after the recording it was
 * taken in. NULL where nothing is recorded. Freeing NULL is allowed. */
static inline sonde_backtrace *sonde_backtrace_capture(enum sonde_capture capture)
{
    return sonde_is_recording() ? sonde_api_()->backtrace_capture(capture) : NULL;
}

static inline void sonde_backtrace_free(sonde_backtrace *backtrace)
{
    if (backtrace)
        sonde_api_()->backtrace_free(backtrace);
}

/* A number for fields of the kind FLOW: markers with the same one, on any thread, belong together. It is made from the address
 * of what flows (a request, a message) and differs between processes. */
static inline uint64_t sonde_flow(const void *object)
{
    return sonde_is_recording() ? sonde_api_()->flow((uintptr_t)object) : 0;
}

/* --- counters: how much of something ----------------------------------------------------------------------------------- */

/* Declares one, outside of functions; put `static` in front of it. It counts whether or not there is a recording. Each add is
 * also counted as one operation. */
#define SONDE_COUNTER(variable, name, category, description) struct sonde_counter variable = {name, category, description, NULL}

static inline struct sonde_counter_cell *sonde_counter_cell_(struct sonde_counter *counter)
{
    struct sonde_counter_cell *cell = __atomic_load_n(&counter->cell, __ATOMIC_ACQUIRE);
    const struct sonde_api *api = cell ? NULL : sonde_api_();
    if (api) {
        api->counter_register(counter);
        cell = __atomic_load_n(&counter->cell, __ATOMIC_ACQUIRE);
    }
    return cell;
}

static inline void sonde_counter_add(struct sonde_counter *counter, int64_t amount)
{
    struct sonde_counter_cell *cell = sonde_counter_cell_(counter);
    if (cell) {
        __atomic_fetch_add(&cell->count, amount, __ATOMIC_RELAXED);
        __atomic_fetch_add(&cell->number, 1, __ATOMIC_RELAXED);
    }
}

static inline void sonde_counter_set(struct sonde_counter *counter, int64_t value)
{
    struct sonde_counter_cell *cell = sonde_counter_cell_(counter);
    if (cell) {
        __atomic_store_n(&cell->count, value, __ATOMIC_RELAXED);
        __atomic_fetch_add(&cell->number, 1, __ATOMIC_RELAXED);
    }
}

/* Bytes sent or received over a network, on the counter that profilers show as bandwidth. */
static inline void sonde_bandwidth_add(uint64_t bytes)
{
    if (sonde_is_recording())
        sonde_api_()->bandwidth_add(bytes);
}

/* --- categories -------------------------------------------------------------------------------------------------------- */

/* Colours: transparent purple green orange yellow lightblue blue brown magenta red lightred darkgrey grey. The same name gives
 * the same category. Without the library: OTHER. */
static inline sonde_category sonde_category_register(const char *name, const char *colour)
{
    const struct sonde_api *api = sonde_api_();
    return api ? api->category_register(name, colour) : SONDE_CATEGORY_OTHER;
}

static inline sonde_category sonde_subcategory_register(sonde_category category, const char *name)
{
    const struct sonde_api *api = sonde_api_();
    return api ? api->subcategory_register(category, name) : category;
}

/* --- threads ----------------------------------------------------------------------------------------------------------- */

#define SONDE_CALL_IF_LOADED_(call)                                                                                            \
    do {                                                                                                                       \
        const struct sonde_api *api_ = sonde_api_();                                                                           \
        if (api_)                                                                                                              \
            api_->call;                                                                                                        \
    } while (0)

/* Only registered threads are sampled. Under `sonde record`, and after linking with -lsonde-preload, every thread registers
 * itself; elsewhere each thread but the main one calls this. NULL = the name that the system knows. Nested calls are
 * counted. */
static inline void sonde_thread_register(const char *name)
{
    SONDE_CALL_IF_LOADED_(thread_register(name));
}

static inline void sonde_thread_unregister(void)
{
    SONDE_CALL_IF_LOADED_(thread_unregister());
}

static inline void sonde_thread_rename(const char *name)
{
    SONDE_CALL_IF_LOADED_(thread_rename(name));
}

/* Around a wait. Not needed, and without effect: the kernel's books tell which threads wait, and these cost nothing. */
static inline void sonde_thread_sleep(void)
{
    SONDE_CALL_IF_LOADED_(thread_sleep());
}

static inline void sonde_thread_wake(void)
{
    SONDE_CALL_IF_LOADED_(thread_wake());
}

/* For language runtimes: `walk` gives the frames of the calling thread whenever it is sampled; NULL = no more. Only while it
 * runs: stacks of waits, which are read from outside, have native frames and labels alone. */
static inline void sonde_thread_set_runtime(sonde_runtime_walk *walk, void *runtime)
{
    SONDE_CALL_IF_LOADED_(thread_set_runtime(walk, runtime));
}

/* For event loops: `delay_ns` says how long an event that came now would have to wait: what the one that is running had to
 * wait, and how long it has been running. Called on the thread itself, in a signal handler: it may read only. NULL = no more.
 */
static inline void sonde_thread_set_event_delay(uint64_t (*delay_ns)(void *loop), void *loop)
{
    SONDE_CALL_IF_LOADED_(thread_set_event_delay(delay_ns, loop));
}

/* --- recording, for programs that control it themselves ---------------------------------------------------------------- */

/* 0 or a negative errno; -ENOSYS where the library is not loaded. NULL = the default options. */
static inline int sonde_start(const struct sonde_start_options *options)
{
    const struct sonde_api *api = sonde_api_();
    return api ? api->start(options) : -ENOSYS;
}

/* Goes on with a recording that has the same options, and starts one otherwise. */
static inline int sonde_ensure_started(const struct sonde_start_options *options)
{
    const struct sonde_api *api = sonde_api_();
    return api ? api->ensure_started(options) : -ENOSYS;
}

static inline void sonde_stop(void)
{
    SONDE_CALL_IF_LOADED_(stop());
}

static inline void sonde_pause(void)
{
    SONDE_CALL_IF_LOADED_(pause());
}

static inline void sonde_resume(void)
{
    SONDE_CALL_IF_LOADED_(resume());
}

/* No samples for a while; markers go on. */
static inline void sonde_pause_sampling(void)
{
    SONDE_CALL_IF_LOADED_(pause_sampling());
}

static inline void sonde_resume_sampling(void)
{
    SONDE_CALL_IF_LOADED_(resume_sampling());
}

/* Stops, and writes the profile that SONDE_SHUTDOWN asks for; happens at exit by itself. */
static inline void sonde_shutdown(void)
{
    SONDE_CALL_IF_LOADED_(shutdown());
}

/* Writes the profile so far, as JSON that the Firefox Profiler opens. The recording goes on. */
static inline int sonde_save(const char *path)
{
    const struct sonde_api *api = sonde_api_();
    return api ? api->save(path) : -ENOSYS;
}

/* The same into a file descriptor; `progress` may be NULL. */
static inline int sonde_write(int fd, void (*progress)(void *data, double share), void *data)
{
    const struct sonde_api *api = sonde_api_();
    return api ? api->write(fd, progress, data) : -ENOSYS;
}

/* Writes the profile after a while, even if the program hangs by then; `exit_after`: and ends the program. */
static inline int sonde_schedule_dump(double delay_s, const char *path, bool exit_after)
{
    const struct sonde_api *api = sonde_api_();
    return api ? api->schedule_dump(delay_s, path, exit_after) : -ENOSYS;
}

/* False: there was none, or it is too late. */
static inline bool sonde_cancel_dump(void)
{
    const struct sonde_api *api = sonde_api_();
    return api && api->cancel_dump();
}

static inline int sonde_wait_for_dump(void)
{
    const struct sonde_api *api = sonde_api_();
    return api ? api->wait_for_dump() : -ENOSYS;
}

/* Calls back once, on the background thread, which is made for it where there is none: soon after, when all samples that were
 * taken before this call can be read. Threads are not asked for a sample: each takes its own when it has used an interval of
 * CPU time. False: nothing is recorded, and there will be no call. */
static inline bool sonde_after_sampling(void (*call)(void *data, enum sonde_sampling state), void *data)
{
    const struct sonde_api *api = sonde_api_();
    return api && api->after_sampling(call, data);
}

/* `states`: 1 << SONDE_STARTED | …; `id`: for removing it. Calls come on the thread that changes the state; there are none when
 * a recording is paused, resumed or stopped from outside (`sonde ctl`). */
static inline int sonde_add_state_callback(unsigned states, void (*call)(void *data, enum sonde_state_change change),
                                           void *data, uintptr_t id)
{
    const struct sonde_api *api = sonde_api_();
    return api ? api->add_state_callback(states, call, data, id) : -ENOSYS;
}

static inline void sonde_remove_state_callback(uintptr_t id)
{
    SONDE_CALL_IF_LOADED_(remove_state_callback(id));
}

/* `info->size` is set by the caller; the rest stays zero where nothing is recorded. */
static inline void sonde_get_buffer_info(struct sonde_buffer_info *info)
{
    SONDE_CALL_IF_LOADED_(buffer_info(info));
}

/* As what the process appears in profiles. */
static inline void sonde_set_process_name(const char *name)
{
    SONDE_CALL_IF_LOADED_(set_process_name(name));
}

#ifdef __cplusplus
}
#endif

#include "sonde/macros.h"

#endif
