#include "server/guard.h"

#include <stdio.h>
#include <strings.h>

static bool is_same_name(struct slice a, struct slice b)
{
    return a.length == b.length && strncasecmp(a.text, b.text, a.length) == 0;
}

bool guard_allows_host(const struct guard *guard, struct slice host)
{
    static const struct slice names[] = {SLICE("127.0.0.1"), SLICE("localhost"), SLICE("[::1]")};
    char port[8];
    int length = snprintf(port, sizeof port, ":%u", guard->port);
    struct slice end = {port, (size_t)length};
    if (slice_ends_with(host, end))
        host.length -= end.length;
    else if (guard->port != 80)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_same_name(host, names[i]))
            return true;
    return false;
}

bool guard_allows_origin(const struct guard *guard, struct slice host, struct slice origin)
{
    return slice_equal(origin, guard->site) || guard_is_own_origin(host, origin);
}

bool guard_is_own_origin(struct slice host, struct slice origin)
{
    static const struct slice scheme = {"http://", 7};
    return slice_starts_with(origin, scheme) && slice_equal(slice_from(origin, scheme.length), host);
}

struct slice guard_path(const struct guard *guard, struct slice path)
{
    static const struct slice nothing = {NULL, 0};
    if (path.length <= 1 + TOKEN_LENGTH || path.text[0] != '/' || path.text[1 + TOKEN_LENGTH] != '/')
        return nothing;
    struct slice token = slice_until(slice_from(path, 1), TOKEN_LENGTH);
    return token_is(&guard->token, token) ? slice_from(path, 1 + TOKEN_LENGTH) : nothing;
}
