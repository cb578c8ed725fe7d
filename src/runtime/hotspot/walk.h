/* One walk through the code of a HotSpot, and the Java frames that it tells of. */
#ifndef SONDE_RUNTIME_HOTSPOT_WALK_H
#define SONDE_RUNTIME_HOTSPOT_WALK_H

#include "common/frame_tier.h"
#include "runtime/hotspot/methods.h"
#include "runtime/hotspot/scopes.h"

/* Instead of a method, where a frame is none of the program's: these, or the address of the name of the VM's code. */
enum { HOTSPOT_VIRTUAL_THREAD = 0, HOTSPOT_CALL_STUB = 1 };

struct hotspot_frame {
    uint64_t stack_address; /* sp of the native frame that it is */
    uint64_t method;
    int32_t bci;          /* HOTSPOT_NO_BCI = not known */
    enum frame_tier tier; /* TIER_BUILTIN: none of the program's */
};

/* One walk. */
struct hotspot_walk {
    struct hotspot_reader reader; /* its memory is that of the walk */
    struct hotspot_methods *methods;
    struct hotspot_scope_cache *cache; /* NULL: none */
    uint64_t time;                     /* of the sample */
    void (*emit)(void *data, const struct hotspot_frame *frame);
    void *data;
    uint32_t steps; /* that were made so far; starts as 0 */
};

#endif
