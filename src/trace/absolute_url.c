#include "trace/absolute_url.h"

#include "common/count.h"

#include <strings.h>

static bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The length of `https` in `https:…`; 0 = there is none. */
static size_t scheme_length(struct slice text)
{
    size_t length = 0;
    while (length < text.length && (is_letter(text.text[length]) ||
                                    (length > 0 && (is_digit(text.text[length]) || memchr("+-.", text.text[length], 3)))))
        length++;
    return length < text.length && text.text[length] == ':' ? length : 0;
}

/* Of these a host must follow, however many slashes there are. */
static bool needs_host(struct slice scheme)
{
    static const struct slice schemes[] = {{"http", 4}, {"https", 5}, {"ws", 2}, {"wss", 3}, {"ftp", 3}};
    for (size_t i = 0; i < COUNT(schemes); i++)
        if (scheme.length == schemes[i].length && strncasecmp(scheme.text, schemes[i].text, scheme.length) == 0)
            return true;
    return false;
}

static bool is_port(struct slice text)
{
    unsigned long port = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (!is_digit(text.text[i]))
            return false;
        port = port * 10 + (unsigned long)(text.text[i] - '0');
        if (port > 65535)
            return false;
    }
    return true;
}

/* `host` or `host:port`, the host not empty unless it may be. */
static bool is_host(struct slice text, bool may_be_empty)
{
    static const char forbidden[] = " #<>?@[\\]^|%/:";
    if (text.length > 0 && text.text[0] == '[') {
        const char *end = memchr(text.text, ']', text.length);
        struct slice rest = end ? slice_from(text, (size_t)(end + 1 - text.text)) : text;
        return end && (rest.length == 0 || (rest.text[0] == ':' && is_port(slice_from(rest, 1))));
    }
    const char *colon = memchr(text.text, ':', text.length);
    struct slice host = colon ? slice_until(text, (size_t)(colon - text.text)) : text;
    for (size_t i = 0; i < host.length; i++) {
        unsigned char c = (unsigned char)host.text[i];
        bool is_escape = c == '%' && i + 2 < host.length; /* may stand for a letter */
        if (c < 0x20 || c == 0x7f || (!is_escape && memchr(forbidden, c, sizeof forbidden - 1)))
            return false;
    }
    if (host.length == 0)
        return may_be_empty && !colon;
    return !colon || is_port(slice_from(text, host.length + 1));
}

bool url_is_absolute(struct slice text)
{
    while (text.length > 0 && (unsigned char)text.text[0] <= ' ')
        text = slice_from(text, 1);
    while (text.length > 0 && (unsigned char)text.text[text.length - 1] <= ' ')
        text.length--;
    size_t length = scheme_length(text);
    if (length == 0)
        return false;
    bool needed = needs_host(slice_until(text, length));
    struct slice rest = slice_from(text, length + 1);
    if (!needed && !slice_starts_with(rest, SLICE("//")))
        return true; /* `about:blank`, `data:…` */
    size_t start = needed ? 0 : 2;
    while (needed && start < rest.length && (rest.text[start] == '/' || rest.text[start] == '\\'))
        start++;
    size_t end = start;
    for (; end < rest.length && !memchr("/?#", rest.text[end], 3) && !(needed && rest.text[end] == '\\'); end++)
        if (rest.text[end] == '@')
            start = end + 1;
    return is_host((struct slice){rest.text + start, end - start}, !needed);
}
