#include "capture/control/preload_base.h"

#include "capture/control/base.h"
#include "capture/control/children.h"
#include "capture/control/lifecycle.h"
#include "capture/core/clock.h"
#include "capture/core/internal_thread.h"
#include "capture/core/own_files.h"
#include "capture/core/sandbox.h"
#include "capture/recorder/link.h"
#include "capture/sampler/handler.h"
#include "capture/sampler/live.h"
#include "capture/sampler/registry.h"

#include <errno.h>
#include <unistd.h>

static void thread_started(size_t stack_bytes)
{
    thread_register_with_stack(NULL, stack_bytes);
}

/* In the child of a vfork() all is the parent's. */
static void exiting(void)
{
    live_note_filter(registration_mine());
    /* To ask which process this is may be forbidden. */
    if (sandbox_is_closed() || core_is_own_process())
        lifecycle_exit();
}

/* If all goes well nobody is there any more to say so. */
static void note_replaced(const struct core_locked *locked, bool replaced)
{
    const struct active_state *active = active_state(locked);
    if (!active)
        return;
    struct session_file_header *header = chunk_manager_header(active->chunks);
    if (atomic_load_explicit(&header->state, memory_order_relaxed) == SESSION_DISK_FULL)
        return;
    if (replaced)
        registry_write_end_of_process(locked);
    uint32_t state = replaced ? SESSION_REPLACED : active->paused ? SESSION_PAUSED : SESSION_RECORDING;
    atomic_store_explicit(&header->state, state, memory_order_relaxed);
    atomic_store_explicit(&header->end_ns, replaced ? clock_now() : 0, memory_order_relaxed);
}

static void replacing(bool begins)
{
    int saved_errno = errno;
    if (!sandbox_is_closed() && core_is_own_process()) {
        const struct core_locked *locked = core_lock();
        note_replaced(locked, begins);
        core_unlock(locked);
        handler_quiet(begins);
    } else {
        handler_pass_mask_on(begins);
    }
    errno = saved_errno;
}

static bool is_shut_in(void)
{
    live_note_filter(registration_mine());
    return sandbox_is_closed();
}

static const struct preload_base table = {
    .size = sizeof table,
    .wanted = base_is_wanted,
    .thread_started = thread_started,
    .thread_rename = thread_rename,
    .internal_thread_in_creation = internal_thread_in_creation,
    .signal = SAMPLE_SIGNAL,
    .handles_signal = handler_is_installed,
    .is_our_handler = handler_is,
    .change_action = handler_change_action,
    .is_blocked = handler_is_blocked,
    .set_blocked = handler_set_blocked,
    .adopt_mask = handler_adopt_mask,
    .is_own_process = core_is_own_process,
    .use_sigaction = handler_use_sigaction,
    .own_file_is = own_file_is,
    .own_file_next = own_file_next,
    .replacing = replacing,
    .starting = link_tell_child,
    .forked = children_begin,
    .exiting = exiting,
    .shutting_itself_in = sandbox_close,
    .not_shut_in = sandbox_open,
    .is_shut_in = is_shut_in,
};

const struct preload_base *sonde_base_preload(void)
{
    return &table;
}
