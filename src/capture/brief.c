#include "capture/brief.h"

#include "capture/clock.h"
#include "capture/link.h"
#include "capture/registry.h"
#include "capture/session_facts.h"
#include "session/room.h"

/* Guarded by the core lock. Pages of these that nobody touches cost nothing. */
_Alignas(4096) static struct chunk chunk;
static struct brief_file brief;

bool brief_suits(const struct core_locked *locked, const struct settings *settings)
{
    const struct room *room = link_room();
    return room_is_scarce(room) && !room_is_over(room) && !room_is_of_parent(room) &&
           settings->features & FEATURE_BIT(FEATURE_THRIFT) && !*settings->filters && settings->duration_ns == 0 &&
           !core_state(locked)->saves_at_shutdown;
}

static bool put(const struct core_locked *locked, size_t max, size_t (*write)(uint8_t *out, size_t room, const void *entry),
                const void *entry)
{
    (void)locked;
    uint8_t *out = chunk_reserve(&chunk, max);
    size_t length = out ? write(out, max, entry) : 0;
    if (length > 0)
        chunk_commit(&chunk, max, length);
    return length > 0;
}

bool brief_begin(const struct core_locked *locked, const struct settings *settings, bool own_table)
{
    struct chunk_manager_options options = {
        .folder = settings->folder,
        .pid = core_state(locked)->pid,
        .own_table = own_table,
        .start_monotonic_ns = clock_origin,
        .start_realtime_ns = core_state(locked)->start_realtime_ns,
        .interval_ns = settings->interval_ns,
    };
    atomic_store_explicit(&chunk.header.used, 0, memory_order_relaxed);
    brief_file_limit(&chunk);
    if (!session_facts_put(locked, settings, put) || !registry_put_main(locked, put))
        return false;
    struct error error = {0};
    uint64_t bytes = brief_file_bytes(&chunk), taken = room_take(link_room(), bytes, bytes);
    if (taken > 0 && brief_file_create(&brief, &options, &chunk, taken, &error) == 0) {
        link_know_image(locked, brief.file.image);
        return true;
    }
    room_put(link_room(), taken);
    return false;
}

void brief_say(const struct core_locked *locked, enum session_state state)
{
    (void)locked;
    if (brief.is_there)
        brief_file_say(&brief, state, state == SESSION_RECORDING ? 0 : clock_now());
}

struct brief_file *brief_file_of(const struct core_locked *locked)
{
    (void)locked;
    return brief.is_there ? &brief : NULL;
}

void brief_forget(const struct core_locked *locked)
{
    (void)locked;
    brief.is_there = false;
}
