#include "api/window.h"

struct window window_of(const struct ask *ask, size_t count, size_t anchor, bool exact)
{
    if (!ask->has_anchor && !ask->has_path) {
        exact = ask->row < count;
        anchor = count == 0 ? SIZE_MAX : exact ? ask->row : count - 1;
    }
    size_t middle = anchor == SIZE_MAX ? 0 : anchor;
    return (struct window){
        .count = count,
        .anchor = anchor,
        .exact = exact,
        .first = middle > ask->before ? middle - ask->before : 0,
        .end = ask->after < count - middle ? middle + ask->after : count,
    };
}

void window_put(const struct window *window, struct reply *reply)
{
    reply_put_count(reply, "count", window->count);
    reply_put_count(reply, "first", window->first);
    reply_put_id(reply, "anchor", window->anchor == SIZE_MAX ? INDEX_NONE : (uint32_t)window->anchor);
    reply_put_boolean(reply, "exact", window->exact);
}
