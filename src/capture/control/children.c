#include "capture/control/children.h"

#include "capture/control/lifecycle.h"
#include "capture/core/folder.h"
#include "capture/core/log.h"
#include "capture/core/sandbox.h"
#include "capture/core/settings.h"
#include "capture/recorder/link.h"

#include <errno.h>
#include <string.h>

/* Guarded by the core lock. */
static bool wanted, due;
static struct settings settings; /* of the parent, with texts of our own */
static char filters[FILTER_TEXT], folder[PATH_ROOM];

void children_record(void)
{
    wanted = true;
}

void children_forked(const struct core_locked *locked, const struct active_state *parents)
{
    (void)locked;
    /* The parent may be a child itself that has not begun. */
    due = wanted && (due || (parents && !parents->folder_is_ours));
    if (!due || !parents)
        return;
    settings = (struct settings){
        .interval_ns = parents->interval_ns,
        .duration_ns = parents->duration_ns,
        .buffer_bytes = parents->buffer_bytes,
        .features = parents->features,
        .filters = strcpy(filters, parents->filters),
        .folder = strcpy(folder, parents->folder),
    };
}

void children_begin(void)
{
    int saved_errno = errno;
    struct error error = {0};
    const struct core_locked *locked = core_lock();
    bool begins = due && !active_state(locked) && !link_is_over() && !sandbox_is_closed();
    int failed = begins ? lifecycle_begin(locked, &settings, &error) : 0;
    due = false;
    core_unlock(locked);
    if (failed) {
        log_line(folder_is_unreached(settings.folder, failed) ? LOG_STATE : LOG_ERROR, "nothing is recorded: %s",
                 error.message);
        link_tell_unreached();
    }
    errno = saved_errno;
}
