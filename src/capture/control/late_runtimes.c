#include "capture/control/late_runtimes.h"

#include "capture/control/background.h"
#include "capture/core/clock.h"
#include "capture/core/core.h"
#include "capture/markers/labels.h"

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* How many libraries had been loaded when it was last looked for. */
static _Atomic unsigned long long loaded;

static bool is_runtime(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, "libjvm.so") == 0;
}

/* Returns 1 where nothing has come since, 2 where a runtime is there. */
static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
    unsigned long long *seen = data;
    (void)size;
    if (info->dlpi_adds == *seen)
        return 1;
    atomic_store_explicit(&loaded, info->dlpi_adds, memory_order_relaxed);
    return is_runtime(info->dlpi_name) ? 2 : 0;
}

void late_runtimes_look(void)
{
    unsigned long long seen = atomic_load_explicit(&loaded, memory_order_relaxed);
    int saved_errno = errno;
    if (!(state_get() & SONDE_STATE_ACTIVE) || !core_may_lock() || dl_iterate_phdr(visit, &seen) != 2)
        return;
    uint32_t own = label_push_own(__builtin_frame_address(0));
    const struct core_locked *locked = core_lock();
    const struct capture_parts *parts = core_state(locked)->parts;
    if (parts && active_state(locked)) {
        parts->refresh(clock_now());
        if (parts->needs_background())
            background_need(locked);
    }
    core_unlock(locked); /* a signal that was blocked meanwhile comes here */
    label_pop(own);
    errno = saved_errno;
}
