#include "import/web_origin.h"

#include <stdio.h>
#include <strings.h>

static const struct scheme {
    struct slice name;
    bool special; /* slashes are optional, backslashes count as such, the host is in lower case */
    struct slice usual_port;
} schemes[] = {
    {{"https:", 6}, true, {":443", 4}},
    {{"http:", 5}, true, {":80", 3}},
    {{"moz-extension:", 14}, false, {"", 0}},
};

/* Longer ones exist in no browser. */
enum { LONGEST_HOST = 1024 };

static const struct scheme *find_scheme(struct slice url)
{
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (url.length >= schemes[i].name.length && strncasecmp(url.text, schemes[i].name.text, schemes[i].name.length) == 0)
            return &schemes[i];
    return NULL;
}

/* Between the slashes after the scheme and the path: `user@host:port`; false where there can be none. */
static bool find_authority(struct slice url, const struct scheme *scheme, struct slice *authority)
{
    struct slice rest = slice_from(url, scheme->name.length);
    if (scheme->special)
        while (rest.length > 0 && (rest.text[0] == '/' || rest.text[0] == '\\'))
            rest = slice_from(rest, 1);
    else if (slice_starts_with(rest, SLICE("//")))
        rest = slice_from(rest, 2);
    else
        rest.length = 0;
    const char *ends = scheme->special ? "/?#\\" : "/?#";
    size_t length = 0;
    while (length < rest.length && (rest.text[length] == 0 || !strchr(ends, rest.text[length])))
        length++;
    *authority = slice_until(rest, length);
    return !scheme->special || length > 0;
}

static bool is_host_character(char c)
{
    return (unsigned char)c > ' ' && c != 0x7f && !strchr("<>^|%\"`{}", c);
}

/* The port as a number without leading zeros, the usual one left out. */
static struct slice drop_usual_port(struct slice host, const struct scheme *scheme)
{
    if (scheme->usual_port.length > 0 && slice_ends_with(host, scheme->usual_port))
        return slice_until(host, host.length - scheme->usual_port.length);
    return slice_ends_with(host, SLICE(":")) ? slice_until(host, host.length - 1) : host;
}

bool web_origin_parse(struct slice url, struct string_table *strings, struct web_origin *origin)
{
    *origin = (struct web_origin){STRING_NONE, STRING_NONE};
    struct slice host;
    const struct scheme *scheme = find_scheme(url);
    if (!scheme || !find_authority(url, scheme, &host))
        return true;
    const char *user_end = host.length > 0 ? memrchr(host.text, '@', host.length) : NULL;
    if (user_end)
        host = slice_from(host, (size_t)(user_end - host.text) + 1);
    host = drop_usual_port(host, scheme);
    if (host.length > LONGEST_HOST)
        return true;
    char text[32 + LONGEST_HOST];
    size_t length = (size_t)snprintf(text, sizeof text, "%s//", scheme->name.text);
    size_t host_start = length;
    for (size_t i = 0; i < host.length; i++) {
        char c = host.text[i];
        if (!is_host_character(c))
            return true;
        text[length++] = scheme->special && c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    origin->origin = string_table_add(strings, (struct slice){text, length});
    if (host.length > 0)
        origin->host = string_table_add(strings, (struct slice){text + host_start, length - host_start});
    return string_exists(origin->origin) && (host.length == 0 || string_exists(origin->host));
}
