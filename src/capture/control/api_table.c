#include "capture/control/background.h"
#include "capture/control/lifecycle.h"
#include "capture/control/save.h"
#include "capture/core/callbacks.h"
#include "capture/core/clock.h"
#include "capture/core/core.h"
#include "capture/core/session_facts.h"
#include "capture/counters/counters.h"
#include "capture/markers/categories.h"
#include "capture/markers/labels.h"
#include "capture/markers/marker_stack.h"
#include "capture/markers/marker_types.h"
#include "capture/markers/marker_write.h"
#include "capture/sampler/registry.h"

#include <string.h>

/* That a thread sleeps is seen from outside, and costs nothing: nobody has to be told. */
static void do_nothing(void)
{
}

static void rename_me(const char *name)
{
    if (core_may_lock())
        thread_rename_self(name);
}

static bool after_sampling(void (*call)(void *data, enum sonde_sampling state), void *data)
{
    const struct core_locked *locked = core_lock();
    struct active_state *active = active_state(locked);
    bool room = active && active->after_sampling_count < CALLBACKS_MAX;
    if (room) {
        active->after_sampling[active->after_sampling_count++] = (struct after_sampling_call){call, data};
        background_need(locked);
        background_wake(locked);
    }
    core_unlock(locked);
    return room;
}

/* Counters are written down by the background thread. */
static void register_counter(struct sonde_counter *counter)
{
    /* With the lock held nothing of it is a system call. */
    if (sandbox_is_closed() && !core_locked_by_me())
        return;
    counter_register(counter);
    if (core_locked_by_me())
        return;
    const struct core_locked *locked = core_lock();
    background_need(locked);
    core_unlock(locked);
}

static void bandwidth_add(uint64_t bytes)
{
    static struct sonde_counter bandwidth = {"bandwidth", "Bandwidth", "Amount of data transferred", NULL};
    if (!state_has_feature(FEATURE_BANDWIDTH))
        return;
    struct sonde_counter_cell *cell = __atomic_load_n(&bandwidth.cell, __ATOMIC_ACQUIRE);
    if (!cell && !core_may_lock())
        return;
    if (!cell)
        register_counter(&bandwidth);
    cell = __atomic_load_n(&bandwidth.cell, __ATOMIC_ACQUIRE);
    if (!cell) /* the program has shut itself in meanwhile */
        return;
    __atomic_fetch_add(&cell->count, (int64_t)bytes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&cell->number, 1, __ATOMIC_RELAXED);
}

/* All zero when nothing is recorded. */
static void buffer_info(struct sonde_buffer_info *info)
{
    struct sonde_buffer_info now_info = {.size = sizeof now_info};
    const struct core_locked *locked = core_lock();
    struct active_state *active = active_state(locked);
    if (active) {
        struct chunk_manager_usage usage;
        chunk_manager_usage(active->chunks, &usage);
        const struct session_file_header *header = chunk_manager_header(active->chunks);
        now_info.bytes_used = usage.bytes_in_use + usage.bytes_done;
        now_info.bytes_limit = usage.bytes_limit;
        now_info.samples = statistic_get(header, STATISTIC_SAMPLES_EVENT) + statistic_get(header, STATISTIC_SAMPLES_TICK) +
                           statistic_get(header, STATISTIC_LOOKS);
        now_info.samples_lost = statistic_get(header, STATISTIC_SAMPLES_LOST);
        now_info.entries_lost = statistic_get(header, STATISTIC_ENTRIES_LOST);
        now_info.chunks_recycled = statistic_get(header, STATISTIC_CHUNKS_RECYCLED);
    }
    core_unlock(locked);
    size_t size = info->size < sizeof now_info ? info->size : sizeof now_info;
    memcpy(info, &now_info, size);
    info->size = size;
}

__attribute__((visibility("default"))) const struct sonde_api sonde_api_1 = {
    .size = sizeof sonde_api_1,
    .state = (const uint64_t *)&state_word,
    .start = lifecycle_start,
    .ensure_started = lifecycle_ensure_started,
    .stop = lifecycle_stop,
    .pause = lifecycle_pause,
    .resume = lifecycle_resume,
    .pause_sampling = lifecycle_pause_sampling,
    .resume_sampling = lifecycle_resume_sampling,
    .shutdown = lifecycle_shutdown,
    .save = save_to_file,
    .write = save_to_fd,
    .schedule_dump = dump_schedule,
    .cancel_dump = dump_cancel,
    .wait_for_dump = dump_wait,
    .after_sampling = after_sampling,
    .add_state_callback = callbacks_add,
    .remove_state_callback = callbacks_remove,
    .buffer_info = buffer_info,
    .set_process_name = process_name_set,
    .category_register = category_register,
    .subcategory_register = subcategory_register,
    .thread_register = thread_register,
    .thread_unregister = thread_unregister,
    .thread_rename = rename_me,
    .thread_sleep = do_nothing,
    .thread_wake = do_nothing,
    .thread_set_runtime = thread_set_runtime,
    .thread_set_event_delay = thread_set_event_delay,
    .label_push = label_push,
    .label_pop = label_pop,
    .now = clock_now,
    .marker_add = marker_add,
    .backtrace_capture = backtrace_capture,
    .backtrace_free = backtrace_free,
    .flow = flow_of,
    .text = &marker_type_text,
    .text_stack = &marker_type_text_stack,
    .tracing = &marker_type_tracing,
    .stack_marker = &marker_type_stack,
    .counter_register = register_counter,
    .bandwidth_add = bandwidth_add,
};
