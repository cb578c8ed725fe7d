#include "capture/allocations/allocation_session.h"

#include "allocations/library.h"
#include "capture/allocations/allocation_events.h"
#include "capture/allocations/allocation_visit.h"
#include "capture/allocations/allocation_write.h"
#include "capture/core/clock.h"
#include "capture/sampler/handler.h"
#include "common/proc_file.h"
#include "session/entry_append.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

enum { ENTRY_ROOM = ENTRY_NUMBERS_MAX + sizeof((struct allocator_facts *)0)->path };

ENTRY_WRITER(allocations)

/* Set when the library begins. */
static const struct allocation_library *library; /* NULL = allocations are not recorded */
static struct allocation_plan plan;
static struct allocator_facts facts;

/* Guarded by the core lock. */
static bool is_recorded; /* in the session that runs */
static uint64_t private_at_first;

static void say_how(const struct core_locked *locked, bool is_unseen)
{
    struct allocations_entry entry = {
        .time = clock_now(),
        .mode = plan.is_all        ? ALLOCATIONS_ALL
                : plan.is_adaptive ? ALLOCATIONS_ADAPTIVE
                                   : ALLOCATIONS_FIXED,
        .maps = plan.has_maps,
        .is_unseen = is_unseen,
        .mean = plan.mean,
        .budget_ppm = plan.budget_ppm,
        .allocator = slice_of(facts.path),
    };
    kept_put(locked, ENTRY_ROOM, write_allocations, &entry);
}

/* Resident memory that is in no file, in bytes; 0: not known. */
static uint64_t private_bytes(void)
{
    char text[128];
    uint64_t resident = 0, shared = 0;
    if (proc_file_read("/proc/self/statm", text, sizeof text) <= 0)
        return 0;
    const char *at = strchr(text, ' ');
    at = at ? number_parse(at + 1, 10, &resident) : NULL;
    at = at && *at == ' ' ? number_parse(at + 1, 10, &shared) : NULL;
    return at && resident > shared ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static bool is_live(const struct allocation_entry *entry)
{
    return entry->source == ALLOCATION_HEAP && live_blocks_has(library->live, (uintptr_t)entry->address, entry->time);
}

static void begin(const struct core_locked *locked)
{
    say_how(locked, facts.is_unseen);
    is_recorded = !facts.is_unseen || (plan.has_maps && !facts.is_checked);
    if (is_recorded && !plan.is_all)
        chunk_manager_rescue(active_state(locked)->chunks, is_live);
    private_at_first = private_bytes();
    library->begin(is_recorded ? &allocation_recorder : NULL, &plan);
}

/* The memory has grown by far more than all that was ever allocated: it is given out by somebody whom we do not see. */
static bool is_elsewhere(const struct core_locked *locked)
{
    enum { MUCH = 16 << 20, TIMES = 4 };
    const struct active_state *active = active_state(locked);
    uint64_t now = sandbox_is_closed() ? 0 : private_bytes(), grown = now > private_at_first ? now - private_at_first : 0;
    return grown > MUCH && grown / TIMES > statistic_get(chunk_manager_header(active->chunks), STATISTIC_ALLOCATED_BYTES);
}

static void end(const struct core_locked *locked)
{
    if (is_recorded && active_state(locked) && is_elsewhere(locked))
        say_how(locked, true);
    is_recorded = false;
    library->begin(NULL, &plan);
    events_count(locked);
}

static void forked(void)
{
    is_recorded = false;
    visit_forked();
    library->forked();
}

void allocation_session_init(const char *words)
{
    static const struct session_guest guest = {.begin = begin, .end = end, .forked = forked};
    if (!words || !*words || !allocation_plan_read(words, &plan))
        return;
    library = dlsym(RTLD_DEFAULT, SONDE_ALLOCATION_LIBRARY);
    if (!library || library->size != sizeof *library) {
        library = NULL;
        return;
    }
    library->describe(&facts);
    handler_note_library(library->start, library->end);
    lifecycle_guest = &guest;
}

void allocation_session_settle(void)
{
    if (library && !(state_get() & SONDE_STATE_ACTIVE))
        library->begin(NULL, &plan);
}
