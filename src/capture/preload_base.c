#include "capture/preload_base.h"

#include "capture/base.h"
#include "capture/handler.h"
#include "capture/internal_thread.h"
#include "capture/registry.h"

static void thread_started(size_t stack_bytes)
{
    thread_register_with_stack(NULL, stack_bytes);
}

static const struct preload_base table = {
    .size = sizeof table,
    .wanted = base_is_wanted,
    .thread_started = thread_started,
    .thread_rename = thread_rename,
    .internal_thread_in_creation = internal_thread_in_creation,
    .signal = &handler_signal,
    .signal_taken = handler_signal_taken,
    .replacing = handler_quiet,
};

const struct preload_base *sonde_base_preload(void)
{
    return &table;
}
