#include "unwind/end.h"

const char *unwind_end_name(enum unwind_end end)
{
    static const char *const names[UNWIND_END_COUNT] = {
        [UNWIND_COMPLETE] = "complete",     [UNWIND_NO_ROOM] = "no room",         [UNWIND_NO_RULE] = "no rule",
        [UNWIND_UNREADABLE] = "unreadable", [UNWIND_NO_REGISTER] = "no register", [UNWIND_NO_PROGRESS] = "no progress",
    };
    return (unsigned)end < UNWIND_END_COUNT ? names[end] : "?";
}
