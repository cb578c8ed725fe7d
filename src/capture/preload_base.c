#include "capture/preload_base.h"

#include "capture/announced_wait.h"
#include "capture/base.h"
#include "capture/follow.h"
#include "capture/handler.h"
#include "capture/handler_number.h"
#include "capture/internal_thread.h"
#include "capture/lifecycle.h"
#include "capture/link.h"
#include "capture/masks.h"
#include "capture/own_files.h"
#include "capture/registry.h"
#include "capture/sandbox.h"
#include "capture/signal_files.h"
#include "capture/timed.h"

/* What has more than one thread, or gives itself a name, is not as brief as that. */
static void thread_started(size_t stack_bytes)
{
    follow_now();
    follow_not_alone();
    thread_register_with_stack(NULL, stack_bytes);
}

static void thread_renamed(pthread_t handle, const char *name)
{
    follow_now();
    thread_rename(handle, name);
}

static void signal_file(int fd, const sigset_t *set)
{
    follow_not_alone();
    signal_files_note(fd, signal_bits(set));
}

/* In the child of a vfork() all is the parent's. */
static void exiting(void)
{
    if (handler_is_own_process())
        lifecycle_exit();
}

static void waiting_for_signals(void)
{
    follow_not_alone();
    timed_refuse();
}

static void leaving(void)
{
    if (handler_is_own_process())
        follow_leave();
}

static const struct preload_base table = {
    .size = sizeof table,
    .wanted = base_is_wanted,
    .thread_started = thread_started,
    .thread_rename = thread_renamed,
    .internal_thread_in_creation = internal_thread_in_creation,
    .signal = &handler_signal,
    .signals = &handler_numbers,
    .signal_taken = handler_signal_taken,
    .signal_sent = handler_signal_sent,
    .signal_reserved = handler_signal_reserved,
    .is_our_handler = handler_is,
    .mask_change = masks_change,
    .mask_show = masks_show,
    .mask_hide = masks_hide,
    .signal_file = signal_file,
    .waiting_for_signals = waiting_for_signals,
    .sleeping = follow_not_alone,
    .child_wait_begin = announced_wait_begin,
    .child_wait_end = announced_wait_end,
    .took_question = handler_took_question,
    .own_file_is = own_file_is,
    .own_file_next = own_file_next,
    .replacing = handler_quiet,
    .starting = link_tell_child,
    .forked = follow_forked,
    .exiting = exiting,
    .leaving = leaving,
    .shutting_itself_in = sandbox_close,
};

const struct preload_base *sonde_base_preload(void)
{
    masks_keep();
    follow_preloaded();
    return &table;
}
